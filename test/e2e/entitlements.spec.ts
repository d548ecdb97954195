import { startApi, type TestApi } from '../support/api.js';
import { upload } from '../support/documents-api.js';
import { HttpClient } from '../support/http-client.js';
import { fanOutAndJoin } from '../support/workflows.js';
import { startWorkflow } from '../support/workflow-api.js';

const KB = 1024;
const LIMIT = 100 * KB;
const UNTRAINED = { train_after_upload: 'false' };

type Entitlements = Record<string, unknown>;

async function entitlementsOf(client: HttpClient): Promise<Entitlements> {
  return (await client.get<{ info: { entitlements: Entitlements } }>('/users/me/')).info.entitlements;
}

describe('entitlements', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({ STORAGE_QUOTA_BYTES: String(LIMIT), WORKFLOW_HISTORY_DAYS: '45' });
  });
  afterAll(() => api.stop());

  const sql = <T>(text: string, values: unknown[]) => api.database.dataSource.query<T>(text, values);

  it('are what the deployment gives, and what is used of it', async () => {
    const client = await api.signUp();
    const { body } = await upload(client, new File(['x'.repeat(60 * KB)], 'a.txt'), UNTRAINED);
    const [{ id }] = await sql<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [client.username]);
    await sql(
      `INSERT INTO written_files (id, owner_id, path, storage_key, mime_type, size_bytes, sha256)
       VALUES (gen_random_uuid(), $1, 'a.txt', 'k', 'text/plain', 1000, '')`,
      [id],
    );
    await sql(
      `INSERT INTO storage_reservations (id, user_id, bytes, expires_at)
       VALUES (gen_random_uuid(), $1, 500, now() + interval '1 hour')`,
      [id],
    );
    await sql(
      `WITH made AS (
         INSERT INTO document_indexes (document_uid, owner_id, generation, chunk_count, term_count, embedding_model)
         VALUES ($1, $2, 1, 3, 3, 'm') RETURNING id
       ), chunk AS (
         INSERT INTO chunks (index_id, ordinal, term_count, terms) SELECT id, 0, 1, 'a:1'::tsvector FROM made RETURNING id, index_id
       ), bits AS (
         INSERT INTO chunk_sign_bits (chunk_id, index_id, owner_id, bits) SELECT id, index_id, $2, B'1010' FROM chunk
       )
       INSERT INTO chunk_vectors (chunk_id, vector) SELECT id, decode(repeat('00', 16), 'hex') FROM chunk`,
      [body.uid, id],
    );
    expect(await entitlementsOf(client)).toEqual({
      plan_code: '',
      plan_name: 'Free',
      owner_type: 'none',
      is_active: true,
      seats: 1,
      support_tier: expect.any(String),
      features: expect.objectContaining({ chat_ai: true }),
      monthly_workflow_runs: null,
      included_tokens: null,
      storage_bytes: LIMIT,
      run_history_days: 45,
      live_build_sessions: null,
      workflow_runs_used: 0,
      storage_used_bytes: 60 * KB + 1500,
      storage_breakdown: {
        media: 60 * KB,
        vector: 48,
        workflow: 1000,
        total: 60 * KB + 1048,
        limit: LIMIT,
        measured_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      enforced: false,
      storage_enforced: true,
    });
    const refused = await upload(client, new File(['x'.repeat(60 * KB)], 'b.txt'), UNTRAINED);
    expect(refused).toMatchObject({ status: 413, body: { code: 'storage_limit_exceeded' } });
  });

  it('count the successful runs of the month', async () => {
    const [client, other] = await Promise.all([api.signUp(), api.signUp()]);
    const workflowId = await startWorkflow(client, fanOutAndJoin);
    const runs: [status: string, finishedAt: string, parent: number | null][] = [
      ['COMPLETED', 'now()', null],
      ['COMPLETED', `date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`, null],
      ['COMPLETED', 'now()', 0],
      ['FAILED', 'now()', null],
      ['COMPLETED', `date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '1 second'`, null],
    ];
    const ids: string[] = [];
    for (const [index, [status, finishedAt, parent]] of runs.entries()) {
      const [run] = await sql<[{ id: string }]>(
        `INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, parent_run_id, parent_node_id, parent_key,
           is_concurrent)
         VALUES (gen_random_uuid(), $1, $2, 1, 'RUNNING', 'manual', $3, $4, $4, true) RETURNING id`,
        [workflowId, 100 + index, parent === null ? null : ids[parent], parent === null ? null : 'n'],
      );
      await sql(`UPDATE workflow_runs SET status = $2, finished_at = ${finishedAt} WHERE id = $1`, [run.id, status]);
      ids.push(run.id);
    }
    await sql('DELETE FROM workflow_runs WHERE workflow_id = $1', [workflowId]);
    expect(await entitlementsOf(client)).toMatchObject({ workflow_runs_used: 2 });
    expect(await entitlementsOf(other)).toMatchObject({ workflow_runs_used: 0 });
  });
});

it('say that nothing is limited where nothing is', async () => {
  const api = await startApi({ STORAGE_QUOTA_BYTES: '0' });
  expect(await entitlementsOf(await api.signUp())).toMatchObject({
    storage_bytes: null,
    storage_enforced: false,
    storage_used_bytes: 0,
    storage_breakdown: { limit: null, total: 0 },
  });
  await api.stop();
});
