import type { ModelPrice } from '@app/config';
import type { TokenUsage } from '@app/integrations';

const PER_TOKENS = 1_000_000;

/** In the currency of the deployment; null where nobody knows the price. @param pictures that were made, which may have a price each */
export function costOf(price: ModelPrice | null, usage: TokenUsage, pictures = 0): number | null {
  const { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  if (promptTokens === 0 && completionTokens === 0 && pictures === 0) return 0;
  if (!price) return null;
  if (pictures > 0 && price.picture !== null) return pictures * price.picture;
  const plain = (promptTokens - cachedTokens - cacheWriteTokens) * price.input;
  const read = plain + cachedTokens * price.cachedInput + cacheWriteTokens * price.cacheWrite;
  return (read + completionTokens * price.output) / PER_TOKENS;
}
