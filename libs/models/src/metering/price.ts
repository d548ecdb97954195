import type { ModelPrice } from '@app/config';
import type { TokenUsage } from '@app/integrations';

const PER_TOKENS = 1_000_000;

/** In the currency of the deployment; null where nobody knows the price. */
export function costOf(price: ModelPrice | null, usage: TokenUsage): number | null {
  const { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  if (promptTokens === 0 && completionTokens === 0) return 0;
  if (!price) return null;
  const plain = (promptTokens - cachedTokens - cacheWriteTokens) * price.input;
  const read = plain + cachedTokens * price.cachedInput + cacheWriteTokens * price.cacheWrite;
  return (read + completionTokens * price.output) / PER_TOKENS;
}
