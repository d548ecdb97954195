import { AuditLog } from '@app/audit';
import type { Principal } from '@app/auth';
import { newId, NotFoundError } from '@app/common';
import { exportAccountJob } from '@app/contracts';
import { ErasureRegistry } from '@app/erasure';
import { FileStorage } from '@app/integrations';
import { Messages } from '@app/messages';
import { HandlesJob, Outbox, PeriodicTasks } from '@app/queues';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { streamArchive } from './export-archive.js';

export const KEPT_HOURS = 168;
const LEASE_SECONDS = 60;
const BEAT_MS = 15_000;
const MAX_ATTEMPTS = 3;
const SWEEP_SECONDS = 10;

/** In wire names. */
export interface ExportRow {
  id: string;
  state: 'running' | 'ready' | 'failed';
  size_bytes: string | null;
  created_at: Date;
  finished_at: Date | null;
  expires_at: Date | null;
}

/** With the account's number: nobody asks for an export in the moment in which one ends. */
const LOCK = 0x6578706f;
const COLUMNS = 'id, state, size_bytes, created_at, finished_at, expires_at';

type Claim = { id: string; user_id: number; storage_key: string; fence: number; attempts: number };

/** Copies of one's data: written by a job, kept for a week. */
@Injectable()
export class Exports implements OnModuleInit {
  private readonly logger = new Logger(Exports.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
    private readonly storage: FileStorage,
    private readonly outbox: Outbox,
    private readonly messages: Messages,
    private readonly audit: AuditLog,
    private readonly tasks: PeriodicTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.every('exports', SWEEP_SECONDS, () => this.sweep());
  }

