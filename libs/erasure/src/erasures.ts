import { AuditLog } from '@app/audit';
import { newId } from '@app/common';
import type { OutboxReceipt } from '@app/queues';
import { WorkClaims } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { erasureWork } from './erasure-work.js';

export interface ErasureState {
  id: string;
  userId: number;
  state: 'running' | 'completed';
  finishedSteps: string[];
  attempts: number;
  /** Empty unless the last try failed part-way. */
  lastError: string;
  requestedAt: Date;
  completedAt: Date | null;
}

const COLUMNS = `id, user_id AS "userId", state, finished_steps AS "finishedSteps", attempts, last_error AS "lastError",
                 requested_at AS "requestedAt", completed_at AS "completedAt"`;

/** The records of erasures: who asked, how far they are. */
@Injectable()
export class Erasures {
  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Asks for the erasure of an account in the caller's transaction. Asking again gives the same erasure. Close the account
   * in the same transaction (`AccountAccess` of @app/auth), and publish the receipt after commit.
   */
  async request(
    { userId, username }: { userId: number; username: string },
    tx: EntityManager,
  ): Promise<{ id: string; receipt: OutboxReceipt | null }> {
    const id = newId();
    const rows = await tx.query<unknown[]>(
      'INSERT INTO erasures (id, user_id) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING RETURNING id',
      [id, userId],
    );
    if (rows.length === 0) {
      const [known] = await tx.query<[{ id: string }]>('SELECT id FROM erasures WHERE user_id = $1', [userId]);
      return { id: known.id, receipt: null };
    }
    const target = `erasure:${id}`;
    await this.audit.record({ action: 'account.erasure_requested', actor: { userId, username }, target }, tx);
    return { id, receipt: await this.claims.notify(erasureWork, [id], 0, tx) };
  }

  async find(id: string): Promise<ErasureState | null> {
    const [row] = await this.dataSource.query<ErasureState[]>(`SELECT ${COLUMNS} FROM erasures WHERE id = $1`, [id]);
    return row ?? null;
  }

  /** Newest first; for operators. */
  async list(limit = 100): Promise<ErasureState[]> {
    return this.dataSource.query<ErasureState[]>(
      `SELECT ${COLUMNS} FROM erasures ORDER BY requested_at DESC LIMIT $1`,
      [limit],
    );
  }
}
