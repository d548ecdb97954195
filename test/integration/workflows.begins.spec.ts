import { SuspectSlot } from '@app/isolation';
import { type ClaimedRun, PostgresRunStore, RunControl, WebhookQueue } from '@app/workflows';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUser, createWorkflow, fanOutAndJoin, startWorkflows } from '../support/workflows.js';

const inner = { nodes: [{ id: 'deep', kind: 'template', params: { template: 'deep {{_item}}' } }] };
const looped = { name: 'Loop', nodes: [{ id: 'loop', kind: 'loop', params: { items: [1], body: inner } }] };

/** What is true of a run before it is claimed. */
interface Case {
  name: string;
  payload?: object;
  /** SQL on what `$1`, the workflow, has. */
  change?: string;
  /** Who claims it: together with others, alone, or nobody. */
  claimed: 'together' | 'alone' | 'not at all';
}

const ofRun = (assignments: string) => `UPDATE workflow_runs SET ${assignments} WHERE workflow_id = $1`;
const CASES: Case[] = [
  { name: 'a new one', claimed: 'together' },
  { name: 'one with a payload', payload: { text: 'x'.repeat(3_000) }, claimed: 'together' },
  {
    name: 'one with a large payload',
    change: ofRun(`payload = (SELECT jsonb_object_agg(n, md5(n::text)) FROM generate_series(1, 2000) n)`),
    claimed: 'alone',
  },
  { name: 'one without payload', change: ofRun('payload = NULL'), claimed: 'together' },
  { name: 'one whose outputs are not kept', change: ofRun('save_outputs = false'), claimed: 'together' },
  { name: 'one beside others', change: ofRun('is_concurrent = true'), claimed: 'together' },
  { name: 'one without request', change: ofRun(`queue_request_id = NULL, trigger = 'manual'`), claimed: 'together' },
  {
    name: 'one whose nodes act for somebody',
    change: `UPDATE workflow_revisions SET acts_as = '{"nodes": {}, "default": null}' WHERE workflow_id = $1`,
    claimed: 'together',
  },
  {
    name: 'a branch',
    change: ofRun(`parent_version = 1, start_node_id = 'left', run_to_the_end = false`),
    claimed: 'alone',
  },
  {
    name: 'one that was given back',
    change: ofRun(`fence = 3, status = 'RUNNING', wake_at = now()`),
    claimed: 'alone',
  },
  { name: 'one whose worker was lost', change: ofRun('lost_leases = 1, fence = 1'), claimed: 'alone' },
  {
    name: 'one that somebody works on',
    change: ofRun(
      `status = 'RUNNING', fence = 1, lease_owner = 'other', lease_expires_at = now() + interval '1 minute'`,
    ),
    claimed: 'not at all',
  },
  { name: 'one that was stopped', change: ofRun(`status = 'STOPPED', finished_at = now()`), claimed: 'not at all' },
  {
    name: 'one of an account that was deactivated',
    change: `WITH other AS (INSERT INTO users (username, email, is_active)
        VALUES ('o' || $1::uuid, 'o' || $1::uuid || '@test.example', false) RETURNING id)
      UPDATE workflows SET owner_id = (SELECT id FROM other) WHERE id = $1`,
    claimed: 'not at all',
  },
];

const told = (run: ClaimedRun | null) =>
  run && {
    ...run,
    runId: '',
    workflowId: '',
    requestId: typeof run.requestId,
    payload: JSON.stringify(run.payload)?.length,
    acting: { ...run.acting, workflowId: '' },
  };

