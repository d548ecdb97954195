import { randomBytes } from 'node:crypto';
import { SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { chainHash, GENESIS, personalDigest } from './audit-hash.js';

const BATCH = 500;
/** Of the lock that keeps the chain one chain. */
const LOCK = 0x61756474;

interface InboxRow {
  id: string;
  at: Date;
  event: {
    action: string;
    outcome: string;
    requestId: string | null;
    actorId: number | null;
    subjectId: number | null;
    /** Absent in those of the release before. */
    organizationId?: number | null;
    personal: Record<string, unknown>;
  };
}

interface ChainRow {
  seq: string;
  id: string;
  at: Date;
  action: string;
  outcome: string;
  request_id: string | null;
  actor_id: number | null;
  subject_id: number | null;
  organization_id: number | null;
  personal: Record<string, unknown> | null;
  personal_digest: Buffer;
  prev_hash: Buffer;
  hash: Buffer;
}

/** Moves what was recorded into the hash chain, and proves that nobody changed it. */
@Injectable()
export class AuditChain implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tasks: SoleTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.every('audit chain', 1, () => this.extend());
  }

  /** Chains all that is committed so far; any number of processes may try at once. */
  async extend(): Promise<void> {
    while ((await this.dataSource.transaction((tx) => this.extendBy(tx))) === BATCH);
  }

  /**
   * Recomputes the chain from its beginning.
   * @returns the first `seq` that does not fit, or null when all do; `length` is the last one looked at
   */
  async verify(): Promise<{ length: number; broken: number | null }> {
    let previous: Buffer = GENESIS;
    let seq = 0;
    for (;;) {
      const rows = await this.dataSource.query<ChainRow[]>(
        'SELECT * FROM audit_events WHERE seq > $1 ORDER BY seq LIMIT $2',
        [seq, BATCH],
      );
      for (const row of rows) {
        seq += 1;
        if (!fits(row, seq, previous)) return { length: seq, broken: seq };
        previous = row.hash;
      }
      if (rows.length < BATCH) return { length: seq, broken: null };
    }
  }

  private async extendBy(tx: EntityManager): Promise<number> {
    const [{ waiting }] = await tx.query<[{ waiting: boolean }]>('SELECT EXISTS (SELECT FROM audit_inbox) AS waiting');
    if (!waiting) return 0;
    await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const rows = await takeInbox(tx);
    const [last] = await tx.query<{ seq: string; hash: Buffer }[]>(
      'SELECT seq, hash FROM audit_events ORDER BY seq DESC LIMIT 1',
    );
    let seq = Number(last?.seq ?? 0);
    let previous: Buffer = last?.hash ?? GENESIS;
    for (const { id, at, event } of rows) {
      seq += 1;
      const { action, outcome, requestId, actorId, subjectId, organizationId = null } = event;
      const personal = {
        ...event.personal,
        // Under the hash, so that nobody moves an entry to another organisation.
        ...(organizationId !== null && { organization: organizationId }),
        salt: randomBytes(16).toString('base64url'),
      };
      const digest = personalDigest(actorId, subjectId, personal);
      const hash = chainHash(previous, { seq, id, at, action, outcome, requestId, personalDigest: digest });
      await tx.query(
        `INSERT INTO audit_events (seq, id, at, action, outcome, request_id, actor_id, subject_id,
                                   organization_id, personal, personal_digest, prev_hash, hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
        [seq, id, at, action, outcome, requestId, actorId, subjectId, organizationId, personal, digest, previous, hash],
      );
      previous = hash;
    }
    return rows.length;
  }
}

/** Milliseconds are what the hash covers, so the time is cut to them. */
async function takeInbox(tx: EntityManager): Promise<InboxRow[]> {
  const [rows] = await tx.query<[(InboxRow & { microseconds: string })[], number]>(
    `DELETE FROM audit_inbox WHERE id IN (SELECT id FROM audit_inbox ORDER BY at, id LIMIT $1)
     RETURNING id, date_trunc('milliseconds', at) AS at, (extract(epoch FROM at) * 1000000)::bigint AS microseconds, event`,
    [BATCH],
  );
  return rows.sort((a, b) => Number(a.microseconds) - Number(b.microseconds));
}

function fits(row: ChainRow, seq: number, previous: Buffer): boolean {
  const { id, at, action, outcome, personal } = row;
  const digest = row.personal_digest;
  const hash = chainHash(previous, { seq, id, at, action, outcome, requestId: row.request_id, personalDigest: digest });
  return (
    Number(row.seq) === seq &&
    row.prev_hash.equals(previous) &&
    row.hash.equals(hash) &&
    (personal === null ||
      ((personal.organization ?? null) === row.organization_id &&
        personalDigest(row.actor_id, row.subject_id, personal).equals(digest)))
  );
}
