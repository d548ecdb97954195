import { InvalidRequestError, isUuid } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditChain } from './audit-chain.js';

/** Entries that an export reads at once. */
const EXPORTED_PAGE = 5_000;

export interface AuditFilter {
  /** A user's name or number. */
  actor?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
}

export interface AuditPage {
  events: AuditRecord[];
  /** For the next, older page; null on the last. */
  nextCursor: string | null;
}

/** As it stands in the chain; hashes in hexadecimal. `actor`, `ip` and `target` are null once they were erased. */
export interface AuditRecord {
  id: string;
  seq: number;
  at: Date;
  action: string;
  outcome: string;
  requestId: string | null;
  actorId: number | null;
  actor: string | null;
  ip: string | null;
  target: string | null;
  details: Record<string, unknown>;
  prevHash: string;
  hash: string;
}

/** What the owners and admins of an organisation see of an entry: no addresses, no facts, no places in the common chain. */
export interface OrganizationAuditRecord {
  id: string;
  at: Date;
  action: string;
  outcome: string;
  /** Null for the system, and once that account was erased. */
  actorId: number | null;
  actor: string | null;
  target: string | null;
}

const invalidCursor = () => new InvalidRequestError('The cursor is not one of this list.', { code: 'invalid_cursor' });

/** Reading the audit log, and taking out what is personal when an account is erased. */
@Injectable()
export class AuditReader {
  constructor(
    private readonly dataSource: DataSource,
    private readonly chain: AuditChain,
  ) {}

  /**
   * Newest first, what was recorded a moment ago included. For staff: it is not scoped to a viewer.
   * @throws InvalidRequestError (`invalid_cursor`)
   */
  async listForStaff(filter: AuditFilter, cursor: string | null, limit: number): Promise<AuditPage> {
    if (cursor !== null && !/^\d{1,15}$/.test(cursor)) throw invalidCursor();
    await this.chain.extend();
    const rows = await this.dataSource.query<(AuditRecord & { seq: string })[]>(
      `SELECT id, seq, at, action, outcome, request_id AS "requestId", actor_id AS "actorId",
              personal ->> 'actor' AS actor, personal ->> 'ip' AS ip, personal ->> 'target' AS target,
              coalesce(personal -> 'details', '{}') AS details,
              encode(prev_hash, 'hex') AS "prevHash", encode(hash, 'hex') AS hash
       FROM audit_events
       WHERE ($1::bigint IS NULL OR seq < $1) AND ($2::text IS NULL OR personal ->> 'actor' = $2 OR actor_id::text = $2)
         AND ($3::text IS NULL OR action = $3) AND ($4::text IS NULL OR personal ->> 'target' = $4)
         AND ($5::timestamptz IS NULL OR at >= $5) AND ($6::timestamptz IS NULL OR at < $6)
       ORDER BY seq DESC LIMIT $7`,
      [cursor, filter.actor, filter.action, filter.target, filter.from, filter.to, limit + 1].map((v) => v ?? null),
    );
    const events = rows.slice(0, limit).map((row) => ({ ...row, seq: Number(row.seq) }));
    return { events, nextCursor: rows.length > limit ? String(events.at(-1)!.seq) : null };
  }

  /**
   * What happened in an organisation, newest first: what its people did while they belonged to it. For callers who have
   * checked that the viewer may read it. @param cursor the id of an entry: places in the chain would tell how much happens elsewhere.
   * @throws InvalidRequestError (`invalid_cursor`)
   */
  async listForOrganization(
    organizationId: number,
    filter: Omit<AuditFilter, 'target'>,
    cursor: string | null,
    limit: number,
  ): Promise<{ events: OrganizationAuditRecord[]; nextCursor: string | null }> {
    await this.chain.extend();
    const before = cursor === null ? null : await this.placeOf(organizationId, cursor);
    const rows = await this.dataSource.query<OrganizationAuditRecord[]>(
      `SELECT id, at, action, outcome, actor_id AS "actorId", personal ->> 'actor' AS actor, personal ->> 'target' AS target
       FROM audit_events
       WHERE organization_id = $1 AND ($2::bigint IS NULL OR seq < $2)
         AND ($3::text IS NULL OR personal ->> 'actor' = $3 OR actor_id::text = $3) AND ($4::text IS NULL OR action = $4)
         AND ($5::timestamptz IS NULL OR at >= $5) AND ($6::timestamptz IS NULL OR at < $6)
       ORDER BY seq DESC LIMIT $7`,
      [
        organizationId,
        before,
        filter.actor ?? null,
        filter.action ?? null,
        filter.from ?? null,
        filter.to ?? null,
        limit + 1,
      ],
    );
    const events = rows.slice(0, limit);
    return { events, nextCursor: rows.length > limit ? events.at(-1)!.id : null };
  }

  private async placeOf(organizationId: number, id: string): Promise<string> {
    if (!isUuid(id)) throw invalidCursor();
    const [row] = await this.dataSource.query<{ seq: string }[]>(
      'SELECT seq FROM audit_events WHERE id = $1 AND organization_id = $2',
      [id, organizationId],
    );
    if (!row) throw invalidCursor();
    return row.seq;
  }

  /** A page of what was done by or about an account, oldest first: for its owner. @param after the last one’s cursor */
  async listAbout(userId: number, after: string | null): Promise<{ cursor: string; row: unknown }[]> {
    if (after === null) await this.chain.extend();
    return this.dataSource.query<{ cursor: string; row: unknown }[]>(
      `SELECT seq::text AS cursor, json_build_object('at', at, 'action', action, 'outcome', outcome,
         'ip', personal ->> 'ip', 'target', personal ->> 'target', 'details', personal -> 'details') AS row
       FROM audit_events WHERE (actor_id = $1 OR subject_id = $1) AND ($2::text IS NULL OR seq > $2::bigint)
       ORDER BY seq LIMIT ${EXPORTED_PAGE}`,
      [userId, after],
    );
  }

  /** Entries that name the account, those included that the chain has yet to take up. */
  async countAbout(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM audit_events WHERE actor_id = $1 OR subject_id = $1)::int
            + (SELECT count(*) FROM audit_inbox
               WHERE (event ->> 'actorId')::int = $1 OR (event ->> 'subjectId')::int = $1)::int AS count`,
      [userId],
    );
    return count;
  }

  /** Takes the personal part out of all entries by or about the account. @returns how many there were */
  async eraseAccount(userId: number, tx: EntityManager): Promise<number> {
    const [, waiting] = await tx.query<[unknown, number]>(
      `UPDATE audit_inbox SET event = jsonb_set(event, '{personal}', '{}') || '{"actorId": null, "subjectId": null}'
       WHERE (event ->> 'actorId')::int = $1 OR (event ->> 'subjectId')::int = $1`,
      [userId],
    );
    const [, chained] = await tx.query<[unknown, number]>(
      `UPDATE audit_events SET personal = NULL, actor_id = NULL, subject_id = NULL WHERE actor_id = $1 OR subject_id = $1`,
      [userId],
    );
    return waiting + chained;
  }
}
