import { MODEL_FAILURES } from '@app/integrations';
import {
  BadGatewayError,
  ConflictError,
  DomainError,
  type DomainErrorOptions,
  ForbiddenError,
  GatewayTimeoutError,
  InvalidRequestError,
  NotFoundError,
  UnavailableError,
} from '@app/common';

type ErrorClass = new (message: string, options: DomainErrorOptions) => DomainError;

/** A fault of ours that a turn failed with: 500. */
class TurnFailedError extends DomainError {
  constructor(message: string, options: DomainErrorOptions) {
    super(message, 'internal_error', options);
  }
}

/** A turn tells its code alone: these say which status it had as an error. */
const CLASSES: readonly [RegExp, ErrorClass][] = [
  // A statement that may not run is the model's, as is one that does not work.
  [/_failed$|^query_refused$|^bad_gateway$/, BadGatewayError],
  [/_timeout$/, GatewayTimeoutError],
  [/^model_not_configured$|_unavailable$|^unavailable$|^worker_lost$|^throttled$|_rate_limited$/, UnavailableError],
  [/not_found$/, NotFoundError],
  [/_not_ready$|_limit_reached$|^conflict$|_exceeded$|_erased$|^(table|query)_too_large$/, ConflictError],
  [/^permission_denied$|_forbidden$|_not_yours$/, ForbiddenError],
  [/^invalid|^too_many_|_too_long$|_required$/, InvalidRequestError],
];

/** What a failed turn answers its caller: `{detail, code}` with the status that fits the code. */
export function toTurnFailure({ code, detail }: { code: string; detail: string }, turnId: string): DomainError {
  const known = CLASSES.find(([pattern]) => pattern.test(code))?.[1] ?? TurnFailedError;
  // Whether there is such a model at all was asked before the turn began.
  const found = MODEL_FAILURES.has(code) ? BadGatewayError : known;
  return new found(detail || 'The turn failed.', { code, extra: { turn_id: turnId } });
}
