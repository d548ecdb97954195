import { SessionTitles, type TableTurnRequest, Turns } from '@app/agents';
import { type Principal } from '@app/auth';
import { ConflictError, InvalidRequestError, isUuid, ValidationError } from '@app/common';
import { ExtractedTables } from '@app/extraction';
import { ModelChoice } from '@app/models';
import { Injectable } from '@nestjs/common';
import { questionOf } from '../chats/question.js';
import type { AskedTurn } from '../chats/turn-answers.js';
import { tableNotFound } from './table-not-found.js';
import type { TableChatRequest, TableQuestionRequest } from './table-chat.dto.js';

const MAX_NAME = 128;

/** Conversations with one extracted table (docs/contract/table-chat.md). Every method is scoped to the user. */
@Injectable()
export class TableConversations {
  constructor(
    private readonly turns: Turns,
    private readonly models: ModelChoice,
    private readonly titles: SessionTitles,
    private readonly tables: ExtractedTables,
  ) {}

  /**
   * Begins a turn of an agent at the table, or answers the one that waits for a word.
   * @returns its id. @throws what is wrong with the call before anything is stored, and what `Turns.begin` throws
   */
  async begin(user: Principal, body: TableChatRequest): Promise<string> {
    const tableId = await this.tableOf(user, body.table_id);
    const question = questionOf(body.message);
    await this.models.require(user.userId, body.llm_model_id);
    const begun = await this.turns.begin({
      userId: user.userId,
      kind: 'table',
      conversation: { conversationId: body.conversation_id, sessionId: body.chat_session_id ?? undefined },
      question,
      handler: 'table-chat',
      request: { tableId, reasoningEffort: body.reasoning_effort ?? null, llmModelId: body.llm_model_id ?? null },
      clientTurnId: body.client_turn_id ?? undefined,
      boundBy: boundTo(tableId),
      repliesToWaiting: true,
    });
    if (!begun.isRepeat && !begun.isReply) await this.titles.askFor(begun.sessionId);
    return begun.turnId;
  }

  /** A question that rows answer, as a turn. @throws as `begin`; nothing is stored yet */
  async toQuestion(user: Principal, { table_id, params = {} }: TableQuestionRequest): Promise<AskedTurn> {
    const tableId = await this.tableOf(user, table_id);
    const question = questionOf(params.query);
    const llmModelId = wholeNumber(params.llm_model_id);
    await this.models.require(user.userId, llmModelId);
    const request = { store: 'table', uids: [tableId], tableId, language: null, llmModelId } satisfies TableTurnRequest;
    return {
      userId: user.userId,
      kind: 'table',
      handler: 'table',
      question,
      request,
      boundBy: boundTo(tableId),
      conversation_id: nameOf(params.conversation_id),
    };
  }

  /** @throws InvalidRequestError `table_id_required`; ForbiddenError; NotFoundError */
  private async tableOf({ userId }: Principal, given: unknown): Promise<string> {
    if (typeof given !== 'string' || given.trim() === '')
      throw new InvalidRequestError('table_id is required.', { code: 'table_id_required' });
    const tableId = given.trim().toLowerCase();
    if (!isUuid(tableId)) throw tableNotFound();
    await this.tables.get(userId, tableId);
    return tableId;
  }
}

/** What was said of one table must not be said of another: its rights are others. */
function boundTo(tableId: string) {
  const conflict = new ConflictError('This conversation is with another table. Begin a new one for this table.', {
    code: 'conversation_of_other_table',
  });
  return { name: 'tableId', value: tableId, conflict };
}

function wholeNumber(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 2_147_483_647) return value;
  throw new ValidationError({ 'params.llm_model_id': ['A valid integer is required.'] });
}

function nameOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && value !== '' && value.length <= MAX_NAME && !value.includes('\0')) return value;
  throw new ValidationError({ 'params.conversation_id': ['Not a valid string.'] });
}
