import { type ApiScope, type Principal, PrincipalResolver, SocketTickets } from '@app/auth';
import { ForbiddenError, UnauthenticatedError } from '@app/common';
import type { AppConfig } from '@app/config';
import type { Gates } from '@app/entitlements';
import { isOfOwnPage } from '../http/origins.js';
import { partOf } from '../http/part-of.js';
import type { UpgradeRequest } from './handshake.js';

const TICKET_PROTOCOL = 'ticket.';
/** 256 bits in base64url. */
const TICKET = /^[\w-]{43}$/;

/**
 * Who opens a socket: `?token=<access token>`, or a ticket for this channel as `?ticket=` or as the subprotocol, with
 * or without `ticket.` before it. Browsers name the page's origin, which has to be one of ours.
 */
export class SocketAuthenticator {
  constructor(
    private readonly principals: PrincipalResolver,
    private readonly tickets: SocketTickets,
    private readonly gates: Gates,
    private readonly http: Pick<AppConfig['http'], 'corsOrigins' | 'corsLocalhost' | 'publicUrl'>,
  ) {}

  /**
   * @param gateway says what its channel belongs to (`@PartOf`)
   * @param scope what an API token needs.
   * @throws UnauthenticatedError without a valid credential
   * @throws ForbiddenError for a foreign origin, and for a scope that the token lacks; and what the plan refuses
   */
  async authenticate(request: UpgradeRequest, gateway: object, scope: ApiScope): Promise<Principal> {
    this.checkOrigin(request);
    const token = request.query.get('token');
    const ticket = request.query.get('ticket') ?? ticketOf(request.headers['sec-websocket-protocol']);
    const principal = token
      ? await this.principals.resolve(token)
      : ticket
        ? await this.claim(ticket, new URL(request.url ?? '/', 'ws://localhost').pathname)
        : null;
    if (!principal)
      throw token || ticket
        ? new UnauthenticatedError('No valid token or ticket.', { code: 'invalid_token' })
        : new UnauthenticatedError();
    if (principal.audience === 'mcp' || (principal.scopes && !principal.scopes.includes(scope)))
      throw new ForbiddenError(`This API token lacks the scope ${scope}.`, { code: 'insufficient_scope' });
    await this.gates.check(principal, partOf(gateway.constructor, undefined) ?? 'core');
    return principal;
  }

  private async claim(ticket: string, path: string): Promise<Principal | null> {
    const claimed = await this.tickets.claim(ticket);
    return claimed && bare(claimed.channel) === bare(path) ? claimed.principal : null;
  }

  private checkOrigin({ headers }: UpgradeRequest): void {
    if (!isOfOwnPage(this.http, headers)) throw new ForbiddenError('Foreign origin.', { code: 'foreign_origin' });
  }
}

function ticketOf(protocols: string | undefined): string | null {
  const offered = protocols?.split(',').map((protocol) => protocol.trim()) ?? [];
  const named = offered.find((protocol) => protocol.startsWith(TICKET_PROTOCOL));
  return named?.slice(TICKET_PROTOCOL.length) ?? offered.find((protocol) => TICKET.test(protocol)) ?? null;
}

/** A channel is written with or without slashes around it, and with or without percent-encoding. */
function bare(channel: string): string {
  const trimmed = channel.replace(/^\/+|\/+$/g, '').toLowerCase();
  try {
    return decodeURIComponent(trimmed);
  } catch {
    return trimmed;
  }
}
