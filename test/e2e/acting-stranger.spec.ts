import { startApi, type TestApi } from '../support/api.js';
import { HttpClient } from '../support/http-client.js';
import { ask } from '../support/workflow-api.js';

const PATH = '/microservices/workflow/';
const PASSWORD = 'kite-over-hill';
const SPEC = { name: 'Shared', nodes: [{ id: 'say', kind: 'template', params: { template: 'hello' } }] };

/** The row of the matrix of acting people for who registered a colleague's address, and never confirmed it. */
describe('a stranger with the same address', () => {
  let api: TestApi;
  let owner: HttpClient;
  let stranger: HttpClient;
  beforeAll(async () => {
    api = await startApi({ EMAIL_VERIFICATION: 'true' });
    owner = await person('owner', true);
    stranger = await person('stranger', false);
  });
  afterAll(() => api?.stop());

  const sql = <T>(text: string, values: unknown[]) => api.database.dataSource.query<T[]>(text, values);
  async function person(username: string, isConfirmed: boolean): Promise<HttpClient> {
    const anonymous = await fetch(`${api.baseUrl}/api/v1/users/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, email: addressOf(username), password: PASSWORD }),
    });
    expect(anonymous.status).toBe(201);
    await sql('UPDATE users SET verified = true, email_verified = true WHERE username = $1', [username]);
    const client = await HttpClient.signIn(api.baseUrl, username, PASSWORD);
    // Who has a session already, and whose address was written anew since, as directories do.
    await sql('UPDATE users SET email_verified = $2 WHERE username = $1', [username, isConfirmed]);
    return client;
  }

  it('acts on nothing that was shared with the address, by no way', async () => {
    const { workflow_id: id } = await owner.post<{ workflow_id: string }>(`${PATH}start/`, { json: SPEC });
    const path = `${PATH}${id}/`;
    const emails = [addressOf('stranger').toUpperCase()];
    for (const [way, body] of [
      ['collaborators', { emails, role: 'editor' }],
      ['share', { emails, only_view_in_apps: true }],
      ['transfer', { email: emails[0] }],
    ] as const)
      expect((await ask(owner, 'POST', `${path}${way}/`, body)).body).toMatchObject({ invited: emails });
    const daily = { name: 'Daily', kind: 'cron', cron: '0 9 * * *', timezone: 'UTC' };
    const attempts = {
      [`GET ${path}`]: undefined,
      [`PUT ${path}`]: { name: 'Mine', json_spec: SPEC },
      [`GET ${path}nodes/`]: undefined,
      [`POST ${path}nodes/say/adopt/`]: {},
      [`POST ${path}adopt/`]: {},
      [`POST ${path}schedules/`]: daily,
      [`GET ${path}consent/`]: undefined,
      [`GET ${path}history/`]: undefined,
      [`POST ${PATH}rerun/`]: { workflow_id: id },
      [`POST ${PATH}branch-rerun/`]: { workflow_id: id, start_node_id: 'say' },
      [`DELETE ${path}`]: undefined,
    };
    const statuses = await Promise.all(
      Object.entries(attempts).map(async ([call, body]) => {
        const [method, at] = call.split(' ') as [string, string];
        return [call, (await stranger.send(method, at, body)).status];
      }),
    );
    expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries(Object.keys(attempts).map((call) => [call, 404])));
    expect(await stranger.get(`${PATH}transfers/`)).toEqual([]);
    for (const list of [PATH, `${PATH}?available_as_app=true`])
      expect(await stranger.get(list)).toMatchObject({ results: [] });
    const rows = await owner.get<{ acts_as: { username: string } }[]>(`${path}nodes/`);
    expect(rows.map(({ acts_as }) => acts_as.username)).toEqual(['owner']);
  });
});

const addressOf = (username: string) => `${username}@acme.example`;
