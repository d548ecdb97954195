import type { AppConfig } from '@app/config';

export const MCP_LIMITS = Symbol('limits of the MCP endpoint');

export interface McpLimits {
  bodyBytes: number;
  /** Messages per minute. */
  perUser: number;
}

export function toMcpLimits({ http, rateLimits }: AppConfig): McpLimits {
  return { bodyBytes: http.bodyLimitBytes, perUser: rateLimits.perUser };
}
