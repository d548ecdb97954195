import { newId } from '@app/common';
import { WorkflowParts, WorkflowTrash } from '@app/workflows';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { addCollaborator, ask, auditOf, makeCast, startWorkflow } from '../support/workflow-api.js';
import { fanOutAndJoin } from '../support/workflows.js';

const at = (id: string, path = '') => `/microservices/workflow/${id}/${path}`;

/** Copies of a workflow name it and outlive it. */
const KEPT = ['workflows'];

describe('the end of workflows', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);

  /** Two runs (one active) with nodes, outputs, a waiting call, another revision, a tag and a node credential. */
  async function fill(owner: HttpClient, id: string): Promise<void> {
    const { webhook_id, webhook_secret } = await owner.get<Record<string, string>>(at(id));
    await ask(owner, 'POST', '/microservices/workflow/rerun/', { workflow_id: id });
    await ask(owner, 'POST', '/microservices/workflow/stop/', { workflow_id: id });
    for (let n = 0; n < 3; n += 1)
      await ask(owner, 'POST', '/microservices/workflow/webhook/', { webhook_id, webhook_secret, payload: { n } });
    await ask(owner, 'PUT', at(id), { name: 'Again', json_spec: fanOutAndJoin });
    await owner.get(at(id, 'node-webhook/start/'));
    const tag = await owner.post<{ id: string }>('/microservices/workflow/tags/', { name: newId() });
    await ask(owner, 'PUT', at(id, 'tags/'), { tag_ids: [tag.id] });
    await sql(
      `INSERT INTO workflow_run_nodes (run_id, node_id, status) SELECT id, 'start', 'COMPLETED' FROM workflow_runs
       WHERE workflow_id = $1 ON CONFLICT DO NOTHING`,
      [id],
    );
    await sql(
      `INSERT INTO workflow_outputs (id, workflow_id, run_id, node_id, node_name, kind, type, value, size_bytes)
       SELECT gen_random_uuid(), $1, id, 'join', 'join', 'merge', 'json', '1', 1 FROM workflow_runs WHERE workflow_id = $1`,
      [id],
    );
  }

  it('knows every table that names a workflow or a run', async () => {
    const rows = await sql<{ name: string }[]>(
      `SELECT DISTINCT c.conrelid::regclass::text AS name FROM pg_constraint c
       WHERE c.contype = 'f' AND c.confrelid IN ('workflows'::regclass, 'workflow_runs'::regclass)`,
    );
    const known = api.app
      .get(WorkflowParts)
      .list()
      .flatMap(({ tables }) => tables);
    expect(rows.map(({ name }) => name).filter((name) => ![...known, ...KEPT].includes(name))).toEqual([]);
  });

  it('says what a delete takes along, and what stopped when it went to the trash', async () => {
    const { id, owner, editor, stranger } = await makeCast(api, fanOutAndJoin);
    await fill(owner, id);
    const report = {
      workflow: { id, name: 'Again', is_trashed: false },
      artifacts: { count: 0, bytes: 0, sample: [] },
      charts: { count: 0, sample: [] },
      dashboards: { emptied: 0 },
      chat_sessions: { count: 0, sample: [] },
      run_history: { versions: 2 },
      dashboard_documents: { count: 0 },
      spec_revisions: 2,
      schedules: [],
      queued_webhook_runs: 3,
      node_runs: 2,
      extractor_tables_deleted: [],
    };
    expect(await owner.get(at(id, 'delete-impact/'))).toMatchObject(report);
    for (const client of [editor, stranger])
      expect((await ask(client, 'GET', at(id, 'delete-impact/'))).status).toBe(client === editor ? 403 : 404);
    const trashed = await ask(owner, 'DELETE', at(id));
    expect(trashed).toMatchObject({
      status: 200,
      body: {
        message: expect.any(String),
        status: 'trashed',
        id,
        side_effects: { run_stopped: true, cancelled_requests: 2 },
      },
    });
    const { deleted_at, purge_at } = trashed.body as Record<string, string>;
    expect(Date.parse(purge_at!) - Date.parse(deleted_at!)).toBe(30 * 86_400_000);
    expect(await owner.get(at(id, 'delete-impact/'))).toMatchObject({
      ...report,
      workflow: { id, is_trashed: true },
      queued_webhook_runs: 0,
    });
    expect((await ask(owner, 'DELETE', at(id))).status).toBe(404);
    expect(await owner.get('/microservices/workflow/trash/')).toEqual([
      expect.objectContaining({ id, deleted_at, purge_at, my_role: 'owner' }),
    ]);
    expect(await editor.get('/microservices/workflow/trash/')).toEqual([]);
  });

  it('says null where the run store cannot be read', async () => {
    const { id, owner } = await makeCast(api, fanOutAndJoin);
    await sql('ALTER TABLE workflow_run_nodes RENAME TO hidden');
    try {
      expect(await owner.get(at(id, 'delete-impact/'))).toMatchObject({
        run_history: { versions: null },
        node_runs: null,
        spec_revisions: 1,
        queued_webhook_runs: 0,
        artifacts: { count: 0 },
      });
    } finally {
      await sql('ALTER TABLE hidden RENAME TO workflow_run_nodes');
    }
  });

  it('deletes for good, in and outside the trash, with a count of everything', async () => {
    const { id, owner } = await makeCast(api, fanOutAndJoin);
    await fill(owner, id);
    const bystander = await startWorkflow(owner, fanOutAndJoin);
    await fill(owner, bystander);
    await ask(owner, 'DELETE', at(id));
    const counts = {
      run_history: 2,
      node_runs: 2,
      outputs: 2,
      webhook_requests: 3,
      spec_revisions: 2,
      webhooks: 2,
      tags: 1,
      artifacts: 0,
      charts: 0,
      extractor_tables: 0,
    };
    expect(await ask(owner, 'DELETE', at(id, 'permanent-delete/'))).toMatchObject({
      status: 200,
      body: { status: 'permanently_deleted', id, deleted: { ...counts, collaborators: 2 } },
    });
    const path = at(id, 'permanent-delete/');
    expect((await ask(owner, 'DELETE', path)).status).toBe(404);
    expect((await ask(owner, 'POST', at(id, 'restore/'))).status).toBe(404);
    const tables = api.app
      .get(WorkflowParts)
      .list()
      .flatMap((part) => part.tables);
    for (const table of new Set(tables)) {
      const columns = await sql<{ name: string }[]>(
        `SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1 AND column_name = 'workflow_id'`,
        [table],
      );
      if (columns.length > 0) expect(await sql(`SELECT 1 FROM ${table} WHERE workflow_id = $1`, [id])).toEqual([]);
    }
    expect(await ask(owner, 'DELETE', at(bystander, 'permanent-delete/'))).toMatchObject({
      status: 200,
      body: { deleted: { ...counts, collaborators: 0 } },
    });
  });

  it('keeps a record of who deleted what', async () => {
    const owner = await api.signUp();
    const id = await startWorkflow(owner, fanOutAndJoin);
    await ask(owner, 'DELETE', at(id, 'permanent-delete/'));
    expect(await auditOf(api, id)).toMatchObject({
      'workflow.deleted': { actor: owner.username, details: { deleted: { spec_revisions: 1 } } },
    });
  });

  it('deletes more rows than one statement takes', async () => {
    const owner = await api.signUp();
    const id = await startWorkflow(owner, fanOutAndJoin);
    await sql(
      `WITH runs AS (
         INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, finished_at)
         SELECT gen_random_uuid(), $1, n, 1, 'COMPLETED', 'manual', now() FROM generate_series(1, 6000) n RETURNING id)
       INSERT INTO workflow_run_nodes (run_id, node_id, status) SELECT id, 'start', 'COMPLETED' FROM runs`,
      [id],
    );
    expect((await ask(owner, 'DELETE', at(id, 'permanent-delete/'))).body).toMatchObject({
      deleted: { run_history: 6000, node_runs: 6000 },
    });
  });

  it('answers 404 to everybody but the owner, and deletes once for two who ask at once', async () => {
    const { id, owner, editor, viewer, stranger } = await makeCast(api, fanOutAndJoin);
    for (const client of [editor, viewer, stranger])
      expect((await ask(client, 'DELETE', at(id, 'permanent-delete/'))).status).toBe(404);
    await ask(owner, 'DELETE', at(id));
    for (const client of [viewer, stranger])
      expect((await ask(client, 'DELETE', at(id, 'permanent-delete/'))).status).toBe(404);
    for (const bad of ['x', newId()])
      expect((await ask(owner, 'DELETE', at(bad, 'permanent-delete/'))).status).toBe(404);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => ask(owner, 'DELETE', at(id, 'permanent-delete/'))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  });

  it('lets restore and purge race without losing or keeping half of it', async () => {
    const { id, owner, editor } = await makeCast(api, fanOutAndJoin);
    await ask(owner, 'DELETE', at(id));
    expect((await ask(editor, 'POST', at(id, 'restore/'))).status).toBe(403);
    await sql('UPDATE workflows SET purge_at = now() WHERE id = $1', [id]);
    const [restored] = await Promise.all([
      ask(owner, 'POST', at(id, 'restore/')),
      api.app.get(WorkflowTrash).purgeDue(10),
    ]);
    const [left] = await sql<{ deleted_at: Date | null; revisions: number }[]>(
      `SELECT deleted_at, (SELECT count(*)::int FROM workflow_revisions WHERE workflow_id = w.id) AS revisions
       FROM workflows w WHERE id = $1`,
      [id],
    );
    if (restored.status === 200) expect(left).toEqual({ deleted_at: null, revisions: 1 });
    else expect([restored.status, left]).toEqual([404, undefined]);
  });

  it('purges nothing but what is due', async () => {
    const owner = await api.signUp();
    const [due, kept] = [await startWorkflow(owner, fanOutAndJoin), await startWorkflow(owner, fanOutAndJoin)];
    await fill(owner, due);
    await addCollaborator(api, due, await api.signUp(), 'viewer');
    for (const id of [due, kept]) await ask(owner, 'DELETE', at(id));
    await sql(`UPDATE workflows SET purge_at = now() - interval '1 second' WHERE id = $1`, [due]);
    expect(await api.app.get(WorkflowTrash).purgeDue(10)).toBe(1);
    expect((await owner.get<{ id: string }[]>('/microservices/workflow/trash/')).map(({ id }) => id)).toEqual([kept]);
    expect((await ask(owner, 'POST', at(due, 'restore/'))).status).toBe(404);
    expect(await ask(owner, 'POST', at(kept, 'restore/'))).toMatchObject({ status: 200, body: { status: 'restored' } });
  });
});
