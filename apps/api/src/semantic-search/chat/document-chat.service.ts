import { visibleDocument } from '@app/access';
import { ConflictError, DomainError, InvalidRequestError, NotFoundError, ValidationError } from '@app/common';
import { AnswerService } from '@app/retrieval';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DataSource } from 'typeorm';
import { framingFor } from '../../chats/answer-framing.js';
import { writeAnswer } from '../../chats/answer-writer.js';
import { toChatSource, type ChatRequest } from './chat.dto.js';
import { ChatTurns } from '../../chats/chat-turns.js';

const MAX_MESSAGE = 100_000;
const MAX_FILES = 50;

/** One question to chosen documents, from the checks to the last byte of the streamed answer. */
@Injectable()
export class DocumentChat {
  constructor(
    private readonly dataSource: DataSource,
    private readonly answers: AnswerService,
    private readonly turns: ChatTurns,
  ) {}

  async reply(
    userId: number,
    uids: readonly string[],
    body: ChatRequest,
    request: Request,
    response: Response,
  ): Promise<void> {
    const question = questionOf(body);
    await this.requireReady(userId, uids);
    const conversation = { conversationId: body.conversation_id, sessionId: body.chat_session_id };
    const sessionId = await this.turns.openSession(userId, 'document', conversation, question);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const answer = await this.answers.answer({
      viewer: { userId },
      question,
      scope: { uids },
      history: await this.turns.history(userId, sessionId),
      language: body.language,
      signal: gone.signal,
    });
    const sources = answer.sources.map(toChatSource);
    const turnId = await this.turns.begin(sessionId, question, sources, answer.model);
    try {
      const { stream } = answer;
      const framing = framingFor(request);
      const outcome = await writeAnswer(response, { turnId, sessionId, sources, stream, framing, signal: gone.signal });
      await this.turns.finish(turnId, outcome);
    } catch (error) {
      const errorCode = error instanceof DomainError ? error.code : 'internal_error';
      await this.turns.finish(turnId, { status: 'failed', answer: '', usage: null, errorCode });
      throw error;
    }
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
}

function questionOf({ message }: ChatRequest): string {
  if (message === undefined || message === null || (typeof message === 'string' && message.trim() === ''))
    throw new InvalidRequestError('A message is required.', { code: 'message_required' });
  if (typeof message !== 'string') throw new ValidationError({ message: ['Not a valid string.'] });
  if (message.length > MAX_MESSAGE)
    throw new ValidationError({ message: [`Ensure this field has no more than ${MAX_MESSAGE} characters.`] });
  // Postgres cannot keep it.
  return message.replaceAll('\0', '').trim();
}
