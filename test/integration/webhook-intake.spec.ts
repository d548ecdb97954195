import { newId } from '@app/common';
import { RequestRetention, WebhookQueue } from '@app/workflows';
import type { TestingModule } from '@nestjs/testing';
import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';
import {
  type CreatedWorkflow,
  createUser,
  createWorkflow,
  fanOutAndJoin,
  startWorkflows,
} from '../support/workflows.js';

/** Calls that come together are written together; none may harm the others. */
describe('the intake of webhook calls', () => {
  let database: TestDatabase;
  let module: TestingModule;
  let dataSource: DataSource;
  let workflows: CreatedWorkflow[];

  beforeAll(async () => {
    database = await createTestDatabase();
    module = await startWorkflows(database.url);
    dataSource = database.dataSource;
    const owner = await createUser(dataSource);
    workflows = [];
    for (let n = 0; n < 5; n += 1) workflows.push(await createWorkflow(module, owner, fanOutAndJoin));
  });
  afterAll(async () => {
    await module.close();
    await database.drop();
  });

  const trigger = ({ id: workflowId }: { id: string }, payload: object, idempotencyKey: string | null = null) =>
    module
      .get(WebhookQueue)
      .trigger(
        { workflowId, nodeId: null },
        { payload, isBranch: false, startNodeId: null, runToTheEnd: true, idempotencyKey },
      );
  const arrivals = async (workflowId: string) =>
    (
      await dataSource.query<{ n: number }[]>(
        `SELECT (payload->>'n')::int AS n FROM workflow_requests WHERE workflow_id = $1 ORDER BY seq`,
        [workflowId],
      )
    ).map(({ n }) => n);

  it('keeps the order of each workflow while hundreds come at once', async () => {
    const calls = Array.from({ length: 500 }, (_, n) => trigger(workflows[n % 2]!, { n }));
    const accepted = await Promise.all(calls);
    expect(accepted.filter(({ queued }) => !queued)).toHaveLength(2);
    for (const [at, workflow] of workflows.slice(0, 2).entries())
      expect(await arrivals(workflow.id)).toEqual(Array.from({ length: 250 }, (_, n) => n * 2 + at));
    expect(accepted.filter((_, n) => n % 2 === 0).map(({ queuePosition }) => queuePosition)).toEqual([
      ...Array(250).keys(),
    ]);
    // Of Postgres since 17; runs that were begun meanwhile are of the same kind.
    for (const table of ['workflow_requests', 'workflow_runs'])
      expect(await dataSource.query(`SELECT DISTINCT uuid_extract_version(id)::int AS version FROM ${table}`)).toEqual([
        { version: 7 },
      ]);
  });

  it('lets a locked workflow hold up its own calls only, and in order', async () => {
    const [, , locked, free] = workflows as [CreatedWorkflow, CreatedWorkflow, CreatedWorkflow, CreatedWorkflow];
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT FROM workflows WHERE id = $1 FOR UPDATE', [locked.id]);
    let settled = 0;
    const waiting: Promise<unknown>[] = [];
    try {
      for (let n = 0; n < 30; n += 1) {
        waiting.push(trigger(locked, { n }).finally(() => (settled += 1)));
        await trigger(free, { n });
      }
      expect(settled).toBe(0);
    } finally {
      await runner.commitTransaction();
      await runner.release();
    }
    await Promise.all(waiting);
    const expected = Array.from({ length: 30 }, (_, n) => n);
    expect(await arrivals(locked.id)).toEqual(expected);
    expect(await arrivals(free.id)).toEqual(expected);
  });

  it('fails one call for its own fault, and tells the unknown from the full', async () => {
    const workflow = workflows[4]!;
    const gone = { id: newId() };
    const outcomes = await Promise.allSettled([
      trigger(workflow, { n: 0 }),
      trigger(gone, { n: 1 }),
      trigger(workflow, { n: 2 }, 'same'),
      trigger(workflow, { n: 3 }, 'same'),
      // Postgres refuses it, and with it the whole statement.
      trigger(workflow, { n: 4 }, 'with\0nul'),
      trigger(workflow, { n: 5 }),
    ]);
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value.duplicate : 'failed'))).toEqual([
      false,
      'failed',
      false,
      true,
      expect.anything(),
      false,
    ]);
    expect((await arrivals(workflow.id)).filter((n) => n !== 4)).toEqual([0, 2, 5]);
    const [{ pending }] = await dataSource.query<[{ pending: number }]>(
      `SELECT pending_requests - (SELECT count(*) FROM workflow_requests q WHERE q.workflow_id = w.id AND status = 'pending')::int
         AS pending FROM workflows w WHERE id = $1`,
      [workflow.id],
    );
    expect(pending).toBe(0);
  });

  it('keeps the keys of credentials apart', async () => {
    const { id: workflowId } = workflows[3]!;
    const by = (nodeId: string | null) =>
      module
        .get(WebhookQueue)
        .trigger(
          { workflowId, nodeId },
          { payload: {}, isBranch: false, startNodeId: null, runToTheEnd: true, idempotencyKey: 'event' },
        );
    const calls = [await by(null), await by('left'), await by('right'), await by('left'), await by(null)];
    expect(calls.map(({ duplicate }) => duplicate)).toEqual([false, false, false, true, true]);
    expect(calls[3]!.requestId).toBe(calls[1]!.requestId);
  });

  it('takes only what ended long ago out of the list', async () => {
    const { id } = workflows[4]!;
    await dataSource.query(
      `UPDATE workflow_requests SET queued_at = now() - interval '40 days', status = 'done', finished_at = now() - interval '35 days'
       WHERE workflow_id = $1 AND payload->>'n' = '0'`,
      [id],
    );
    await dataSource.query(
      `UPDATE workflow_requests SET queued_at = now() - interval '40 days' WHERE workflow_id = $1 AND payload->>'n' = '2'`,
      [id],
    );
    const retention = module.get(RequestRetention);
    await until(async () => (await retention.removeSome()).removed === 0);
    expect((await arrivals(id)).filter((n) => n !== 4)).toEqual([2, 5]);
  });
});
