import type { ModelDefinition } from '@app/config';
import { PriceBook } from '../prices/price-book.js';
import { needOf as needAt } from './call-need.js';
import { estimatePromptTokens } from './token-estimate.js';

const PRICE = { input: 2, output: 10, cachedInput: 0.5, cacheWrite: 2.5, picture: null };
const model = (over: object = {}) =>
  ({
    price: PRICE,
    contextWindow: null,
    maxOutputTokens: null,
    timeouts: { totalSeconds: 300 },
    capability: 'chat',
    ...over,
  }) as unknown as ModelDefinition;
const prices = new PriceBook('USD');
const needOf = (given: ModelDefinition, request: Parameters<typeof needAt>[1]) => needAt(given, request, prices);
const costOf = (price: ModelDefinition['price'], usage: Parameters<PriceBook['costOf']>[1]) =>
  prices.costOf(model({ price }), usage);
const asked = { messages: [{ role: 'user' as const, content: 'How much is it? '.repeat(200) }] };
const costOfNeed = ({ price, promptTokens, outputTokens }: ReturnType<typeof needOf>) =>
  price!.fixed + promptTokens * price!.perPromptToken + outputTokens * price!.perOutputToken;

describe('what a call can take', () => {
  it('is more than it does take, with each token as dear as it can be', () => {
    const need = needOf(model({ maxOutputTokens: 2000 }), asked);
    const promptTokens = Math.ceil(estimatePromptTokens(asked) / 0.8);
    expect(need.promptTokens).toBeGreaterThanOrEqual(promptTokens);
    for (const caches of [{}, { cachedTokens: promptTokens }, { cacheWriteTokens: promptTokens }])
      expect(costOfNeed(need)).toBeGreaterThanOrEqual(
        costOf(PRICE, { promptTokens, completionTokens: 2000, ...caches })!,
      );
  });

  it('is bound by what the request, the model or its window allows', () => {
    expect(needOf(model(), asked)).toMatchObject({ outputTokens: 16_384, leastOutputTokens: 1024 });
    expect(needOf(model({ maxOutputTokens: 4000 }), { ...asked, maxOutputTokens: 9000 }).outputTokens).toBe(4000);
    expect(needOf(model({ maxOutputTokens: 4000 }), { ...asked, maxOutputTokens: 100 })).toMatchObject({
      outputTokens: 100,
      leastOutputTokens: 100,
    });
    expect(needOf(model({ contextWindow: 500 }), asked)).toMatchObject({ promptTokens: 500, outputTokens: 500 });
  });

  it('has tools and forms in it', () => {
    const { promptTokens } = needOf(model(), asked);
    const tool = { name: 't', description: 'Does it. '.repeat(50), inputSchema: { type: 'object' } };
    expect(needOf(model(), { ...asked, tools: [tool] }).promptTokens).toBeGreaterThan(promptTokens + 50);
    const outputSchema = { description: 'It is so. '.repeat(50) };
    expect(needOf(model(), { ...asked, outputSchema }).promptTokens).toBeGreaterThan(promptTokens + 50);
  });

  it('is unknown without a price, and a price of its own for pictures', () => {
    expect(needOf(model({ price: null }), asked).price).toBeNull();
    const painter = model({ capability: 'image_gen', price: { ...PRICE, picture: 0.04 } });
    expect(needOf(painter, asked).price).toEqual({ perPromptToken: 0, perOutputToken: 0, fixed: 0.04 });
    const byTokens = needOf(model({ capability: 'image_gen' }), asked);
    expect(byTokens.leastOutputTokens).toBe(byTokens.outputTokens);
  });
});

describe('the cost of a call', () => {
  it('counts what was written to the cache at its own price', () => {
    const usage = { promptTokens: 1000, completionTokens: 100, cachedTokens: 300, cacheWriteTokens: 500 };
    expect(costOf(PRICE, usage)).toBeCloseTo((200 * 2 + 300 * 0.5 + 500 * 2.5 + 100 * 10) / 1e6, 12);
    expect(costOf(null, usage)).toBeNull();
    expect(costOf(null, { promptTokens: 0, completionTokens: 0 })).toBe(0);
  });
});
