import { type ApiScope, type Principal, PrincipalResolver, SocketTickets } from '@app/auth';
import type { AppConfig } from '@app/config';
import { FeatureNotInPlanError, type Gates, SubscriptionExpiredError } from '@app/entitlements';
import { isOfOwnPage } from '../http/origins.js';
import { partOf } from '../http/part-of.js';
import { HandshakeRejection, type UpgradeRequest } from './handshake.js';

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
   * @throws HandshakeRejection 403 for a foreign origin, 401 without a valid credential; 402, 403 for what the plan refuses.
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
    if (!principal) throw new HandshakeRejection(401, 'No valid token or ticket.');
    if (principal.audience === 'mcp' || (principal.scopes && !principal.scopes.includes(scope)))
      throw new HandshakeRejection(403, `The API token lacks the scope ${scope}.`);
    await this.checkPlan(principal, gateway);
    return principal;
  }

  private async checkPlan(principal: Principal, gateway: object): Promise<void> {
    try {
      await this.gates.check(principal, partOf(gateway.constructor, undefined) ?? 'core');
    } catch (error) {
      if (error instanceof SubscriptionExpiredError) throw new HandshakeRejection(402, error.message);
      if (error instanceof FeatureNotInPlanError) throw new HandshakeRejection(403, error.message);
      throw error;
    }
  }

  private async claim(ticket: string, path: string): Promise<Principal | null> {
    const claimed = await this.tickets.claim(ticket);
    return claimed && bare(claimed.channel) === bare(path) ? claimed.principal : null;
  }

  private checkOrigin({ headers }: UpgradeRequest): void {
    if (!isOfOwnPage(this.http, headers)) throw new HandshakeRejection(403, 'Foreign origin.');
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
