import type { ApiScope } from './scopes.js';

/** Who is calling: the answer to an access token. */
export interface Principal {
  readonly userId: number;
  readonly username: string;
  readonly email: string;
  /** The session that the token belongs to. */
  readonly sessionId: string;
  readonly isStaff: boolean;
  readonly organizationId: number | null;
  /** Set for who may only read (docs/contract/organisations.md#roles). */
  readonly readsOnly?: true;
  /** What an API token or a program may do; null for a session, which may do everything that its account may. */
  readonly scopes: readonly ApiScope[] | null;
  /** Set when the token is good for one endpoint alone: what a user granted to an MCP client. */
  readonly audience?: 'mcp';
}
