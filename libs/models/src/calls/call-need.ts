import type { ModelDefinition } from '@app/config';
import type { ModelRequest, ModelTool } from '@app/integrations';
import { estimatePromptTokens, estimateTokens } from './token-estimate.js';
import type { CallNeed } from '../budget/call-budget.js';
import type { PriceBook } from '../prices/price-book.js';

/** By how much a prompt may be longer than the estimate says. */
const ESTIMATE_SLACK = 1.25;
/** What endpoints add by themselves. */
const ADDED_TOKENS = 32;
/** Of an answer where neither the request nor the settings of the model say how long it may be. */
const PRESET_OUTPUT = 16_384;
/** Of a picture that is paid by tokens. */
const PICTURE_OUTPUT = 8_192;
/** An answer that is cut shorter helps nobody. */
const LEAST_OUTPUT = 1_024;

type Asked = ModelRequest & { tools?: readonly ModelTool[]; outputSchema?: Record<string, unknown> };
type Asking = Pick<ModelDefinition, 'contextWindow' | 'maxOutputTokens' | 'timeouts'> &
  Parameters<PriceBook['dearestOf']>[0];

/** What a try of the request can take of tokens and money, if everything in it comes as dear as it can. */
export function needOf(model: Asking, request: Asked, prices: PriceBook): CallNeed {
  const { contextWindow, maxOutputTokens, timeouts, capability } = model;
  const estimate =
    estimatePromptTokens(request) + (request.outputSchema ? estimateTokens(JSON.stringify(request.outputSchema)) : 0);
  const most = contextWindow ?? Infinity;
  const isPicture = capability === 'image_gen';
  const wanted = Math.min(request.maxOutputTokens ?? Infinity, maxOutputTokens ?? Infinity);
  const preset = isPicture ? PICTURE_OUTPUT : PRESET_OUTPUT;
  const outputTokens = Math.min(wanted === Infinity ? preset : wanted, most);
  const promptTokens = Math.min(Math.ceil(estimate * ESTIMATE_SLACK) + ADDED_TOKENS, most);
  return {
    promptTokens,
    outputTokens,
    // A picture is made whole or not at all.
    leastOutputTokens: isPicture ? outputTokens : Math.min(outputTokens, LEAST_OUTPUT),
    price: prices.dearestOf(model, promptTokens),
    // It may wait for its place before its answer.
    seconds: timeouts.totalSeconds + timeouts.answerSeconds + 60,
  };
}
