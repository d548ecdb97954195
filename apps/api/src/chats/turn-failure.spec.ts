import { BadGatewayError, ConflictError, GatewayTimeoutError } from '@app/common';
import { toTurnFailure } from './turn-failure.js';

it.each([
  ['query_refused', BadGatewayError],
  ['query_failed', BadGatewayError],
  ['query_too_large', ConflictError],
  ['query_timeout', GatewayTimeoutError],
])('a statement that ended a turn is no fault of ours: %s', (code, expected) => {
  const failure = toTurnFailure({ code, detail: 'Why.' }, 'turn');
  expect(failure).toBeInstanceOf(expected);
  expect(failure).toMatchObject({ code, message: 'Why.', extra: { turn_id: 'turn' } });
});
