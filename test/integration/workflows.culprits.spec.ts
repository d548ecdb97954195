import { SuspectSlot } from '@app/isolation';
import { PostgresRunStore, RunControl } from '@app/workflows';
import type { TestingModule } from '@nestjs/testing';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUser, createWorkflow, fanOutAndJoin, startWorkflows } from '../support/workflows.js';

/** So many workers may be lost over one run. */
const MOST_DEATHS = 5;

/** The same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('runs that take their worker down', () => {
  let database: TestDatabase;
  let module: TestingModule;
  let store: PostgresRunStore;
  let ownerId: number;

  beforeAll(async () => {
    database = await createTestDatabase();
    module = await startWorkflows(database.url);
    store = module.get(PostgresRunStore);
    ownerId = await createUser(database.dataSource);
  });
  afterAll(async () => {
    await module.close();
    await database.drop();
  });

  async function startRuns(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const { id } = await createWorkflow(module, ownerId, fanOutAndJoin);
      await module.get(RunControl).rerun(ownerId, id, null);
      const [row] = await database.dataSource.query<{ id: string }[]>(
        'SELECT id FROM workflow_runs WHERE workflow_id = $1',
        [id],
      );
      ids.push(row!.id);
    }
    return ids;
  }

  const statusOf = async (ids: readonly string[]) =>
    new Map(
      (
        await database.dataSource.query<{ id: string; status: string; lost_leases: number }[]>(
          'SELECT id, status, lost_leases FROM workflow_runs WHERE id = ANY($1::uuid[])',
          [ids],
        )
      ).map(({ id, ...row }) => [id, row]),
    );

  it.each([1, 2, 3])('fail alone, after few deaths, and their neighbours complete (seed %d)', async (seed) => {
    const random = randomOf(seed);
    const ids = await startRuns(10);
    const culprits = new Set([ids[random(10)]!, ids[random(10)]!]);
    let deaths = 0;
    for (let life = 0; life < 60; life += 1) {
      store.suspects = new SuspectSlot();
      const open = [...(await statusOf(ids))].filter(([, { status }]) => /PENDING|RUNNING/.test(status));
      if (open.length === 0) break;
      const todo = open.map(([id]) => id).sort(() => random(3) - 1);
      const held = [];
      for (const id of todo) {
        const run = await store.claimRun(id, `life ${life}`);
        if (run) held.push(run);
      }
      // Whatever is at work goes on until a culprit is: then all are lost, ended or not.
      for (const run of held) {
        if (culprits.has(run.runId)) {
          deaths += 1;
          break;
        }
        if (random(2) === 0) await store.finishRun(run, [], { status: 'COMPLETED' });
      }
      await database.dataSource.query(
        `UPDATE workflow_runs SET lease_expires_at = now() - interval '1 s' WHERE lease_owner IS NOT NULL`,
      );
      // Lives without a culprit at work end in peace.
      if (!held.some(({ runId }) => culprits.has(runId))) await store.releaseAll(`life ${life}`);
    }
    const after = await statusOf(ids);
    for (const id of ids) expect([id, after.get(id)!.status]).toEqual([id, culprits.has(id) ? 'FAILED' : 'COMPLETED']);
    expect(deaths).toBeLessThanOrEqual(MOST_DEATHS * culprits.size);
  });

  it('are taken up one at a time; what is under no suspicion is not held up', async () => {
    const [first, second, fresh] = (await startRuns(3)) as [string, string, string];
    store.suspects = new SuspectSlot();
    while (store.nextTurnedAway() !== null);
    for (const id of [first, second]) await store.claimRun(id, 'lost');
    await database.dataSource.query(
      `UPDATE workflow_runs SET lease_expires_at = now() - interval '1 s' WHERE lease_owner = 'lost'`,
    );
    const suspect = await store.claimRun(first, 'next');
    expect(suspect).not.toBeNull();
    expect(await store.claimRun(second, 'next')).toBeNull();
    expect(await store.claimRun(fresh, 'next')).not.toBeNull();
    expect(store.nextTurnedAway()).toBeNull();
    await store.finishRun(suspect!, [], { status: 'COMPLETED' });
    expect(store.nextTurnedAway()).toBe(second);
    expect(await store.claimRun(second, 'next')).not.toBeNull();
  });
});
