import type { ModelPrice } from '@app/config';
import type { TokenUsage } from '@app/integrations';

const PER_TOKENS = 1_000_000;

/** What a call cost, and which parts of it were for the endpoint's cache. */
export interface SplitCost {
  total: number;
  /** For reading from the cache. */
  cached: number;
  /** For writing to it. */
  cacheWrite: number;
}

/** @param pictures that were made, which may have a price each */
export function splitCostOf(price: ModelPrice, usage: TokenUsage, pictures = 0): SplitCost {
  const { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  if (pictures > 0 && price.picture !== null) return { total: pictures * price.picture, cached: 0, cacheWrite: 0 };
  const plain = (promptTokens - cachedTokens - cacheWriteTokens) * price.input;
  const [read, written] = [cachedTokens * price.cachedInput, cacheWriteTokens * price.cacheWrite];
  return {
    total: (plain + read + written + completionTokens * price.output) / PER_TOKENS,
    cached: read / PER_TOKENS,
    cacheWrite: written / PER_TOKENS,
  };
}
