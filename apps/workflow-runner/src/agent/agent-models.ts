import type { AgentModel } from '@app/agents';
import { UnavailableError } from '@app/common';
import type { LanguageModel, UsageContext } from '@app/integrations';

/** Where nobody said what a model takes. An endpoint that takes less says so, and is sent less from then on. */
const CONTEXT_TOKENS = 64_000;
/** Of what a model reads, for earlier turns of a conversation. */
const HISTORY_SHARE = 0.4;
const HISTORY_TOKENS = 40_000;
/** For the definitions of connected tools, which stand in every prompt; with more they come on demand. */
const CONNECTED_SHARE = 1 / 8;

/** @throws UnavailableError `model_not_configured` */
export function toAgentModel(model: LanguageModel, usage: UsageContext): AgentModel {
  if (!model.available)
    throw new UnavailableError('No language model is configured.', { code: 'model_not_configured' });
  const { contextWindow, maxOutputTokens, supports } = model.descriptor;
  return {
    model,
    contextTokens: contextWindow ?? CONTEXT_TOKENS,
    maxOutputTokens,
    readsImages: supports.images,
    usage,
  };
}

/** How much of the context earlier turns may take. */
export function historyTokens({ contextTokens }: AgentModel): number {
  return Math.min(HISTORY_TOKENS, Math.floor(contextTokens * HISTORY_SHARE));
}

/** What the definitions of connected tools may take of a prompt. */
export function connectedTokens({ contextTokens }: AgentModel, most: number): number {
  return Math.min(most, Math.floor(contextTokens * CONNECTED_SHARE));
}
