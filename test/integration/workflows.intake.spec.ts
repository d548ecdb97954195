import { newId } from '@app/common';
import { WebhookQueue } from '@app/workflows';
import type { TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUser, createWorkflow, fanOutAndJoin, startWorkflows } from '../support/workflows.js';
import { writtenOf } from '../support/written-of-workflow.js';

const LIMIT = 3;

/** What is true of a workflow when calls come to it. */
interface Case {
  name: string;
  /** SQL on `$1`, the workflow. */
  change?: string;
  calls: number;
  becomes: string[];
}

const waits = (count: number, more = '') => `WITH made AS (
    INSERT INTO workflow_requests (id, workflow_id, status ${more && ', awaiting_approval'})
    SELECT gen_random_uuid(), $1, 'pending' ${more} FROM generate_series(1, ${count}))
  UPDATE workflows SET pending_requests = ${count} WHERE id = $1`;
const run = (
  status: string,
  more = '',
) => `INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status,
    trigger, fence, is_concurrent) SELECT gen_random_uuid(), id, 0, content_revision, '${status}', 'manual', 0,
    ${more || 'false'} FROM workflows WHERE id = $1`;
const CASES: Case[] = [
  { name: 'idle', calls: 1, becomes: ['started'] },
  { name: 'idle, with many', calls: 3, becomes: ['started', 'queued', 'queued'] },
  {
    name: 'idle, with too many',
    calls: 6,
    becomes: ['started', 'queued', 'queued', 'queued', 'queue_full', 'queue_full'],
  },
  { name: 'at work', change: run('PENDING'), calls: 2, becomes: ['queued', 'queued'] },
  { name: 'at work beside others only', change: run('PENDING', 'true'), calls: 2, becomes: ['started', 'queued'] },
  { name: 'with others that wait', change: waits(2), calls: 2, becomes: ['queued', 'queue_full'] },
  { name: 'full', change: waits(LIMIT), calls: 1, becomes: ['queue_full'] },
  { name: 'more than full', change: waits(LIMIT + 2), calls: 1, becomes: ['queue_full'] },
  {
    name: 'with others that wait to be approved',
    change: waits(1, ', true'),
    calls: 2,
    becomes: ['started', 'queued'],
  },
  {
    name: 'asking for approval',
    change: 'UPDATE workflows SET requires_approval = true WHERE id = $1',
    calls: 4,
    becomes: ['queued', 'queued', 'queued', 'queue_full'],
  },
  {
    name: 'with an older definition published',
    change: `WITH older AS (UPDATE workflows SET content_revision = content_revision + 1,
        published_revision = content_revision WHERE id = $1 RETURNING *)
      INSERT INTO workflow_revisions (workflow_id, content_revision, name, json_spec)
      SELECT o.id, o.content_revision, v.name, v.json_spec FROM older o
      JOIN workflow_revisions v ON v.workflow_id = o.id AND v.content_revision = o.published_revision`,
    calls: 1,
    becomes: ['started'],
  },
  {
    name: 'in the trash',
    change: 'UPDATE workflows SET deleted_at = now(), purge_at = now() WHERE id = $1',
    calls: 2,
    becomes: ['busy', 'busy'],
  },
  {
    name: 'of an account that was deactivated',
    change: `WITH other AS (INSERT INTO users (username, email, is_active)
        VALUES ('o' || $1::uuid, 'o' || $1::uuid || '@test.example', false) RETURNING id)
      UPDATE workflows SET owner_id = (SELECT id FROM other) WHERE id = $1`,
    calls: 1,
    becomes: ['busy'],
  },
];

interface Row {
  place: number;
  outcome: string;
  request_id: string;
  outbox_id: string | null;
}

/** All calls of all cases, those of one workflow apart from each other. */
function callsOf(ids: readonly string[]) {
  const most = Math.max(...CASES.map(({ calls }) => calls));
  const order = Array.from({ length: most }, (_, nth) => CASES.flatMap(({ calls }, at) => (nth < calls ? [at] : [])));
  return order.flat().map((at, place) => {
    const runId = newId();
    const message = { job: 'execute-run', queue: 'runs', jobKey: `${runId}:0`, payload: { runId, fence: 0 } };
    return {
      place,
      workflow: ids[at]!,
      request: newId(),
      run: runId,
      payload: place % 2 === 0 ? { place } : undefined,
      startNode: null,
      toTheEnd: true,
      key: null,
      correlation: `call ${place}`,
      message: { ...message, requestId: `call ${place}` },
    };
  });
}

