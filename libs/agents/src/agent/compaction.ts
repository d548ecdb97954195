import type { ModelMessage } from '@app/integrations';
import { fitQuestion, leftOutNotice } from '@app/models';
import type { AgentModel } from './agent-model.js';
import type { AgentState } from './agent-state.js';
import { cutMiddle } from './bounded-text.js';
import {
  type ContextParts,
  messagesOf,
  notesBefore,
  openHistory,
  type PastExchange,
  size,
  toMessages,
} from './context-messages.js';
import { askForSummary, cutSummary, summaryInput } from './conversation-summary.js';
import { eachDelimited, shortenDelimited } from '../prompts/delimiters.js';
import { uidsIn } from '../prompts/uids-in.js';
import { estimateMessageTokens, estimateTokens } from './tokens.js';
import { longestWritten, writtenWithin } from './written-bounds.js';

/** Above it, the oldest is summarised; what stays whole then takes the second share at most. */
const FULL_SHARE = 0.85;
const KEPT_SHARE = 0.4;
/** What the question with its files may take. */
const OPENING_SHARE = 0.7;
const SHRINK = 0.7;
const LEAST_OUTPUT = 500;
/** Characters of each part of what came with a question. */
const LEAST_DATA = 200;

export interface Fitting {
  /** The state holds a shorter form now. */
  isChanged: boolean;
  /** What has to be told before the answer: that only a part of the question is read; '' otherwise. */
  notice: string;
}

