import { DomainError } from '@app/common';
import { GiveUpError, TryAgainError, WorkClaims, type Claim, type Param } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { findDocumentText } from '../chunk-index/document-text.js';
import { InsightWriter, type Insights } from './insight-writer.js';
import type { ClaimedSummary } from './summary-work.js';

/** Writes the document's class, in the transaction of the summary that says it. */
export type Classify = (uid: string, docClass: string, tx: EntityManager) => Promise<void>;

/** Has a language model write what was asked for about a document. */
@Injectable()
export class SummaryWriting {
  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
    private readonly writer: InsightWriter,
  ) {}

  /** @throws GiveUpError, TryAgainError, ClaimLostError, or whatever broke */
  async write(claim: Claim<ClaimedSummary>, signal: AbortSignal, classify: Classify): Promise<void> {
    const { uid, language, ownerId } = claim.row;
    const text = await findDocumentText(this.dataSource, uid);
    if (text === null) throw new GiveUpError('The document holds no text.', 'no_text');
    try {
      await this.finish(claim, await this.writer.describe(text, language, ownerId, signal), classify);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DomainError)) throw error;
      const { code, message } = error;
      throw code === 'model_not_configured' ? new GiveUpError(message, code) : new TryAgainError(message, { code });
    }
  }

  private async finish(claim: Claim<ClaimedSummary>, insights: Insights, classify: Classify): Promise<void> {
    const { summary, language, model, questions, docClass } = insights;
    const set = (param: Param) => `status = 'ready', summary = ${param(summary)}, language = ${param(language)},
      model = ${param(model)}, questions = ${param(JSON.stringify(questions))}, generated_at = now()`;
    await this.dataSource.transaction(async (tx) => {
      await this.claims.finish(claim, { set }, tx);
      await classify(claim.row.uid, docClass, tx);
    });
  }
}
