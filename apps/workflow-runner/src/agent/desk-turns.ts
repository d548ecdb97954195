import {
  type AgentAnswer,
  AgentHistory,
  AgentLoop,
  type AgentTool,
  AgentTools,
  GrantedApprovals,
  KeptState,
  newAgentState,
  readResultTool,
  type ResultStore,
  SessionSummaries,
  type TurnContext,
  type TurnOutcome,
} from '@app/agents';
import { SystemClock } from '@app/common';
import type { ModelRequest } from '@app/integrations';
import { ModelChoice } from '@app/models';
import { Inject, Injectable } from '@nestjs/common';
import { historyTokens, resultCharacters, toAgentModel } from './agent-models.js';
import { AGENT_SETTINGS, type AgentSettings } from './agent-settings.js';
import { turnHost } from './turn-host.js';

/** What an agent is given that works at one thing, and has nothing else. */
export interface Desk {
  llmModelId: number | null | undefined;
  reasoningEffort?: ModelRequest['reasoningEffort'] | null | undefined;
  system: string;
  /** What the model reads in the place of the question; once for a turn. */
  opening(now: Date): Promise<string> | string;
  tools: readonly AgentTool[];
  results: ResultStore;
  asksUser: boolean;
}

/** How the loop of a turn ended; `textLength`: of the answer, behind which more may be told. */
export type DeskEnd = Extract<TurnOutcome, { wait: unknown }> | (AgentAnswer & { textLength: number });

/** Turns of agents at a table, a page or charts. */
@Injectable()
export class DeskTurns {
  private readonly clock = new SystemClock();

  constructor(
    private readonly models: ModelChoice,
    private readonly history: AgentHistory,
    private readonly summaries: SessionSummaries,
    private readonly approvals: GrantedApprovals,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
  ) {}

  /** From wherever an earlier worker has left the turn. @throws the signal's reason */
  async run(context: TurnContext, desk: Desk): Promise<DeskEnd> {
    const { turn, resume } = context;
    const { userId, id: turnId, sessionId, question } = turn;
    const { llmModelId = null, reasoningEffort, results } = desk;
    const model = toAgentModel(await this.models.ofTurn(turn, llmModelId), { userId, purpose: 'agent', turnId });
    const { supports } = model.model.descriptor;
    const kept = new KeptState(turn.state === null ? [] : await context.keptTexts());
    const state = kept.read(turn.state) ?? newAgentState();
    const host = turnHost(context, kept);
    if (state.opening === null) {
      state.memories = [];
      state.opening = await desk.opening(this.clock.date());
      await host.save(state);
    }
    const conversation = await this.history.before({
      userId,
      sessionId,
      beforeTurnId: turnId,
      tokens: historyTokens(model),
      readsCalls: supports.tools,
    });
    const shown = resultCharacters(model, this.settings.resultCharacters);
    const tools = supports.tools ? [...desk.tools, readResultTool(results, shown)] : [];
    const loop = new AgentLoop(
      {
        system: desk.system,
        history: conversation.turns,
        summary: conversation.summary,
        isHistoryWhole: conversation.isWhole,
        question,
        images: [],
        model,
        ...(reasoningEffort && supports.reasoning && { reasoningEffort }),
        tools: new AgentTools(tools, [], { asksUser: desk.asksUser && supports.tools }),
        limits: { ...this.settings, deadlineAt: context.deadlineAt.getTime() },
        rules: {
          policy: this.settings.approvals,
          approvals: this.approvals.of(userId, turn.conversationId),
          questionSeconds: this.settings.questionSeconds,
          resultCharacters: shown,
          turnId,
          earlier: conversation.earlier,
          results,
        },
      },
      state,
      host,
      this.clock,
    );
    const end = await loop.run(resume && { requestId: resume.question.request_id, reply: resume.reply });
    if ('wait' in end) return end;
    if (conversation.isLong) await this.summaries.askFor(sessionId);
    context.signal.throwIfAborted();
    return { ...end, textLength: state.textLength };
  }
}
