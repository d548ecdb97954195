import { newId } from '@app/common';
import { SuspectSlot } from '@app/isolation';
import { createPendingNodeState, type NodeState, type NodeStatus } from '@app/workflow-definition';
import { type ClaimedRun, type FinishedRun, PostgresRunStore, WebhookQueue } from '@app/workflows';
import { Outbox } from '@app/queues';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { writtenOf } from '../support/written-of-workflow.js';
import { createUser, createWorkflow, fanOutAndJoin, startWorkflows } from '../support/workflows.js';

const NODES = ['start', 'left', 'right', 'join'];
const COMPLETED = { status: 'COMPLETED' } as const;

/** What waits behind the run that ends, and what else is true of the two. */
interface Case {
  name: string;
  waiting: number;
  /** SQL on what waits; `$1` is the workflow. */
  change?: string;
  /** SQL on the run. */
  before?: string;
}

const FIRST = `id = (SELECT id FROM workflow_requests WHERE workflow_id = $1 AND status = 'pending' ORDER BY seq LIMIT 1)`;
const CASES: Case[] = [
  { name: 'nothing', waiting: 0 },
  { name: 'one', waiting: 1 },
  { name: 'three', waiting: 3 },
  {
    name: 'one to be approved',
    waiting: 1,
    change: 'UPDATE workflow_requests SET awaiting_approval = true WHERE ' + FIRST,
  },
  {
    name: 'one to be approved before another',
    waiting: 2,
    change: 'UPDATE workflow_requests SET awaiting_approval = true WHERE ' + FIRST,
  },
  {
    name: 'one whose files are being fetched, before another',
    waiting: 2,
    change: 'UPDATE workflow_requests SET awaiting_files = true WHERE ' + FIRST,
  },
  {
    name: 'one with files',
    waiting: 1,
    change: `WITH one AS (UPDATE workflow_requests SET file_urls = '{https://x.example/a}' WHERE ${FIRST} RETURNING id)
      INSERT INTO workflow_request_files (request_id, position, url, state, filename)
      SELECT id, 0, 'https://x.example/a', 'stored', 'a.txt' FROM one`,
  },
  {
    name: 'a branch',
    waiting: 1,
    change: `UPDATE workflow_requests SET start_node_id = 'left', run_to_the_end = false WHERE ${FIRST}`,
  },
  { name: 'one without payload', waiting: 1, change: `UPDATE workflow_requests SET payload = NULL WHERE ${FIRST}` },
  {
    name: 'one in the trash',
    waiting: 1,
    change: 'UPDATE workflows SET deleted_at = now(), purge_at = now() WHERE id = $1',
  },
  {
    name: 'one in a workflow of another owner now',
    waiting: 1,
    change: `WITH other AS (INSERT INTO users (username, email) VALUES ('o' || $1::uuid, 'o' || $1::uuid || '@test.example') RETURNING id)
      UPDATE workflows SET owner_id = (SELECT id FROM other) WHERE id = $1`,
  },
  {
    name: 'one after a run that was stopped',
    waiting: 1,
    before: `status = 'STOPPED', lease_owner = NULL, lease_expires_at = NULL`,
  },
  { name: 'one after a run that was taken over', waiting: 1, before: 'fence = fence + 1' },
  { name: 'nothing, with outputs that are not kept', waiting: 0, before: 'save_outputs = false' },
];

const done = (nodeId: string, output: unknown = { ok: nodeId }): NodeState => ({
  ...createPendingNodeState(nodeId),
  status: 'COMPLETED',
  attempt: 1,
  startedAt: 1_000,
  finishedAt: 2_000,
  output,
});

