import { type Clock, InvalidRequestError, SystemClock } from '@app/common';
import type { ModelImage, ModelMessage, ModelRequest } from '@app/integrations';
import { CUT_NOTE, FILTERED_NOTE } from '@app/models';
import { withSpan } from '@app/observability';
import type { AgentAnswer, AgentEnd } from './agent-end.js';
import type { AgentHost } from './agent-host.js';
import type { AgentModel } from './agent-model.js';
import type { AgentLimit, AgentState, CallState } from './agent-state.js';
import { type CallRules, CallSettler } from './call-settler.js';
import { citedSources } from './citations.js';
import { Compaction } from './compaction.js';
import { type ContextParts, type EarlierNotes, messagesOf, type PastExchange } from './context-messages.js';
import { type AgentLimits, endedBecause, lastStepMessage, limitNote, limitReached, toolsEndAt } from './limits.js';
import { ModelStep, type StepResult } from './model-step.js';
import { withinBounds } from './provider-bounds.js';
import { type ReadPicture, ResultPictures } from './result-pictures.js';
import { estimateToolTokens } from './tokens.js';
import { agentSpanAttributes } from './agent-spans.js';
import type { AgentSource } from './tool.js';
import type { AgentTools } from './agent-tools.js';
import { withoutLongArguments } from './written-bounds.js';
import { UserWords } from './user-words.js';

export interface AgentWork {
  system: string;
  /** Earlier turns of the conversation, oldest first. */
  history: readonly PastExchange[];
  /** What came before the history, in short. */
  summary?: EarlierNotes | null;
  /** Whether history and summary are all that there was; absent: yes. */
  isHistoryWhole?: boolean;
  /** As the user wrote it. What the model reads, attachments included, is in the state. */
  question: string;
  images: readonly ModelImage[];
  model: AgentModel;
  reasoningEffort?: ModelRequest['reasoningEffort'];
  tools: AgentTools;
  /** What the user says while the turn is at work, beyond the first `heard` messages; nothing when absent. */
  saidMeanwhile?(heard: number): Promise<readonly string[]>;
  /** Of the pictures that tools give; nowhere when absent: then models are told their files alone. */
  readPicture?: ReadPicture;
  limits: AgentLimits;
  rules: CallRules;
}

/** Further calls of an endpoint that says that it takes less than was sent. */
const MAX_SHRINKS = 4;
/** Of the notes on earlier turns, for each token of the window: an eighth of it, about. */
const NOTE_CHARACTERS = 0.5;

/** Why a loop runs again. */
export interface AgentResume {
  requestId: string;
  reply: Record<string, unknown> | null;
}

/**
 * A model that works with tools until it has an answer. Everything is kept by the host after each step and each result,
 * so that another worker goes on where this one was lost: calls that have an outcome are not repeated, those with
 * outside effects that were at work never are, and told text is continued.
 */
export class AgentLoop {
  private readonly settler: CallSettler;
  private readonly compaction: Compaction;
  private readonly pictures: ResultPictures | null;
  private words: { replies: number; words: UserWords } | null = null;

  /** @param state is changed, and kept by `host.save`; its `opening` is there */
  constructor(
    private readonly work: AgentWork,
    private readonly state: AgentState,
    private readonly host: AgentHost,
    private readonly clock: Clock = new SystemClock(),
  ) {
    this.settler = new CallSettler(state, host, work.tools, work.rules, clock, (replies) => this.wordsWith(replies));
    this.compaction = new Compaction(work.model, host.signal);
    this.pictures = work.readPicture && work.model.readsImages ? new ResultPictures(work.readPicture) : null;
  }

  /** @throws what the model throws, ClaimLostError, the reason of the host's signal */
  run(resume: AgentResume | null): Promise<AgentEnd> {
    const { value, provider } = this.work.model.model.descriptor;
    return withSpan('invoke_agent', { attributes: agentSpanAttributes(value, provider) }, () => this.goOn(resume));
  }

