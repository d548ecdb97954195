import { SuspectSlot } from '@app/isolation';
import { createPendingNodeState, type ItemState, type JsonText } from '@app/workflow-definition';
import { PostgresRunStore, RunControl } from '@app/workflows';
import type { TestingModule } from '@nestjs/testing';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUser, createWorkflow, fanOutAndJoin, startWorkflows } from '../support/workflows.js';

const inner = { nodes: [{ id: 'deep', kind: 'template', params: { template: 'deep {{_item}}' }, save_output: true }] };
const middle = { nodes: [{ id: 'inner', kind: 'loop', params: { items: [1], body: inner } }] };
const outer = { name: 'Loops', nodes: [{ id: 'outer', kind: 'loop', params: { items: [1], body: middle } }] };

const item = (index: number, more: Partial<ItemState> = {}): ItemState => ({
  index,
  status: 'COMPLETED',
  round: 0,
  output: { index },
  error: null,
  ...more,
});

describe('items and bodies of runs', () => {
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

  async function claim(spec: object, worker = 'first') {
    const { id } = await createWorkflow(module, ownerId, spec);
    await module.get(RunControl).rerun(ownerId, id, null);
    const [run] = await database.dataSource.query<[{ id: string }]>(
      'SELECT id FROM workflow_runs WHERE workflow_id = $1',
      [id],
    );
    return (await store.claimRun(run.id, worker))!;
  }

  it('writes items once, and gives them back in order, in part, with outputs or without', async () => {
    const run = await claim(fanOutAndJoin);
    expect(await store.saveItems(run, 'b', [item(2), item(0), item(1, { status: 'STARTED', output: null })])).toBe(
      true,
    );
    const error = { code: 'x', message: 'X' };
    expect(await store.saveItems(run, 'b', [item(1, { status: 'FAILED', round: 1, output: null, error })])).toBe(true);
    const loaded = await store.loadItems(run, 'b', { withOutputs: true });
    const values = loaded.map(({ output, ...rest }) => ({
      ...rest,
      output: (output as JsonText | null)?.parse() ?? null,
    }));
    expect(values).toEqual([item(0), item(1, { status: 'FAILED', round: 1, output: null, error }), item(2)]);
    expect(await store.loadItems(run, 'b', { withOutputs: false, from: 1, to: 3 })).toMatchObject([
      { index: 1, status: 'FAILED', output: null },
      { index: 2, status: 'COMPLETED', output: null },
    ]);
    expect(await store.loadItems(run, 'other', { withOutputs: true })).toEqual([]);
  });

  it('takes no items of a worker that was overtaken, nor of a run that was stopped', async () => {
    const run = await claim(fanOutAndJoin);
    await database.dataSource.query('UPDATE workflow_runs SET lease_expires_at = now() WHERE id = $1', [run.runId]);
    const successor = (await store.claimRun(run.runId, 'second'))!;
    expect(await store.saveItems(run, 'b', [item(0)])).toBe(false);
    expect(await store.saveItems(successor, 'b', [item(1)])).toBe(true);
    await module.get(RunControl).stop(ownerId, run.workflowId);
    expect(await store.saveItems(successor, 'b', [item(2)])).toBe(false);
    expect((await store.loadItems(run, 'b', { withOutputs: false })).map(({ index }) => index)).toEqual([1]);
  });

  it('runs the body of a body with its own definition, pinned to the revision of the whole', async () => {
    const run = await claim(outer);
    const start = async (parent: typeof run, nodeId: string) => {
      const key = 'body:0.0';
      const started = await store.startChild(parent, {
        nodeId,
        key,
        workflowId: null,
        payload: { _item: 1, _index: 0 },
      });
      if (started.kind !== 'started') throw new Error(started.kind);
      return (await store.claimRun(started.runId, 'second'))!;
    };
    const first = await start(run, 'outer');
    expect(first).toMatchObject({ workflowId: run.workflowId, bodyPath: ['outer'], definition: middle });
    const second = await start(first, 'inner');
    expect(second).toMatchObject({ bodyPath: ['outer', 'inner'], definition: inner });
    const done = { ...createPendingNodeState('deep'), status: 'COMPLETED' as const, output: { text: 'deep 1' } };
    await store.finishRun(second, [done], { status: 'COMPLETED' });
    expect(await store.childEnds(first, 'inner', ['body:0.0', 'body:0.1'])).toEqual([
      {
        key: 'body:0.0',
        runId: second.runId,
        version: second.version,
        status: 'COMPLETED',
        error: null,
        result: { text: 'deep 1' },
      },
    ]);
    const outputs = await database.dataSource.query<unknown[]>(
      'SELECT node_id FROM workflow_outputs WHERE workflow_id = $1',
      [run.workflowId],
    );
    expect(outputs).toEqual([{ node_id: 'deep' }]);
  });

  it('stops the children that it is told, and no others', async () => {
    const run = await claim(fanOutAndJoin);
    const child = await createWorkflow(module, ownerId, fanOutAndJoin);
    for (const key of ['0', '1'])
      await store.startChild(run, { nodeId: 'a', key, workflowId: child.id, payload: null });
    await store.stopChildren(run, 'a', ['0', '7'], 'Enough.');
    expect(await store.childEnds(run, 'a', ['0', '1'])).toMatchObject([
      { key: '0', status: 'STOPPED', error: { code: 'stopped', message: 'Enough.' } },
    ]);
  });

  it('forgets lost workers when a batch gets on, so that days of work are not taken for poison', async () => {
    // Runs of the tests before are still held by workers that are no more.
    store.suspects = new SuspectSlot();
    const run = await claim(fanOutAndJoin);
    let held = run;
    for (let loss = 0; loss < 12; loss += 1) {
      await database.dataSource.query('UPDATE workflow_runs SET lease_expires_at = now() WHERE id = $1', [run.runId]);
      held = (await store.claimRun(run.runId, `worker ${loss}`))!;
      expect(held).not.toBeNull();
      await store.saveItems(held, 'b', [item(loss)]);
    }
  });
});
