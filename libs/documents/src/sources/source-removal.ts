import { AuditLog } from '@app/audit';
import type { Principal } from '@app/auth';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DocumentLifecycle } from '../store/document-lifecycle.js';
import { SourceRows } from './source-rows.js';
import { SOURCES_SETTINGS, type SourcesSettings } from './sources-settings.js';

const TRASH_BATCH = 200;

@Injectable()
export class SourceRemoval {
  constructor(
    @Inject(SOURCES_SETTINGS) private readonly settings: SourcesSettings,
    private readonly dataSource: DataSource,
    private readonly rows: SourceRows,
    private readonly lifecycle: DocumentLifecycle,
    private readonly audit: AuditLog,
  ) {}

  /** @returns how many documents went into the trash. @throws NotFoundError */
  async remove(viewer: Principal, id: string, documents: 'keep' | 'trash'): Promise<number> {
    const { type } = await this.rows.get(viewer.userId, id);
    // A sync under way brings nothing more from here on.
    await this.dataSource.query(
      `UPDATE external_sources SET fence = fence + 1, state = 'idle', next_attempt_at = NULL, next_sync_at = NULL,
         schedule_minutes = NULL, lease_owner = NULL, leased_until = NULL WHERE id = $1`,
      [id],
    );
    const trashed = documents === 'trash' ? await this.trashDocuments(viewer, id) : 0;
    await this.dataSource.transaction(async (tx) => {
      await tx.query('DELETE FROM external_sources WHERE id = $1 AND owner_id = $2', [id, viewer.userId]);
      const target = `source:${id}`;
      await this.audit.record({ action: 'source.deleted', actor: viewer, target, details: { type, documents } }, tx);
    });
    return trashed;
  }

  private async trashDocuments({ userId }: Principal, id: string): Promise<number> {
    let trashed = 0;
    for (;;) {
      const rows = await this.dataSource.query<{ uid: string }[]>(
        `SELECT d.uid FROM external_items i JOIN documents d ON d.uid = i.document_uid AND d.deleted_at IS NULL
         WHERE i.source_id = $1 LIMIT ${TRASH_BATCH}`,
        [id],
      );
      if (rows.length === 0) return trashed;
      const uids = rows.map(({ uid }) => uid);
      const gone = await this.lifecycle.trash(userId, uids, this.settings.trashRetentionDays);
      if (gone.length === 0) return trashed;
      trashed += gone.length;
    }
  }
}
