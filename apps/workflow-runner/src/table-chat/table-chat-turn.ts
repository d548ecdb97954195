import {
  type AgentAnswer,
  AgentHistory,
  AgentLoop,
  type AgentState,
  AgentTools,
  GrantedApprovals,
  KeptState,
  newAgentState,
  readResultTool,
  ResultRows,
  SessionSummaries,
  type TurnContext,
  type TurnHandler,
  type TurnOutcome,
} from '@app/agents';
import { SystemClock } from '@app/common';
import { DeskChanges, ExtractedTables } from '@app/extraction';
import { ModelChoice } from '@app/models';
import { Inject, Injectable } from '@nestjs/common';
import { historyTokens, toAgentModel } from '../agent/agent-models.js';
import { AGENT_SETTINGS, type AgentSettings } from '../agent/agent-settings.js';
import { turnHost } from '../agent/turn-host.js';
import { changeExtra, changeList } from './change-list.js';
import { tableChatRequest } from './table-chat-request.js';
import { TABLE_PROMPT, tableOpening } from './table-prompt.js';
import { TableTools } from './table-tools.js';

/** Turns of an agent that works at one table, and has nothing else (docs/contract/table-chat.md). */
@Injectable()
export class TableChatTurnHandler implements TurnHandler {
  readonly name = 'table-chat';
  private readonly clock = new SystemClock();

  constructor(
    private readonly models: ModelChoice,
    private readonly history: AgentHistory,
    private readonly summaries: SessionSummaries,
    private readonly approvals: GrantedApprovals,
    private readonly results: ResultRows,
    private readonly tables: ExtractedTables,
    private readonly changes: DeskChanges,
    private readonly tools: TableTools,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
  ) {}

  async run(context: TurnContext): Promise<TurnOutcome> {
    const { turn, signal } = context;
    const { userId, id: turnId, question } = turn;
    const request = tableChatRequest.parse(turn.request);
    const { tableId } = request;
    // Earlier turns hold what stood in the table: whoever may not read it any more gets nothing of them.
    const table = await this.tables.get(userId, tableId);
    const model = toAgentModel(await this.models.ofTurn(turn, request.llmModelId), {
      userId,
      purpose: 'agent',
      turnId,
    });
    const { supports } = model.model.descriptor;
    const kept = new KeptState(turn.state === null ? [] : await context.keptTexts());
    const state = kept.read(turn.state) ?? newAgentState();
    const host = turnHost(context, kept);
    if (state.opening === null) {
      state.memories = [];
      state.opening = tableOpening(table, question, this.clock.date());
      await host.save(state);
    }
    const results = this.results.of({ userId, turnId, sessionId: turn.sessionId, hours: this.settings.resultHours });
    const conversation = await this.history.before({
      userId,
      sessionId: turn.sessionId,
      beforeTurnId: turnId,
      tokens: historyTokens(model),
      readsCalls: supports.tools,
    });
    const tools = supports.tools
      ? [...this.tools.list({ userId, turnId, tableId }), readResultTool(results, this.settings.resultCharacters)]
      : [];
    const loop = new AgentLoop(
      {
        system: TABLE_PROMPT,
        history: conversation.turns,
        summary: conversation.summary,
        isHistoryWhole: conversation.isWhole,
        question,
        images: [],
        model,
        ...(request.reasoningEffort && supports.reasoning && { reasoningEffort: request.reasoningEffort }),
        tools: new AgentTools(tools, [], { asksUser: supports.tools }),
        limits: { ...this.settings, deadlineAt: context.deadlineAt.getTime() },
        rules: {
          policy: this.settings.approvals,
          approvals: this.approvals.of(userId, turn.conversationId),
          questionSeconds: this.settings.questionSeconds,
          resultCharacters: this.settings.resultCharacters,
          turnId,
          earlier: conversation.earlier,
          results,
        },
      },
      state,
      host,
      this.clock,
    );
    const { resume } = context;
    try {
      const end = await loop.run(resume && { requestId: resume.question.request_id, reply: resume.reply });
      if ('wait' in end) return end;
      if (conversation.isLong) await this.summaries.askFor(turn.sessionId);
      signal.throwIfAborted();
      return await this.end(context, tableId, state, end);
    } catch (error) {
      // What was changed is told, also where the answer broke off.
      if (!signal.aborted) await this.tellChanges(context, tableId, null);
      throw error;
    }
  }

  private async end(
    context: TurnContext,
    tableId: string,
    state: AgentState,
    { usage, model, extras }: AgentAnswer,
  ): Promise<TurnOutcome> {
    const changes = await this.tellChanges(context, tableId, state.textLength);
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
