import type { ModelDescriptor, ModelMessage } from '@app/integrations';
import { estimateMessagesTokens, estimateTokens } from '../calls/token-estimate.js';

/** Where nobody said what a model takes. An endpoint that takes less says so, and is sent less. */
const CONTEXT_TOKENS = 32_000;
/** Kept for the answer where nobody said how long that may be. */
const ANSWER_TOKENS = 4_000;
/** For what the estimate misses. */
const SLACK = 0.9;
/** However small the window is, and however long the rest: some of what is asked has to reach the model. */
const LEAST_SHARE = 1 / 8;

/** Tokens of prompt and answer together. */
export function contextTokensOf({ contextWindow }: Pick<ModelDescriptor, 'contextWindow'>): number {
  return contextWindow ?? CONTEXT_TOKENS;
}

/**
 * Tokens that a conversation may take beside the answer and what has to be there.
 * @param contextTokens what the model reads and writes in one call
 */
export function roomFor(
  { maxOutputTokens }: Pick<ModelDescriptor, 'maxOutputTokens'>,
  contextTokens: number,
  { system, followUp = [] }: { system: string; followUp?: readonly ModelMessage[] },
): number {
  const answer = Math.min(maxOutputTokens ?? ANSWER_TOKENS, contextTokens / 4);
  const fixed = estimateTokens(system) + estimateMessagesTokens(followUp);
  return Math.floor(Math.max((contextTokens - answer) * SLACK - fixed, contextTokens * LEAST_SHARE));
}
