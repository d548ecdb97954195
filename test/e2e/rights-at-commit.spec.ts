import { startApi, type TestApi } from '../support/api.js';
import { HttpClient } from '../support/http-client.js';
import { lockWaits } from '../support/lock-waits.js';
import { until } from '../support/until.js';
import { addCollaborator, ask, startWorkflow } from '../support/workflow-api.js';
import { fanOutAndJoin } from '../support/workflows.js';

const SCHEDULE = { name: 'Known', kind: 'interval', interval_minutes: 5 };

/**
 * What editors may write: each has to be refused when the editor is one no longer by the time that it is written. Paths
 * begin at the workflow, or at the root with a slash.
 */
const WRITES: [string, 'POST' | 'PUT' | 'PATCH' | 'DELETE', string, object | undefined][] = [
  ['a save', 'PUT', '', { name: 'Mine', json_spec: fanOutAndJoin }],
  ['a label', 'PATCH', 'versions/1/', { label: 'Mine' }],
  ['a version brought back', 'POST', 'versions/1/restore/', {}],
  ['a version published', 'POST', 'versions/1/publish/', {}],
  ['a version taken back', 'POST', 'unpublish/', {}],
  ['a schedule', 'POST', 'schedules/', { name: 'Mine', kind: 'interval', interval_minutes: 5 }],
  ['a secret', 'POST', 'secrets/', { name: 'mine', value: 'something' }],
  ['a secret changed', 'PUT', 'secrets/known/', { value: 'something else' }],
  ['a secret deleted', 'DELETE', 'secrets/known/', undefined],
  ['a run', 'POST', '/microservices/workflow/rerun/', { workflow_id: ':id' }],
  ['a branch run', 'POST', '/microservices/workflow/branch-rerun/', { workflow_id: ':id', start_node_id: 'left' }],
  ['a run that answers', 'POST', '/workflow/run/stream/', { workflow_id: ':id', message: 'go' }],
  ['a run repeated', 'POST', 'history/1/retry/', {}],
  ['a run deleted', 'DELETE', 'history/1/', undefined],
  ['a run stopped', 'POST', '/microservices/workflow/stop/', { workflow_id: ':id' }],
  ['a schedule run', 'POST', 'schedules/:sid/run/', {}],
  ['a schedule run for the past', 'POST', 'schedules/:sid/backfill/', { from: ':from', to: ':to' }],
  ['a schedule paused', 'POST', 'schedules/:sid/pause/', {}],
  ['a schedule deleted', 'DELETE', 'schedules/:sid/', undefined],
  ['tags', 'PUT', 'tags/', { tag_ids: [] }],
];

/** What its owner alone may write, beside those. */
const OWNERS: typeof WRITES = [
  ['the trash', 'DELETE', '', undefined],
  ['an end for good', 'DELETE', 'permanent-delete/', undefined],
  ['a signing key', 'POST', 'webhook-signing-key/', {}],
  ['an address', 'PUT', 'webhook-url/', { scheme: 'none' }],
  ['a person', 'POST', 'collaborators/', { emails: ['nobody@test.example'], role: 'editor' }],
  ['an offer', 'POST', 'transfer/', { email: ':email' }],
  ['nodes taken over', 'POST', 'adopt/', {}],
];

