import { cutMiddle, cutText } from '@app/common';
import type { ModelMessage } from '@app/integrations';
import type { AgentState, KeptAttachment } from '../agent/agent-state.js';
import { cutLine } from '../agent/bounded-text.js';
import type { AgentSource } from '../agent/tool.js';
import { handleIn } from '../kept-results/index.js';
import { shortMessages } from './short-messages.js';
import { uidsIn } from '../prompts/uids-in.js';

/** What an agent did in a turn, as later turns of the conversation read it. */
export interface TurnWork {
  v: 1;
  /** The question as the model read it. */
  opening: string;
  openingUids: string[];
  attachments: KeptAttachment[];
  /** What came after, in short, to the answer. Every call has its outcome. */
  messages: ModelMessage[];
  /** What results rest on, by the id of their call. */
  outcomeUids: Record<string, string[]>;
  /** What came before `messages`, in short. */
  notes: string | null;
  noteUids: string[];
  /** All that were numbered. */
  sources: AgentSource[];
  files: string[];
  loadedTools: string[];
}

export interface EndedTurn {
  status: string;
  errorCode: string;
  /** The whole text that was told. */
  told: string;
}

const OPENING = 24_000;
const MAX_SOURCES = 200;
const UNCITED_TEXT = 300;
const SHOWN_NAME = 200;
const HANDLE = /r_[0-9a-f]{8}/g;

/** Whatever in the state may be the uid of a document. */
export function idsIn(state: AgentState): string[] {
  const { opening, messages, calls, sources, attachments, summarisedIds } = state;
  const own = [...sources.map(({ uid }) => uid), ...attachments.flatMap(({ uid }) => uid ?? [])];
  return [
    ...new Set([
      ...uidsIn(own.join(' ')),
      ...uidsIn(opening ?? '', JSON.stringify([messages, calls])),
      ...summarisedIds,
    ]),
  ];
}

/** @param documents those of `idsIn` that are documents or table files */
export function turnWorkOf(state: AgentState, end: EndedTurn, documents: ReadonlySet<string>): TurnWork {
  const quoted = (...texts: readonly string[]): string[] => uidsIn(...texts).filter((uid) => documents.has(uid));
  const closed = closedMessages(state, end);
  const inputs = new Map(
    closed
      .flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []))
      .map(({ id, input }) => [id, input]),
  );
  const outcomeUids: Record<string, string[]> = {};
  const keptUids = new Map<string, string[]>();
  for (const message of closed)
    if (message.role === 'tool')
      for (const { callId, output } of message.outcomes) {
        const input = JSON.stringify(inputs.get(callId) ?? {});
        // A part of a kept result names nothing of what the whole rests on.
        const readOn = [...input.matchAll(HANDLE)].flatMap(([handle]) => keptUids.get(handle) ?? []);
        const uids = [...new Set([...quoted(input, output), ...readOn])];
        if (uids.length > 0) outcomeUids[callId] = uids;
        const handle = handleIn(output);
        if (handle !== null) keptUids.set(handle, uids);
      }
  const attached = state.attachments.flatMap(({ uid }) => uid ?? []);
  const { opening, workSummary, summarisedIds, files, loadedTools, sources } = state;
  return {
    v: 1,
    opening: cutMiddle(opening ?? '', OPENING),
    openingUids: [...new Set([...attached, ...quoted(opening ?? '')])],
    attachments: state.attachments.map((one) => ({ ...one, name: cutLine(one.name, SHOWN_NAME) })),
    messages: shortMessages(closed),
    outcomeUids,
    notes: workSummary,
    noteUids: workSummary === null ? [] : summarisedIds.filter((uid) => documents.has(uid)),
    sources: sources.slice(-MAX_SOURCES).map((source) => shortSource(source, end.told)),
    files: [...files],
    loadedTools: [...loadedTools],
  };
}

export function uidsOf({ openingUids, outcomeUids, noteUids, sources }: TurnWork): string[] {
  const cited = uidsIn(sources.map(({ uid }) => uid).join(' '));
  return [...new Set([...openingUids, ...Object.values(outcomeUids).flat(), ...noteUids, ...cited])];
}

/** Of what nobody has cited, less is enough. */
function shortSource(source: AgentSource, told: string): AgentSource {
  const isCited = new RegExp(`\\b${source.citation}\\b`).test(told);
  return isCited ? source : { ...source, text: cutText(source.text, UNCITED_TEXT) };
}

/** Up to an answer: endpoints refuse calls without outcomes, and two questions in a row. */
function closedMessages(state: AgentState, { status, errorCode, told }: EndedTurn): ModelMessage[] {
  const { calls, isAnswered, textLength } = state;
  if (isAnswered) return state.messages;
  const outcomes = calls.map(({ call, outcome, status: at }) => ({
    callId: call.id,
    name: call.name,
    ...(outcome ?? {
      output:
        at === 'started'
          ? 'The turn ended while this call was at work: nobody knows whether it took effect.'
          : 'The turn ended before this call was carried out.',
      isError: true,
    }),
  }));
  const why =
    status === 'interrupted' ? 'The user stopped this here.' : `The work broke off here: ${errorCode || 'unknown'}.`;
  const rest = told.slice(textLength).trimStart();
  return [
    ...state.messages,
    ...(outcomes.length > 0 ? [{ role: 'tool' as const, outcomes }] : []),
    { role: 'assistant', content: rest === '' ? `[${why}]` : rest },
  ];
}
