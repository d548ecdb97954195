import type { ModelUse, UsageSum } from '@app/models';
import { toMoney } from '../cost-tracker/costs.dto.js';
import type { ModelUsageEntry, UsageSums } from './usage.dto.js';

export function toUsageSums(sum: UsageSum): UsageSums {
  return {
    spend: toMoney(sum.spend),
    prompt_tokens: sum.promptTokens,
    completion_tokens: sum.completionTokens,
    total_tokens: sum.totalTokens,
    requests: sum.requests,
    cached_tokens: sum.cachedTokens,
    cache_write_tokens: sum.cacheWriteTokens,
    cached_spend: toMoney(sum.cachedSpend),
    cache_write_spend: toMoney(sum.cacheWriteSpend),
    unpriced_requests: sum.unpriced,
  };
}

const money = (amount: number | null) => (amount === null ? null : toMoney(amount));

export function toModelEntry(use: ModelUse): ModelUsageEntry {
  return {
    model: use.model,
    own_key: use.ownKey,
    price_source: use.priceSource,
    price_version: use.priceVersion,
    currency: use.currency,
    spend: money(use.spend),
    cached_spend: money(use.cachedSpend),
    cache_write_spend: money(use.cacheWriteSpend),
    prompt_tokens: use.promptTokens,
    completion_tokens: use.completionTokens,
    total_tokens: use.totalTokens,
    cached_tokens: use.cachedTokens,
    cache_write_tokens: use.cacheWriteTokens,
    requests: use.requests,
  };
}
