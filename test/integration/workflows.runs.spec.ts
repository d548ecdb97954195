import { executeRunJob } from '@app/contracts';
import { SuspectSlot } from '@app/isolation';
import { JobQueues, type JobMessage } from '@app/queues';
import { createPendingNodeState, type NodeState, type NodeStatus } from '@app/workflow-definition';
import {
  type ClaimedRun,
  NodeRows,
  PostgresRunStore,
  RunControl,
  RunSweeper,
  WebhookQueue,
  WebhookRequests,
  WorkflowTrash,
} from '@app/workflows';
import type { TestingModule } from '@nestjs/testing';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import {
  type CreatedWorkflow,
  createUser,
  createWorkflow,
  fanOutAndJoin,
  startWorkflows,
} from '../support/workflows.js';

const call = { isBranch: false, startNodeId: null, runToTheEnd: true, idempotencyKey: null };

function node(nodeId: string, status: NodeStatus, extra: Partial<NodeState> = {}): NodeState {
  return { ...createPendingNodeState(nodeId), status, attempt: 1, startedAt: Date.now(), ...extra };
}
const done = (nodeId: string, output: unknown = { ok: true }) =>
  node(nodeId, 'COMPLETED', { output, finishedAt: Date.now() });

describe('runs in Postgres', () => {
  let database: TestDatabase;
  let module: TestingModule;
  let store: PostgresRunStore;
  let runs: RunControl;
  let queue: WebhookQueue;
  let ownerId: number;
  let workflow: CreatedWorkflow;

  beforeAll(async () => {
    database = await createTestDatabase();
    module = await startWorkflows(database.url);
    store = module.get(PostgresRunStore);
    runs = module.get(RunControl);
    queue = module.get(WebhookQueue);
    ownerId = await createUser(database.dataSource);
  });
  beforeEach(async () => {
    store.suspects = new SuspectSlot();
    workflow = await createWorkflow(module, ownerId, fanOutAndJoin);
  });
  afterAll(async () => {
    await module.close();
    await database.drop();
  });

  const trigger = (n: number, idempotencyKey: string | null = null) =>
    queue.trigger({ workflowId: workflow.id, nodeId: null }, { ...call, payload: { n }, idempotencyKey });

  async function activeRunId(): Promise<string> {
    const [row] = await database.dataSource.query<{ id: string }[]>(
      `SELECT id FROM workflow_runs WHERE workflow_id = $1 AND status IN ('PENDING', 'RUNNING')`,
      [workflow.id],
    );
    return row!.id;
  }
  async function claim(worker = 'w1'): Promise<ClaimedRun> {
    const run = await store.claimRun(await activeRunId(), worker);
    expect(run).not.toBeNull();
    return run!;
  }
  const setActive = (isActive: boolean) =>
    database.dataSource.query('UPDATE users SET is_active = $2 WHERE id = $1', [ownerId, isActive]);
  const expireLease = (run: ClaimedRun) =>
    database.dataSource.query(`UPDATE workflow_runs SET lease_expires_at = now() - interval '1 s' WHERE id = $1`, [
      run.runId,
    ]);
  const progress = async () => (await module.get(NodeRows).find(workflow.id))!;
  const statuses = async () =>
    Object.fromEntries((await progress()).nodes.map(({ nodeId, status }) => [nodeId, status]));
  const outputs = () =>
    database.dataSource.query<{ node_id: string; value: unknown }[]>(
      'SELECT node_id, value FROM workflow_outputs WHERE workflow_id = $1',
      [workflow.id],
    );

  it('gives a run to one worker, with its definition and payload', async () => {
    await runs.rerun(ownerId, workflow.id, { n: 1 });
    const id = await activeRunId();
    const claims = await Promise.all(['a', 'b', 'c', 'd'].map((worker) => store.claimRun(id, worker)));
    const [run, ...others] = claims.filter((claimed) => claimed !== null);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ version: 1, fence: 1, nodes: [], payload: { n: 1 }, onlyNodeIds: null, ownerId });
    expect(run!.definition).toMatchObject({ entry: ['start'] });
    expect(await store.claimRun(id, 'e')).toBeNull();
  });

  it('takes nothing from a worker that was overtaken, and hands its progress to the next', async () => {
    await runs.rerun(ownerId, workflow.id, null);
    const first = await claim('slow');
    expect(await store.saveProgress(first, [done('start'), node('left', 'RUNNING')])).toBe(true);
    await expireLease(first);
    const second = await claim('quick');
    expect(second.fence).toBe(2);
    expect(second.nodes.map(({ nodeId, status }) => [nodeId, status]).sort()).toEqual([
      ['left', 'RUNNING'],
      ['start', 'COMPLETED'],
    ]);
    expect(second.nodes.find(({ nodeId }) => nodeId === 'start')!.startedAt).toEqual(expect.any(Number));
    expect(await store.saveProgress(second, [done('left'), done('right')])).toBe(true);

    // The store of another process, which still believes that it holds the run.
    const late = await database.dataSource.query<{ accepted: boolean }[]>(
      `SELECT accepted FROM workflow_finish_run($1, 1, 'FAILED', NULL, '[]', NULL, gen_random_uuid(), 'slow', 5, '{}')`,
      [first.runId],
    );
    expect(late).toEqual([{ accepted: false }]);
    expect(await store.finishRun(second, [done('join', { value: 7 })], { status: 'COMPLETED' })).toEqual({
      accepted: true,
      next: null,
      parentRunId: null,
    });
    expect(await statuses()).toEqual({
      start: 'COMPLETED',
      left: 'COMPLETED',
      right: 'COMPLETED',
      join: 'COMPLETED',
    });
    expect(await outputs()).toEqual([{ node_id: 'join', value: { value: 7 } }]);
  });

  it('lets exactly one of stop and finish win', async () => {
    for (let round = 0; round < 10; round++) {
      await runs.rerun(ownerId, workflow.id, null);
      const run = await claim();
      const [finished, stopped] = await Promise.all([
        store.finishRun(
          run,
          ['start', 'left', 'right', 'join'].map((id) => done(id)),
          { status: 'COMPLETED' },
        ),
        runs.stop(ownerId, workflow.id).catch(() => null),
      ]);
      expect(finished.accepted).toBe(stopped === null);
      expect((await progress()).status).toBe(finished.accepted ? 'COMPLETED' : 'STOPPED');
    }
  });

  it('stops without a worker, counts what had not ended, and refuses to stop twice', async () => {
    await runs.rerun(ownerId, workflow.id, null);
    const run = await claim();
    await store.saveProgress(run, [done('start'), node('left', 'RUNNING')]);
    expect(await runs.stop(ownerId, workflow.id)).toBe(3);
    expect(await statuses()).toEqual({ start: 'COMPLETED', left: 'STOPPED', right: 'STOPPED', join: 'STOPPED' });
    await expect(runs.stop(ownerId, workflow.id)).rejects.toThrow(
      'Workflow cannot be stopped. Current status: STOPPED',
    );
    expect(await store.saveProgress(run, [done('left')])).toBe(false);
    expect((await statuses()).left).toBe('STOPPED');
  });

  it('writes the end whole or not at all', async () => {
    await trigger(1);
    await trigger(2);
    const run = await claim();
    const wrong = { ...done('join'), status: 'NO SUCH STATUS' as NodeStatus };
    await expect(store.finishRun(run, [done('start'), wrong], { status: 'COMPLETED' })).rejects.toThrow('check');
    expect((await progress()).status).toBe('RUNNING');
    expect((await statuses()).start).toBe('PENDING');
    expect((await store.finishRun(run, [done('start')], { status: 'COMPLETED' })).accepted).toBe(true);
  });

  it('runs 50 concurrent calls one at a time, in the order in which they were accepted', async () => {
    const accepted = await Promise.all(Array.from({ length: 50 }, (_, n) => trigger(n)));
    expect(accepted.map(({ queuePosition }) => queuePosition).sort((a, b) => a - b)).toEqual([...Array(50).keys()]);
    const byPosition = [...accepted]
      .sort((a, b) => a.queuePosition - b.queuePosition)
      .map(({ requestId }) => requestId);
    const served: string[] = [];
    let run: ClaimedRun | null = await claim();
    while (served.length < 50) {
      const [row] = await database.dataSource.query<{ queue_request_id: string; active: number }[]>(
        `SELECT queue_request_id, (SELECT count(*)::int FROM workflow_runs a WHERE a.workflow_id = r.workflow_id
           AND a.status IN ('PENDING', 'RUNNING')) AS active FROM workflow_runs r WHERE id = $1`,
        [run.runId],
      );
      expect(row!.active).toBe(1);
      served.push(row!.queue_request_id);
      const { accepted: isAccepted, next }: { accepted: boolean; next: ClaimedRun | null } = await store.finishRun(
        run,
        [],
        { status: 'COMPLETED' },
      );
      expect(isAccepted).toBe(true);
      // After a number of runs in a row the next one goes through the queue, so that others get their turn.
      if (next) run = next;
      else if (served.length < 50) run = await claim();
    }
    expect(served).toEqual(byPosition);
    const listing = await module.get(WebhookRequests).list(ownerId, workflow.id, 200);
    expect(listing.counts).toEqual({ pending: 0, running: 0, done: 50, failed: 0, cancelled: 0 });
  });

  it('answers a repeated key with the first request', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => trigger(1, 'order-7')));
    expect(new Set(all.map(({ requestId }) => requestId)).size).toBe(1);
    expect(all.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    const [row] = await database.dataSource.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM workflow_runs WHERE workflow_id = $1',
      [workflow.id],
    );
    expect(row!.count).toBe(1);
  });

  it('refuses more than the queue holds', async () => {
    const small = await startWorkflows(database.url, { WEBHOOK_QUEUE_LIMIT: '2' });
    const target = { workflowId: workflow.id, nodeId: null };
    for (let n = 0; n < 3; n++) await small.get(WebhookQueue).trigger(target, { ...call, payload: { n } });
    await expect(small.get(WebhookQueue).trigger(target, { ...call, payload: {} })).rejects.toMatchObject({
      code: 'queue_full',
    });
    await small.close();
  });

  it('lets a rerun supersede the run in flight, and the queue go on after it', async () => {
    const { requestId } = await trigger(1);
    await trigger(2);
    const old = await claim();
    expect(await runs.rerun(ownerId, workflow.id, null)).toBe(2);
    expect(await store.saveProgress(old, [done('start')])).toBe(false);
    const [superseded] = (await module.get(WebhookRequests).list(ownerId, workflow.id, 10)).requests.filter(
      ({ id }) => id === requestId,
    );
    expect(superseded).toMatchObject({ status: 'cancelled', detail: 'Superseded by run 2.' });
    const fresh = await claim();
    expect(fresh).toMatchObject({ version: 2, payload: null });
    const { next } = await store.finishRun(fresh, [], { status: 'COMPLETED' });
    expect(next).toMatchObject({ version: 3, payload: { n: 2 } });
  });

  it('cancels and retries requests as their state allows', async () => {
    const requests = module.get(WebhookRequests);
    const [first, second, third] = [await trigger(1), await trigger(2), await trigger(3)];
    expect(await requests.act({ userId: ownerId, username: 'owner' }, workflow.id, second.requestId, 'cancel')).toBe(
      'cancelled',
    );
    await expect(
      requests.act({ userId: ownerId, username: 'owner' }, workflow.id, second.requestId, 'cancel'),
    ).rejects.toMatchObject({
      code: 'action_not_applicable',
      extra: { status: 'cancelled' },
    });
    expect(await requests.act({ userId: ownerId, username: 'owner' }, workflow.id, second.requestId, 'retry')).toBe(
      'pending',
    );
    // Cancelling the one that runs stops its run and starts the next: the third, since the second went to the tail.
    expect(await requests.act({ userId: ownerId, username: 'owner' }, workflow.id, first.requestId, 'cancel')).toBe(
      'cancelled',
    );
    const listing = await requests.list(ownerId, workflow.id, 10);
    expect(listing.requests.map(({ id, status, queuePosition }) => [id, status, queuePosition])).toEqual([
      [third.requestId, 'running', 0],
      [second.requestId, 'pending', 1],
      [first.requestId, 'cancelled', null],
    ]);
  });

  describe('after a crash', () => {
    let notified: JobMessage[];
    beforeEach(() => {
      notified = [];
      // Jobs themselves are tested with the queues; here it must be known which were added.
      jest.spyOn(module.get(JobQueues), 'add').mockImplementation(async (messages) => {
        notified.push(...messages);
      });
    });
    afterEach(() => jest.restoreAllMocks());
    const rungFor = (runId: string) =>
      notified.filter(({ job, payload }) => job === executeRunJob.name && payload.runId === runId);

    it('asks again for a run whose worker was lost, under the next fence', async () => {
      await runs.rerun(ownerId, workflow.id, null);
      const run = await claim();
      await module.get(RunSweeper).sweep();
      expect(rungFor(run.runId).filter(({ payload }) => payload.fence === 1)).toEqual([]);
      await expireLease(run);
      await module.get(RunSweeper).sweep();
      expect(rungFor(run.runId).map(({ jobKey }) => jobKey)).toContain(`${run.runId}:1`);
    });

    it('asks again when the queue forgot a run', async () => {
      await runs.rerun(ownerId, workflow.id, null);
      const id = await activeRunId();
      await database.dataSource.query(`UPDATE workflow_runs SET created_at = now() - interval '1 min' WHERE id = $1`, [
        id,
      ]);
      notified = [];
      await module.get(RunSweeper).sweep();
      expect(rungFor(id).map(({ jobKey }) => jobKey)).toEqual([`${id}:0`]);
    });

    it('starts a request that waits although nothing runs', async () => {
      await trigger(1);
      await trigger(2);
      // As after a crash between the two, were they not one statement.
      await database.dataSource.query(`UPDATE workflow_runs SET status = 'FAILED' WHERE workflow_id = $1`, [
        workflow.id,
      ]);
      await module.get(RunSweeper).sweep();
      expect(await claim()).toMatchObject({ version: 2, payload: { n: 2 } });
    });

    it('gives a run up that has cost too many workers', async () => {
      await runs.rerun(ownerId, workflow.id, null);
      const run = await claim();
      await store.saveProgress(run, [node('start', 'RUNNING')]);
      for (let lost = 0; lost < 4; lost++) {
        await expireLease(run);
        expect(await store.claimRun(run.runId, `w${lost}`)).not.toBeNull();
      }
      await expireLease(run);
      expect(await store.claimRun(run.runId, 'last')).toBeNull();
      expect(await progress()).toMatchObject({ status: 'FAILED' });
      expect(await statuses()).toEqual({ start: 'FAILED', left: 'SKIPPED', right: 'SKIPPED', join: 'SKIPPED' });
    });

    it('keeps the lease of a worker that beats, and no other', async () => {
      await runs.rerun(ownerId, workflow.id, null);
      const run = await claim('alive');
      expect(await store.heartbeat([run.runId], 'somebody else')).toEqual([]);
      await expireLease(run);
      expect(await store.heartbeat([run.runId], 'alive')).toEqual([run.runId]);
      expect(await store.claimRun(run.runId, 'vulture')).toBeNull();
    });

    it('parks a run that waits, wakes it when its time comes, and does not call that a loss', async () => {
      await runs.rerun(ownerId, workflow.id, null);
      const run = await claim();
      const until = Date.now() + 60_000;
      const waiting = node('start', 'WAITING', { waiting: { reason: 'timer', until } });
      expect(await store.parkRun(run, [waiting], until)).toBe(true);
      expect((await progress()).nodes[0]).toMatchObject({
        status: 'WAITING',
        output: { waiting: { reason: 'timer', until: new Date(until).toISOString() } },
      });
      expect(await store.claimRun(run.runId, 'early')).toBeNull();
      await database.dataSource.query('UPDATE workflow_runs SET wake_at = now() WHERE id = $1', [run.runId]);
      await module.get(RunSweeper).sweep();
      expect(rungFor(run.runId)).not.toEqual([]);
      expect(await store.claimRun(run.runId, 'next')).toMatchObject({
        fence: 2,
        nodes: [{ waiting: waiting.waiting }],
      });
      const [row] = await database.dataSource.query<{ lost_leases: number }[]>(
        'SELECT lost_leases FROM workflow_runs WHERE id = $1',
        [run.runId],
      );
      expect(row!.lost_leases).toBe(0);
    });

    describe('of a deactivated account', () => {
      afterEach(() => setActive(true));

      it('is taken from its worker at once, rests, and goes on when the account is active again', async () => {
        await trigger(1);
        await trigger(2);
        const run = await claim('deaf');
        expect(await store.saveProgress(run, [done('start'), node('left', 'RUNNING')])).toBe(true);
        await setActive(false);
        expect(await store.saveProgress(run, [done('left')])).toBe(false);
        expect(await store.heartbeat([run.runId], 'deaf')).toEqual([]);
        expect(await store.claimRun(run.runId, 'other')).toBeNull();
        notified = [];
        await module.get(RunSweeper).sweep();
        expect(rungFor(run.runId)).toEqual([]);
        await setActive(true);
        await module.get(RunSweeper).sweep();
        expect(rungFor(run.runId)).not.toEqual([]);
        const again = await claim('next');
        expect(again).toMatchObject({ runId: run.runId, payload: { n: 1 } });
        expect(await statuses()).toMatchObject({ start: 'COMPLETED', left: 'RUNNING' });
        const [row] = await database.dataSource.query<[{ lost_leases: number }]>(
          'SELECT lost_leases FROM workflow_runs WHERE id = $1',
          [run.runId],
        );
        expect(row.lost_leases).toBe(0);
        const { next } = await store.finishRun(again, [done('join')], { status: 'COMPLETED' });
        expect(next).toMatchObject({ payload: { n: 2 } });
      });

      it('is found by the heartbeat where the deactivation could not wait for it', async () => {
        await runs.rerun(ownerId, workflow.id, null);
        const run = await claim('busy');
        await setActive(false);
        // As if the row had been locked at that moment.
        await database.dataSource.query(
          `UPDATE workflow_runs SET fence = $2, lease_owner = 'busy', lease_expires_at = now() + interval '1 hour' WHERE id = $1`,
          [run.runId, run.fence],
        );
        expect(await store.heartbeat([run.runId], 'busy')).toEqual([]);
        await setActive(true);
        expect(await store.claimRun(run.runId, 'next')).not.toBeNull();
      });

      it('is not begun: neither by those who share it, nor by what waits', async () => {
        await trigger(1);
        await database.dataSource.query(`UPDATE workflow_runs SET status = 'FAILED' WHERE workflow_id = $1`, [
          workflow.id,
        ]);
        await trigger(2);
        await setActive(false);
        await expect(runs.rerun(ownerId, workflow.id, null)).rejects.toMatchObject({ code: 'owner_inactive' });
        const pending = await activeRunId();
        expect(await store.claimRun(pending, 'w')).toBeNull();
        await setActive(true);
        expect(await store.claimRun(pending, 'w')).toMatchObject({ payload: { n: 2 } });
      });
    });

    it('gives everything back when the process ends', async () => {
      await runs.rerun(ownerId, workflow.id, null);
      const run = await claim('leaving');
      expect(await store.releaseAll('leaving')).toBe(1);
      expect(await store.claimRun(run.runId, 'staying')).toMatchObject({ fence: 2 });
    });
  });

  it('purges what has been in the trash for long enough, and only that', async () => {
    const trash = module.get(WorkflowTrash);
    const kept = await createWorkflow(module, ownerId, fanOutAndJoin);
    await trigger(1);
    await trash.trash(ownerId, workflow.id);
    await trash.trash(ownerId, kept.id);
    await database.dataSource.query('UPDATE workflows SET purge_at = now() WHERE id = $1', [workflow.id]);
    expect(await trash.purgeDue(10)).toBe(1);
    const [left] = await database.dataSource.query<Record<string, number>[]>(
      `SELECT (SELECT count(*)::int FROM workflow_runs WHERE workflow_id = $1) AS runs,
         (SELECT count(*)::int FROM workflow_requests WHERE workflow_id = $1) AS requests,
         (SELECT count(*)::int FROM workflows WHERE id = $2) AS kept`,
      [workflow.id, kept.id],
    );
    expect(left).toEqual({ runs: 0, requests: 0, kept: 1 });
  });

  it('runs a branch with the outputs of the run before', async () => {
    await runs.rerun(ownerId, workflow.id, null);
    const whole = await claim();
    await store.finishRun(
      whole,
      ['start', 'left', 'right', 'join'].map((id) => done(id, { of: id })),
      {
        status: 'COMPLETED',
      },
    );
    const branch = await runs.rerunBranch(ownerId, workflow.id, null, {
      startNodeId: 'left',
      runToTheEnd: true,
      saveOutputs: false,
    });
    expect(branch).toEqual(['left', 'join']);
    const run = await claim();
    expect(run.onlyNodeIds).toEqual(['left', 'join']);
    expect(run.nodes.map(({ nodeId, output }) => [nodeId, output]).sort()).toEqual([
      ['right', { of: 'right' }],
      ['start', { of: 'start' }],
    ]);
    await store.finishRun(run, [done('left'), done('join', 'again')], { status: 'COMPLETED' });
    // save_outputs was off.
    expect(await outputs()).toEqual([{ node_id: 'join', value: { of: 'join' } }]);
  });
});
