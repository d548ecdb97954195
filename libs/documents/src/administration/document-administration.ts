import { type AuditAction, AuditLog } from '@app/audit';
import { isUuid, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DocumentLifecycle } from '../store/document-lifecycle.js';

export const DOCUMENT_FILTERS = ['failed', 'waiting', 'processing'] as const;
export type DocumentFilter = (typeof DOCUMENT_FILTERS)[number];

const STATES: Record<DocumentFilter, readonly string[]> = {
  failed: ['failed', 'publish_failed'],
  waiting: ['stored', 'pending_publish', 'queued'],
  processing: ['processing'],
};

interface DocumentRow {
  uid: string;
  owner: string;
  kind: string;
  bytes: number;
  state: string;
  since: Date;
  tries: number;
  reason: string;
}

/** Documents of everybody, for operators: how their indexing stands, never what is in them. */
@Injectable()
export class DocumentAdministration {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lifecycle: DocumentLifecycle,
    private readonly audit: AuditLog,
  ) {}

  /** The last to change first. @param owner a user name, or null for everybody's */
  list(filter: DocumentFilter, owner: string | null, limit: number): Promise<DocumentRow[]> {
    return this.dataSource.query<DocumentRow[]>(
      `SELECT d.uid, u.username AS owner, d.kind, d.size_bytes::float8 AS bytes, d.processing_state AS state,
         d.updated_at AS since, d.failed_tries AS tries, left(d.last_error, 200) AS reason
       FROM documents d JOIN users u ON u.id = d.owner_id
       WHERE d.deleted_at IS NULL AND d.processing_state = ANY ($1::text[]) AND ($2::text IS NULL OR u.username = $2)
       ORDER BY d.updated_at DESC LIMIT $3`,
      [STATES[filter], owner, limit],
    );
  }

  /** Indexes it again. @throws NotFoundError; ConflictError while it is being worked on */
  async retry(uid: string): Promise<object> {
    const found = isUuid(uid) ? await this.lifecycle.reindex(uid) : null;
    if (!found) throw new NotFoundError('There is no such document.');
    await this.record('document.retried', uid);
    return { uid, state: found.document.processingState };
  }

  /** Indexes again all that failed. @returns how many of them wait now */
  async retryFailed(owner: string | null, limit: number): Promise<object> {
    const failed = await this.list('failed', owner, limit);
    let retried = 0;
    for (const { uid } of failed) {
      const found = await this.lifecycle.reindex(uid).catch((error: unknown) => {
        // Somebody else was faster.
        if ((error as { code?: unknown }).code === 'not_retryable') return null;
        throw error;
      });
      if (!found) continue;
      retried += 1;
      await this.record('document.retried', uid);
    }
    return { retried };
  }

  /** @throws NotFoundError; ConflictError where nothing is under way */
  async cancel(uid: string): Promise<object> {
    const document = isUuid(uid) ? await this.lifecycle.cancel(uid) : null;
    if (!document) throw new NotFoundError('There is no such document.');
    await this.record('document.cancelled', uid);
    return { uid, state: document.processingState };
  }

  private async record(action: AuditAction, uid: string): Promise<void> {
    await this.audit.record({ action, actor: null, target: `document:${uid}`, details: { by: 'terminal' } });
  }
}