describe('ends of runs that are written together', () => {
  let database: TestDatabase;
  let module: TestingModule;
  let store: PostgresRunStore;
  let ownerId: number;
  let together: jest.SpyInstance;

  beforeAll(async () => {
    database = await createTestDatabase();
    module = await startWorkflows(database.url);
    store = module.get(PostgresRunStore);
    ownerId = await createUser(database.dataSource);
  });
  beforeEach(() => {
    store.suspects = new SuspectSlot();
    together = jest.spyOn(module.get(DataSource), 'query');
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await module.close();
    await database.drop();
  });

  const sql = <T>(query: string, values: unknown[] = []) => database.dataSource.query<T>(query, values);
  const calls = (name: string) => together.mock.calls.filter(([query]) => String(query).includes(name + '(')).length;
  const groups = () => calls('workflow_finish_runs');
  const singles = () => calls('workflow_finish_run');

  /** A workflow with a claimed run, and so many calls behind it. */
  async function begin(waiting: number): Promise<ClaimedRun> {
    const { id } = await createWorkflow(module, ownerId, fanOutAndJoin);
    const call = { isBranch: false, startNodeId: null, runToTheEnd: true, idempotencyKey: null };
    for (let n = 0; n <= waiting; n++)
      await module.get(WebhookQueue).trigger({ workflowId: id, nodeId: null }, { ...call, payload: { n } });
    const [row] = await sql<[{ id: string }]>('SELECT id FROM workflow_runs WHERE workflow_id = $1', [id]);
    return (await store.claimRun(row.id, 'w1'))!;
  }

  async function set(run: ClaimedRun, { change, before }: Case): Promise<void> {
    if (change) await sql(change, [run.workflowId]);
    if (before) await sql(`UPDATE workflow_runs SET ${before} WHERE id = $1`, [run.runId]);
  }

  const finish = (run: ClaimedRun, extra: Partial<NodeState> = {}) =>
    store.finishRun(
      run,
      NODES.map((id) => ({ ...done(id), ...extra })),
      COMPLETED,
    );

  const told = ({ accepted, parentRunId, next }: FinishedRun) => ({
    accepted,
    parentRunId,
    next: next && {
      ...next,
      runId: typeof next.runId,
      workflowId: '',
      requestId: typeof next.requestId,
      ownerId: next.ownerId === ownerId,
      definition: '',
      acting: '',
    },
  });

  /** More requests in a row than one worker takes at a time. */
  const LONG_CHAIN = 1_000;

  it.each([
    { next: 'claimed', chain: 0 },
    { next: 'asked for', chain: LONG_CHAIN },
  ])('leave behind what each would have left alone, the next one $next', async ({ chain }) => {
    // Those that are asked for stay in the outbox.
    jest.spyOn(module.get(Outbox), 'publishSoon').mockImplementation(() => undefined);
    const [alone, shared] = [[] as ClaimedRun[], [] as ClaimedRun[]];
    for (const one of CASES)
      for (const side of [alone, shared]) {
        const run = await begin(one.waiting);
        await set(run, one);
        store['held'].get(run).chain = chain;
        side.push(run);
      }
    const endedAlone: FinishedRun[] = [];
    // What has taken signals in goes alone, here none.
    for (const run of alone) endedAlone.push(await finish(run, { consumed: ['none'] }));
    expect([groups(), singles()]).toEqual([0, CASES.length]);
    const endedTogether = await Promise.all(shared.map((run) => finish(run)));
    expect([groups(), singles()]).toEqual([1, CASES.length]);
    const began: string[] = [];
    for (const [index, { name }] of CASES.entries()) {
      const written = await writtenOf(database.dataSource, shared[index]!.workflowId);
      if (chain > 0 ? written.jobs : endedTogether[index]!.next) began.push(name);
      expect({ name, ...told(endedTogether[index]!) }).toEqual({ name, ...told(endedAlone[index]!) });
      expect({ name, written }).toEqual({
        name,
        written: await writtenOf(database.dataSource, alone[index]!.workflowId),
      });
    }
    expect(endedTogether.map(({ accepted }) => accepted)).toEqual(
      CASES.map(({ before }) => !before || before.startsWith('save_outputs')),
    );
    expect(began).toEqual([
      'one',
      'three',
      'one to be approved before another',
      'one with files',
      'a branch',
      'one without payload',
      'one in a workflow of another owner now',
    ]);
  });

  it('read no more of the workflow when it has a long history, with the plans of a young one', async () => {
    const runner = database.dataSource.createQueryRunner();
    const readOf = async (run: ClaimedRun): Promise<number> => {
      await runner.startTransaction();
      const end = {
        run: run.runId,
        fence: run.fence,
        workflow: run.workflowId,
        worker: 'w1',
        nextRun: newId(),
        nodes: [],
      };
      const [row] = (await runner.query(
        'SELECT accepted, (next_run).id IS NOT NULL AS begins FROM workflow_finish_runs($1, $2, 20)',
        [JSON.stringify([end]), [run.workflowId]],
      )) as unknown[];
      expect(row).toEqual({ accepted: true, begins: true });
      const [{ read }] = (await runner.query(
        `SELECT idx_tup_fetch::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'workflow_requests'`,
      )) as [{ read: number }];
      await runner.rollbackTransaction();
      return read;
    };
    const [young, old] = [await begin(1), await begin(0)];
    const before = await readOf(young);
    await sql(
      `INSERT INTO workflow_requests (id, workflow_id, status, run_to_the_end, queued_at, finished_at)
       SELECT gen_random_uuid(), $1, 'done', true, now(), now() FROM generate_series(1, 2000)`,
      [old.workflowId],
    );
    const call = { isBranch: false, startNodeId: null, runToTheEnd: true, idempotencyKey: null, payload: {} };
    await module.get(WebhookQueue).trigger({ workflowId: old.workflowId, nodeId: null }, call);
    expect((await readOf(old)) - before).toBeLessThan(20);
    await runner.release();
  });

  it('are written one by one where one of them is refused', async () => {
    const runs = await Promise.all([begin(1), begin(1), begin(0)]);
    const wrong = { ...done('join'), status: 'NO SUCH STATUS' as NodeStatus };
    const ends = await Promise.allSettled(
      runs.map((run, index) => store.finishRun(run, index === 1 ? [wrong] : [done('start')], COMPLETED)),
    );
    expect([groups(), singles()]).toEqual([1, 3]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await finish(runs[1]!)).toMatchObject({ accepted: true, next: { payload: { n: 1 } } });
  });

  it('do not wait for a workflow that somebody else holds', async () => {
    const runs = await Promise.all([begin(0), begin(1), begin(0)]);
    const holder = database.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT 1 FROM workflows WHERE id = $1 FOR NO KEY UPDATE', [runs[1]!.workflowId]);
    let isHeldOver = false;
    const ends = runs.map((run) => finish(run));
    const held = ends[1]!.then((end) => ({ end, isHeldOver }));
    expect(await Promise.all([ends[0], ends[2]])).toMatchObject([{ accepted: true }, { accepted: true }]);
    isHeldOver = true;
    await holder.commitTransaction();
    await holder.release();
    expect(await held).toMatchObject({ isHeldOver: true, end: { accepted: true, next: { payload: { n: 1 } } } });
  });

  it('end each run once, however they meet', async () => {
    const runs = await Promise.all(Array.from({ length: 12 }, () => begin(6)));
    const versions = await Promise.all(
      runs.map(async (run) => {
        const served = [run.version];
        for (let next: ClaimedRun | null = run; next !== null;) {
          next = (await finish(next)).next;
          if (next) served.push(next.version);
        }
        return served;
      }),
    );
    for (const served of versions) expect(served).toEqual([1, 2, 3, 4, 5, 6, 7]);
    for (const { workflowId } of runs)
      expect(
        await sql(
          `SELECT status, count(*)::int AS count, max(w.successful_run_count) AS succeeded, max(w.pending_requests) AS pending
           FROM workflow_requests q JOIN workflows w ON w.id = q.workflow_id WHERE w.id = $1 GROUP BY status`,
          [workflowId],
        ),
      ).toEqual([{ status: 'done', count: 7, succeeded: 7, pending: 0 }]);
    expect(groups()).toBeGreaterThan(6);
    expect(singles()).toBe(0);
  });
});
