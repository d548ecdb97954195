import { DomainError, NotFoundError } from '@app/common';
import {
  TabularDatabases,
  TableQuestions,
  type OpenTabularDatabase,
  type PastTurn,
  type PreparedQuestion,
  type TabularStore,
} from '@app/tabular';
import { languageOf } from '@app/retrieval';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ChatTurns, type TurnOutcome } from '../chats/chat-turns.js';
import { questionOf } from '../chats/question.js';
import { ModelCatalog } from '../profile/model-catalog.js';
import { fileUidsOf, type TabularChatRequest } from './tabular-chat.dto.js';

/** Turns of the conversation that a question may follow. */
const REMEMBERED_TURNS = 6;

export interface TabularTurn {
  turnId: string;
  sessionId: number;
  question: PreparedQuestion;
  fileUids: string[];
  startedAt: number;
  /** Keeps how it ended, where that has to come before the last byte of the answer; only the first time counts. */
  keep(outcome: TurnOutcome): Promise<void>;
}

/** What both chats with tables do around an answer. */
@Injectable()
export class TabularTurns {
  constructor(
    private readonly dataSource: DataSource,
    private readonly databases: TabularDatabases,
    private readonly questions: TableQuestions,
    private readonly turns: ChatTurns,
    private readonly models: ModelCatalog,
  ) {}

  /**
   * Opens the files, keeps the turn, lets `answer` do the rest and keeps how it ended. Nothing is kept of a question that
   * cannot be answered here at all.
   * @param store whose files are asked, and which kind of conversation it is
   * @throws NotFoundError, ConflictError `document_not_ready`, UnavailableError `model_not_configured`, GatewayTimeoutError
   */
  async run<T>(
    userId: number,
    store: TabularStore,
    body: TabularChatRequest,
    signal: AbortSignal,
    answer: (turn: TabularTurn) => Promise<{ outcome: TurnOutcome; value: T }>,
  ): Promise<T> {
    const startedAt = performance.now();
    const message = questionOf(body.message);
    const fileUids = fileUidsOf(body);
    if (body.llm_model_id && !this.models.isAnswering(body.llm_model_id))
      throw new NotFoundError('There is no such model.', { code: 'model_not_found' });
    const opened: OpenTabularDatabase[] = [];
    try {
      for (const uid of fileUids) opened.push(await this.databases.open(userId, uid, store));
      const conversation = { conversationId: body.conversation_id, sessionId: body.chat_session_id };
      const question = await this.questions.prepare({
        asker: String(userId),
        question: message,
        databases: opened,
        history: await this.history(userId, store, conversation),
        language: body.language ?? languageOf(message),
        signal,
      });
      const sessionId = await this.turns.openSession(userId, store, conversation, message);
      const sources = opened.map(({ uid, filename }) => ({ uid, filename }));
      const turnId = await this.turns.begin(sessionId, message, sources, this.questions.answeredBy);
      const keep = (outcome: TurnOutcome) => this.turns.finish(turnId, outcome);
      return await this.finish(turnId, signal, () =>
        answer({ turnId, sessionId, question, fileUids, startedAt, keep }),
      );
    } finally {
      for (const database of opened) await database.release();
    }
  }

  private async finish<T>(
    turnId: string,
    signal: AbortSignal,
    answer: () => Promise<{ outcome: TurnOutcome; value: T }>,
  ): Promise<T> {
    try {
      const { outcome, value } = await answer();
      await this.turns.finish(turnId, outcome);
      return value;
    } catch (error) {
      const errorCode = error instanceof DomainError ? error.code : 'internal_error';
      const status = signal.aborted ? 'interrupted' : 'failed';
      await this.turns.finish(turnId, { status, answer: '', usage: null, errorCode: signal.aborted ? '' : errorCode });
      throw error;
    }
  }

  /** Completed turns with the statements that answered them, oldest first; without those that only the client can read. */
  private history(
    userId: number,
    store: TabularStore,
    { conversationId, sessionId }: { conversationId: string | undefined; sessionId: number | undefined },
  ): Promise<PastTurn[]> {
    return this.dataSource.query<PastTurn[]>(
      `SELECT question, sql, answer FROM (
         SELECT t.question, t.answer, t.seq,
           (SELECT h.sql FROM chat_thoughts h WHERE h.turn_id = t.id AND h.type = 'result' ORDER BY h.step DESC LIMIT 1) AS sql
         FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
         WHERE s.user_id = $1 AND s.kind = $2 AND (s.id = $3 OR ($3::int IS NULL AND s.conversation_id = $4))
           AND t.status = 'completed' AND t.question !~ '^enc:v1:' AND t.answer !~ '^enc:v1:'
         ORDER BY t.seq DESC LIMIT ${REMEMBERED_TURNS}) AS latest
       ORDER BY seq`,
      [userId, store, sessionId ?? null, conversationId ?? null],
    );
  }
}
