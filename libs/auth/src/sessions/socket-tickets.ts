import { hashToken, newToken } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../principal/principal.js';

export const TICKET_SECONDS = 30;

/**
 * Tickets that open one WebSocket in place of the access token, which would stay in logs
 * (docs/contract/sessions.md#tickets-of-sockets).
 */
@Injectable()
export class SocketTickets {
  constructor(private readonly dataSource: DataSource) {}

  /** @param channel what the ticket is for; `claim` gives it back */
  async issue(viewer: Principal, channel: string): Promise<string> {
    const ticket = newToken();
    await this.dataSource.query(
      `INSERT INTO socket_tickets (ticket_hash, session_id, channel, expires_at)
       VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
      [hashToken(ticket), viewer.sessionId, channel, TICKET_SECONDS],
    );
    return ticket;
  }

  /** Uses the ticket up. @returns null when it is unknown, used, too old, or its session has ended */
  async claim(ticket: string): Promise<{ principal: Principal; channel: string } | null> {
    const rows = await this.dataSource.query<(Principal & { channel: string })[]>(
      `WITH ticket AS (DELETE FROM socket_tickets WHERE ticket_hash = $1 RETURNING session_id, channel, expires_at)
       SELECT t.channel, u.id AS "userId", u.username, u.email, u.is_staff AS "isStaff",
              u.organization_id AS "organizationId", s.id AS "sessionId", a.scopes
       FROM ticket t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
       LEFT JOIN api_tokens a ON a.session_id = s.id
       WHERE t.expires_at > now() AND s.revoked_at IS NULL AND s.absolute_expires_at > now() AND u.is_active`,
      [hashToken(ticket.slice(0, 200))],
    );
    if (!rows[0]) return null;
    const { channel, ...principal } = rows[0];
    return { principal, channel };
  }
}
