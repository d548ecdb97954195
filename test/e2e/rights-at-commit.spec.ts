import { startApi, type TestApi } from '../support/api.js';
import { HttpClient } from '../support/http-client.js';
import { until } from '../support/until.js';
import { addCollaborator, ask, startWorkflow } from '../support/workflow-api.js';
import { fanOutAndJoin } from '../support/workflows.js';

/** What editors may write: each has to be refused when the editor is one no longer by the time that it is written. */
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
];

describe('rights at the moment of writing', () => {
  let api: TestApi;
  let owner: HttpClient;
  beforeAll(async () => {
    api = await startApi();
    owner = await HttpClient.signUp(api.baseUrl);
  });
  afterAll(() => api.stop());

  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T[]>(text, values);
  const waiting = () =>
    sql(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  const stateOf = async (id: string) =>
    sql(
      `SELECT w.content_revision, w.published_revision, (SELECT array_agg(v.label) FROM workflow_revisions v
         WHERE v.workflow_id = w.id) AS labels, (SELECT count(*)::int FROM workflow_schedules s
         WHERE s.workflow_id = w.id) AS schedules, (SELECT array_agg(s.name || s.updated_at) FROM workflow_secrets s
         WHERE s.workflow_id = w.id) AS secrets FROM workflows w WHERE w.id = $1`,
      [id],
    );

  it.each(WRITES)('are those that hold then: %s', async (_name, method, path, body) => {
    const editor = await HttpClient.signUp(api.baseUrl);
    const id = await startWorkflow(owner, fanOutAndJoin);
    await addCollaborator(api, id, editor, 'editor');
    const at = `/microservices/workflow/${id}/`;
    await owner.post(`${at}secrets/`, { name: 'known', value: 'something' });
    const before = await stateOf(id);

    // The owner takes the editor's access away while the write is under way, and is done first.
    const runner = api.database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT FROM workflows WHERE id = $1 FOR NO KEY UPDATE', [id]);
    const write = ask(editor, method, `${at}${path}`, body);
    await until(async () => (await waiting()).length > 0);
    await runner.query('DELETE FROM workflow_collaborators WHERE workflow_id = $1', [id]);
    await runner.commitTransaction();
    await runner.release();

    expect(await write).toMatchObject({ status: 404 });
    expect(await stateOf(id)).toEqual(before);
  });
});
