import { decideDocumentAccess, findDocumentRole, visibleDocument } from '@app/access';
import { ConflictError, UnavailableError } from '@app/common';
import { Outbox } from '@app/queues';
import { WorkClaims } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Viewer } from '../search/scope.js';
import { InsightWriter } from './insight-writer.js';
import { summaryWork } from './summary-work.js';

export interface SummaryRecord {
  uid: string;
  status: 'none' | 'pending' | 'ready' | 'failed';
  summary: string;
  docClass: string;
  /** BCP 47; '' while nothing was written. */
  language: string;
  model: string;
  questions: string[];
  /** A sentence for people; '' unless it failed. */
  error: string;
  generatedAt: Date | null;
}

const COLUMNS = `d.uid, coalesce(s.status, 'none') AS status, coalesce(s.summary, '') AS summary,
  d.doc_class AS "docClass", coalesce(s.language, '') AS language, coalesce(s.model, '') AS model,
  coalesce(s.questions, '[]') AS questions, coalesce(s.last_error, '') AS error, s.generated_at AS "generatedAt"`;

/** What is known about documents beside their text. Every method is scoped to the viewer. */
@Injectable()
export class Summaries {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly claims: WorkClaims,
    private readonly writer: InsightWriter,
  ) {}

  /** @throws NotFoundError */
  async get(viewer: Viewer, uid: string): Promise<SummaryRecord> {
    const [row] = await this.find(viewer, [uid]);
    if (!row) decideDocumentAccess(null, 'read');
    return row!;
  }

  /** Of those that are visible; the others are missing from the answer. */
  find(viewer: Viewer, uids: readonly string[]): Promise<SummaryRecord[]> {
    return this.dataSource.query<SummaryRecord[]>(
      `SELECT ${COLUMNS} FROM documents d LEFT JOIN document_summaries s ON s.document_uid = d.uid
       WHERE d.uid = ANY ($2::uuid[]) AND ${visibleDocument('d', '$1')}`,
      [viewer.userId, uids],
    );
  }

  /**
   * Asks for a summary, in the background; one that is there is enough unless `force`, and one that is under way in any
   * case. Whoever may read the document may ask, only its owner may have a summary replaced.
   * @returns whether it is ready already
   * @throws NotFoundError, ForbiddenError; ConflictError `document_not_ready`; UnavailableError `model_not_configured`
   */
  async request(
    viewer: Viewer,
    uid: string,
    { force, language }: { force: boolean; language: string | null },
  ): Promise<{ ready: boolean }> {
    const role = await findDocumentRole(this.dataSource, viewer.userId, uid);
    decideDocumentAccess(role, force ? 'manage' : 'read');
    const known = await this.get(viewer, uid);
    if (known.status === 'ready' && !force) return { ready: true };
    requireModel(this.writer);
    await this.requireIndexed(uid);
    const receipt = await this.dataSource.transaction(async (tx) => {
      const fence = await begin(tx, uid, language, force);
      return fence === null ? null : this.claims.notify(summaryWork, [uid], fence, tx);
    });
    if (receipt) this.outbox.publishSoon([receipt]);
    return { ready: false };
  }

  /** Replaces the text of a summary that is ready. @returns false when it is not ready any more */
  async replaceText(viewer: Viewer, uid: string, summary: string): Promise<boolean> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `UPDATE document_summaries s SET summary = $3, generated_at = now() FROM documents d
       WHERE s.document_uid = $2 AND s.status = 'ready' AND d.uid = s.document_uid AND d.owner_id = $1 AND d.deleted_at IS NULL`,
      [viewer.userId, uid, summary],
    );
    return count === 1;
  }

  private async requireIndexed(uid: string): Promise<void> {
    const [row] = await this.dataSource.query<{ state: string; indexed: boolean }[]>(
      'SELECT processing_state AS state, index_generation IS NOT NULL AS indexed FROM documents WHERE uid = $1',
      [uid],
    );
    if (row?.indexed) return;
    throw new ConflictError('The document is not ready to be summarised yet.', {
      code: 'document_not_ready',
      extra: { processing_state: row?.state },
    });
  }
}

/** @throws UnavailableError `model_not_configured` */
export function requireModel({ available }: { available: boolean }): void {
  if (!available) throw new UnavailableError('No language model is configured.', { code: 'model_not_configured' });
}

/** @returns the fence for its job; null when one is under way, or there is one already */
async function begin(tx: EntityManager, uid: string, language: string | null, force: boolean): Promise<number | null> {
  const [row] = await tx.query<{ fence: number }[]>(
    `INSERT INTO document_summaries AS s (document_uid, status, wanted_language) VALUES ($1, 'pending', $2)
     ON CONFLICT (document_uid) DO UPDATE SET status = 'pending', wanted_language = $2, next_attempt_at = now(),
       attempts = 0, last_error = ''
     WHERE s.status = 'failed' OR (s.status = 'ready' AND $3)
     RETURNING fence`,
    [uid, language, force],
  );
  return row?.fence ?? null;
}