describe('rights at the moment of writing', () => {
  let api: TestApi;
  let owner: HttpClient;
  /** Of one workflow after the other. */
  let editor: HttpClient;
  let other: HttpClient;
  beforeAll(async () => {
    api = await startApi();
    [owner, editor, other] = [await api.signUp(), await api.signUp(), await api.signUp()];
  });
  afterAll(() => api.stop());

  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T[]>(text, values);
  const isWaited = async () => (await lockWaits(api.database.dataSource)) > 0;
  const stateOf = async (id: string) =>
    sql(
      `SELECT w.content_revision, w.published_revision, w.deleted_at,
         (SELECT array_agg(v.label) FROM workflow_revisions v WHERE v.workflow_id = w.id) AS labels,
         (SELECT array_agg(s.state || s.version) FROM workflow_schedules s WHERE s.workflow_id = w.id) AS schedules,
         (SELECT array_agg(s.name || s.updated_at) FROM workflow_secrets s WHERE s.workflow_id = w.id) AS secrets,
         (SELECT array_agg(r.version || r.status ORDER BY r.version) FROM workflow_runs r WHERE r.workflow_id = w.id) AS runs,
         (SELECT count(*)::int FROM workflow_transfers t WHERE t.workflow_id = w.id) AS offers,
         (SELECT count(*)::int FROM share_invitations i WHERE i.workflow_id = w.id) AS invitations
       FROM workflows w WHERE w.id = $1`,
      [id],
    );

  /** A workflow of the owner with a secret, a schedule and a run of `status`. */
  async function prepare(status: 'COMPLETED' | 'PENDING') {
    const id = await startWorkflow(owner, fanOutAndJoin);
    const at = `/microservices/workflow/${id}/`;
    await owner.post(`${at}secrets/`, { name: 'known', value: 'something' });
    const { id: sid } = await owner.post<{ id: string }>(`${at}schedules/`, SCHEDULE);
    await owner.post('/microservices/workflow/rerun/', { workflow_id: id });
    if (status === 'COMPLETED')
      await sql(
        `WITH ended AS (UPDATE workflow_runs SET status = 'COMPLETED', finished_at = now() WHERE workflow_id = $1 RETURNING id)
         UPDATE workflow_run_nodes n SET status = 'COMPLETED', finished_at = now() FROM ended WHERE n.run_id = ended.id`,
        [id],
      );
    return { id, sid };
  }

  /** The write comes while somebody holds the workflow, who then takes the right away and lets go. */
  async function interleave(
    client: HttpClient,
    [, method, path, body]: (typeof WRITES)[number],
    { id, sid }: { id: string; sid: string },
    takeAway: { text: string; values: unknown[] },
  ) {
    const fill = (text: string) =>
      text
        .replaceAll(':id', id)
        .replaceAll(':sid', sid)
        .replaceAll(':email', `${owner.username}@test.example`)
        .replaceAll(':from', new Date(Date.now() - 3_600_000).toISOString())
        .replaceAll(':to', new Date().toISOString());
    const runner = api.database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT FROM workflows WHERE id = $1 FOR NO KEY UPDATE', [id]);
    const at = path.startsWith('/') ? path : `/microservices/workflow/${id}/${path}`;
    const write = ask(client, method, fill(at), body && (JSON.parse(fill(JSON.stringify(body))) as object));
    // One that is answered before it waited was refused for another reason.
    const early = write.then(({ status }) => Promise.reject(new Error(`Nothing was waited for: ${status}`)));
    await Promise.race([until(isWaited), early]);
    early.catch(() => undefined);
    await runner.query(takeAway.text, takeAway.values);
    await runner.commitTransaction();
    await runner.release();
    return write;
  }

  it.each(WRITES)('are those that hold then: %s', async (...write) => {
    const made = await prepare(/stop/.test(write[2]) ? 'PENDING' : 'COMPLETED');
    await addCollaborator(api, made.id, editor, 'editor');
    const before = await stateOf(made.id);
    const text = 'DELETE FROM workflow_collaborators WHERE workflow_id = $1';
    expect(await interleave(editor, write, made, { text, values: [made.id] })).toMatchObject({ status: 404 });
    expect(await stateOf(made.id)).toEqual(before);
  });

  it.each([...WRITES, ...OWNERS])('end with the account: %s', async (...write) => {
    const made = await prepare(/stop/.test(write[2]) ? 'PENDING' : 'COMPLETED');
    const give = `UPDATE workflows SET owner_id = (SELECT id FROM users WHERE username = $2) WHERE id = $1`;
    await sql(give, [made.id, other.username]);
    const before = await stateOf(made.id);
    const text = 'UPDATE users SET is_active = false WHERE username = $1';
    expect(await interleave(other, write, made, { text, values: [other.username] })).toMatchObject({ status: 404 });
    expect(await stateOf(made.id)).toEqual(before);
    await sql('UPDATE users SET is_active = true WHERE username = $1', [other.username]);
  });

  it.each(OWNERS)('end with a transfer: %s', async (...write) => {
    const made = await prepare('COMPLETED');
    const before = await stateOf(made.id);
    const text = `UPDATE workflows SET owner_id = (SELECT id FROM users WHERE username = $2) WHERE id = $1`;
    expect(await interleave(owner, write, made, { text, values: [made.id, other.username] })).toMatchObject({
      status: 404,
    });
    expect(await stateOf(made.id)).toEqual(before);
  });

  const WAYS_IN: [string, string, object, string, number][] = [
    [
      'an API token',
      '/users/api-tokens/',
      { name: 'Mine', scopes: ['documents:read'] },
      'SELECT FROM api_tokens WHERE user_id = $1',
      0,
    ],
    [
      'a password',
      '/users/password/set/',
      { new_password: 'quite-another-0123' },
      'SELECT FROM users WHERE id = $1 AND password_hash IS NULL',
      1,
    ],
  ];
  it.each(WAYS_IN)(
    'are those of a session that lives: %s outlives none that has ended',
    async (_, path, body, found, rows) => {
      const person = await HttpClient.signUp(api.baseUrl);
      const { info } = await person.get<{ info: { id: number } }>('/users/me/');
      await sql('UPDATE users SET password_hash = NULL WHERE id = $1', [info.id]);
      const runner = api.database.dataSource.createQueryRunner();
      await runner.startTransaction();
      await runner.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [info.id]);
      const write = ask(person, 'POST', path, body);
      await until(isWaited);
      await runner.query('UPDATE sessions SET revoked_at = now() WHERE user_id = $1', [info.id]);
      await runner.commitTransaction();
      await runner.release();
      expect(await write).toMatchObject({ status: 401 });
      expect(await sql(found, [info.id])).toHaveLength(rows);
    },
  );
});
