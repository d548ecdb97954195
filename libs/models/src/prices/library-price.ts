import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import type { TokenUsage } from '@app/integrations';
import { calcPrice, type ModelPrice } from '@pydantic/genai-prices';
import type { SplitCost } from './deployment-price.js';

const LIBRARY = '@pydantic/genai-prices';
const PER_TOKENS = 1_000_000;

/** Of the list prices that this release comes with; they are never fetched. */
export const LIBRARY_VERSION = (
  JSON.parse(readFileSync(findPackageJSON(LIBRARY, import.meta.url)!, 'utf8')) as { version: string }
).version;

/** Per token, in USD. */
export interface TokenRates {
  input: number;
  cached: number;
  cacheWrite: number;
  output: number;
}

/**
 * What a call costs by the list prices of its provider, in USD; null where they do not have the model, or not by tokens.
 * @param provider as the library knows it @param at prices change, and some depend on the hour
 */
export function libraryCostOf(provider: string, model: string, usage: TokenUsage, at: Date): SplitCost | null {
  const counted = countsOf(usage);
  const found = find(provider, model, counted, at);
  if (!found) return null;
  const rates = ratesOf(found.model_price, counted.input_tokens);
  return {
    total: found.total_price,
    cached: counted.cache_read_tokens * rates.cached,
    cacheWrite: counted.cache_write_tokens * rates.cacheWrite,
  };
}

/** @param promptTokens long prompts may be dearer */
export function libraryRatesOf(provider: string, model: string, promptTokens: number, at: Date): TokenRates | null {
  const found = find(provider, model, countsOf({ promptTokens, completionTokens: 0 }), at);
  return found && ratesOf(found.model_price, promptTokens);
}

function find(provider: string, model: string, counted: ReturnType<typeof countsOf>, at: Date) {
  const found = calcPrice(counted, model, { providerId: provider, timestamp: at });
  // What is paid by pictures, pages or seconds alone would seem to be free.
  const { input_mtok: input, output_mtok: output } = found?.model_price ?? {};
  return input === undefined || (output === undefined && counted.output_tokens > 0) ? null : found;
}

/** The library refuses numbers that do not fit together; what endpoints say need not. */
function countsOf({ promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0 }: TokenUsage) {
  const cached = Math.min(cachedTokens, promptTokens);
  return {
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    cache_read_tokens: cached,
    cache_write_tokens: Math.min(cacheWriteTokens, promptTokens - cached),
  };
}

function ratesOf(price: ModelPrice, promptTokens: number): TokenRates {
  const rate = (of: ModelPrice[string]): number => {
    if (of === undefined) return 0;
    if (typeof of === 'number') return of / PER_TOKENS;
    const tiers = of.tiers.filter(({ start }) => promptTokens > start).toSorted((a, b) => a.start - b.start);
    return (tiers.at(-1)?.price ?? of.base) / PER_TOKENS;
  };
  const { input_mtok: input, cache_read_mtok: cached, cache_write_mtok: cacheWrite, output_mtok: output } = price;
  return {
    input: rate(input),
    cached: rate(cached ?? input),
    cacheWrite: rate(cacheWrite ?? input),
    output: rate(output),
  };
}
