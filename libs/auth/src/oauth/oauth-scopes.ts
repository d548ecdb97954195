import type { ApiScope } from '../principal/scopes.js';

/** What MCP clients can be granted: what the tools need, and no more. */
export const MCP_SCOPES = ['documents:read', 'workflows:read', 'workflows:run'] as const satisfies readonly ApiScope[];
export type McpScope = (typeof MCP_SCOPES)[number];

/** Those that are offered among those that are asked for; all without a wish; null when none of them is. */
export function readScopes(wish: string | undefined): McpScope[] | null {
  const asked = (wish ?? '').split(' ').filter((scope) => scope !== '');
  if (asked.length === 0) return [...MCP_SCOPES];
  const known = MCP_SCOPES.filter((scope) => asked.includes(scope));
  return known.length > 0 ? known : null;
}
