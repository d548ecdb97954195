import type { AgentState, CallState } from './agent-state.js';

/** Where a loop tells what it does and keeps what it goes on from. A part of `TurnContext`. */
export interface AgentHost {
  /** Aborts when the work has to end at once. */
  readonly signal: AbortSignal;
  /** The whole answer that was told, by earlier workers too. */
  readonly published: { readonly text: string };
  text(piece: string): void;
  stage(eventType: string, event?: Record<string, unknown> | string | null): void;
  flush(): Promise<void>;
  /** Keeps the state as it is now, after everything told so far. */
  save(state: AgentState): Promise<void>;
  /** For the trace of the work: calls of the newest step, told again as they come to their ends. */
  traceCalls?(calls: readonly CallState[]): void;
}
