import { newId, newTimeOrderedId } from '@app/common';
import {
  AgentBudget,
  type AgentGateway,
  type AgentRunRecord,
  BudgetBook,
  type BudgetDefaults,
  BudgetRetention,
  GatewaySpending,
  type StoredCaps,
} from '@app/dedicated-agent';
import { CallBudgets, type CallNeed, type HeldCall, UsageLedger } from '@app/models';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';
import { createUser } from '../support/workflows.js';

const NONE = { run: 0, job: 0, day: 0, month: 0 };
const DEFAULTS: BudgetDefaults = { costs: NONE, tokens: NONE, softPercent: 80, currency: 'EUR' };
/** 1.0 at most. */
const NEED: CallNeed = {
  promptTokens: 500,
  outputTokens: 500,
  leastOutputTokens: 500,
  price: { perPromptToken: 0.001, perOutputToken: 0.001, fixed: 0 },
  seconds: 60,
};
const took = (cost: number | null, tokens = 700) => ({ promptTokens: tokens, completionTokens: 0, cost });

describe('the budget of an agent in Postgres', () => {
  let database: TestDatabase;
  let userId: number;
  let agentId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    userId = await createUser(database.dataSource);
    agentId = newId();
    await sql(`INSERT INTO dedicated_agents (id, user_id, status) VALUES ($1, $2, 'running')`, [agentId, userId]);
  });
  afterAll(() => database.drop());

  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T[]>(text, values);
  const bookOf = () => new BudgetBook(database.dataSource, DEFAULTS);
  /** As one process has it. */
  const budgetOf = () => new AgentBudget(bookOf(), new CallBudgets());
  const capped = (caps: StoredCaps) =>
    sql('UPDATE dedicated_agents SET owner_caps = $2::jsonb WHERE id = $1', [agentId, JSON.stringify(caps)]);
  const addRun = async () => {
    const id = newTimeOrderedId();
    await sql(`INSERT INTO dedicated_agent_runs (id, agent_id, input) VALUES ($1, $2, 'x')`, [id, agentId]);
    return id;
  };
  const context = (turnId: string) => ({ userId, purpose: 'agent', turnId });
  const hold = (budget: AgentBudget, run: string, need = NEED, signal?: AbortSignal): Promise<HeldCall | null> =>
    budget.hold(context(run), need, signal);
  const counter = async (scope: string) => {
    const [row] = await sql<{ spent: number; reserved: number; tokens: number; calls: number; unpriced: number }>(
      `SELECT spent_cost::float8 AS spent, reserved_cost::float8 AS reserved, spent_tokens::float8 AS tokens, calls,
         unpriced_calls AS unpriced FROM dedicated_agent_spending WHERE agent_id = $1 AND scope = $2`,
      [agentId, scope],
    );
    return row!;
  };
  const reservations = () => sql('SELECT FROM dedicated_agent_reservations WHERE agent_id = $1', [agentId]);

  const age = (days: number) =>
    sql(`UPDATE dedicated_agent_spending SET updated_at = now() - $2 * interval '1 day' WHERE agent_id = $1`, [
      agentId,
      days,
    ]);
  const scopes = async () =>
    (
      await sql<{ scope: string }>('SELECT scope FROM dedicated_agent_spending WHERE agent_id = $1 ORDER BY 1', [
        agentId,
      ])
    ).map(({ scope }) => scope);

  it('is never reserved beyond a cap by ten runs in two processes, and is used to its end', async () => {
    await capped({ month: { hardCost: 12.5 }, day: { hardCost: 20 } });
    const processes = [budgetOf(), budgetOf()];
    let highest = 0;
    const work = async (at: number): Promise<number> => {
      const run = await addRun();
      for (let calls = 0; ; calls += 1) {
        let held: HeldCall | null;
        try {
          held = await hold(processes[at % 2]!, run);
        } catch (error) {
          expect(error).toMatchObject({ code: 'budget_exceeded', extra: { scope: 'month' } });
          return calls;
        }
        expect(held!.maxOutputTokens).toBe(500);
        const { spent, reserved } = await counter('month');
        highest = Math.max(highest, spent + reserved);
        held!.settle(took(0.8));
      }
    };
    const calls = await Promise.all(Array.from({ length: 10 }, (_, at) => work(at)));
    await Promise.all(processes.map((budget) => budget.beforeApplicationShutdown()));
    // Fifteen of 0.8 are 12; another one could have cost 1.
    expect(calls.reduce((sum, count) => sum + count)).toBe(15);
    expect(highest).toBeLessThanOrEqual(12.5 + 1e-9);
    expect(await counter('month')).toMatchObject({ spent: 12, reserved: 0, calls: 15 });
    expect(await counter('day')).toMatchObject({ spent: 12, reserved: 0 });
    expect(await reservations()).toEqual([]);
  });

  it('counts what a lost process had set aside as spent, once, and not before it is lost', async () => {
    await capped({ day: { hardCost: 1.5 } });
    const lost = budgetOf();
    const run = await addRun();
    const held = await hold(lost, run);
    const book = bookOf();
    expect(await book.sweep()).toBe(0);
    expect(await counter('day')).toMatchObject({ spent: 0, reserved: 1 });
    // Another process waits for it, and is not refused for what was not spent.
    const waiting = hold(budgetOf(), await addRun());
    let isOver = false;
    const settled = waiting.then(
      () => (isOver = true),
      (error: unknown) => error,
    );
    await sql('UPDATE dedicated_agent_reservations SET expires_at = now()');
    expect(isOver).toBe(false);
    const swept = await Promise.all([book.sweep(), bookOf().sweep(), bookOf().sweep()]);
    expect(Math.max(...swept)).toBe(1);
    expect(await settled).toMatchObject({ code: 'budget_exceeded' });
    expect(await counter('day')).toMatchObject({ spent: 1, reserved: 0, tokens: 1000, calls: 1 });
    // It was not lost after all, and tells late.
    held!.settle(took(0.1));
    await lost.beforeApplicationShutdown();
    expect(await book.sweep()).toBe(0);
    expect(await counter('day')).toMatchObject({ spent: 1, reserved: 0, tokens: 1000, calls: 1 });
  });

  it('stands for as long as whoever made the call puts it off', async () => {
    const run = await addRun();
    const reserved = await bookOf().reserve(run, NEED);
    await sql('UPDATE dedicated_agent_reservations SET expires_at = now()');
    await bookOf().putOff([(reserved as { id: string }).id]);
    expect(await bookOf().sweep()).toBe(0);
    expect(await reservations()).toHaveLength(1);
  });

  it('waits while others may still give back, until it is stopped', async () => {
    await capped({ day: { hardCost: 1.5 } });
    const budget = budgetOf();
    const [first, second, third] = [await addRun(), await addRun(), await addRun()];
    const held = await hold(budget, first);
    const stop = new AbortController();
    const stopped = hold(budget, second, NEED, stop.signal).catch((error: unknown) => error);
    const next = hold(budget, third);
    stop.abort(new Error('Stopped.'));
    expect(await stopped).toEqual(new Error('Stopped.'));
    held!.settle(took(0.2));
    (await next)!.settle(took(0.1));
    await until(async () => (await counter('day')).spent > 0.25);
  });

  it('refuses a run once and for all, without asking again', async () => {
    await capped({ run: { hardCost: 0.5 } });
    const budget = budgetOf();
    const run = await addRun();
    await expect(hold(budget, run)).rejects.toMatchObject({ code: 'budget_exceeded', extra: { scope: 'run' } });
    const cheap = { ...NEED, promptTokens: 1, outputTokens: 1, leastOutputTokens: 1 };
    await expect(hold(budget, run, cheap)).rejects.toMatchObject({ code: 'budget_exceeded' });
    (await hold(budget, await addRun(), cheap))!.settle(took(0));
  });

  it('asks about a turn that is no run once, and never about calls without one', async () => {
    const book = bookOf();
    let asked = 0;
    const isRun = book.isRun.bind(book);
    book.isRun = (id) => ((asked += 1), isRun(id));
    const budget = new AgentBudget(book, new CallBudgets());
    const turn = newId();
    for (let round = 0; round < 5; round += 1) expect(await hold(budget, turn)).toBeNull();
    expect(asked).toBe(1);
    expect(await hold(budget, 'no uuid')).toBeNull();
    expect(asked).toBe(1);
    const budgets = new CallBudgets();
    budgets.use(budget);
    expect(await budgets.hold({ messages: [], usage: { userId, purpose: 'chat' } }, () => NEED)).toBeNull();
  });

  it('binds models without a price by tokens alone, and says how many calls there were', async () => {
    await capped({ day: { hardCost: 0.1, hardTokens: 2500 } });
    const budget = budgetOf();
    const run = await addRun();
    const free = { ...NEED, price: null };
    for (let call = 0; call < 2; call += 1) (await hold(budget, run, free))!.settle(took(null, 900));
    await expect(hold(budget, run, free)).rejects.toMatchObject({ code: 'budget_exceeded' });
    expect(await counter('day')).toMatchObject({ spent: 0, tokens: 1800, calls: 2, unpriced: 2 });
  });

  it('tells each run of a soft cap once', async () => {
    await capped({ day: { softCost: 1 }, run: { softTokens: 1000 } });
    const budget = budgetOf();
    const [first, second] = [await addRun(), await addRun()];
    const call = async (run: string) => {
      (await hold(budget, run))!.settle(took(0.6));
      return (await budget.takeWarnings(run)).map(({ scope }) => scope);
    };
    expect(await call(first)).toEqual([]);
    expect(await call(first)).toEqual(['day', 'run']);
    expect(await call(first)).toEqual([]);
    expect(await call(second)).toEqual(['day']);
    expect(await budget.takeWarnings(newId())).toEqual([]);
  });

  it('counts what a foreign gateway tells of at the end, at the price of the model where it is known', async () => {
    const models = [
      { value: 'm-1', name: 'M', price: { input: 1000, output: 2000, cachedInput: 1000, cacheWrite: 1000 } },
    ];
    const spending = (name: string) =>
      new GatewaySpending(
        { name } as AgentGateway,
        bookOf(),
        new UsageLedger(null, 'USD'),
        models as unknown as ConstructorParameters<typeof GatewaySpending>[3],
      );
    const ended = async (name: string, model: string, usage: object | null) => {
      const run = { id: await addRun(), model, usage } as AgentRunRecord;
      await database.dataSource.transaction((tx) => spending(name).ended(tx, run));
    };
    const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
    await ended('hermes', 'm-1', usage);
    expect(await counter('month')).toMatchObject({ spent: 0.12, tokens: 110, unpriced: 0 });
    await ended('hermes', 'other', usage);
    expect(await counter('month')).toMatchObject({ spent: 0.12, tokens: 220, unpriced: 1 });
    for (const told of [null, {}, { input_tokens: -5, output_tokens: 1e300 }]) await ended('hermes', 'm-1', told);
    await ended('embedded', 'm-1', usage);
    expect(await counter('month')).toMatchObject({ tokens: 220, calls: 2 });
  });

  it('begins nothing at a cap, until that is higher', async () => {
    await capped({ day: { hardCost: 1.5 } });
    const book = bookOf();
    const open = () => book.requireOpen(database.dataSource.manager, agentId, null);
    await open();
    // Too large for all of the day: the others are not.
    const tooLarge = { ...NEED, promptTokens: 5000 };
    await expect(hold(budgetOf(), await addRun(), tooLarge)).rejects.toMatchObject({ code: 'budget_exceeded' });
    await open();
    (await hold(budgetOf(), await addRun()))!.settle(took(0.9));
    await until(async () => (await counter('day')).calls === 1);
    await expect(hold(budgetOf(), await addRun())).rejects.toMatchObject({ code: 'budget_exceeded' });
    await expect(open()).rejects.toMatchObject({ code: 'budget_exceeded', extra: { scope: 'day' } });
    await capped({ day: { hardCost: 1.6 } });
    await open();
    await capped({ day: { hardTokens: 1000 } });
    await open();
  });

  it('is forgotten when it is old, months last', async () => {
    const run = await addRun();
    (await hold(budgetOf(), run))!.settle(took(0.5));
    await until(async () => (await counter('day')).calls === 1);
    const retention = new BudgetRetention(database.dataSource);
    await age(89);
    expect(await retention.removeSome(90)).toBe(false);
    expect(await scopes()).toEqual(['day', 'month', 'run']);
    await age(91);
    await retention.removeSome(90);
    expect(await scopes()).toEqual(['month']);
    await age(401);
    await retention.removeSome(90);
    expect(await scopes()).toEqual([]);
  });
});
