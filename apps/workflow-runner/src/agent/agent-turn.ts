import {
  type AgentConversation,
  AgentHistory,
  AgentLoop,
  type AgentModel,
  type AgentResume,
  type AgentState,
  type AgentTool,
  DOCUMENTS,
  GrantedApprovals,
  HeardInSessions,
  heardWith,
  KeptState,
  Memories,
  newAgentState,
  type PastExchange,
  type OpenedFile,
  SessionSummaries,
  readResultTool,
  ResultRows,
  type ResultStore,
  systemPrompt,
  AgentTools,
  type ClaimedTurn,
  type TurnContext,
  type TurnHandler,
  type TurnHandlerName,
  type TurnOutcome,
  turnNotes,
  withResults,
} from '@app/agents';
import { SystemClock } from '@app/common';
import { ModelChoice } from '@app/models';
import type { ToolPorts } from '@app/workflow-definition';
import { Inject, Injectable } from '@nestjs/common';
import { TOOL_PORTS } from '../ports/tool-ports.js';
import { historyTokens, resultCharacters, toAgentModel } from './agent-models.js';
import type { TurnCaller } from './catalogue-tools.js';
import { AgentOpening } from './agent-opening.js';
import { type AgentTurnRequest, agentTurnRequest } from './agent-request.js';
import { AGENT_SETTINGS, type AgentSettings } from './agent-settings.js';
import { AgentToolbox } from './agent-toolbox.js';
import { DataAtHand } from './data-at-hand.js';
import { pictureReader } from './read-picture.js';
import { turnHost } from './turn-host.js';

const SHOWN_MEMORIES = 3;
/** Of what the model can read at once. */
const MEMORY_SHARE = 1 / 16;

export interface AgentWays {
  /** Of whoever gave the task. */
  instructions: string | null;
  /** Whether somebody is there who can be asked for words; for approvals people are asked anyhow. */
  asksUser: boolean;
  /** As `AgentWork.saidMeanwhile`. */
  saidMeanwhile?: (heard: number) => Promise<readonly string[]>;
}

/** What a turn begins with. */
interface Beginning {
  files: readonly OpenedFile[];
  conversation: AgentConversation;
  /** Tools of connected servers. */
  connected: readonly AgentTool[];
  request: AgentTurnRequest;
  model: AgentModel;
}

/**
 * Turns of the agent (docs/contract/chats.md#the-shared-reply, docs/contract/chats.md#turns): a model that works with
 * tools until it has an answer.
 */
@Injectable()
export class AgentTurnHandler implements TurnHandler {
  readonly name: TurnHandlerName = 'agent';
  private readonly clock = new SystemClock();

  constructor(
    private readonly models: ModelChoice,
    private readonly history: AgentHistory,
    private readonly openings: AgentOpening,
    private readonly toolbox: AgentToolbox,
    private readonly approvals: GrantedApprovals,
    private readonly memories: Memories,
    private readonly summaries: SessionSummaries,
    private readonly data: DataAtHand,
    private readonly heard: HeardInSessions,
    private readonly results: ResultRows,
    @Inject(TOOL_PORTS) private readonly ports: ToolPorts,
    @Inject(AGENT_SETTINGS) private readonly settings: AgentSettings,
  ) {}

  async run(context: TurnContext): Promise<TurnOutcome> {
    const { turn, signal } = context;
    const { userId, id: turnId, conversationId, question } = turn;
    const request = agentTurnRequest.parse(turn.request);
    const { instructions, asksUser, saidMeanwhile } = this.waysOf(turn, context);
    const chosen = await this.models.ofTurn(turn, request.llmModelId);
    const model = toAgentModel(chosen, { userId, purpose: 'agent', turnId });
    const { supports } = model.model.descriptor;
    const kept = new KeptState(turn.state === null ? [] : await context.keptTexts());
    const known = kept.read(turn.state);
    const state = known ?? newAgentState();
    const results = this.results.of({ userId, turnId, sessionId: turn.sessionId, hours: this.settings.resultHours });
    const [files, conversation, tools] = await Promise.all([
      this.openings.open({ userId }, request, model.model.descriptor),
      this.history.before({
        userId,
        sessionId: turn.sessionId,
        beforeTurnId: turnId,
        tokens: historyTokens(model),
        readsCalls: supports.tools,
      }),
      this.tools(context, model, results, asksUser),
    ]);
    if (!known) state.loadedTools = conversation.loadedTools;
    const host = turnHost(context, kept);
    if (state.opening === null) {
      await this.begin(context, state, { files, conversation, connected: tools.connected, request, model });
      // However early the turn is stopped, later ones know what it was about.
      await host.save(state);
    }
    const heard = this.heard.of(turn.sessionId);
    state.heard = { ...(await heard.all()), ...state.heard };
    const read = { ...(files.length > 0 && { [DOCUMENTS.key]: DOCUMENTS.label }) };
    const brought = { ...read, ...heardWith({ ...state.heard, ...read }, state.memories ?? []) };
    // Kept before the model reads it, as what tools tell is.
    if (Object.keys(brought).some((key) => state.heard[key] === undefined)) await heard.add(brought);
    state.heard = { ...brought, ...state.heard };
    const end = await new AgentLoop(
      {
        system: this.system(instructions, asksUser && supports.tools),
        history: model.readsImages
          ? await this.openings.withPictures({ userId }, conversation.turns, model.model.descriptor)
          : conversation.turns,
        summary: conversation.summary,
        isHistoryWhole: conversation.isWhole,
        question,
        images: model.readsImages ? this.openings.imagesIn(files) : [],
        model,
        ...(request.reasoningEffort && supports.reasoning && { reasoningEffort: request.reasoningEffort }),
        tools: tools.tools,
        ...(saidMeanwhile && { saidMeanwhile }),
        readPicture: pictureReader(this.ports.storage, { userId, turnId }),
        limits: { ...this.settings, deadlineAt: context.deadlineAt.getTime() },
        rules: {
          policy: this.settings.approvals,
          approvals: this.approvals.of(userId, conversationId),
          questionSeconds: this.settings.questionSeconds,
          resultCharacters: resultCharacters(model, this.settings.resultCharacters),
          turnId,
          heard,
          earlier: conversation.earlier,
          results,
        },
      },
      state,
      host,
      this.clock,
    ).run(toResume(context.resume));
    if ('wait' in end) return end;
    context.sources(end.sources);
    await this.memories.consider(userId, turnId);
    if (conversation.isLong) await this.summaries.askFor(turn.sessionId);
    signal.throwIfAborted();
    return { usage: end.usage, extras: end.extras, model: end.model };
  }

