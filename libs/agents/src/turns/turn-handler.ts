import type { CallState } from '../agent/agent-state.js';
import type { KeptTexts } from '../agent/kept-state.js';
import type { TurnEvent, TurnOutcome, TurnQuestion } from '../turn-events/turn-event.js';

/** Which handler works on a turn; stands in rows, so it never changes. */
export type TurnHandlerName =
  | 'document'
  | 'table'
  | 'secure'
  | 'agent'
  | 'workflow'
  | 'table-chat'
  | 'table-question'
  | 'artifact-chat'
  | 'dashboard-chat'
  | 'dedicated-agent'
  /** Told by an agent itself, and worked on by nobody. */
  | 'agent-job';

export interface ClaimedTurn {
  id: string;
  /** Claims so far, this one included: the fence. More than 1: an earlier worker was lost, or a reply came. */
  attempt: number;
  sessionId: number;
  conversationId: string;
  userId: number;
  /** The model that it was begun with; null of turns that a former release began, and of encrypted ones. */
  modelId: number | null;
  handler: string;
  /** Kind of the session (docs/contract/chats.md#turns). */
  kind: string;
  question: string;
  /** As whoever asked wrote it down; the handler checks its shape. */
  request: Record<string, unknown>;
  /** What the handler saved last. */
  state: Record<string, unknown> | null;
}

export interface TurnContext {
  readonly turn: ClaimedTurn;
  /** When the turn fails at the latest. */
  readonly deadlineAt: Date;
  /** Aborts on stop, at the deadline, when the lease is lost and when the process ends. */
  readonly signal: AbortSignal;
  /** What clients have been told by earlier attempts, and what `text` and `sources` have added since. */
  readonly published: { readonly sources: readonly unknown[] | null; readonly text: string };
  /** Why the turn goes on; null on a first claim, and after a lost worker. `reply` null: nobody replied in time. */
  readonly resume: { question: TurnQuestion; reply: Record<string, unknown> | null } | null;
  /** Once; ignored where an earlier attempt told them. */
  sources(sources: readonly unknown[]): void;
  /** Adds to the answer. Nothing that was told is ever taken back. */
  text(piece: string): void;
  /** `stage:tool_started` and the like. */
  stage(eventType: string, event?: Record<string, unknown> | string | null): void;
  /**
   * Resolves when everything told so far is in Postgres. Await it now and then while a stream is read: that is the
   * back-pressure. @throws ClaimLostError when somebody else has the turn.
   */
  flush(): Promise<void>;
  /**
   * Keeps what the handler goes on from, after everything told so far.
   * @param added texts that the state names, and that were not kept before. @throws ClaimLostError
   */
  saveState(state: Record<string, unknown>, added?: KeptTexts | null): Promise<void>;
  /** What was kept beside `turn.state`. */
  keptTexts(): Promise<KeptTexts[]>;
  /** For the trace of the turn (docs/contract/chats.md#trace). */
  traceCalls?(calls: readonly CallState[]): void;
}

/**
 * Works on the turns of one kind. It may be called again for a turn whose worker was lost: from `turn.state`, and with
 * `told`, which it goes on from and never repeats. What it throws fails the turn: a `DomainError` with its code and
 * message, anything else as `internal_error`.
 */
export interface TurnHandler {
  readonly name: TurnHandlerName;
  run(context: TurnContext): Promise<TurnOutcome>;
}

export const TURN_HANDLERS = Symbol('TURN_HANDLERS');

export type EmittedEvent = Extract<TurnEvent, { type: 'sources' | 'delta' | 'stage' }>;