  private async goOn(resume: AgentResume | null): Promise<AgentEnd> {
    const { state, host, work, clock } = this;
    const lastToolAt = toolsEndAt(work.limits, clock.now());
    const toolTime = timer(lastToolAt - clock.now());
    try {
      const toolSignal = AbortSignal.any([host.signal, toolTime.signal]);
      work.tools.fitTo(this.contextTokens);
      if (resume) await this.settler.take(resume.requestId, resume.reply);
      for (;;) {
        host.signal.throwIfAborted();
        const wait = await this.settler.settle(toolSignal);
        if (wait) return wait;
        await this.hearMeanwhile();
        if (state.isAnswered) return this.answer();
        await this.step(limitReached(state, work.limits, lastToolAt, clock.now()));
      }
    } finally {
      toolTime.clear();
    }
  }

  /** Of prompt and answer together, as far as it is known by now. */
  private get contextTokens(): number {
    return this.state.contextTokens ?? this.work.model.contextTokens;
  }

  /** Infinity where nobody said, and no endpoint did. */
  private get knownWindow(): number {
    const { model, usage } = this.work.model;
    const isKnown = model.descriptor.contextWindow !== null || model.takes(usage.userId) < Infinity;
    return isKnown || this.state.contextTokens !== null ? this.contextTokens : Infinity;
  }

  /** Between steps; an answer that did not know of it is gone on with. */
  private async hearMeanwhile(): Promise<void> {
    const { state, host, work } = this;
    const heard = state.heardMeanwhile ?? 0;
    const said = (await work.saidMeanwhile?.(heard)) ?? [];
    if (said.length === 0) return;
    for (const content of said) {
      state.messages = [...state.messages, { role: 'user', content }];
      state.replies.push(content);
      host.stage('stage:steered', { message: content });
    }
    state.heardMeanwhile = heard + said.length;
    state.isAnswered = false;
    await host.save(state);
  }

  private async step(limit: AgentLimit | null): Promise<void> {
    const { state, host, work } = this;
    host.stage('stage:thinking', state.steps === 0 ? 'Thinking' : `Thinking, step ${state.steps + 1}`);
    const parts: ContextParts = {
      system: work.system,
      toolTokens: 0,
      history: work.history,
      summary: work.summary ?? null,
      isHistoryWhole: work.isHistoryWhole ?? true,
      opening: {
        role: 'user',
        content: state.opening ?? work.question,
        ...(work.images.length > 0 && { images: work.images }),
      },
      question: work.question,
    };
    const result = await this.callModel(parts, limit);
    state.usage.promptTokens += result.usage.promptTokens;
    state.usage.completionTokens += result.usage.completionTokens;
    state.usage.cost += result.usage.cost ?? 0;
    state.model = result.model;
    if (result.isFiltered && result.calls.length === 0) host.text(FILTERED_NOTE);
    if (result.isCut) host.text(CUT_NOTE);
    if (limit !== null && limit !== 'mistakes') host.text(limitNote(limit));
    this.keepStep(result, limit);
    if (state.calls.length > 0) host.stage('stage:planning', planned(state.calls));
    await host.save(state);
  }

  private async callModel(parts: ContextParts, limit: AgentLimit | null): Promise<StepResult> {
    const { state, host, work } = this;
    for (let further = 0; ; further += 1) {
      const { contextTokens } = this;
      work.tools.fitTo(contextTokens);
      const tools = work.tools.shown(state.loadedTools, calledIn(state.messages));
      parts.toolTokens = estimateToolTokens(tools);
      parts.noteCharacters = Math.floor(contextTokens * NOTE_CHARACTERS);
      const { isChanged, notice } = await this.compaction.fit(parts, state);
      if (notice !== '' && host.published.text === '') {
        host.text(notice.trimEnd());
        state.textLength = host.published.text.length;
      }
      if (isChanged) await host.save(state);
      const told = messagesOf(parts, state);
      const messages = this.pictures ? await this.pictures.show(told) : told;
      if (limit !== null) messages.push({ role: 'user', content: lastStepMessage(limit) });
      const request = {
        system: work.system,
        messages,
        tools,
        contextTokens,
        mayCall: limit === null && tools.length > 0,
        ...(limit !== null && { endedBecause: endedBecause(limit) }),
        ...(work.reasoningEffort && { reasoningEffort: work.reasoningEffort }),
      };
      try {
        return await new ModelStep(work.model, host, request).take(state.textLength);
      } catch (error) {
        const isTooLong = error instanceof InvalidRequestError && error.code === 'context_too_long';
        if (!isTooLong || further >= MAX_SHRINKS) throw error;
        this.compaction.shrink(parts, state);
      }
    }
  }

