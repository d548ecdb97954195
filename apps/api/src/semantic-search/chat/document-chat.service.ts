import { visibleDocument } from '@app/access';
import { ConflictError, DomainError, InvalidRequestError, NotFoundError } from '@app/common';
import { normalizeFolder } from '@app/documents';
import { AnswerService, type SearchMode, type SearchScope } from '@app/retrieval';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DataSource } from 'typeorm';
import { framingFor } from '../../chats/answer-framing.js';
import { writeAnswer } from '../../chats/answer-writer.js';
import { ChatTurns, type TurnOutcome } from '../../chats/chat-turns.js';
import { questionOf } from '../../chats/question.js';
import { ModelCatalog } from '../../profile/model-catalog.js';
import { toIndexUnavailable } from '../search/index-unavailable.js';
import type { ChatRequest } from './chat.dto.js';
import type { SourceList } from './source-lists.js';

const MAX_FILES = 50;

export interface ChatScope {
  /** Each must be the viewer's to read, and ready. */
  uids?: readonly string[] | undefined;
  /** As the client wrote it. */
  folder?: string | undefined;
  query?: string | undefined;
  mode?: SearchMode;
  limit?: number;
  sources: SourceList;
}

/** One question to documents, from the checks to the last byte of the streamed answer. */
@Injectable()
export class DocumentChat {
  constructor(
    private readonly dataSource: DataSource,
    private readonly answers: AnswerService,
    private readonly turns: ChatTurns,
    private readonly models: ModelCatalog,
  ) {}

  async reply(userId: number, body: ChatRequest, asked: ChatScope, request: Request, response: Response) {
    const question = questionOf(body.message);
    const scope = await this.toSearchScope(userId, asked);
    this.requireModel(body.llm_model_id ?? null);
    const conversation = { conversationId: body.conversation_id, sessionId: body.chat_session_id };
    const sessionId = await this.turns.openSession(userId, 'document', conversation, question);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { query, mode, limit, sources: list } = asked;
    const answer = await this.answers
      .answer({
        viewer: { userId },
        question,
        query,
        mode,
        limit,
        scope,
        citations: list.citations,
        history: await this.turns.history(userId, sessionId),
        language: body.language,
        signal: gone.signal,
      })
      .catch(toIndexUnavailable);
    const sources = list.list(answer.sources);
    const turnId = await this.turns.begin(sessionId, question, sources, answer.model);
    try {
      const { stream } = answer;
      const framing = framingFor(request, list.separator);
      const keep = (outcome: TurnOutcome) => this.turns.finish(turnId, outcome);
      const written = { turnId, sessionId, sources, stream, framing, signal: gone.signal, keep };
      const outcome = await writeAnswer(response, written);
      await this.turns.finish(turnId, outcome);
    } catch (error) {
      const errorCode = error instanceof DomainError ? error.code : 'internal_error';
      await this.turns.finish(turnId, { status: 'failed', answer: '', usage: null, errorCode });
      throw error;
    }
  }

  private async toSearchScope(userId: number, { uids, folder }: ChatScope): Promise<SearchScope> {
    if (uids && folder)
      throw new InvalidRequestError('Name documents or a folder, not both.', { code: 'ambiguous_scope' });
    if (uids) await this.requireReady(userId, uids);
    return { uids, folder: folder === undefined ? undefined : normalizeFolder(folder) };
  }

  /** @throws NotFoundError when one of them is not shown to the viewer, ConflictError when one cannot answer yet */
  private async requireReady(userId: number, uids: readonly string[]): Promise<void> {
    const wanted = [...new Set(uids)];
    if (wanted.length > MAX_FILES)
      throw new InvalidRequestError(`At most ${MAX_FILES} documents can be asked at once.`, { code: 'too_many_files' });
    // A document that is being indexed again answers from its previous index.
    const rows = await this.dataSource.query<{ uid: string; ready: boolean }[]>(
      `SELECT d.uid, d.index_generation IS NOT NULL AS ready FROM documents d WHERE d.uid = ANY ($2) AND ${visibleDocument('d', '$1')}`,
      [userId, wanted],
    );
    if (rows.length < wanted.length) throw new NotFoundError('Document not found.', { code: 'document_not_found' });
    const waiting = rows.filter(({ ready }) => !ready).map(({ uid }) => uid);
    if (waiting.length > 0)
      throw new ConflictError('The document is not ready to be asked yet.', {
        code: 'document_not_ready',
        extra: { uids: waiting },
      });
  }

  private requireModel(id: number | null): void {
    if (id !== null && !this.models.isAnswering(id))
      throw new NotFoundError('There is no such model.', { code: 'model_not_found' });
  }
}
