import type { SourceItem } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type DocumentRecord, findDocumentByUid } from '../state/document-columns.js';
import type { SourceClaim } from './source-claim.js';

export interface KnownItem {
  itemId: string;
  name: string;
  etag: string | null;
  sha256: string | null;
  documentUid: string | null;
  state: 'imported' | 'failed' | 'vanished';
}

/** What the item became in this sync. */
export interface ItemResult {
  etag: string | null;
  sha256: string | null;
  documentUid: string | null;
  state: 'imported' | 'failed';
  /** A sentence for the owner; '' unless failed. */
  reason: string;
}

const TRASH_BATCH = 100;

/** The rows of `external_items`. */
@Injectable()
export class KnownItems {
  constructor(private readonly dataSource: DataSource) {}

  /** By their keys. */
  async find(sourceId: string, keys: readonly string[]): Promise<Map<string, KnownItem>> {
    const rows = await this.dataSource.query<KnownItem[]>(
      `SELECT item_id AS "itemId", name, etag, sha256, document_uid AS "documentUid", state FROM external_items
       WHERE source_id = $1 AND item_id = ANY($2::text[])`,
      [sourceId, keys],
    );
    return new Map(rows.map((row) => [row.itemId, row]));
  }

  async findDocument(uid: string | null): Promise<DocumentRecord | null> {
    return uid === null ? null : findDocumentByUid(this.dataSource, uid);
  }

  /** They are there, and as they were. */
  async markSeen(claim: SourceClaim, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.dataSource.transaction(async (tx) => {
      await claim.hold(tx);
      await tx.query(
        'UPDATE external_items SET seen_run = $3 WHERE source_id = $1 AND item_id = ANY($2::text[]) AND seen_run <> $3',
        [claim.source.id, keys, claim.currentRun],
      );
    });
  }

  /** In the transaction that makes it so. */
  async write(tx: EntityManager, claim: SourceClaim, key: string, item: SourceItem, result: ItemResult): Promise<void> {
    const { etag, sha256, documentUid, state, reason } = result;
    await tx.query(
      `INSERT INTO external_items (source_id, item_id, name, path, size_bytes, modified_at, etag, sha256, document_uid, state,
         reason, seen_run)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       ON CONFLICT (source_id, item_id) DO UPDATE SET name = excluded.name, path = excluded.path,
         size_bytes = excluded.size_bytes, modified_at = excluded.modified_at, etag = excluded.etag, sha256 = excluded.sha256,
         document_uid = excluded.document_uid, state = excluded.state, reason = excluded.reason, seen_run = excluded.seen_run,
         updated_at = now()`,
      [
        claim.source.id,
        key,
        storable(item.name),
        storable(item.path),
        item.size,
        item.modifiedAt,
        etag,
        sha256,
        documentUid,
        state,
        reason,
        claim.currentRun,
      ],
    );
  }

  /** @returns whether all of them are known; those that are count as gone from now on */
  async markVanished(claim: SourceClaim, keys: readonly string[]): Promise<boolean> {
    const known = await this.find(claim.source.id, keys);
    if (known.size > 0) await this.vanish(claim, 'item_id = ANY($3::text[])', [[...known.keys()]]);
    return keys.every((key) => known.has(key));
  }

  /** After a listing of everything: what it has not seen is gone. */
  async markUnseenVanished(claim: SourceClaim): Promise<void> {
    await this.vanish(claim, 'seen_run <> $3', [claim.currentRun]);
  }

  /** Documents of items that this sync found gone and that are not in the trash yet; some of them. */
  async listVanishedDocuments(claim: SourceClaim): Promise<string[]> {
    const rows = await this.dataSource.query<{ uid: string }[]>(
      `SELECT d.uid FROM external_items i JOIN documents d ON d.uid = i.document_uid AND d.deleted_at IS NULL
       WHERE i.source_id = $1 AND i.state = 'vanished' AND i.seen_run = $2 LIMIT ${TRASH_BATCH}`,
      [claim.source.id, claim.currentRun],
    );
    return rows.map(({ uid }) => uid);
  }

  /** They bear the number of the sync that missed them, so that a later one does not trash what was restored since. */
  private async vanish(claim: SourceClaim, condition: string, values: unknown[]): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const [, count] = await tx.query<[unknown[], number]>(
        `UPDATE external_items SET state = 'vanished', seen_run = $2, updated_at = now()
         WHERE source_id = $1 AND state <> 'vanished' AND ${condition}`,
        [claim.source.id, claim.currentRun, ...values],
      );
      await claim.count(tx, 'removed', count);
    });
  }
}

/** Postgres keeps no NUL and no half characters. */
function storable(text: string): string {
  return text.replace(/[\0\ud800-\udfff]/gu, '\ufffd').slice(0, 2000);
}
