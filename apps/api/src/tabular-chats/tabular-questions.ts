import { findOwnSession, TurnHistory, type TableTurnRequest } from '@app/agents';
import type { LanguageModel } from '@app/integrations';
import { ModelChoice } from '@app/models';
import { TableQuestions, TabularDatabases, type OpenTabularDatabase, type TabularStore } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { questionOf } from '../chats/question.js';
import type { AskedTurn } from '../chats/turn-answers.js';
import { fileUidsOf, type TabularChatRequest } from './tabular-chat.dto.js';

/** What both chats with tables check before they ask. */
@Injectable()
export class TabularQuestions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly databases: TabularDatabases,
    private readonly questions: TableQuestions,
    private readonly models: ModelChoice,
    private readonly history: TurnHistory,
  ) {}

  /**
   * The question as a turn. Nothing is kept of one that cannot be answered here at all.
   * @param store whose files are asked, and which kind of conversation it is
   * @throws NotFoundError, ConflictError `document_not_ready`, UnavailableError `model_not_configured`, GatewayTimeoutError
   */
  async toTurn(userId: number, store: TabularStore, body: TabularChatRequest): Promise<AskedTurn> {
    const question = questionOf(body.message);
    const uids = fileUidsOf(body);
    const model = await this.models.foresee(userId, body.llm_model_id);
    const opened: OpenTabularDatabase[] = [];
    try {
      for (const uid of uids) opened.push(await this.databases.open(userId, uid, store));
      if (!model.available) await this.requireSimple(userId, store, body, question, opened, model);
    } finally {
      for (const database of opened) await database.release();
    }
    const { conversation_id, chat_session_id, client_turn_id, language = null, llm_model_id: llmModelId = null } = body;
    const request = { store, uids, language, llmModelId } satisfies TableTurnRequest;
    return {
      userId,
      kind: store,
      handler: 'table',
      question,
      request,
      conversation_id,
      chat_session_id,
      client_turn_id,
    };
  }

  /** @throws UnavailableError for a question that needs a model */
  private async requireSimple(
    userId: number,
    store: TabularStore,
    body: TabularChatRequest,
    question: string,
    databases: readonly OpenTabularDatabase[],
    model: LanguageModel,
  ): Promise<void> {
    const session = await findOwnSession(this.dataSource, userId, store, {
      id: body.chat_session_id,
      conversationId: body.conversation_id,
    });
    // What is still under way may be what this question leans on.
    if (session?.isBusy) return;
    const history = session ? await this.history.questionsToTables(session.id, null) : [];
    await this.questions.prepare({
      asker: String(userId),
      question,
      databases,
      history,
      language: body.language ?? null,
      model,
    });
  }
}
