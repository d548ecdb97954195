import {
  AgentHistory,
  AgentLoop,
  type AgentModel,
  type AgentResume,
  type AgentState,
  DOCUMENTS,
  GrantedApprovals,
  HeardInSessions,
  heardWith,
  Memories,
  newAgentState,
  type OpenedFile,
  readResultTool,
  ResultRows,
  type ResultStore,
  systemPrompt,
  AgentTools,
  type TurnContext,
  type TurnHandler,
  type TurnOutcome,
  unpackState,
  withResults,
} from '@app/agents';
import { SystemClock } from '@app/common';
import { ModelChoice } from '@app/models';
import type { ToolPorts } from '@app/workflow-definition';
import { Inject, Injectable } from '@nestjs/common';
import { TOOL_PORTS } from '../ports/tool-ports.js';
import { toAgentModel } from './agent-models.js';
import { AgentOpening } from './agent-opening.js';
import { type AgentTurnRequest, agentTurnRequest } from './agent-request.js';
import { AGENT_SETTINGS, type AgentSettings } from './agent-settings.js';
import { AgentToolbox } from './agent-toolbox.js';
import { pictureReader } from './read-picture.js';
import { turnHost } from './turn-host.js';

const SHOWN_MEMORIES = 3;

/**
 * Turns of the agent (docs/contract/chats.md#the-shared-reply, docs/contract/chats.md#turns): a model that works with
 * tools until it has an answer.
 */
@Injectable()
export class AgentTurnHandler implements TurnHandler {
  readonly name = 'agent';
  private readonly clock = new SystemClock();

  constructor(
    private readonly models: ModelChoice,
    private readonly history: AgentHistory,
    private readonly openings: AgentOpening,
    private readonly toolbox: AgentToolbox,
    private readonly approvals: GrantedApprovals,
    private readonly memories: Memories,
    private readonly heard: HeardInSessions,
    private readonly results: ResultRows,
    @Inject(TOOL_PORTS) private readonly ports: ToolPorts,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
  ) {}

  async run(context: TurnContext): Promise<TurnOutcome> {
    const { turn, signal } = context;
    const { userId, id: turnId, conversationId, question } = turn;
    const request = agentTurnRequest.parse(turn.request);
    const chosen = await this.models.choose(userId, request.llmModelId);
    const model = toAgentModel(chosen, { userId, purpose: 'agent', turnId });
    const { supports } = model.model.descriptor;
    const state = unpackState(turn.state) ?? newAgentState();
    const files = await this.openings.open({ userId }, request, model.model.descriptor);
    await this.begin(context, state, files, model.contextTokens);
    const heard = this.heard.of(turn.sessionId);
    state.heard = { ...(await heard.all()), ...state.heard };
    const read = { ...(files.length > 0 && { [DOCUMENTS.key]: DOCUMENTS.label }) };
    const brought = { ...read, ...heardWith({ ...state.heard, ...read }, state.memories ?? []) };
    // Kept before the model reads it, as what tools tell is.
    if (Object.keys(brought).some((key) => state.heard[key] === undefined)) await heard.add(brought);
    state.heard = { ...brought, ...state.heard };
    const results = this.results.of({ userId, turnId, sessionId: turn.sessionId, hours: this.settings.resultHours });
    const end = await new AgentLoop(
      {
        system: this.system(request, state, supports.tools),
        history: await this.history.before(turn.sessionId, turnId),
        question,
        images: model.readsImages ? this.openings.imagesIn(files) : [],
        model,
        ...(request.reasoningEffort && supports.reasoning && { reasoningEffort: request.reasoningEffort }),
        tools: await this.tools(context, model, results),
        readPicture: pictureReader(this.ports.storage, { userId, turnId }),
        limits: { ...this.settings, deadlineAt: context.deadlineAt.getTime() },
        rules: {
          policy: this.settings.approvals,
          approvals: this.approvals.of(userId, conversationId),
          questionSeconds: this.settings.questionSeconds,
          resultCharacters: this.settings.resultCharacters,
          turnId,
          heard,
          results,
        },
      },
      state,
      turnHost(context),
      this.clock,
    ).run(toResume(context.resume));
    if ('wait' in end) return end;
    context.sources(end.sources);
    await this.memories.consider(userId, turnId);
    signal.throwIfAborted();
    return { usage: end.usage, extras: end.extras, model: end.model };
  }

  /** What is done once, and kept: another worker goes on from the same question. */
  private async begin(
    context: TurnContext,
    state: AgentState,
    files: readonly OpenedFile[],
    contextTokens: number,
  ): Promise<void> {
    const { turn, signal } = context;
    const { userId, question } = turn;
    if (state.memories === null) {
      state.memories = await this.memories.recall(userId, question);
      const shown = state.memories.slice(0, SHOWN_MEMORIES);
      if (shown.length > 0)
        context.stage('stage:memory_recall', {
          hit_count: state.memories.length,
          top_kinds: shown.map(({ kind }) => kind),
          top_texts: shown.map(({ text }) => text),
        });
    }
    const { documents } = this.ports;
    state.opening ??= await this.openings.text({ userId }, question, files, state.sources, {
      documents,
      contextTokens,
      signal,
    });
  }

  private async tools({ turn, signal }: TurnContext, model: AgentModel, results: ResultStore): Promise<AgentTools> {
    if (!model.model.descriptor.supports.tools) return new AgentTools([], [], { asksUser: false });
    const caller = { viewer: { userId: turn.userId, turnId: turn.id }, workId: turn.id };
    const { own, connected, finding } = await this.toolbox.open(caller, signal);
    const reading = own.map((tool) => (tool.name === 'code' ? withResults(tool, results) : tool));
    const reader = readResultTool(results, this.settings.resultCharacters);
    const { shownTokens } = this.settings;
    return new AgentTools([...reading, reader], connected, { asksUser: true, shownTokens, ...finding });
  }

  private system({ language }: AgentTurnRequest, { memories }: AgentState, hasTools: boolean): string {
    return systemPrompt({
      now: this.clock.date(),
      language: language ?? null,
      instructions: null,
      approvals: this.settings.approvals,
      asksUser: hasTools,
      memories: memories ?? [],
    });
  }
}

function toResume(resume: TurnContext['resume']): AgentResume | null {
  return resume && { requestId: resume.question.request_id, reply: resume.reply };
}
