import { AuditLog } from '@app/audit';
import { newId, NotFoundError } from '@app/common';
import { FileStorage } from '@app/integrations';
import { Outbox, SoleTasks } from '@app/queues';
import { WorkClaims } from '@app/work';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../principal/principal.js';
import { exportWork } from './export-work.js';

export const KEPT_HOURS = 168;
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
export const LOCK = 0x6578706f;
const COLUMNS = 'id, state, size_bytes, created_at, finished_at, expires_at';

/** Copies of one's data: asked for, written by `ExportWriter`, kept for a week. */
@Injectable()
export class Exports implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly outbox: Outbox,
    private readonly claims: WorkClaims,
    private readonly audit: AuditLog,
    private readonly tasks: SoleTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.every('expired exports', SWEEP_SECONDS, () => this.removeExpired());
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
      return { row, receipt: await this.claims.notify(exportWork, [id], 0, tx) };
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

  /** Removes those whose time is over. */
  async removeExpired(): Promise<void> {
    const expired = await this.dataSource.query<{ id: string; storage_key: string }[]>(
      'SELECT id, storage_key FROM exports WHERE expires_at <= now() LIMIT 50',
    );
    for (const { id, storage_key } of expired) {
      await this.storage.delete(storage_key);
      await this.dataSource.query('DELETE FROM exports WHERE id = $1', [id]);
    }
  }
}
