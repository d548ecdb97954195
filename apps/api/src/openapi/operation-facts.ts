import type { CatalogedRoute } from '../http/route-catalog.js';

/** What a route declares about its callers, in words: the end of every description. */
export function factsOf({ route, isPublic }: CatalogedRoute): string {
  const facts = [whoMayCall(route, isPublic)];
  if ((route.startsSomething || route.framing) && !isPublic) facts.push('Safe to repeat with an `Idempotency-Key`.');
  if (route.rate === 'none') facts.push('Not rate limited.');
  else if (route.rate) facts.push(`At most ${route.rate.perMinute} calls per minute.`);
  return facts.join(' ');
}

function whoMayCall({ scope, staffOnly, forMcpClients }: CatalogedRoute['route'], isPublic: boolean): string {
  if (isPublic) return 'Needs no session.';
  const scopes = scope === undefined ? [] : [scope].flat();
  const who = staffOnly ? 'a session of staff' : 'a session';
  if (scopes.length === 0) return `Needs ${who}; API tokens are refused.`;
  const tokens = scopes.map((one) => `\`${one}\``).join(' or ');
  return `Needs ${who}, or an API token with ${tokens}${forMcpClients ? '; tokens of MCP clients are taken, too' : ''}.`;
}
