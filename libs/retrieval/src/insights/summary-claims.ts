import { summariseDocumentJob } from '@app/contracts';
import { Doorbell, Outbox } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Insights } from './insight-writer.js';

const LEASE_SECONDS = 60;
const MAX_TRIES = 3;
const RETRY_SECONDS = 10;
const SWEPT = 50;

export interface SummaryClaim {
  uid: string;
  /** BCP 47; null for the document's own. */
  language: string | null;
  /** Of the document, on whose account it is written. */
  ownerId: number;
  fence: number;
}

/** Who writes which summary (docs/contract/reliability.md#jobs). For workers: nothing here asks who is looking. */
@Injectable()
export class SummaryClaims {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly doorbell: Doorbell,
  ) {}

  /** Null when it is written, somebody is at it, or its document lies in the trash. */
  async claim(uid: string): Promise<SummaryClaim | null> {
    const [[row]] = await this.dataSource.query<[SummaryClaim[], number]>(
      `UPDATE document_summaries s SET fence = s.fence + 1, lease_expires_at = now() + make_interval(secs => $2)
       FROM documents d WHERE s.document_uid = $1 AND d.uid = s.document_uid AND d.deleted_at IS NULL
         AND s.status = 'pending' AND (s.lease_expires_at IS NULL OR s.lease_expires_at <= now())
       RETURNING s.document_uid AS uid, s.wanted_language AS language, d.owner_id AS "ownerId", s.fence`,
      [uid, LEASE_SECONDS],
    );
    return row ?? null;
  }

  /** @returns whether the claim still holds */
  async renew({ uid, fence }: SummaryClaim): Promise<boolean> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `UPDATE document_summaries SET lease_expires_at = now() + make_interval(secs => $3)
       WHERE document_uid = $1 AND fence = $2 AND status = 'pending'`,
      [uid, fence, LEASE_SECONDS],
    );
    return count === 1;
  }

  /** Writes all of it, the document's class too, unless the claim is lost. */
  async finish({ uid, fence }: SummaryClaim, insights: Insights): Promise<void> {
    const { summary, language, model, questions, docClass } = insights;
    await this.dataSource.query(
      `WITH written AS (
         UPDATE document_summaries SET status = 'ready', summary = $3, language = $4, model = $5, questions = $6,
           error = '', failed_tries = 0, generated_at = now(), lease_expires_at = NULL
         WHERE document_uid = $1 AND fence = $2 AND status = 'pending' RETURNING document_uid)
       UPDATE documents d SET doc_class = $7, updated_at = now() FROM written w WHERE d.uid = w.document_uid`,
      [uid, fence, summary, language, model, JSON.stringify(questions), docClass],
    );
  }

  /** Ends a try that went wrong: another one follows by the sweeper, or none. `reason` is a sentence for people. */
  async endTry(claim: SummaryClaim, reason: string, permanent: boolean): Promise<void> {
    const isSpent = `($4 OR failed_tries + 1 >= ${MAX_TRIES})`;
    await this.dataSource.query(
      `UPDATE document_summaries SET failed_tries = failed_tries + 1, error = $3,
         status = CASE WHEN ${isSpent} THEN 'failed' ELSE status END,
         lease_expires_at = CASE WHEN ${isSpent} THEN NULL ELSE now() + make_interval(secs => $5 * (failed_tries + 1)) END
       WHERE document_uid = $1 AND fence = $2 AND status = 'pending'`,
      [claim.uid, claim.fence, reason, permanent, RETRY_SECONDS],
    );
  }

  /** A worker that stops gives its summary to the next one; no try is spent. */
  async handBack({ uid, fence }: SummaryClaim): Promise<void> {
    await this.dataSource.query(
      'UPDATE document_summaries SET lease_expires_at = now() WHERE document_uid = $1 AND fence = $2',
      [uid, fence],
    );
  }

  /** Rings for those whose worker died, whose retry is due, or whose bell was lost. @returns how many */
  async ringAgain(): Promise<number> {
    const [due] = await this.dataSource.query<[{ uid: string; attempt: number }[], number]>(
      `UPDATE document_summaries SET attempt = attempt + 1, requested_at = now() WHERE document_uid IN (
         SELECT s.document_uid FROM document_summaries s JOIN documents d ON d.uid = s.document_uid
         WHERE s.status = 'pending' AND d.deleted_at IS NULL AND s.requested_at < now() - make_interval(secs => $1)
           AND (s.lease_expires_at IS NULL OR s.lease_expires_at <= now()) ORDER BY s.requested_at LIMIT ${SWEPT})
       RETURNING document_uid AS uid, attempt`,
      [RETRY_SECONDS],
    );
    if (due.length > 0) await this.doorbell.ring(due.map((row) => this.outbox.prepare(summariseDocumentJob, row)));
    return due.length;
  }
}