  /** Asks for one; while one is under way, or was ready a moment ago, that one is given. */
  async start(viewer: Principal): Promise<{ row: ExportRow; isNew: boolean }> {
    const { userId } = viewer;
    const id = newId();
    const started = await this.dataSource.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK, userId]);
      const [row] = await tx.query<ExportRow[]>(
        `INSERT INTO exports (id, user_id, storage_key) SELECT $1, $2, $3
         WHERE NOT EXISTS (SELECT FROM exports WHERE user_id = $2
                             AND (state = 'running' OR state = 'ready' AND finished_at > now() - interval '1 minute'))
         RETURNING ${COLUMNS}`,
        [id, userId, `exports/${id.slice(0, 2)}/${id}`],
      );
      if (!row) return null;
      await this.audit.record({ action: 'account.exported', actor: viewer, target: `user:${userId}` }, tx);
      return { row, receipt: await this.outbox.enqueue(exportAccountJob, { exportId: id, fence: 0 }, tx) };
    });
    if (started) {
      this.outbox.publishSoon([started.receipt]);
      return { row: started.row, isNew: true };
    }
    const [running] = await this.dataSource.query<ExportRow[]>(
      `SELECT ${COLUMNS} FROM exports WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1`,
      [userId],
    );
    if (!running) throw new NotFoundError();
    return { row: running, isNew: false };
  }

  /** Newest first. */
  async list({ userId }: Principal): Promise<ExportRow[]> {
    return this.dataSource.query<ExportRow[]>(
      `SELECT ${COLUMNS} FROM exports WHERE user_id = $1 ORDER BY created_at DESC LIMIT 100`,
      [userId],
    );
  }

  /** @throws NotFoundError for one that is not the viewer's */
  async get({ userId }: Principal, id: string): Promise<ExportRow> {
    const [row] = await this.dataSource.query<ExportRow[]>(
      `SELECT ${COLUMNS} FROM exports WHERE id = $1 AND user_id = $2`,
      [id, userId],
    );
    if (!row) throw new NotFoundError();
    return row;
  }

  /** One try, if nobody else is at it. */
  @HandlesJob(exportAccountJob)
  async write({ exportId }: { exportId: string }): Promise<void> {
    const [[claim]] = await this.dataSource.query<[Claim[], number]>(
      `UPDATE exports SET fence = fence + 1, attempts = attempts + 1, lease_expires_at = now() + make_interval(secs => $2)
       WHERE id = $1 AND state = 'running' AND (lease_expires_at IS NULL OR lease_expires_at <= now())
       RETURNING id, user_id, storage_key, fence, attempts`,
      [exportId, LEASE_SECONDS],
    );
    if (!claim) return;
    const lost = new AbortController();
    const beat = setInterval(() => void this.renew(claim, lost), BEAT_MS);
    try {
      const stored = await this.storage.put(claim.storage_key, streamArchive(this.registry, claim.user_id), {
        signal: lost.signal,
      });
      await this.finish(claim, stored);
    } catch (error) {
      if (!lost.signal.aborted) await this.putOff(claim, error as Error);
    } finally {
      clearInterval(beat);
    }
  }

  /** Goes on with those whose worker died, and removes those whose time is over. */
  async sweep(): Promise<void> {
    const due = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM exports
       WHERE state = 'running' AND coalesce(lease_expires_at, created_at + interval '10 seconds') <= now() LIMIT 5`,
    );
    for (const { id } of due) await this.write({ exportId: id });
    const expired = await this.dataSource.query<{ id: string; storage_key: string }[]>(
      'SELECT id, storage_key FROM exports WHERE expires_at <= now() LIMIT 50',
    );
    for (const { id, storage_key } of expired) {
      await this.storage.delete(storage_key);
      await this.dataSource.query('DELETE FROM exports WHERE id = $1', [id]);
    }
  }

  private async finish({ id, user_id, fence, storage_key }: Claim, stored: { sizeBytes: number; sha256: string }) {
    const receipt = await this.dataSource.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK, user_id]);
      const [, count] = await tx.query<[unknown, number]>(
        `UPDATE exports SET state = 'ready', size_bytes = $3, sha256 = $4, finished_at = now(), lease_expires_at = NULL,
                            expires_at = now() + make_interval(hours => $5)
         WHERE id = $1 AND fence = $2 AND state = 'running'`,
        [id, fence, stored.sizeBytes, stored.sha256, KEPT_HOURS],
      );
      if (count === 0) return null;
      const [owner] = await tx.query<[{ email: string; name: string; language: 'en' | 'ar' }]>(
        'SELECT email, first_name AS name, language FROM users WHERE id = $1',
        [user_id],
      );
      const params = { name: owner.name, hours: KEPT_HOURS };
      const { email: to, language } = owner;
      return this.messages.enqueue(
        { channel: 'mail', template: 'export-ready', language, to, userId: user_id, params },
        tx,
      );
    });
    if (receipt) this.messages.publish(receipt);
    else await this.removeOrphan(id, storage_key);
  }

  /** The account was erased while its copy was written. */
  private async removeOrphan(id: string, storageKey: string): Promise<void> {
    const rows = await this.dataSource.query<unknown[]>('SELECT FROM exports WHERE id = $1', [id]);
    if (rows.length === 0) await this.storage.delete(storageKey);
  }

  private async putOff({ id, fence, attempts, storage_key }: Claim, error: Error): Promise<void> {
    this.logger.error(`Export ${id} failed: ${error.message}`);
    const isSpent = attempts >= MAX_ATTEMPTS;
    await this.dataSource.query(
      `UPDATE exports SET last_error = $3, lease_expires_at = now() + make_interval(secs => $4),
                          state = CASE WHEN $5 THEN 'failed' ELSE state END,
                          finished_at = CASE WHEN $5 THEN now() END,
                          expires_at = CASE WHEN $5 THEN now() + interval '7 days' END
       WHERE id = $1 AND fence = $2 AND state = 'running'`,
      [id, fence, error.message.slice(0, 500), 10 * attempts, isSpent],
    );
    await this.removeOrphan(id, storage_key);
  }

  private async renew({ id, fence }: Claim, lost: AbortController): Promise<void> {
    const [, count] = await this.dataSource
      .query<[unknown, number]>(
        `UPDATE exports SET lease_expires_at = now() + make_interval(secs => $3)
         WHERE id = $1 AND fence = $2 AND state = 'running'`,
        [id, fence, LEASE_SECONDS],
      )
      .catch((): [unknown, number] => [null, 1]);
    if (count === 0) lost.abort();
  }
}
