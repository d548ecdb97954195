import type { ModelDefinition } from '@app/config';
import { PriceBook } from './price-book.js';

const model = (over: Partial<ModelDefinition>) =>
  ({
    value: 'claude-sonnet-4-5',
    price: null,
    capability: 'chat',
    baseUrl: 'https://api.anthropic.com/v1',
    provider: 'api.anthropic.com',
    onPremises: null,
    ...over,
  }) as ModelDefinition;
const used = { promptTokens: 1000, completionTokens: 100, cachedTokens: 200, cacheWriteTokens: 300 };
const at = new Date('2026-11-28T12:00:00Z');
const dollars = new PriceBook('USD');

describe('the price of a call', () => {
  it('is that of the deployment first, by a version that moves with it', () => {
    const price = { input: 2, output: 10, cachedInput: 0.5, cacheWrite: 2.5, picture: null };
    const own = dollars.priceOf(model({ price }), used);
    expect(own).toMatchObject({
      currency: 'USD',
      source: 'deployment',
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(own.cost!.total).toBeCloseTo((500 * 2 + 200 * 0.5 + 300 * 2.5 + 100 * 10) / 1e6, 12);
    expect([own.cost!.cached, own.cost!.cacheWrite]).toEqual([(200 * 0.5) / 1e6, (300 * 2.5) / 1e6]);
    expect(dollars.priceOf(model({ price: { ...price } }), used).version).toBe(own.version);
    expect(dollars.priceOf(model({ price: { ...price, output: 11 } }), used).version).not.toBe(own.version);
    expect(new PriceBook('EUR').priceOf(model({ price }), used)).toMatchObject({
      currency: 'EUR',
      source: 'deployment',
    });
  });

  it('is else the list price, with reading from and writing to the cache apart, and dearer for long prompts', () => {
    const listed = dollars.priceOf(model({}), used, 0, at);
    expect(listed).toMatchObject({
      currency: 'USD',
      source: 'genai-prices',
      version: expect.stringMatching(/^\d+\.\d+/),
    });
    const [input, cached, written, output] = [500 * 3, 200 * 0.3, 300 * 3.75, 100 * 15];
    expect(listed.cost!.total).toBeCloseTo((input + cached + written + output) / 1e6, 12);
    expect(listed.cost!.cached).toBeCloseTo(cached / 1e6, 12);
    expect(listed.cost!.cacheWrite).toBeCloseTo(written / 1e6, 12);
    const long = dollars.priceOf(model({}), { promptTokens: 200_001, completionTokens: 0, cachedTokens: 1 }, 0, at);
    expect(long.cost!.cached).toBeCloseTo(0.6 / 1e6, 12);
    expect(long.cost!.total).toBeCloseTo((200_000 * 6 + 0.6) / 1e6, 9);
  });

  it.each([
    ['unknown at its provider', { value: 'claude-of-tomorrow-x' }],
    ['of the same name in the house', { baseUrl: 'http://127.0.0.1:11434/v1', provider: '127.0.0.1' }],
    ['that the house calls by its maker', { baseUrl: 'http://10.0.0.5/v1', provider: 'anthropic' }],
    ['of the house behind a public name', { onPremises: true }],
    ['behind a gateway that nobody knows', { baseUrl: 'https://llm.example.com/v1', provider: 'llm.example.com' }],
    [
      'behind an address that only begins alike',
      { baseUrl: 'https://api.anthropic.com.evil.example/v1', provider: 'x' },
    ],
    ['of a provider that only sounds alike', { baseUrl: 'https://llm.example.com/v1', provider: 'Anthropic Inc' }],
    [
      'that makes pictures by tokens',
      { value: 'gpt-image-1', capability: 'image_gen', baseUrl: 'https://api.openai.com/v1' },
    ],
  ] as [string, Partial<ModelDefinition>][])('is not known for a model %s', (_, over) => {
    expect(dollars.priceOf(model(over), used, 0, at)).toEqual({
      cost: null,
      currency: 'USD',
      source: null,
      version: null,
    });
    expect(dollars.dearestOf(model(over), 1000, at)).toBeNull();
  });

  it.each([
    ['named by its provider', { baseUrl: 'https://llm.example.com/v1', provider: 'Anthropic' }],
    [
      'of Bedrock',
      {
        baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
        value: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
      },
    ],
    ['of OpenAI in a region', { baseUrl: 'https://eu.api.openai.com/v1', value: 'gpt-5' }],
    ['of Azure', { baseUrl: 'https://mine.openai.azure.com/openai/v1', value: 'gpt-5' }],
    ['of Google', { baseUrl: 'https://generativelanguage.googleapis.com/v1beta', value: 'gemini-2.5-pro' }],
  ] as [string, Partial<ModelDefinition>][])('is known for a model %s', (_, over) => {
    expect(dollars.priceOf(model(over), used, 0, at).cost!.total).toBeGreaterThan(0);
  });

  it('is never added to that of another currency, unless there is a rate', () => {
    const euros = new PriceBook('EUR');
    const apart = euros.priceOf(model({}), used, 0, at);
    expect(apart).toMatchObject({ currency: 'USD', source: 'genai-prices' });
    expect(euros.costOf(model({}), used)).toBeNull();
    expect(euros.dearestOf(model({}), 1000, at)).toBeNull();
    const rated = new PriceBook('EUR', 0.5);
    const converted = rated.priceOf(model({}), used, 0, at);
    expect(converted).toMatchObject({ currency: 'EUR', version: expect.stringMatching(/ at 0\.5$/) });
    expect(converted.cost!.total).toBeCloseTo(apart.cost!.total / 2, 12);
    expect(rated.costOf(model({}), used)).toBeCloseTo(converted.cost!.total, 12);
  });

  it('is no more than what is set aside for it, and nothing for nothing', () => {
    for (const prompt of [1000, 250_000]) {
      const { perPromptToken, perOutputToken } = dollars.dearestOf(model({}), prompt, at)!;
      for (const caches of [{}, { cachedTokens: prompt }, { cacheWriteTokens: prompt }]) {
        const usage = { promptTokens: prompt, completionTokens: 500, ...caches };
        const cost = dollars.priceOf(model({}), usage, 0, at).cost!.total;
        expect(cost).toBeLessThanOrEqual(prompt * perPromptToken + 500 * perOutputToken + 1e-12);
      }
    }
    const nothing = { promptTokens: 0, completionTokens: 0 };
    expect(dollars.priceOf(model({}), nothing).cost).toEqual({ total: 0, cached: 0, cacheWrite: 0 });
  });

  it('bears what endpoints say', () => {
    const wild = { promptTokens: 10, completionTokens: 1, cachedTokens: 50, cacheWriteTokens: 50 };
    expect(dollars.priceOf(model({}), wild, 0, at).cost!.total).toBeCloseTo((10 * 0.3 + 15) / 1e6, 12);
  });
});
