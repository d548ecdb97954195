import { newId } from '@app/common';
import { UsageLedger } from '@app/models';
import { Logger } from '@nestjs/common';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';
import { createUser } from '../support/workflows.js';
import { stopwatch } from '../support/timing.js';

/** What models are used for is written beside the answers, and survives what befalls the database. */
describe('the ledger of models', () => {
  let database: TestDatabase;
  let userId: number;
  beforeAll(async () => {
    database = await createTestDatabase();
    userId = await createUser(database.dataSource);
    Logger.overrideLogger(false);
  });
  afterAll(() => database.drop());
  beforeEach(() => database.dataSource.query('DELETE FROM model_usage'));

  const rows = () =>
    database.dataSource.query<Record<string, unknown>[]>(
      'SELECT user_id AS user, turn_id AS turn, cost, completion_tokens::int AS completion FROM model_usage ORDER BY created_at, completion',
    );
  const ledger = () => new UsageLedger(database.dataSource, 'USD');
  const record = (to: UsageLedger, completionTokens: number, context: Record<string, unknown> = {}) =>
    to.record({
      context: { userId, purpose: 'chat', ...context },
      modelId: 1,
      model: 'm',
      usage: { promptTokens: 1, completionTokens, cost: 0.1 + 0.2 },
      durationMs: 1,
      outcome: 'completed',
      errorCode: null,
    });

  it('takes a thousand uses a moment without a wait, and writes each once', async () => {
    const all = ledger();
    const took = stopwatch();
    for (let at = 0; at < 1_000; at += 1) record(all, at);
    expect(took()).toBeLessThan(2_000);
    await Promise.all([all.flush(), all.flush()]);
    const written = await rows();
    expect(new Set(written.map(({ completion }) => completion)).size).toBe(1_000);
    expect(written).toHaveLength(1_000);
    expect(written[0]!.cost).toBe('0.3000000000');
  });

  it('writes by itself within a second or so', async () => {
    record(ledger(), 1);
    await until(async () => (await rows()).length === 1);
  });

  it('keeps what could not be written, and never writes it twice', async () => {
    const all = ledger();
    await database.dataSource.query('ALTER TABLE model_usage RENAME TO model_usage_away');
    record(all, 1);
    await all.flush();
    record(all, 2);
    await database.dataSource.query('ALTER TABLE model_usage_away RENAME TO model_usage');
    await until(async () => (await rows()).length === 2);
    // A batch whose first writing was not heard of.
    const query = jest.spyOn(database.dataSource, 'query').mockImplementationOnce(async (text, values) => {
      query.mockRestore();
      await database.dataSource.query(text, values);
      throw new Error('The connection is gone.');
    });
    record(all, 3);
    await all.flush();
    await all.flush();
    expect((await rows()).map(({ completion }) => completion)).toEqual([1, 2, 3]);
  });

  it('puts on nobody’s account what was used for one that is gone, and takes no other ids than those of ours', async () => {
    const all = ledger();
    const gone = await createUser(database.dataSource);
    const turnId = newId();
    record(all, 1, { userId: gone, turnId });
    record(all, 2, { turnId: 'mine' });
    await database.dataSource.query('DELETE FROM users WHERE id = $1', [gone]);
    await all.flush();
    expect(await rows()).toMatchObject([
      { user: null, turn: turnId },
      { user: userId, turn: null },
    ]);
    const late = await createUser(database.dataSource);
    record(all, 3, { userId: late });
    await all.flush();
    await database.dataSource.query('DELETE FROM users WHERE id = $1', [late]);
    expect(await rows()).toHaveLength(2);
  });

  it('writes all that is left when its process ends', async () => {
    const all = ledger();
    record(all, 1);
    await all.onModuleDestroy();
    record(all, 2);
    await all.beforeApplicationShutdown();
    expect(await rows()).toHaveLength(2);
  });
});
