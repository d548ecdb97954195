import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from '@nestjs/common';
import type { CachedPrincipals } from './cached-principals.js';
import type { Principal } from './principal.js';
import { SessionGuard } from './session.guard.js';
import { SessionStrategy } from './session.strategy.js';

/** Tokens are `<user id>-<milliseconds that the look-up takes>`; nothing is remembered. */
const principals = {
  peek: () => null,
  resolve: async (token: string) => {
    const [userId, milliseconds] = token.split('-').map(Number);
    await sleep(milliseconds);
    return userId === 0 ? null : { userId };
  },
} as unknown as CachedPrincipals;

function contextOf(token: string): { context: ExecutionContext; request: { user?: Principal } } {
  const request: { headers: object; user?: Principal } = { headers: { authorization: `Token ${token}` } };
  const http = { getRequest: () => request, getResponse: () => ({}) };
  return { request, context: { getType: () => 'http', switchToHttp: () => http } as unknown as ExecutionContext };
}

describe('SessionGuard', () => {
  it('answers each of several callers whose look-ups overlap, and never with another one', async () => {
    const guard = new SessionGuard(new SessionStrategy(principals));
    const calls = ['1-30', '2-10', '0-20', '3-1', '1-5'].map(contextOf);
    await Promise.all(calls.map(({ context }) => guard.canActivate(context)));
    expect(calls.map(({ request }) => request.user?.userId)).toEqual([1, 2, undefined, 3, 1]);
  });
});
