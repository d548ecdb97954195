import type { TokenUsage } from '@app/integrations';
import type { TurnExtras, TurnQuestion } from '../turn-events/turn-event.js';
import type { AgentSource } from './tool.js';

/** The loop leaves until somebody has replied, or `expiresAt`. */
export interface AgentWait {
  wait: Omit<TurnQuestion, 'expires_at'>;
  expiresAt: Date | null;
}

export interface AgentAnswer {
  usage: TokenUsage;
  /** Who answered last. */
  model: string;
  extras: TurnExtras;
  /** What the answer cites. */
  sources: AgentSource[];
}

export type AgentEnd = AgentWait | AgentAnswer;
