import { createPendingNodeState, type NodeState } from '@app/workflow-definition';
import { PostgresRunStore, RunControl } from '@app/workflows';
import type { TestingModule } from '@nestjs/testing';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import {
  type CreatedWorkflow,
  createUser,
  createWorkflow,
  fanOutAndJoin,
  startWorkflows,
} from '../support/workflows.js';

/** A node that waits for the signal `key`. */
function waiting(nodeId: string, key: string): NodeState {
  return { ...createPendingNodeState(nodeId), status: 'WAITING', attempt: 1, waiting: { reason: 'input', id: key } };
}

describe('signals and child runs', () => {
  let database: TestDatabase;
  let module: TestingModule;
  let store: PostgresRunStore;
  let runs: RunControl;
  let ownerId: number;
  let workflow: CreatedWorkflow;
  let child: CreatedWorkflow;

  beforeAll(async () => {
    database = await createTestDatabase();
    module = await startWorkflows(database.url);
    store = module.get(PostgresRunStore);
    runs = module.get(RunControl);
    ownerId = await createUser(database.dataSource);
  });
  beforeEach(async () => {
    workflow = await createWorkflow(module, ownerId, fanOutAndJoin);
    child = await createWorkflow(module, ownerId, fanOutAndJoin);
  });
  afterAll(async () => {
    await module.close();
    await database.drop();
  });

  async function claim(workflowId: string) {
    await runs.rerun(ownerId, workflowId, null);
    const [{ id }] = await database.dataSource.query<[{ id: string }]>(
      `SELECT id FROM workflow_runs WHERE workflow_id = $1 AND status = 'PENDING'`,
      [workflowId],
    );
    return (await store.claimRun(id, 'first'))!;
  }

  const statusOf = async (runId: string) =>
    (
      await database.dataSource.query<{ status: string }[]>('SELECT status FROM workflow_runs WHERE id = $1', [runId])
    )[0]?.status;

  const startChild = async (parent: { runId: string; fence: number }, key = 'child') => {
    const started = await store.startChild(parent, { nodeId: 'a', key, workflowId: child.id, payload: { n: 1 } });
    if (started.kind !== 'started') throw new Error(started.kind);
    return started.runId;
  };

  it('starts a child once, beside the current run of its workflow', async () => {
    const current = await claim(child.id);
    const parent = await claim(workflow.id);
    const ids = await Promise.all(Array.from({ length: 8 }, () => startChild(parent)));
    expect(new Set(ids).size).toBe(1);
    expect(await statusOf(current.runId)).toBe('RUNNING');
    expect((await store.claimRun(ids[0]!, 'second'))?.payload).toEqual({ n: 1 });
  });

  it('wakes a parked parent at the end of its child, and keeps the signal until a state has taken it in', async () => {
    const parent = await claim(workflow.id);
    const childId = await startChild(parent);
    expect(await store.parkRun(parent, [waiting('a', 'child')], null)).toBe(true);
    expect(await store.claimRun(parent.runId, 'second')).toBeNull();
    const claimed = (await store.claimRun(childId, 'second'))!;
    await store.finishRun(claimed, [], { status: 'COMPLETED' });
    const signal = {
      nodeId: 'a',
      waitId: 'child',
      value: { runId: childId, status: 'COMPLETED', error: null },
    };
    const resumed = (await store.claimRun(parent.runId, 'second'))!;
    expect(resumed.signals).toEqual([signal]);
    expect(await store.takeSignals(resumed)).toEqual([signal]);
    await store.saveProgress(resumed, [{ ...waiting('a', 'child'), status: 'RUNNING', consumed: ['child'] }]);
    expect(await store.takeSignals(resumed)).toEqual([]);
    expect(await store.parkRun(resumed, [], null)).toBe(true);
    expect(await store.claimRun(parent.runId, 'third')).toBeNull();
  });

  it('stops the children with their parent, and starts none for a parent that was stopped', async () => {
    const parent = await claim(workflow.id);
    const childId = await startChild(parent);
    await runs.stop(ownerId, workflow.id);
    expect(await statusOf(childId)).toBe('STOPPED');
    const late = await store.startChild(parent, { nodeId: 'a', key: 'late', workflowId: child.id, payload: null });
    expect(late).toEqual({ kind: 'abandoned' });
  });

  it('never leaves a child behind when a stop and starts happen at once', async () => {
    for (let round = 0; round < 10; round++) {
      const parent = await claim(workflow.id);
      await Promise.all([
        ...Array.from({ length: 4 }, (_, key) =>
          store.startChild(parent, { nodeId: 'a', key: String(key), workflowId: child.id, payload: null }),
        ),
        runs.stop(ownerId, workflow.id),
      ]);
      const active = await database.dataSource.query<unknown[]>(
        `SELECT 1 FROM workflow_runs WHERE parent_run_id = $1 AND status IN ('PENDING', 'RUNNING')`,
        [parent.runId],
      );
      expect(active).toEqual([]);
    }
  });

  it('does not run the workflows of strangers, nor go deeper than ten levels', async () => {
    const parent = await claim(workflow.id);
    const foreign = await createWorkflow(module, await createUser(database.dataSource), fanOutAndJoin);
    const start = (workflowId: string) =>
      store.startChild(parent, { nodeId: 'a', key: 'k', workflowId, payload: null });
    expect(await start(foreign.id)).toEqual({ kind: 'not_found' });
    let level = parent as { runId: string; fence: number };
    for (let depth = 1; depth < 10; depth++) level = (await store.claimRun(await startChild(level), 'w'))!;
    const tooDeep = await store.startChild(level, { nodeId: 'a', key: 'child', workflowId: child.id, payload: null });
    expect(tooDeep).toEqual({ kind: 'too_deep' });
  });

  it('lets either the answer or the deadline win', async () => {
    const parent = await claim(workflow.id);
    const answer = (waitId: string) =>
      database.dataSource.query<unknown[]>(
        `INSERT INTO workflow_signals (run_id, node_id, wait_id, value) VALUES ($1, 'a', $2, '"yes"')
         ON CONFLICT DO NOTHING RETURNING 1`,
        [parent.runId, waitId],
      );
    for (let round = 0; round < 20; round++) {
      const waitId = `question-${round}`;
      const [accepted, closed] = await Promise.all([answer(waitId), store.closeWait(parent, 'a', waitId)]);
      expect(closed).toEqual(accepted.length === 1 ? { nodeId: 'a', waitId, value: 'yes' } : null);
    }
  });
});
