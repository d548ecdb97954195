import { setTimeout as sleep } from 'node:timers/promises';
import { call, postJson, startApi, type TestApi } from '../support/api.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { Directory } from '../support/scim.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';
import { stopwatch } from '../support/timing.js';

const SEEN_WITHIN_MS = 5000;

describe('deactivation by SCIM', () => {
  let api: TestApi;
  let replica: TestApi;
  let acme: Directory;
  beforeAll(async () => {
    api = await startApi();
    replica = await api.startReplica();
    acme = await Directory.open(api);
  });
  afterAll(async () => {
    for (const socket of opened) socket.close();
    await replica.stop();
    await api.stop();
  });

  const opened: NodesSocket[] = [];

  async function member() {
    const client = await api.signUp();
    const { info } = await client.get<{ info: { id: number } }>('/users/me/');
    await api.database.dataSource.query('UPDATE users SET organization_id = $2 WHERE id = $1', [
      info.id,
      acme.organizationId,
    ]);
    const apiToken = await client.post<{ token: string }>('/users/api-tokens/', {
      name: 'script',
      scopes: ['profile:read'],
    });
    const { workflow_id: workflowId } = await client.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: fanOutAndJoin,
    });
    const sockets = [api, replica].map(({ baseUrl }) => NodesSocket.of(baseUrl, workflowId, `token=${client.token}`));
    const asks = [api, replica].flatMap(({ baseUrl }) =>
      [client.token, apiToken.token].map((token) => async () => {
        const answer = await call(`${baseUrl}/users/me/`, { headers: { authorization: `Token ${token}` } });
        return answer.status;
      }),
    );
    for (const ask of asks) expect(await ask()).toBe(200);
    opened.push(...sockets);
    await until(() => sockets.every(({ isOpen }) => isOpen));
    return { id: info.id, asks, sockets };
  }

  const ways: [string, (id: number) => Promise<{ status: number }>][] = [
    ['active=false', (id) => acme.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })],
    ['DELETE', (id) => acme.call('DELETE', `/Users/${id}`)],
  ];

  it.each(ways)('%s ends sessions, API tokens and open sockets on every replica', async (_, deactivate) => {
    const { id, asks, sockets } = await member();
    expect((await deactivate(id)).status).toBeLessThan(300);
    const took = stopwatch();
    const closed = await Promise.race([
      Promise.all(sockets.map((socket) => socket.closed)),
      sleep(SEEN_WITHIN_MS, null, { ref: false }).then(() => 'still open'),
    ]);
    expect(closed).toEqual([1008, 1008]);
    expect(took()).toBeLessThan(SEEN_WITHIN_MS);
    for (const ask of asks) expect(await ask()).toBe(401);
  });

  it('keeps the account out until it is active again, and then does not revive its tokens', async () => {
    const { id, asks } = await member();
    await acme.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
    const [{ username }] = await api.database.dataSource.query<[{ username: string }]>(
      'SELECT username FROM users WHERE id = $1',
      [id],
    );
    const refused = await postJson(`${api.baseUrl}/api/v1/token/login/`, { username, password: 'x' });
    expect(refused.status).toBe(400);
    await acme.patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    for (const ask of asks) expect(await ask()).toBe(401);
  });

  it("is written to the audit log, without anybody's token", async () => {
    const { id } = await member();
    await acme.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
    const rows = await api.database.dataSource.query<{ text: string }[]>(
      `SELECT event::text AS text FROM audit_inbox UNION ALL SELECT e::text FROM audit_events e`,
    );
    const log = rows.map(({ text }) => text).join('\n');
    expect(log).toContain('scim.user_deactivated');
    expect(log).not.toContain(acme.token);
  });

  it('does not open an account again that is being erased', async () => {
    const { id } = await member();
    const { dataSource } = api.database;
    // Its worker is at work, and takes its time.
    await dataSource.query(
      `INSERT INTO erasures (id, user_id, leased_until) VALUES (gen_random_uuid(), $1, now() + interval '1 hour')`,
      [id],
    );
    await dataSource.query('UPDATE users SET is_active = false WHERE id = $1', [id]);
    await acme.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true });
    const [row] = await dataSource.query<[{ is_active: boolean }]>('SELECT is_active FROM users WHERE id = $1', [id]);
    expect(row.is_active).toBe(false);
  });
});
