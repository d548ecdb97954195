import {
  AgentHistory,
  AgentLoop,
  AgentTools,
  GrantedApprovals,
  KeptState,
  newAgentState,
  readResultTool,
  SessionSummaries,
  type TurnContext,
  type TurnHandler,
  type TurnOutcome,
} from '@app/agents';
import type { SeenCharts } from '@app/artifacts';
import { SystemClock } from '@app/common';
import { ModelChoice } from '@app/models';
import { Inject, Injectable } from '@nestjs/common';
import { historyTokens, toAgentModel } from '../agent/agent-models.js';
import { AGENT_SETTINGS, type AgentSettings } from '../agent/agent-settings.js';
import { turnHost } from '../agent/turn-host.js';
import { type ChartCaller, ChartDesk } from './chart-desk.js';
import { CHART_PROMPT, chartInWords, chartOpening, headInWords } from './chart-prompt.js';
import { ChartTools } from './chart-tools.js';
import { dashboardChatRequest } from './dashboard-chat-request.js';
import { watchedResults } from './watched-results.js';

/** Charts whose first rows stand before a question; of the others their columns do. */
const MOST_SHOWN = 20;

/** Turns of an agent that answers from charts, and has nothing else (docs/contract/dashboard-chat.md). */
@Injectable()
export class DashboardChatTurnHandler implements TurnHandler {
  readonly name = 'dashboard-chat';
  private readonly clock = new SystemClock();

  constructor(
    private readonly models: ModelChoice,
    private readonly history: AgentHistory,
    private readonly summaries: SessionSummaries,
    private readonly approvals: GrantedApprovals,
    private readonly desk: ChartDesk,
    private readonly tools: ChartTools,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
  ) {}

  async run(context: TurnContext): Promise<TurnOutcome> {
    const { turn, signal } = context;
    const { userId, id: turnId, sessionId, question } = turn;
    const { subject, filters, language = null, llmModelId } = dashboardChatRequest.parse(turn.request);
    const caller: ChartCaller = { userId, subject, filters };
    // Earlier turns hold what stood in the charts: whoever may not read them any more gets nothing of them.
    const seen = await this.desk.look(caller);
    const model = toAgentModel(await this.models.ofTurn(turn, llmModelId), { userId, purpose: 'agent', turnId });
    const { supports } = model.model.descriptor;
    const kept = new KeptState(turn.state === null ? [] : await context.keptTexts());
    const state = kept.read(turn.state) ?? newAgentState();
    const host = turnHost(context, kept);
    if (state.opening === null) {
      state.memories = [];
      const { board } = seen;
      const charts = await this.inWords(caller, seen, signal);
      state.opening = chartOpening({ charts, board, filters, question, language, now: this.clock.date() });
      await host.save(state);
    }
    const mgids = seen.charts.map(({ mgid }) => mgid);
    const results = watchedResults(turnId, () => this.desk.sees(caller, mgids));
    const conversation = await this.history.before({
      userId,
      sessionId,
      beforeTurnId: turnId,
      tokens: historyTokens(model),
      readsCalls: supports.tools,
    });
    const tools = supports.tools
      ? [...this.tools.list(caller), readResultTool(results, this.settings.resultCharacters)]
      : [];
    const loop = new AgentLoop(
      {
        system: CHART_PROMPT,
        history: conversation.turns,
        summary: conversation.summary,
        isHistoryWhole: conversation.isWhole,
        question,
        images: [],
        model,
        // The answer is a stream of text: nobody could reply to a question in it.
        tools: new AgentTools(tools, [], { asksUser: false }),
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
    const end = await loop.run(null);
    if ('wait' in end) return end;
    if (conversation.isLong) await this.summaries.askFor(sessionId);
    signal.throwIfAborted();
    context.sources([]);
    return { usage: end.usage, model: end.model, extras: end.extras };
  }

  /** One after the other: each may hold some megabytes, of which a few rows are shown. */
  private async inWords(caller: ChartCaller, { charts }: SeenCharts, signal: AbortSignal): Promise<string[]> {
    const words: string[] = [];
    for (const { mgid } of charts.slice(0, MOST_SHOWN))
      words.push(await this.desk.with(caller, mgid, signal, chartInWords));
    return [...words, ...charts.slice(MOST_SHOWN).map((chart) => headInWords(chart))];
  }
}