describe('runs that begin together', () => {
  let database: TestDatabase;
  let module: TestingModule;
  let store: PostgresRunStore;
  let ownerId: number;
  let asked: jest.SpyInstance;

  beforeAll(async () => {
    database = await createTestDatabase();
    module = await startWorkflows(database.url);
    store = module.get(PostgresRunStore);
    ownerId = await createUser(database.dataSource);
  });
  beforeEach(() => {
    store.suspects = new SuspectSlot();
    asked = jest.spyOn(module.get(DataSource), 'query');
  });
  afterEach(() => asked.mockRestore());
  afterAll(async () => {
    await module.close();
    await database.drop();
  });

  const sql = <T>(query: string, values: unknown[] = []) => database.dataSource.query<T>(query, values);
  const times = (part: string) => asked.mock.calls.filter(([query]) => String(query).includes(part)).length;
  const groups = () => times('workflow_begin_runs(');
  const singles = () => times('UPDATE workflow_runs SET status = ');

  async function call(payload: object = { n: 1 }): Promise<{ workflowId: string; runId: string }> {
    const { id: workflowId } = await createWorkflow(module, ownerId, fanOutAndJoin);
    const call = { isBranch: false, startNodeId: null, runToTheEnd: true, idempotencyKey: null };
    await module.get(WebhookQueue).trigger({ workflowId, nodeId: null }, { ...call, payload });
    const [{ id: runId }] = await sql<[{ id: string }]>('SELECT id FROM workflow_runs WHERE workflow_id = $1', [
      workflowId,
    ]);
    return { workflowId, runId };
  }

  /** Of each case a run, in the state that it tells. */
  async function prepare(): Promise<{ workflowId: string; runId: string }[]> {
    const runs = [];
    for (const { payload, change } of CASES) {
      const run = await call(payload);
      if (change) await sql(change, [run.workflowId]);
      runs.push(run);
    }
    return runs;
  }

  async function rowOf(runId: string): Promise<unknown> {
    const [{ row }] = await sql<[{ row: unknown }]>(
      `SELECT to_jsonb(r) - '{id,workflow_id,queue_request_id,correlation_id,payload,created_at}'::text[]
         || jsonb_build_object('started_at', r.started_at IS NULL, 'finished_at', r.finished_at IS NULL,
           'wake_at', r.wake_at IS NULL,
           'lease_expires_at', r.lease_expires_at > now() + interval '1 second') AS row
       FROM workflow_runs r WHERE id = $1`,
      [runId],
    );
    return row;
  }

  it('are claimed as each would have been alone', async () => {
    const [alone, shared] = [await prepare(), await prepare()];
    const claimedAlone: (ClaimedRun | null)[] = [];
    for (const { runId } of alone) {
      store.suspects = new SuspectSlot();
      // As if somebody had held its row while it was looked for.
      asked.mockResolvedValueOnce([]);
      claimedAlone.push(await store.claimRun(runId, 'w1'));
    }
    expect(singles()).toBe(CASES.length);
    asked.mockClear();
    store.suspects = new SuspectSlot();
    const claimedTogether = await Promise.all(
      shared.map(async ({ runId }, index) => {
        // A suspect needs a moment in which nobody else might be one.
        if (CASES[index]!.name === 'one whose worker was lost') return null;
        return store.claimRun(runId, 'w1');
      }),
    );
    expect(groups()).toBe(1);
    const suspect = claimedTogether.findIndex((_, index) => CASES[index]!.name === 'one whose worker was lost');
    claimedTogether[suspect] = await store.claimRun(shared[suspect]!.runId, 'w1');
    expect(singles()).toBe(CASES.filter(({ claimed }) => claimed !== 'together').length);
    for (const [index, { name, claimed }] of CASES.entries()) {
      expect({ name, is: claimedTogether[index] !== null }).toEqual({ name, is: claimed !== 'not at all' });
      expect({ name, run: told(claimedTogether[index]!) }).toEqual({ name, run: told(claimedAlone[index]!) });
      expect({ name, row: await rowOf(shared[index]!.runId) }).toEqual({
        name,
        row: await rowOf(alone[index]!.runId),
      });
    }
  });

  it('have one worker each, however many ask', async () => {
    const runs = await Promise.all(Array.from({ length: 12 }, () => call()));
    const workers = ['a', 'b', 'c'];
    const claims = await Promise.all(
      runs.flatMap(({ runId }) =>
        [...workers, ...workers].map(async (worker) => ({ worker, run: await store.claimRun(runId, worker) })),
      ),
    );
    const won = claims.filter(({ run }) => run);
    expect(won.map(({ run }) => run!.runId).toSorted()).toEqual(runs.map(({ runId }) => runId).toSorted());
    for (const { worker, run } of won)
      expect(await sql('SELECT lease_owner, fence FROM workflow_runs WHERE id = $1', [run!.runId])).toEqual([
        { lease_owner: worker, fence: 1 },
      ]);
  });

  it('do not wait for one that somebody else holds', async () => {
    const runs = [await call(), await call(), await call()];
    const holder = database.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT 1 FROM workflow_runs WHERE id = $1 FOR NO KEY UPDATE', [runs[1]!.runId]);
    let isFree = false;
    const claims = runs.map(({ runId }) => store.claimRun(runId, 'w1'));
    const held = claims[1]!.then((run) => ({ run, isFree }));
    expect(await Promise.all([claims[0], claims[2]])).toMatchObject([{ fence: 1 }, { fence: 1 }]);
    isFree = true;
    await holder.commitTransaction();
    await holder.release();
    expect(await held).toMatchObject({ isFree: true, run: { fence: 1 } });
  });

  it('leave the bodies of nodes to a claim that knows their line', async () => {
    const { id: workflowId } = await createWorkflow(module, ownerId, looped);
    await module.get(RunControl).rerun(ownerId, workflowId, null);
    const [{ id }] = await sql<[{ id: string }]>('SELECT id FROM workflow_runs WHERE workflow_id = $1', [workflowId]);
    const parent = (await store.claimRun(id, 'w1'))!;
    const child = await store.startChild(parent, { nodeId: 'loop', key: 'body:0', workflowId: null, payload: {} });
    if (child.kind !== 'started') throw new Error(child.kind);
    expect(await store.claimRun(child.runId, 'w1')).toMatchObject({ bodyPath: ['loop'], fence: 1 });
  });
});
