import { importTableJob } from '@app/contracts';
import { instruments, noteEnd } from '@app/observability';
import { Doorbell, Outbox } from '@app/queues';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { tabularFileColumns, type TabularFileRecord } from '../files/tabular-file-columns.js';
import { ImportClaims } from './import-claims.js';
import { ImportRequests } from './import-requests.js';

const BATCH = 200;
/** How long a file may wait without a message in the outbox: longer than any upload's transaction. */
const FORGOTTEN_SECONDS = 60;

const WORKER_LOST = 'The worker that imported this file stopped unexpectedly.';

/** Brings back imports that nobody is at any more. Each method returns how many files it moved. */
@Injectable()
export class ImportRecovery {
  private readonly logger = new Logger(ImportRecovery.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: ImportClaims,
    private readonly requests: ImportRequests,
    private readonly outbox: Outbox,
    private readonly doorbell: Doorbell,
  ) {}

  /** Files whose worker no longer renews its lease. */
  async takeBackLost(): Promise<number> {
    const lost = await this.find(`f.processing_state = 'processing' AND f.lease_expires_at < now()`, []);
    for (const file of lost) {
      const outcome = await this.claims.endTry(file, WORKER_LOST);
      instruments.leasesLost.inc({ work: 'table import' });
      const { uid, ownerId } = file;
      if (outcome === 'failed') noteEnd({ work: 'table import', outcome, ids: { uid }, ownerId, code: 'worker_lost' });
      this.logger.warn(`Table file ${file.uid} was lost by ${file.leasedBy ?? 'its worker'}: ${outcome}.`);
    }
    return lost.length;
  }

  /** Files whose bell was lost with the queue. Ringing for one that still waits there does nothing. */
  async ringAgain(afterSeconds: number): Promise<number> {
    const waiting = await this.find(`f.processing_state = 'queued' AND f.rung_at < now() - $1 * interval '1 second'`, [
      afterSeconds,
    ]);
    if (waiting.length === 0) return 0;
    await this.doorbell.ring(waiting.map(({ uid, attempt }) => this.outbox.prepare(importTableJob, { uid, attempt })));
    await this.dataSource.query('UPDATE tabular_files SET rung_at = now() WHERE uid = ANY($1::uuid[])', [
      waiting.map(({ uid }) => uid),
    ]);
    return waiting.length;
  }

  /** Files that wait to be queued although no message in the outbox will do it. */
  async publishForgotten(): Promise<number> {
    const forgotten = await this.find(
      `f.processing_state = 'pending_publish' AND f.rung_at < now() - $1 * interval '1 second'
       AND NOT EXISTS (SELECT 1 FROM outbox_messages m WHERE m.job = $2 AND m.payload->>'uid' = f.uid::text)`,
      [FORGOTTEN_SECONDS, importTableJob.name],
    );
    if (forgotten.length === 0) return 0;
    const receipts = await this.dataSource.transaction((tx) =>
      Promise.all(forgotten.map((file) => this.requests.enqueue(file, tx))),
    );
    await this.requests.publish(receipts);
    return forgotten.length;
  }

  private find(condition: string, values: unknown[]): Promise<TabularFileRecord[]> {
    return this.dataSource.query<TabularFileRecord[]>(
      `SELECT ${tabularFileColumns('f')} FROM tabular_files f WHERE ${condition} ORDER BY f.rung_at LIMIT ${BATCH}`,
      values,
    );
  }
}