describe('calls that are taken in together', () => {
  let database: TestDatabase;
  let module: TestingModule;
  let ownerId: number;

  beforeAll(async () => {
    database = await createTestDatabase();
    module = await startWorkflows(database.url);
    ownerId = await createUser(database.dataSource);
  });
  afterAll(async () => {
    await module.close();
    await database.drop();
  });

  const sql = <T>(query: string, values: unknown[] = []) => database.dataSource.query<T>(query, values);

  async function prepare(): Promise<string[]> {
    const ids = [];
    for (const { change } of CASES) {
      const { id } = await createWorkflow(module, ownerId, fanOutAndJoin);
      if (change) await sql(change, [id]);
      ids.push(id);
    }
    return ids;
  }

  const enqueuePlain = (calls: readonly { workflow: string }[]) =>
    sql<Row[]>('SELECT * FROM workflow_enqueue_plain($1::json, $2, $3)', [
      JSON.stringify(calls),
      calls.map(({ workflow }) => workflow),
      LIMIT,
    ]);

  it('are written as each would have been alone', async () => {
    const [alone, together] = [await prepare(), await prepare()];
    const told = new Map<string, unknown>();
    for (const [name, ids] of Object.entries({ alone, together })) {
      const calls = callsOf(ids);
      const rows =
        name === 'alone'
          ? await sql<Row[]>('SELECT * FROM workflow_enqueue($1::json, $2, false)', [JSON.stringify(calls), LIMIT])
          : await enqueuePlain(calls);
      for (const { place, request_id: id } of rows) expect({ place, id }).toEqual({ place, id: calls[place]!.request });
      const jobs = await sql<{ id: string; key: string; request: string }[]>(
        'SELECT id, job_key AS key, request_id AS request FROM outbox_messages WHERE id = ANY($1)',
        [rows.flatMap(({ outbox_id: id }) => id ?? [])],
      );
      const byPlace = rows.toSorted((a, b) => a.place - b.place);
      for (const [at, { name: state, becomes }] of CASES.entries())
        expect({
          state,
          became: byPlace.filter(({ place }) => calls[place]!.workflow === ids[at]).map((one) => one.outcome),
        }).toEqual({ state, became: becomes });
      for (const { id, key, request } of jobs) {
        const { place } = rows.find((row) => row.outbox_id === id)!;
        expect({ key, request }).toEqual({ key: calls[place]!.message.jobKey, request: `call ${place}` });
      }
      told.set(name, {
        rows: byPlace.map((row) => ({ ...row, request_id: '', outbox_id: row.outbox_id !== null })),
        jobs: jobs.length,
      });
    }
    expect(told.get('together')).toEqual(told.get('alone'));
    for (const [at, { name }] of CASES.entries())
      expect({ name, written: await writtenOf(database.dataSource, together[at]!) }).toEqual({
        name,
        written: await writtenOf(database.dataSource, alone[at]!),
      });
  });

  it('are taken in, even one alone, by connections that keep the statement no more', async () => {
    const [id] = await prepare();
    const call = { isBranch: false, startNodeId: null, runToTheEnd: true, idempotencyKey: null, payload: {} };
    const take = () => module.get(WebhookQueue).trigger({ workflowId: id!, nodeId: null }, call);
    await take();
    for (let n = 1; n <= 3; n++) {
      // The pool lends the connection first that was given back last.
      await module.get(DataSource).query('DEALLOCATE ALL');
      expect(await take()).toMatchObject({ queuePosition: n });
    }
  });

  it('leave out a workflow that somebody else holds', async () => {
    const ids = await prepare();
    const calls = callsOf(ids).slice(0, 2);
    const holder = database.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT FROM workflows WHERE id = $1 FOR NO KEY UPDATE', [ids[0]]);
    const rows = await enqueuePlain(calls);
    await holder.rollbackTransaction();
    await holder.release();
    expect(rows.toSorted((a, b) => a.place - b.place).map(({ outcome }) => outcome)).toEqual(['busy', 'started']);
  });
});