  private keepStep({ text, calls, providerData }: StepResult, limit: AgentLimit | null): void {
    const { state } = this;
    state.steps += 1;
    state.endedBy = limit;
    const before = [...this.work.history.flatMap(({ messages = [] }) => messages), ...state.messages];
    const known = new Set(
      before.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : [])).map(({ id }) => id),
    );
    state.calls = withoutLongArguments(calls, this.knownWindow).map((call, index): CallState => {
      const place = `${state.steps}.${index + 1}`;
      // Some endpoints number the calls of each step anew.
      const id = call.id === '' || known.has(call.id) ? newCallId(known, `${state.steps}_${index + 1}`) : call.id;
      known.add(id);
      return { call: { ...call, id }, place, status: 'pending' };
    });
    const toolCalls = state.calls.map(({ call }) => call);
    const message: ModelMessage = {
      role: 'assistant',
      content: text,
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(providerData && { providerData }),
    };
    state.messages = withinBounds([...state.messages, message]);
    state.textLength = this.host.published.text.length;
    state.isAnswered = state.calls.length === 0;
  }

  private answer(): AgentAnswer {
    const { usage, files, mgid, dashboardId, sources, model } = this.state;
    return {
      usage: { ...usage },
      model,
      extras: {
        ...(mgid !== null && { mgid }),
        ...(dashboardId !== null && { dashboard_id: dashboardId }),
        ...(files.length > 0 && { generated_files_urls: files }),
      },
      sources: this.cited(sources),
    };
  }

  /** Numbers of earlier answers that were taken over mean what they meant there. */
  private cited(sources: readonly AgentSource[]): AgentSource[] {
    const all = [...sources, ...(this.work.rules.earlier?.sources ?? [])];
    const byNumber = new Map(
      citedSources(this.host.published.text, all.toReversed()).map((one) => [one.citation, one]),
    );
    return [...byNumber.values()].sort((a, b) => a.citation - b.citation);
  }

  private wordsWith(replies: readonly string[]): UserWords {
    if (this.words?.replies !== replies.length) {
      const { history, question } = this.work;
      const words = new UserWords([...history.map((past) => past.question), question, ...replies]);
      this.words = { replies: replies.length, words };
    }
    return this.words.words;
  }
}

/** Of calls that the endpoint numbers anew in each step, or turn. */
function newCallId(known: ReadonlySet<string>, place: string): string {
  for (let round = 0; ; round += 1) {
    const id = round === 0 ? `call_${place}` : `call_${place}_${round}`;
    if (!known.has(id)) return id;
  }
}

function calledIn(messages: readonly ModelMessage[]): Set<string> {
  return new Set(
    messages.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []).map(({ name }) => name) : [])),
  );
}

function planned(calls: readonly CallState[]): string {
  const names = [...new Set(calls.map(({ call }) => call.name))];
  return `Next: ${names.join(', ')}`.slice(0, 200);
}

/** Timers hold 32 bits. */
const MAX_DELAY_MS = 2_147_000_000;

function timer(milliseconds: number): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const handle = setTimeout(
    () => controller.abort(new Error('The time for tools is up.')),
    Math.min(Math.max(0, milliseconds), MAX_DELAY_MS),
  );
  handle.unref();
  return { signal: controller.signal, clear: () => clearTimeout(handle) };
}
