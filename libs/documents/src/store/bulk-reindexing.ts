import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { IndexingRequests } from '../indexing/indexing-requests.js';
import { QUEUE_CLASSES, type DocumentState } from '../state/document.states.js';
import { transition } from '../state/transition.js';
import { REQUEST_AFRESH } from './request-afresh.js';

const BATCH = 500;
const IN_BULK = { ...REQUEST_AFRESH, set: { ...REQUEST_AFRESH.set, queueClass: QUEUE_CLASSES.bulk } };

/** Which of an owner's documents are meant: exactly one of them. */
export type ReindexScope = { uids: readonly string[] } | { folder: string } | { all: true };

export interface SkippedDocument {
  uid: string;
  /** `in_progress`: it is being indexed anyway. `untrained`: it was never to be indexed, and is not named. */
  reason: 'not_found' | 'in_progress' | 'untrained';
}

/**
 * Has many documents indexed again, the old index serving until each new one is swapped in
 * (docs/contract/documents.md#indexing-again).
 */
@Injectable()
export class BulkReindexing {
  constructor(
    private readonly dataSource: DataSource,
    private readonly requests: IndexingRequests,
  ) {}

  /** @param scope a folder as `normalizeFolder` gives it: it and what lies below; '' is everything */
  async start(ownerId: number, scope: ReindexScope): Promise<{ count: number; skipped: SkippedDocument[] }> {
    const found = await this.find(ownerId, scope);
    const skipped: SkippedDocument[] = [];
    if ('uids' in scope) {
      const known = new Set(found.map(({ uid }) => uid));
      for (const uid of new Set(scope.uids)) if (!known.has(uid)) skipped.push({ uid, reason: 'not_found' });
    }
    const wanted = found.filter(({ state }) => 'uids' in scope || state !== 'untrained');
    for (const { uid } of found.filter((one) => !wanted.includes(one))) skipped.push({ uid, reason: 'untrained' });
    let count = 0;
    for (let start = 0; start < wanted.length; start += BATCH) {
      const uids = wanted.slice(start, start + BATCH).map(({ uid }) => uid);
      const moved = await this.startSome(uids);
      count += moved.size;
      for (const uid of uids) if (!moved.has(uid)) skipped.push({ uid, reason: 'in_progress' });
    }
    return { count, skipped };
  }

  private async startSome(uids: string[]): Promise<Set<string>> {
    const { rows, receipts } = await this.dataSource.transaction(async (tx) => {
      const rows = await transition(tx, uids, 'reindex', IN_BULK);
      const receipts = [];
      for (const row of rows) receipts.push(await this.requests.enqueue(row, tx));
      return { rows, receipts };
    });
    await this.requests.publish(receipts);
    return new Set(rows.map(({ uid }) => uid));
  }

  private find(ownerId: number, scope: ReindexScope): Promise<{ uid: string; state: DocumentState }[]> {
    const uids = 'uids' in scope ? scope.uids : null;
    const folder = 'folder' in scope && scope.folder !== '' ? scope.folder : null;
    return this.dataSource.query(
      `SELECT uid, processing_state AS state FROM documents
       WHERE owner_id = $1 AND deleted_at IS NULL AND ($2::uuid[] IS NULL OR uid = ANY ($2))
         AND ($3::text IS NULL OR folder = $3 OR starts_with(folder, $3 || '/')) ORDER BY created_at, uid`,
      [ownerId, uids, folder],
    );
  }
}
