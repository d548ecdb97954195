import {
  AgentHistory,
  AgentLoop,
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
import { ModelChoice } from '@app/models';
import { ClaimLostError } from '@app/work';
import { Inject, Injectable } from '@nestjs/common';
import { historyTokens, toAgentModel } from '../agent/agent-models.js';
import { AGENT_SETTINGS, type AgentSettings } from '../agent/agent-settings.js';
import { turnHost } from '../agent/turn-host.js';
import { artifactChatRequest, type ArtifactChatRequest } from './artifact-chat-request.js';
import { type PageCaller, PageDesk, turnOf } from './page-desk.js';
import { PAGE_PROMPTS, pageOpening } from './page-prompt.js';
import { PageTools } from './page-tools.js';
import { SourceLooks } from './source-looks.js';
import { unpublishedNote } from './unpublished-note.js';

/** Turns of an agent that makes one page, or is asked about it (docs/contract/artifact-chat.md). */
@Injectable()
export class ArtifactChatTurnHandler implements TurnHandler {
  readonly name = 'artifact-chat';
  private readonly clock = new SystemClock();

  constructor(
    private readonly models: ModelChoice,
    private readonly history: AgentHistory,
    private readonly summaries: SessionSummaries,
    private readonly approvals: GrantedApprovals,
    private readonly results: ResultRows,
    private readonly desk: PageDesk,
    private readonly looks: SourceLooks,
    private readonly tools: PageTools,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
  ) {}

  async run(context: TurnContext): Promise<TurnOutcome> {
    const { turn, signal } = context;
    const { userId, id: turnId, sessionId, question } = turn;
    const request = artifactChatRequest.parse(turn.request);
    const caller: PageCaller = { userId, turnId, sessionId };
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
      state.opening = await this.opening(caller, request, question);
      await host.save(state);
    }
    const results = this.results.of({ userId, turnId, sessionId, hours: this.settings.resultHours });
    const conversation = await this.history.before({
      userId,
      sessionId,
      beforeTurnId: turnId,
      tokens: historyTokens(model),
      readsCalls: supports.tools,
    });
    const tools = supports.tools
      ? [...this.tools.list(caller, request.mode), readResultTool(results, this.settings.resultCharacters)]
      : [];
    const loop = new AgentLoop(
      {
        system: PAGE_PROMPTS[request.mode],
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
    const end = await loop
      .run(resume && { requestId: resume.question.request_id, reply: resume.reply })
      .catch(async (error: unknown) => {
        if (request.mode === 'build' && !(error instanceof ClaimLostError))
          await this.tellUnpublished(context, caller).catch(() => undefined);
        throw error;
      });
    if ('wait' in end) return end;
    if (conversation.isLong) await this.summaries.askFor(sessionId);
    signal.throwIfAborted();
    if (request.mode === 'build') await this.tellUnpublished(context, caller);
    context.sources([]);
    return { usage: end.usage, model: end.model, extras: end.extras };
  }

  /** @throws NotFoundError, ForbiddenError for an artifact that is not the person's any more */
  private async opening(caller: PageCaller, request: ArtifactChatRequest, question: string): Promise<string> {
    const subject = await this.desk.subject(caller);
    const sources = await this.looks.describe(caller.userId, subject.refs);
    const gone = subject.refs.filter((ref) => !sources.some((source) => source.ref === ref));
    return pageOpening({ page: this.desk.page(subject), sources, gone, request, question, now: this.clock.date() });
  }

  /** Behind the answer, whole or broken off; a worker that was lost may have told the beginning of it. */
  private async tellUnpublished(context: TurnContext, caller: PageCaller): Promise<void> {
    const { draft, turn } = (await this.desk.subject(caller)).chat;
    if (draft?.turnId !== caller.turnId) return;
    const note = unpublishedNote(draft, turnOf(turn, caller.turnId), context.turn.question);
    const { text } = context.published;
    let told = note.length;
    while (!text.endsWith(note.slice(0, told))) told -= 1;
    context.text(note.slice(told));
  }
}
