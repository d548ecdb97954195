import { hash } from 'node:crypto';
import { ConflictError } from '@app/common';
import { loadConfig } from '@app/config';
import type { TokenUsage } from '@app/integrations';
import { AnthropicDouble } from '../../../test/support/vendors/anthropic-double.js';
import { CallBudget, type CallNeed, type HeldCall } from './budget/call-budget.js';
import { CallBudgets } from './budget/call-budgets.js';
import { createLanguageModels } from './create-models.js';
import { UsageLedger } from './metering/usage-ledger.js';

const PRICE = { input: 1000, output: 10_000, cached_input: 100, cache_write: 2000 };
/** Of the double: 10 plain, 80 read from the cache and 10 written to it, and 9 of the answer. */
const COST = (10 * 1000 + 80 * 100 + 10 * 2000 + 9 * 10_000) / 1e6;

class Purse extends CallBudget {
  readonly needs: CallNeed[] = [];
  readonly settled: TokenUsage[] = [];
  isEmpty = false;

  hold(_context: unknown, need: CallNeed): Promise<HeldCall | null> {
    if (this.isEmpty) return Promise.reject(new ConflictError('It is empty.', { code: 'budget_exceeded' }));
    this.needs.push(need);
    return Promise.resolve({ maxOutputTokens: 77, settle: (usage) => void this.settled.push(usage) });
  }
}

describe('a model whose calls are counted', () => {
  const first = new AnthropicDouble();
  const second = new AnthropicDouble();
  let purse: Purse;

  beforeAll(() => Promise.all([first.start(), second.start()]));
  beforeEach(() => {
    purse = new Purse();
    for (const double of [first, second]) {
      double.fails = double.cuts = () => false;
      double.requests = double.taken.length = 0;
    }
  });
  afterAll(() => {
    first.stop();
    second.stop();
  });

  const model = (retries = 0) => {
    const models = [
      { id: 1, name: 'First', fallback: 2, max_retries: retries, price: PRICE, ...first.definition() },
      { id: 2, name: 'Second', max_retries: 0, price: { ...PRICE, output: 20_000 }, ...second.definition() },
    ];
    const { models: configured } = loadConfig({
      DATABASE_URL: 'postgres://localhost/atrium',
      REDIS_URL: 'redis://localhost',
      SECRETS_KEY: hash('sha256', 'a key of tests', 'base64'),
      LLM_MODELS: JSON.stringify(models),
    });
    const budgets = new CallBudgets();
    budgets.use(purse);
    return createLanguageModels(configured, new UsageLedger(null, 'USD'), budgets).default;
  };
  const request = {
    messages: [{ role: 'user' as const, content: 'x' }],
    usage: { userId: 1, purpose: 'agent', turnId: 't' },
  };
  const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
  const read = async (asked = model(), more = {}) => {
    const stream = asked.streamStep({ ...request, tools: [look], ...more });
    for await (const part of stream) void part;
    return stream.end()!;
  };

  it('sets aside the most that a call can take, and settles what it took, caches and all', async () => {
    const { usage } = await read();
    expect(usage).toMatchObject({ cachedTokens: 80, cacheWriteTokens: 10, cost: COST });
    expect(purse.settled).toEqual([usage]);
    const [{ price, outputTokens }] = purse.needs as [CallNeed];
    expect(price).toEqual({ perPromptToken: 0.002, perOutputToken: 0.01, fixed: 0 });
    expect(outputTokens).toBeGreaterThan(77);
    // It writes no more than that.
    expect(first.taken[0]!.max_tokens).toBe(77);
    const answer = await model().generate(request);
    expect(answer.cost).toBe(COST);
    expect(purse.settled[1]).toMatchObject({ cost: COST });
    expect(first.taken[1]!.max_tokens).toBe(77);
  });

  it('asks before each try, those of who stands in too, at their price', async () => {
    first.fails = () => true;
    await read(model(1));
    expect(purse.needs.map(({ price }) => price!.perOutputToken)).toEqual([0.01, 0.01, 0.02]);
    expect(purse.settled).toHaveLength(3);
    expect(purse.settled.map(({ cost }) => cost! > 0)).toEqual([false, false, true]);
  });

  it('asks nobody at all where nothing is left', async () => {
    purse.isEmpty = true;
    await expect(read(model(2))).rejects.toMatchObject({ code: 'budget_exceeded' });
    await expect(model(2).generate(request)).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect([first.requests, second.requests]).toEqual([0, 0]);
  });

  it('settles what broke off, and what its reader left', async () => {
    first.cuts = () => true;
    await expect(read()).rejects.toMatchObject({ code: 'model_error' });
    expect(purse.settled).toHaveLength(1);
    expect(purse.settled[0]!.cost).toBeGreaterThan(0);
    first.cuts = () => false;
    for await (const part of model().streamStep({ ...request, tools: [look] })) {
      void part;
      break;
    }
    expect(purse.settled).toHaveLength(2);
    expect(purse.settled[1]).toMatchObject({ isEstimate: true });
  });

  it('counts no call that is for no turn', async () => {
    await read(model(), { usage: { userId: 1, purpose: 'title' } });
    await read(model(), { usage: undefined });
    expect(purse.needs).toEqual([]);
  });
});
