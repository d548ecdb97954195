import { NotFoundError, type Page, type PageRequest } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { StoredSource } from './source-secret.js';

export interface SourceRow extends StoredSource {
  name: string;
  folder: string;
  ocr: boolean;
  scheduleMinutes: number | null;
  state: string;
  lastError: string;
  lastSyncedAt: Date | null;
  nextSyncAt: Date | null;
  batchId: string | null;
  added: number;
  updated: number;
  removed: number;
  failed: number;
  itemCount: number;
  createdAt: Date;
}

export interface SourceItemRow {
  itemId: string;
  name: string;
  path: string;
  /** A decimal number (bigint). */
  sizeBytes: string | null;
  modifiedAt: Date | null;
  state: string;
  reason: string;
  documentUid: string | null;
  updatedAt: Date;
}

const COLUMNS = `s.id, s.type, s.name, s.config, s.secret_sealed AS "secretSealed", s.folder, s.ocr,
  s.schedule_minutes AS "scheduleMinutes", s.state, s.last_error AS "lastError", s.last_synced_at AS "lastSyncedAt",
  s.next_sync_at AS "nextSyncAt", s.batch_id AS "batchId", s.added, s.updated, s.removed, s.failed, s.created_at AS "createdAt",
  (SELECT count(*) FROM external_items i WHERE i.source_id = s.id AND i.state <> 'vanished')::int AS "itemCount"`;

/** What the owner sees of a document that was trashed or purged here, though the source still has it. */
const ITEM_STATE = `CASE WHEN i.state = 'imported' AND (d.uid IS NULL OR d.deleted_at IS NOT NULL) THEN 'removed'
  ELSE i.state END`;

/** Sources as their owner sees them. */
@Injectable()
export class SourceRows {
  constructor(private readonly dataSource: DataSource) {}

  async list(ownerId: number): Promise<SourceRow[]> {
    return this.dataSource.query<SourceRow[]>(
      `SELECT ${COLUMNS} FROM external_sources s WHERE s.owner_id = $1 ORDER BY s.created_at, s.id`,
      [ownerId],
    );
  }

  private async find(ownerId: number, id: string): Promise<SourceRow | null> {
    const [row] = await this.dataSource.query<SourceRow[]>(
      `SELECT ${COLUMNS} FROM external_sources s WHERE s.id = $2 AND s.owner_id = $1`,
      [ownerId, id],
    );
    return row ?? null;
  }

  /** @throws NotFoundError for one that is not the viewer's */
  async get(ownerId: number, id: string): Promise<SourceRow> {
    const row = await this.find(ownerId, id);
    if (!row) throw new NotFoundError('Source not found.', { code: 'source_not_found' });
    return row;
  }

  /** By their place in the source. */
  async listItems(sourceId: string, at: PageRequest, state: string | null): Promise<Page<SourceItemRow>> {
    const from = `FROM external_items i LEFT JOIN documents d ON d.uid = i.document_uid
      WHERE i.source_id = $1 AND ($2::text IS NULL OR ${ITEM_STATE} = $2)`;
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(`SELECT count(*)::int AS count ${from}`, [
      sourceId,
      state,
    ]);
    const items = await this.dataSource.query<SourceItemRow[]>(
      `SELECT i.item_id AS "itemId", i.name, i.path, i.size_bytes AS "sizeBytes", i.modified_at AS "modifiedAt",
         ${ITEM_STATE} AS state, i.reason, i.document_uid AS "documentUid", i.updated_at AS "updatedAt" ${from}
       ORDER BY i.path, i.name, i.item_id LIMIT $3 OFFSET $4`,
      [sourceId, state, at.pageSize, (at.page - 1) * at.pageSize],
    );
    return { count, items };
  }
}
