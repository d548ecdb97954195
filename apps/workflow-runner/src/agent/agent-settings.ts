import type { ApprovalPolicy } from '@app/agents';
import type { AppConfig } from '@app/config';

export const AGENT_SETTINGS = Symbol('AGENT_SETTINGS');

export interface AgentSettings {
  maxSteps: number;
  maxTokens: number;
  /** In the currency of the deployment; 0: none. */
  maxCost: number;
  approvals: ApprovalPolicy;
  questionSeconds: number;
  resultCharacters: number;
  resultHours: number;
  /** What the definitions of connected tools may take of each prompt. */
  shownTokens: number;
  /** What memories may take of the notes to a message. */
  memoryTokens: number;
}

export function toAgentSettings({ agents }: AppConfig): AgentSettings {
  const { maxSteps, maxTokens, maxCostCents, approvals, questionSeconds } = agents;
  const { resultCharacters, resultHours, shownTokens, memoryTokens } = agents;
  return {
    maxSteps,
    maxTokens,
    maxCost: maxCostCents / 100,
    approvals,
    questionSeconds,
    resultCharacters,
    resultHours,
    shownTokens,
    memoryTokens,
  };
}
