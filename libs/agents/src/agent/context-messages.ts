import { cutMiddle } from '@app/common';
import type { ModelMessage } from '@app/integrations';
import { latestHistory } from '@app/models';
import { delimit } from '../prompts/delimiters.js';
import type { AgentState, KeptAttachment } from './agent-state.js';
import { estimateMessageTokens } from './tokens.js';

/** An earlier turn of the conversation. */
export interface PastExchange {
  turnId: string;
  /** Numbers the turns of a conversation, with gaps. */
  seq?: number;
  question: string;
  answer: string;
  /** As the model reads it; question and answer when absent. */
  messages?: readonly ModelMessage[];
  /** What came with the question. */
  attachments?: readonly KeptAttachment[];
}

/** Turns before the history, in short. */
export interface EarlierNotes {
  text: string;
  throughSeq: number;
}

export interface ContextParts {
  system: string;
  toolTokens: number;
  /** Of the notes on what came before, as much as is shown; absent: all. */
  noteCharacters?: number;
  history: readonly PastExchange[];
  /** What came before the history. */
  summary?: EarlierNotes | null;
  /** Whether history and summary are all that there was; absent: yes. */
  isHistoryWhole?: boolean;
  opening: Extract<ModelMessage, { role: 'user' }>;
  /** What the opening holds of the user's own words. */
  question: string;
}

/** Oldest first: earlier turns or their summary, the question, what was done since. */
export function messagesOf(parts: ContextParts, state: AgentState): ModelMessage[] {
  const history = openHistory(parts, state).flatMap(toMessages);
  const opening = state.workSummary === null ? parts.opening : withWorkNotes(parts.opening, state.workSummary);
  const [first = opening, ...rest] = [...history, opening, ...state.messages];
  const notes = notesBefore(parts, state);
  if (notes === null || first.role !== 'user') return [first, ...rest];
  const shown = cutMiddle(notes, parts.noteCharacters ?? Infinity);
  return [withNotes(first, 'Notes on the conversation before', shown, 'before'), ...rest];
}

export function withWorkNotes(opening: Extract<ModelMessage, { role: 'user' }>, notes: string): ModelMessage {
  return withNotes(opening, 'Your notes on what you have done for this so far', notes, 'after');
}

/** Of this turn, unless those kept with the session have got further since. */
export function notesBefore({ summary }: ContextParts, { historySummary }: AgentState): string | null {
  if (!historySummary) return summary?.text ?? null;
  return summary && summary.throughSeq > (historySummary.throughSeq ?? 0) ? summary.text : historySummary.text;
}

export function openHistory(
  { history }: ContextParts,
  { historySummary, leftOut, shortened }: AgentState,
): PastExchange[] {
  const covered = new Set([...(historySummary?.turnIds ?? []), ...leftOut]);
  const open = history.filter(({ turnId }) => !covered.has(turnId));
  if (!shortened) return open;
  return open.map((past) => (past.turnId === shortened.turnId ? inShort(past, shortened.tokens) : past));
}

const inShorts = new WeakMap<PastExchange, { tokens: number; short: PastExchange }>();

/** What was asked and answered, in so many tokens; without messages where that is too little. */
function inShort(past: PastExchange, tokens: number): PastExchange {
  const known = inShorts.get(past);
  if (known?.tokens === tokens) return known.short;
  const { question, answer } = past;
  const said: ModelMessage[] = [
    { role: 'user', content: question },
    { role: 'assistant', content: answer },
  ];
  const short = { ...past, messages: answer === '' ? [] : latestHistory(said, tokens) };
  inShorts.set(past, { tokens, short });
  return short;
}

const asMessages = new WeakMap<PastExchange, ModelMessage[]>();

export function toMessages(past: PastExchange): ModelMessage[] {
  const known = asMessages.get(past);
  if (known) return known;
  const messages: ModelMessage[] = [
    ...(past.messages ?? [
      { role: 'user' as const, content: past.question },
      { role: 'assistant' as const, content: past.answer },
    ]),
  ];
  asMessages.set(past, messages);
  return messages;
}

export function size(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}

function withNotes(
  message: Extract<ModelMessage, { role: 'user' }>,
  title: string,
  notes: string,
  where: 'before' | 'after',
): ModelMessage {
  const text = `${title}:\n${delimit(notes, 'notes')}`;
  const content = where === 'before' ? `${text}\n\n${message.content}` : `${message.content}\n\n${text}`;
  return { ...message, content };
}
