import { type AgentAnswer, ResultRows, type TurnContext, type TurnHandler, type TurnOutcome } from '@app/agents';
import { DeskChanges, ExtractedTables } from '@app/extraction';
import { Inject, Injectable } from '@nestjs/common';
import { AGENT_SETTINGS, type AgentSettings } from '../agent/agent-settings.js';
import { DeskTurns } from '../agent/desk-turns.js';
import { changeExtra, changeList } from './change-list.js';
import { tableChatRequest } from './table-chat-request.js';
import { TABLE_PROMPT, tableOpening } from './table-prompt.js';
import { TableTools } from './table-tools.js';

/** Turns of an agent that works at one table, and has nothing else (docs/contract/table-chat.md). */
@Injectable()
export class TableChatTurnHandler implements TurnHandler {
  readonly name = 'table-chat';

  constructor(
    private readonly turns: DeskTurns,
    private readonly results: ResultRows,
    private readonly tables: ExtractedTables,
    private readonly changes: DeskChanges,
    private readonly tools: TableTools,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
  ) {}

  async run(context: TurnContext): Promise<TurnOutcome> {
    const { signal, turn } = context;
    const { userId, id: turnId, sessionId, question } = turn;
    const { tableId, llmModelId, reasoningEffort } = tableChatRequest.parse(turn.request);
    // Earlier turns hold what stood in the table: whoever may not read it any more gets nothing of them.
    const table = await this.tables.get(userId, tableId);
    try {
      const end = await this.turns.run(context, {
        llmModelId,
        reasoningEffort,
        system: TABLE_PROMPT,
        opening: (now) => tableOpening(table, question, now),
        tools: this.tools.list({ userId, turnId, tableId }),
        results: this.results.of({ userId, turnId, sessionId, hours: this.settings.resultHours }),
        asksUser: true,
      });
      return 'wait' in end ? end : await this.end(context, tableId, end);
    } catch (error) {
      // What was changed is told, also where the answer broke off.
      if (!signal.aborted) await this.tellChanges(context, tableId, null);
      throw error;
    }
  }

  private async end(
    context: TurnContext,
    tableId: string,
    { usage, model, extras, textLength }: AgentAnswer & { textLength: number },
  ): Promise<TurnOutcome> {
    const changes = await this.tellChanges(context, tableId, textLength);
    context.sources([]);
    return { usage, model, extras: { ...extras, ...(changes && { table_changes: changes }) } };
  }

  /** @param textLength of the answer: what was told behind it is a list that another worker began; null: there is none */
  private async tellChanges(
    context: TurnContext,
    tableId: string,
    textLength: number | null,
  ): Promise<Record<string, unknown> | null> {
    const { turn, published } = context;
    const change = await this.changes.ofTurn(turn.userId, tableId, turn.id).catch(() => null);
    if (!change) return null;
    const list = changeList(change, turn.question);
    const told = textLength === null ? '' : published.text.slice(textLength);
    if (list.startsWith(told)) context.text(list.slice(told.length));
    return changeExtra(tableId, change);
  }
}
