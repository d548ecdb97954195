import { decideDocumentAccess, findDocumentRole } from '@app/access';
import { BadGatewayError, ConflictError, DomainError } from '@app/common';
import { findDocumentText, InsightWriter, requireModel, Summaries, type SummaryRecord } from '@app/retrieval';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** What the model says at once, while its caller waits. */
@Injectable()
export class InsightsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly summaries: Summaries,
    private readonly writer: InsightWriter,
  ) {}

  /** In the order of the request; what the viewer does not see is `notFound`. */
  async list(userId: number, uids: readonly string[]): Promise<{ found: SummaryRecord[]; notFound: string[] }> {
    const rows = new Map((await this.summaries.find({ userId }, uids)).map((row) => [row.uid, row]));
    const wanted = [...new Set(uids)];
    return {
      found: wanted.flatMap((uid) => rows.get(uid) ?? []),
      notFound: wanted.filter((uid) => !rows.has(uid)),
    };
  }

  /** @throws ConflictError `document_not_ready`, and what the model throws */
  async questions(
    userId: number,
    { uids, count, language }: { uids: readonly string[]; count: number; language: string | null },
    signal: AbortSignal,
  ): Promise<{ questions: { question: string; uids: string[] }[]; notFound: string[] }> {
    requireModel(this.writer);
    const { found, notFound } = await this.list(userId, uids);
    if (found.length === 0) return { questions: [], notFound };
    const texts = await Promise.all(found.map(({ uid }) => findDocumentText(this.dataSource, uid)));
    const waiting = found.filter((_, at) => texts[at] === null).map(({ uid }) => uid);
    if (waiting.length > 0)
      throw new ConflictError('The document is not ready yet.', {
        code: 'document_not_ready',
        extra: { uids: waiting },
      });
    const known = texts.filter((text) => text !== null);
    const asked = await this.writer.ask(known, count, language, userId, signal).catch(toModelError);
    return {
      questions: asked.map(({ question, documents }) => ({ question, uids: documents.map((at) => found[at]!.uid) })),
      notFound,
    };
  }

  /** @throws NotFoundError, ForbiddenError, ConflictError `summary_not_ready`, and what the model throws */
  async rewrite(
    userId: number,
    { uid, instruction, save }: { uid: string; instruction: string; save: boolean },
    signal: AbortSignal,
  ): Promise<{ summary: string; saved: boolean }> {
    decideDocumentAccess(await findDocumentRole(this.dataSource, userId, uid), save ? 'manage' : 'read');
    requireModel(this.writer);
    const known = await this.summaries.get({ userId }, uid);
    if (known.status !== 'ready') throw summaryNotReady(known.status);
    const summary = await this.writer.rewrite(known.summary, instruction, userId, signal).catch(toModelError);
    if (summary === '') throw new BadGatewayError('The model said nothing.', { code: 'model_error' });
    if (save && !(await this.summaries.replaceText({ userId }, uid, summary))) throw summaryNotReady('pending');
    return { summary, saved: save };
  }
}

function summaryNotReady(status: string): ConflictError {
  return new ConflictError('The document has no summary yet.', { code: 'summary_not_ready', extra: { status } });
}

/** An answer in another form than asked for is the endpoint's fault, not ours. */
function toModelError(error: unknown): never {
  if (error instanceof DomainError || (error instanceof Error && error.name === 'AbortError')) throw error;
  throw new BadGatewayError('The model did not answer in the form that it was asked for.', {
    code: 'model_error',
    cause: error,
  });
}