  /** What is done once, and kept: another worker goes on from the same question. */
  private async begin(
    context: TurnContext,
    state: AgentState,
    { files, conversation, connected, request, model }: Beginning,
  ): Promise<void> {
    const { turn, signal } = context;
    const { userId, question } = turn;
    if (state.memories === null) {
      const { onPremises } = model.model.descriptor;
      state.memories = await this.memories.recall({ userId, onPremises }, question, {
        tokens: Math.min(this.settings.memoryTokens, model.contextTokens * MEMORY_SHARE),
        before: saidByUsers(conversation.turns),
      });
      const shown = state.memories.slice(0, SHOWN_MEMORIES);
      if (shown.length > 0)
        context.stage('stage:memory_recall', {
          hit_count: state.memories.length,
          top_kinds: shown.map(({ kind }) => kind),
          top_texts: shown.map(({ text }) => text),
        });
    }
    const notes = turnNotes({
      now: this.clock.date(),
      timeZone: null,
      language: request.language ?? null,
      data: model.model.descriptor.supports.tools ? await this.data.lines(userId, connected) : [],
      memories: state.memories,
    });
    const { documents } = this.ports;
    const citable = { sources: state.sources, earlier: conversation.earlier };
    state.attachments = files.map(({ name, file, uid, kind }) => ({ name, file, uid, kind }));
    state.opening = await this.openings.text({ userId }, { notes, question }, files, citable, {
      documents,
      contextTokens: model.contextTokens,
      signal,
    });
  }

  private async tools(
    context: TurnContext,
    model: AgentModel,
    results: ResultStore,
    asksUser: boolean,
  ): Promise<{ tools: AgentTools; connected: readonly AgentTool[] }> {
    const { turn, signal } = context;
    if (!model.model.descriptor.supports.tools)
      return { tools: new AgentTools([], [], { asksUser: false }), connected: [] };
    const { id: modelId, onPremises } = model.model.descriptor;
    const tell = (eventType: string, event: Record<string, unknown>) => context.stage(eventType, event);
    const viewer = { userId: turn.userId, turnId: turn.id, modelId };
    const caller = { viewer, workId: turn.id, onPremises, tell };
    const { own, connected, finding } = await this.toolbox.open(caller, signal);
    const more = await this.moreTools(caller);
    const reading = [...own, ...more].map((tool) => (tool.name === 'code' ? withResults(tool, results) : tool));
    const reader = readResultTool(results, resultCharacters(model, this.settings.resultCharacters));
    const options = { asksUser, shownTokens: this.settings.shownTokens, ...finding };
    return { tools: new AgentTools([...reading, reader], connected, options), connected };
  }

  /** Beside those that every turn of the agent has. */
  protected moreTools(_caller: TurnCaller): Promise<AgentTool[]> | AgentTool[] {
    return [];
  }

  /** How the turn is worked on, where that is more than one way. */
  protected waysOf(_turn: ClaimedTurn, _context: Pick<TurnContext, 'stage'>): AgentWays {
    return { instructions: null, asksUser: true };
  }

  private system(instructions: string | null, asksUser: boolean): string {
    return systemPrompt({ instructions, instructionsOf: 'task', approvals: this.settings.approvals, asksUser });
  }
}

/** With the notes that came with it. */
function saidByUsers(turns: readonly PastExchange[]): string {
  const messages = turns.flatMap((turn) => turn.messages ?? []);
  return messages.map((message) => (message.role === 'user' ? message.content : '')).join('\n');
}

function toResume(resume: TurnContext['resume']): AgentResume | null {
  return resume && { requestId: resume.question.request_id, reply: resume.reply };
}
