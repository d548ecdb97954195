import type { TokenUsage } from './language-model.port.js';

/** Whatever an endpoint has counted; null when it does not count. @param caches of the prompt: read from it, written to it */
export function toTokenUsage(
  prompt: unknown,
  completion: unknown,
  caches: { cached?: unknown; written?: unknown } = {},
): TokenUsage | null {
  const promptTokens = toCount(prompt);
  const completionTokens = toCount(completion);
  if (promptTokens === 0 && completionTokens === 0) return null;
  const cachedTokens = Math.min(toCount(caches.cached), promptTokens);
  const cacheWriteTokens = Math.min(toCount(caches.written), promptTokens - cachedTokens);
  return {
    promptTokens,
    completionTokens,
    ...(cachedTokens > 0 && { cachedTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
  };
}

/** Endpoints may count anything. */
function toCount(tokens: unknown): number {
  return Number.isFinite(tokens) ? Math.min(Math.max(0, Math.round(tokens as number)), 1_000_000_000) : 0;
}
