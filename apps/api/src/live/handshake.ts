import type { IncomingMessage } from 'node:http';
import type { Principal } from '@app/auth';

/** An upgrade request, with what the adapter read from its path. */
export interface UpgradeRequest extends IncomingMessage {
  params: Record<string, string>;
  query: URLSearchParams;
  /** Set once the handshake was authorised. */
  principal?: Principal;
}

/** Thrown by a gateway's `authorize` to refuse the handshake with an HTTP status. */
export class HandshakeRejection extends Error {
  constructor(
    readonly status: 400 | 401 | 402 | 403 | 404 | 429 | 503,
    reason: string,
  ) {
    super(reason);
    this.name = 'HandshakeRejection';
  }
}

export type Authorize = (request: UpgradeRequest) => Promise<Principal>;
