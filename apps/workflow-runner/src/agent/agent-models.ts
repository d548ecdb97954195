import type { AgentModel } from '@app/agents';
import { UnavailableError } from '@app/common';
import type { LanguageModel, UsageContext } from '@app/integrations';

/** Where nobody said what a model takes. An endpoint that takes less says so, and is sent less from then on. */
const CONTEXT_TOKENS = 64_000;
/** Of what a model reads, for earlier turns of a conversation. */
const HISTORY_SHARE = 0.4;
const HISTORY_TOKENS = 40_000;
/** Of one result, for each token of what a model reads: a sixth of it, about. */
const RESULT_CHARACTERS = 2 / 3;
const LEAST_RESULT = 1_000;

/** @throws UnavailableError `model_not_configured` */
export function toAgentModel(model: LanguageModel, usage: UsageContext): AgentModel {
  if (!model.available)
    throw new UnavailableError('No language model is configured.', { code: 'model_not_configured' });
  const { contextWindow, maxOutputTokens, supports } = model.descriptor;
  return {
    model,
    contextTokens: Math.min(contextWindow ?? CONTEXT_TOKENS, model.takes(usage.userId)),
    maxOutputTokens,
    readsImages: supports.images,
    usage,
  };
}

/** How much of the context earlier turns may take. */
export function historyTokens({ contextTokens }: AgentModel): number {
  return Math.min(HISTORY_TOKENS, Math.floor(contextTokens * HISTORY_SHARE));
}

/** Characters of one result of a tool that are shown: `most`, and of a small window so much that others fit beside it. */
export function resultCharacters({ contextTokens }: AgentModel, most: number): number {
  return Math.min(most, Math.max(LEAST_RESULT, Math.floor(contextTokens * RESULT_CHARACTERS)));
}