/** Puts together what the model reads, and keeps it within the model's context. */
export class Compaction {
  constructor(
    private readonly model: AgentModel,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * The messages of the next call. What does not fit is summarised by the model, or cut where it cannot; the state then
   * holds the shorter form, and so do the parts. Before the first step nobody waits for a summary: the oldest turns are
   * left out.
   * @throws InvalidRequestError `context_too_long` where less than a quarter of the question would be read
   */
  async fit(parts: ContextParts, state: AgentState): Promise<Fitting> {
    const budget = this.budgetFor(parts, state);
    if (size(messagesOf(parts, state)) <= budget * FULL_SHARE) return { isChanged: false, notice: '' };
    const notice = this.cutOpening(parts, state, budget * OPENING_SHARE);
    if (state.steps === 0) leaveOut(parts, state, budget * FULL_SHARE);
    else await this.summariseOldest(parts, state, budget * KEPT_SHARE);
    cutOutputs(parts, state, budget * FULL_SHARE);
    cutWritten(parts, state, budget * FULL_SHARE);
    return { isChanged: true, notice };
  }

  /** The newest question is never refused for what was said before it, and so it is made to fit by itself. */
  private cutOpening(parts: ContextParts, state: AgentState, tokens: number): string {
    const { opening, question } = parts;
    const tooMany = estimateMessageTokens(opening) - tokens;
    if (tooMany <= 0) return '';
    const own = opening.content.includes(question) ? question : opening.content;
    const around = estimateMessageTokens(opening) - estimateTokens(own);
    // Files that came with it are shown in part already, as the model's setting has it; in a small window in less.
    const fitted = fitQuestion(own, Math.max(tokens - around, tokens / 2));
    // The question stands last, behind what came with it.
    const at = opening.content.lastIndexOf(own);
    const [before, after] = [opening.content.slice(0, at), opening.content.slice(at + own.length)];
    const others = estimateMessageTokens(opening) - estimateTokens(own) - estimateTokens(before);
    state.opening = dataWithin(before, tokens - others - estimateTokens(fitted.text)) + fitted.text + after;
    parts.opening = { ...opening, content: state.opening };
    parts.question = fitted.text;
    return leftOutNotice(own, fitted);
  }

  /** The endpoint said that it takes less than was thought: from now on that much less is sent. */
  shrink(parts: ContextParts, state: AgentState): void {
    const sent = estimateTokens(parts.system) + parts.toolTokens + size(messagesOf(parts, state));
    state.contextTokens = Math.floor(Math.min(state.contextTokens ?? this.model.contextTokens, sent) * SHRINK);
  }

  private budgetFor({ system, toolTokens }: ContextParts, state: AgentState): number {
    const { maxOutputTokens } = this.model;
    const contextTokens = state.contextTokens ?? this.model.contextTokens;
    const output = Math.min(maxOutputTokens ?? 4_096, contextTokens / 4);
    // However small the model is, some of what was asked must reach it.
    return Math.max(contextTokens - output - estimateTokens(system) - toolTokens, contextTokens / 8);
  }

  private async summariseOldest(parts: ContextParts, state: AgentState, keep: number): Promise<void> {
    const past = openHistory(parts, state);
    const units = unitsOf(state.messages);
    let room = keep - estimateMessageTokens(parts.opening);
    let keptUnits = 0;
    while (keptUnits < units.length && (keptUnits === 0 || size(units.at(-1 - keptUnits)!) <= room)) {
      room -= size(units.at(-1 - keptUnits)!);
      keptUnits += 1;
    }
    let keptPast = 0;
    while (keptPast < past.length && keptUnits === units.length && size(toMessages(past.at(-1 - keptPast)!)) <= room) {
      room -= size(toMessages(past.at(-1 - keptPast)!));
      keptPast += 1;
    }
    const oldPast = past.slice(0, past.length - keptPast);
    const oldUnits = units.slice(0, units.length - keptUnits);
    if (oldPast.length > 0) {
      const known = notesBefore(parts, state);
      const text = await this.summarise(known, oldPast.flatMap(toMessages));
      const turnIds = [...(state.historySummary?.turnIds ?? []), ...oldPast.map(({ turnId }) => turnId)];
      const throughSeq = oldPast.at(-1)!.seq;
      const isWhole = (parts.isHistoryWhole ?? true) && state.leftOut.length === 0;
      state.historySummary = { text, turnIds, isWhole, ...(throughSeq !== undefined && { throughSeq }) };
    }
    if (oldUnits.length > 0) {
      state.workSummary = await this.summarise(state.workSummary, oldUnits.flat());
      const ids = uidsIn(...oldUnits.flat().map((message) => JSON.stringify(message)));
      state.summarisedIds = [...new Set([...state.summarisedIds, ...ids])];
      state.messages = units.slice(oldUnits.length).flat();
    }
  }

  private async summarise(known: string | null, messages: readonly ModelMessage[]): Promise<string> {
    const text = summaryInput(known, messages, this.model.contextTokens);
    try {
      const summary = await askForSummary(this.model, text, this.signal);
      if (summary !== '') return summary;
    } catch (error) {
      // Without a summary the turn goes on with what fits.
      if (this.signal.aborted) throw error;
    }
    return cutSummary(text);
  }
}

/** The oldest ones go first; of the last one what was said is kept as far as it fits, since a question may lean on it. */
function leaveOut(parts: ContextParts, state: AgentState, budget: number): void {
  for (;;) {
    const [oldest, ...newer] = openHistory(parts, state);
    const tooMany = size(messagesOf(parts, state)) - budget;
    if (!oldest || tooMany <= 0) return;
    if (newer.length === 0 && shorten(parts, state, oldest, tooMany)) return;
    state.leftOut = [...state.leftOut, oldest.turnId];
  }
}

/** @returns whether there was room for some of it */
function shorten(parts: ContextParts, state: AgentState, past: PastExchange, tooMany: number): boolean {
  state.shortened = { turnId: past.turnId, tokens: size(toMessages(past)) - tooMany };
  const isShown = openHistory(parts, state).some((one) => toMessages(one).length > 0);
  if (!isShown) delete state.shortened;
  return isShown;
}

/** What came with a question, with less of the data in it: each part keeps its beginning and its end. */
function dataWithin(text: string, tokens: number): string {
  const tooMany = estimateTokens(text) - tokens;
  if (tooMany <= 0) return text;
  let all = 0;
  eachDelimited(text, (inner) => {
    all += estimateTokens(inner);
    return inner;
  });
  const share = Math.max(0, 1 - tooMany / Math.max(1, all));
  return eachDelimited(text, (inner) => cutMiddle(inner, Math.max(LEAST_DATA, Math.floor(inner.length * share))));
}

/** A step and the results of its calls belong together: endpoints refuse one without the other. */
function unitsOf(messages: readonly ModelMessage[]): ModelMessage[][] {
  const units: ModelMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'tool' && units.length > 0) units.at(-1)!.push(message);
    else units.push([message]);
  }
  return units;
}

/** Halves the longest results until everything fits. */
function cutOutputs(parts: ContextParts, state: AgentState, budget: number): void {
  for (;;) {
    if (size(messagesOf(parts, state)) <= budget) return;
    const longest = Math.max(
      0,
      ...state.messages.flatMap((one) => (one.role === 'tool' ? one.outcomes : []).map(({ output }) => output.length)),
    );
    const limit = Math.floor(longest / 2);
    if (limit < LEAST_OUTPUT) return;
    state.messages = state.messages.map((message) =>
      message.role === 'tool'
        ? {
            ...message,
            outcomes: message.outcomes.map((outcome) =>
              outcome.output.length > limit
                ? {
                    ...outcome,
                    output: shortenDelimited(outcome.output, (text) => cutMiddle(text, limit - 100)),
                  }
                : outcome,
            ),
          }
        : message,
    );
  }
}

/** Halves the longest texts and arguments that the model wrote, once the results are short. */
function cutWritten(parts: ContextParts, state: AgentState, budget: number): void {
  while (size(messagesOf(parts, state)) > budget) {
    const limit = Math.floor(longestWritten(state.messages) / 2);
    if (limit < LEAST_OUTPUT) return;
    state.messages = state.messages.map((message) => writtenWithin(message, limit));
  }
}
