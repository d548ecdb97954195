import type { AgentLimit, AgentState } from './agent-state.js';
import { goesInCircles } from './repeats.js';

export interface AgentLimits {
  /** Calls of the model in one turn, the last one not counted. */
  maxSteps: number;
  /** Read and written, over all steps. */
  maxTokens: number;
  /** In the currency of the deployment; 0: none. */
  maxCost: number;
  /** Milliseconds since the epoch. */
  deadlineAt: number;
}

/** Steps in a row in which the model called nothing that can be called. */
const MAX_MISTAKES = 3;
/** Of the time of a turn, kept free for an answer with what is known by then. */
const RESERVE_SHARE = 0.15;
const RESERVE_MS = { least: 3_000, most: 45_000 };

/** When tools have to be done, so that there is time left for an answer. */
export function toolsEndAt(limits: AgentLimits, now: number): number {
  const left = limits.deadlineAt - now;
  return limits.deadlineAt - Math.min(RESERVE_MS.most, Math.max(RESERVE_MS.least, left * RESERVE_SHARE));
}

/** The limit that ends the work; null while there is none. */
export function limitReached(
  state: AgentState,
  limits: AgentLimits,
  lastToolAt: number,
  now: number,
): AgentLimit | null {
  if (state.mistakes >= MAX_MISTAKES) return 'mistakes';
  if (goesInCircles(state.progress)) return 'circles';
  if (state.steps >= limits.maxSteps) return 'steps';
  if (now >= lastToolAt) return 'time';
  if (state.usage.promptTokens + state.usage.completionTokens >= limits.maxTokens) return 'tokens';
  if (limits.maxCost > 0 && state.usage.cost >= limits.maxCost) return 'cost';
  return null;
}

const REASONS: Record<AgentLimit, string> = {
  steps: 'the number of steps that a turn may take is used up',
  time: 'the time of this turn is nearly up',
  tokens: 'the tokens that a turn may use are used up',
  cost: 'the cost that a turn may cause is reached',
  mistakes: 'the tool calls could not be carried out',
  circles: 'the last calls brought nothing new',
};

/** As part of a sentence. */
export const endedBecause = (limit: AgentLimit): string => REASONS[limit];

/** What the model is told before its last step. */
export function lastStepMessage(limit: AgentLimit): string {
  return `No more tools can be called: ${REASONS[limit]}. Answer now with what is known. Say plainly what was done, what was not, and what is uncertain.`;
}

/** What the user reads below an answer that a limit cut short. */
export function limitNote(limit: AgentLimit): string {
  return `\n\n_The work ended here because ${REASONS[limit]}._`;
}
