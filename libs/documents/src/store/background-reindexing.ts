import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { IndexingRequests } from '../indexing/indexing-requests.js';
import { INDEX_PIPELINE_VERSION } from '../indexing/pipeline-version.js';
import { BACKGROUND_STATUS_TEXT, QUEUE_CLASSES, UNFINISHED_STATES } from '../state/document.states.js';
import { transition } from '../state/transition.js';
import { REQUEST_AFRESH } from './request-afresh.js';

/** `text`: all but scans, whose pictures have to be recognised again, at seconds a page. */
export type ReindexedDocuments = 'text' | 'all';

export interface ReindexingProgress {
  pipeline: number;
  /** Documents whose index is of this pipeline. */
  current: number;
  /** Those whose index is of an older one, and of these: */
  older: number;
  /** scans, */
  older_scans: number;
  /** those that wait or are being read, */
  under_way: number;
  /** those whose reading failed or was cancelled: they keep the index that they have. */
  given_up: number;
}

const OLDER = `document_indexes i JOIN documents d ON d.uid = i.document_uid AND d.index_generation = i.generation
  WHERE i.pipeline_version < $1 AND d.deleted_at IS NULL`;

/** Has documents read again whose index an older pipeline has made. A few at a time, behind everything else. */
@Injectable()
export class BackgroundReindexing {
  constructor(
    private readonly dataSource: DataSource,
    private readonly requests: IndexingRequests,
  ) {}

  /**
   * Asks for as many as there is room for. May be called by several processes, and be killed at any moment: what it asks
   * for stands in the queue with everything else. Each document is asked for once in a version.
   * @param atOnce how many may wait at a time
   * @returns how many were asked for
   */
  async start(which: ReindexedDocuments, atOnce: number): Promise<number> {
    const receipts = await this.dataSource.transaction(async (tx) => {
      const uids = await this.lockOlder(tx, which, atOnce - (await countUnderWay(tx)));
      const rows = await transition(tx, uids, 'reindex', IN_BACKGROUND);
      const written = [];
      for (const row of rows) written.push(await this.requests.enqueue(row, tx));
      return written;
    });
    if (receipts.length > 0) await this.requests.publish(receipts);
    return receipts.length;
  }

  /** For operators. */
  progress(): Promise<ReindexingProgress> {
    return findReindexingProgress(this.dataSource);
  }

  private async lockOlder(tx: EntityManager, which: ReindexedDocuments, most: number): Promise<string[]> {
    if (most <= 0) return [];
    const rows = await tx.query<{ uid: string }[]>(
      `SELECT d.uid FROM ${OLDER} AND d.processing_state = 'completed' AND d.train_after_upload
         AND coalesce(d.reindexed_for, 0) < $1 AND (NOT d.ocr OR $2)
       ORDER BY i.pipeline_version, i.id LIMIT $3 FOR NO KEY UPDATE OF d SKIP LOCKED`,
      [INDEX_PIPELINE_VERSION, which === 'all', most],
    );
    return rows.map(({ uid }) => uid);
  }
}

const IN_BACKGROUND = {
  ...REQUEST_AFRESH,
  set: {
    ...REQUEST_AFRESH.set,
    status: BACKGROUND_STATUS_TEXT,
    queueClass: QUEUE_CLASSES.background as number,
    reindexedFor: INDEX_PIPELINE_VERSION,
  },
};

const UNDER_WAY = `d.queue_class = ${QUEUE_CLASSES.background} AND d.deleted_at IS NULL
  AND d.processing_state IN ('${UNFINISHED_STATES.join("','")}')`;

async function countUnderWay(tx: EntityManager): Promise<number> {
  const [row] = await tx.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM documents d WHERE ${UNDER_WAY}`,
  );
  return row!.count;
}

export async function findReindexingProgress(dataSource: DataSource): Promise<ReindexingProgress> {
  const [row] = await dataSource.query<[Omit<ReindexingProgress, 'pipeline'>]>(
    `SELECT count(*)::int AS older, count(*) FILTER (WHERE d.ocr)::int AS older_scans,
       count(*) FILTER (WHERE ${UNDER_WAY})::int AS under_way,
       count(*) FILTER (WHERE d.processing_state = 'completed' AND d.reindexed_for >= $1)::int AS given_up,
       (SELECT count(*)::int FROM document_indexes WHERE pipeline_version >= $1) AS current FROM ${OLDER}`,
    [INDEX_PIPELINE_VERSION],
  );
  const { current, older, older_scans, under_way, given_up } = row;
  return { pipeline: INDEX_PIPELINE_VERSION, current, older, older_scans, under_way, given_up };
}
