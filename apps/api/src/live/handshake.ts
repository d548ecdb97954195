import type { IncomingMessage } from 'node:http';
import type { Principal } from '@app/auth';

/** An upgrade request, with what the adapter read from its path. */
export interface UpgradeRequest extends IncomingMessage {
  params: Record<string, string>;
  query: URLSearchParams;
  /** Set once the handshake was authorised. */
  principal?: Principal;
}

/** @throws DomainError for who does not get in: the answer is that of a route (docs/contract/conventions.md#errors). */
export type Authorize = (request: UpgradeRequest) => Promise<Principal>;
