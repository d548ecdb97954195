import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { toJsonText } from '@app/common';
import type { ModelMessage, ToolCall } from '@app/integrations';
import type { TurnQuestion } from '../turn-events/turn-event.js';
import type { Memory } from './memories.js';
import type { Agreement } from './approvals.js';
import { newProgress, type Progress } from './repeats.js';
import type { ResultPicture } from './result-pictures.js';
import type { AgentSource, ApprovalNeed, Party } from './tool.js';

/** Why a turn has to come to its end. */
export type AgentLimit = 'steps' | 'time' | 'tokens' | 'cost' | 'mistakes' | 'circles';

export interface CallOutcome {
  /** Fenced, as the model reads it. */
  output: string;
  isError: boolean;
  /** That came with it. */
  pictures?: readonly ResultPicture[];
}

/** A call of the newest step. */
export interface CallState {
  call: ToolCall;
  /** Makes the idempotency key. */
  place: string;
  /**
   * `started` is written before a call with outside effects begins: found by another worker, nobody knows how it ended.
   * `asking`: a person has to agree, or to answer. `approved`: one did.
   */
  status: 'pending' | 'asking' | 'approved' | 'started' | 'done';
  asking?: {
    question: Omit<TurnQuestion, 'expires_at'>;
    expiresAt: string | null;
    /** Of an approval: what is remembered where the person says so, and what exactly was shown. */
    consent?: { needs: ApprovalNeed[]; digest: string };
  };
  agreed?: Agreement;
  /** Whose words the outcome holds. */
  source?: Party;
  /** Further ones, of whom the call knew nothing. */
  heard?: readonly Party[];
  outcome?: CallOutcome;
  /** The model could have known better: no such tool, or no such arguments. */
  isMistake?: boolean;
  /** When it was begun, and how long it took, for whoever looks at the turn afterwards. */
  beganAt?: string;
  durationMs?: number;
}

/** All that a worker needs to go on with a turn, beside the turn, what was told and the earlier turns. */
export interface AgentState {
  /** The question with what was attached; null until that is put together. */
  opening: string | null;
  /** What was recalled of earlier conversations; null until that was tried. */
  memories: Memory[] | null;
  /** What the endpoint takes, where it turned out to be less than was thought. */
  contextTokens: number | null;
  /** Finished steps. */
  steps: number;
  /** How much of the told text `messages` holds; what was told beyond it belongs to a step that was lost. */
  textLength: number;
  /** Of this turn, after the opening. */
  messages: ModelMessage[];
  calls: CallState[];
  isAnswered: boolean;
  endedBy: AgentLimit | null;
  usage: { promptTokens: number; completionTokens: number; cost: number };
  /** Who answered last. */
  model: string;
  /** Tools beyond the first ones whose schemas the model has asked for. */
  loadedTools: string[];
  sources: AgentSource[];
  files: string[];
  mgid: string | null;
  dashboardId: string | null;
  /** Steps in a row in which every call was a mistake. */
  mistakes: number;
  /** What was found out, as far as repetitions are told by it. */
  progress: Progress;
  /** Tools that were called without a needed argument before. */
  lacked: string[];
  /** Questions that were asked: each has a name of its own. */
  asked: number;
  /** Whose words the conversation holds, by key: what they say may not send data to others unasked. */
  heard: Record<string, string>;
  /** How much of what the user said meanwhile is among the messages. */
  heardMeanwhile?: number;
  /** What the user replied in this turn, in words of their own. */
  replies: string[];
  /** Earlier turns in short, which they are, and whether no older one is missing in it. */
  historySummary: { text: string; turnIds: string[]; throughSeq?: number; isWhole?: boolean } | null;
  /** Earlier steps of this turn in short. */
  workSummary: string | null;
  /** Earlier turns that found no room. */
  leftOut: string[];
  /** The newest of them, of which question and answer are shown as far as so many tokens go. */
  shortened?: { turnId: string; tokens: number };
  /** Ids that stood in what `workSummary` has in short. */
  summarisedIds: string[];
  /** What came with the question. */
  attachments: KeptAttachment[];
}

/** A file of an earlier turn, for those who speak of it again. */
export interface KeptAttachment {
  name: string;
  /** The name that tools take it by. */
  file: string;
  uid: string | null;
  kind: 'text' | 'image' | 'unreadable';
}

export function newAgentState(): AgentState {
  return {
    opening: null,
    memories: null,
    contextTokens: null,
    steps: 0,
    textLength: 0,
    messages: [],
    calls: [],
    isAnswered: false,
    endedBy: null,
    usage: { promptTokens: 0, completionTokens: 0, cost: 0 },
    model: '',
    loadedTools: [],
    sources: [],
    files: [],
    mgid: null,
    dashboardId: null,
    mistakes: 0,
    progress: newProgress(),
    lacked: [],
    asked: 0,
    heard: {},
    replies: [],
    historySummary: null,
    workSummary: null,
    leftOut: [],
    summarisedIds: [],
    attachments: [],
  };
}

/** What is shorter Postgres packs well enough by itself. */
const PLAIN_BYTES = 8_000;
const MAX_BYTES = 64 * 1024 * 1024;
const VERSION = 1;

const pack = promisify(deflateRaw);

/** The state as a row holds it, as it is at the time of the call: packed when it is large, so that rows stay small. */
export async function packState(state: AgentState): Promise<Record<string, unknown>> {
  const text = toJsonText(state);
  if (text.length <= PLAIN_BYTES) return { v: VERSION, state: JSON.parse(text) as unknown };
  return { v: VERSION, packed: (await pack(text, { level: 3 })).toString('base64') };
}

/** Null for none, and for that of a release that kept it otherwise: such a turn begins anew after what was told. */
export function unpackState(row: Record<string, unknown> | null): AgentState | null {
  if (row?.v !== VERSION) return null;
  if (typeof row.packed !== 'string') return { ...newAgentState(), ...(row.state as AgentState) };
  const text = inflateRawSync(Buffer.from(row.packed, 'base64'), { maxOutputLength: MAX_BYTES }).toString();
  return { ...newAgentState(), ...(JSON.parse(text) as AgentState) };
}
