import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { Directory } from '../support/scim.js';
import { until } from '../support/until.js';

const PATH = '/microservices/workflow/';
const mailOf = ({ username }: HttpClient) => `${username}@test.example`;
const STEPS = 8;
/** A second each. */
const SLOW = {
  name: 'Slow',
  version: '1',
  entry: ['step0'],
  nodes: Array.from({ length: STEPS }, (_, n) => ({
    id: `step${n}`,
    kind: 'delay',
    params: { seconds: 1 },
    next: n < STEPS - 1 ? [`step${n + 1}`] : [],
  })),
  edges: [],
};

describe('work of a deactivated account', () => {
  let api: TestApi;
  let acme: Directory;
  beforeAll(async () => {
    api = await startApi();
    acme = await Directory.open(api);
    await api.hostRunner({ HEARTBEAT_SECONDS: '1' });
  });
  afterAll(() => api.stop());

  it('is refused to those who share it, rests while it runs, and goes on when the account is active again', async () => {
    const [owner, editor] = [await api.signUp(), await api.signUp()];
    const { info } = await owner.get<{ info: { id: number } }>('/users/me/');
    const sql = <T>(text: string, values: unknown[]) => api.database.dataSource.query<T>(text, values);
    await sql('UPDATE users SET organization_id = $2 WHERE id = $1', [info.id, acme.organizationId]);
    const { workflow_id: id } = await owner.post<{ workflow_id: string }>(`${PATH}start/`, { json: SLOW });
    await owner.post(`${PATH}${id}/collaborators/`, { emails: [mailOf(editor)], role: 'editor' });
    const rerun = (client: HttpClient) => client.send('POST', `${PATH}rerun/`, { workflow_id: id });
    expect((await rerun(owner)).status).toBe(200);
    const doneSteps = async () => {
      const rows = await sql<{ count: number }[]>(
        `SELECT count(*)::int AS count FROM workflow_run_nodes n JOIN workflow_runs r ON r.id = n.run_id
         WHERE r.workflow_id = $1 AND n.status = 'COMPLETED'`,
        [id],
      );
      return rows[0]!.count;
    };
    await until(async () => (await doneSteps()) > 0, 30_000);

    await acme.patch(`/Users/${info.id}`, { op: 'replace', value: { active: false } });
    const refused = await rerun(editor);
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'owner_inactive' }]);
    const atRest = await doneSteps();
    await new Promise((resolve) => {
      setTimeout(resolve, 2500);
    });
    expect(await doneSteps()).toBe(atRest);

    await acme.patch(`/Users/${info.id}`, { op: 'replace', value: { active: true } });
    await until(async () => (await doneSteps()) > atRest, 30_000);
    expect((await rerun(editor)).status).toBe(200);
  });
});
