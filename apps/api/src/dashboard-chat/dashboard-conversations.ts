import { AskedCharts, readFilters, requireColumns } from '@app/artifacts';
import type { Principal } from '@app/auth';
import { ConflictError } from '@app/common';
import { ModelChoice } from '@app/models';
import { Injectable } from '@nestjs/common';
import { questionOf } from '../chats/question.js';
import type { AskedTurn } from '../chats/turn-answers.js';
import type { DashboardChatRequest } from './dashboard-chat.dto.js';
import { subjectKey, subjectOf } from './named-subject.js';

/** Conversations about charts (docs/contract/dashboard-chat.md). Scoped to the user. */
@Injectable()
export class DashboardConversations {
  constructor(
    private readonly charts: AskedCharts,
    private readonly models: ModelChoice,
  ) {}

  /** @throws what is wrong with the call, before anything is stored */
  async toTurn({ userId }: Principal, body: DashboardChatRequest): Promise<AskedTurn> {
    const question = questionOf(body.message);
    const subject = subjectOf(body);
    const filters = readFilters(body.filters);
    const { charts } = await this.charts.look(userId, subject);
    requireColumns(filters, charts);
    await this.models.require(userId, body.llm_model_id);
    const { conversation_id, chat_session_id, client_turn_id, language = null, llm_model_id: llmModelId = null } = body;
    const key = subjectKey(subject);
    return {
      userId,
      kind: 'dashboard',
      handler: 'dashboard-chat',
      question,
      request: { subject: key, ...subject, filters, language, llmModelId },
      boundBy: { name: 'subject', value: key, conflict: ofOtherCharts() },
      conversation_id,
      chat_session_id,
      client_turn_id,
    };
  }
}

/** What was said of some charts must not be said of others: their rights are others. */
const ofOtherCharts = () =>
  new ConflictError('This conversation is about other charts. Begin a new one for these.', {
    code: 'conversation_of_other_charts',
  });
