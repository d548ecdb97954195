import { createHash } from 'node:crypto';
import type { ModelDefinition, ModelPrice } from '@app/config';
import type { TokenUsage } from '@app/integrations';
import type { CallPrice } from '../budget/call-budget.js';
import { type SplitCost, splitCostOf } from './deployment-price.js';
import { knownProviderOf } from './known-provider.js';
import { LIBRARY_VERSION, libraryCostOf, libraryRatesOf } from './library-price.js';

export type PriceSource = 'deployment' | 'genai-prices';
type Priced = Pick<ModelDefinition, 'price' | 'value' | 'capability' | 'baseUrl' | 'provider' | 'onPremises'>;

/** What a call cost, and who says so. */
export interface PricedCall {
  /** Null: nobody knows. */
  cost: SplitCost | null;
  currency: string;
  source: PriceSource | null;
  version: string | null;
}

const LIBRARY_CURRENCY = 'USD';
const PER_TOKENS = 1_000_000;
const FREE: SplitCost = { total: 0, cached: 0, cacheWrite: 0 };

/** What models cost: as the deployment says, else by the list prices of their providers, else nobody knows. */
export class PriceBook {
  private readonly versions = new WeakMap<ModelPrice, string>();

  /**
   * @param currency of the deployment
   * @param usdRate what a dollar is worth in it; null: list prices stay in dollars, and are never added to others
   */
  constructor(
    readonly currency: string,
    private readonly usdRate: number | null = null,
  ) {}

  /** @param pictures that were made */
  priceOf(model: Priced, usage: TokenUsage, pictures = 0, at = new Date()): PricedCall {
    const unknown = { currency: this.currency, source: null, version: null };
    if (usage.promptTokens === 0 && usage.completionTokens === 0 && pictures === 0) return { ...unknown, cost: FREE };
    if (model.price) {
      const cost = splitCostOf(model.price, usage, pictures);
      return { cost, currency: this.currency, source: 'deployment', version: this.versionOf(model.price) };
    }
    // The tokens of pictures have prices of their own, and nobody says which are which.
    const provider = pictures > 0 ? null : providerOf(model);
    const cost = provider === null ? null : libraryCostOf(provider, model.value, usage, at);
    return cost === null ? { ...unknown, cost } : { ...this.converted(cost), source: 'genai-prices' };
  }

  /** In the currency of the deployment; null where nobody knows. */
  costOf(model: Priced, usage: TokenUsage, pictures = 0): number | null {
    return this.inOwnCurrency(this.priceOf(model, usage, pictures));
  }

  inOwnCurrency({ cost, currency }: PricedCall): number | null {
    return cost !== null && currency === this.currency ? cost.total : null;
  }

  /** What a call can cost at most, in the currency of the deployment; null where nobody knows. */
  dearestOf(model: Priced, promptTokens: number, at = new Date()): CallPrice | null {
    const { price, capability } = model;
    if (price) {
      if (capability === 'image_gen' && price.picture !== null)
        return { perPromptToken: 0, perOutputToken: 0, fixed: price.picture };
      const dearest = Math.max(price.input, price.cacheWrite, price.cachedInput);
      return { perPromptToken: dearest / PER_TOKENS, perOutputToken: price.output / PER_TOKENS, fixed: 0 };
    }
    const provider = providerOf(model);
    const rate = this.rate;
    const rates = provider === null || rate === null ? null : libraryRatesOf(provider, model.value, promptTokens, at);
    if (rates === null || rate === null) return null;
    const dearest = Math.max(rates.input, rates.cached, rates.cacheWrite);
    return { perPromptToken: dearest * rate, perOutputToken: rates.output * rate, fixed: 0 };
  }

  /** Of the list prices into the currency of the deployment. */
  private get rate(): number | null {
    return this.currency === LIBRARY_CURRENCY ? 1 : this.usdRate;
  }

  private converted(cost: SplitCost): Pick<PricedCall, 'cost' | 'currency' | 'version'> {
    const { rate } = this;
    if (rate === null || rate === 1)
      return { cost, currency: rate === null ? LIBRARY_CURRENCY : this.currency, version: LIBRARY_VERSION };
    const { total, cached, cacheWrite } = cost;
    return {
      cost: { total: total * rate, cached: cached * rate, cacheWrite: cacheWrite * rate },
      currency: this.currency,
      version: `${LIBRARY_VERSION} at ${rate}`,
    };
  }

  /** The same for the same price, whenever and wherever it holds. */
  private versionOf(price: ModelPrice): string {
    let version = this.versions.get(price);
    if (version === undefined) {
      const { input, output, cachedInput, cacheWrite, picture } = price;
      const text = JSON.stringify([this.currency, input, output, cachedInput, cacheWrite, picture]);
      version = createHash('sha256').update(text).digest('hex').slice(0, 12);
      this.versions.set(price, version);
    }
    return version;
  }
}

const providerOf = (model: Priced) => (model.capability === 'image_gen' ? null : knownProviderOf(model));
