import { contextOfOrigin, currentOrigin, runInContext, toTraceparent } from './request-context.js';

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('the origin of work', () => {
  it('keeps the request id and the trace', () => {
    expect(currentOrigin()).toBeNull();
    for (const context of [{ requestId: 'r-1' }, { requestId: 'r-1', trace: TRACE }])
      expect(contextOfOrigin(runInContext(context, currentOrigin)!)).toEqual(context);
  });

  it.each([
    TRACE.replace('00-', 'ff-'),
    TRACE.toUpperCase(),
    `${TRACE}-more`,
    TRACE.replace(/-4bf9[^-]+/, `-${'0'.repeat(32)}`),
    [TRACE],
    undefined,
  ])('takes no other traceparent than one of version 00: %j', (header) => {
    expect(toTraceparent(header)).toBeUndefined();
  });
});
