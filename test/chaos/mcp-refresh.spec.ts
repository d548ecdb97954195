import { hostPlatform } from '../support/hosted-platform.js';
import { HttpClient } from '../support/http-client.js';
import { FULL, LONG } from '../support/long.js';
import { type McpIssuer, startMcpIssuer } from '../support/mcp-issuer.js';
import { McpUser } from '../support/mcp-sign-in.js';
import type { Platform, RunningApp } from '../support/platform.js';
import { type ProtectedMcp, startProtectedMcp } from '../support/protected-mcp.js';
import { until } from '../support/until.js';

const full = LONG || FULL;
const ROUNDS = full ? 20 : 1;

const urlOf = ({ ready }: RunningApp) => `http://127.0.0.1:${String(ready['port'])}`;

describe('tokens of a tool server between two processes, one of which is killed', () => {
  let platform: Platform;
  let issuer: McpIssuer;
  let tools: ProtectedMcp;
  let users: McpUser[];
  let second: RunningApp;
  let id: number;
  beforeAll(async () => {
    issuer = await startMcpIssuer();
    tools = await startProtectedMcp(issuer);
    platform = await hostPlatform(['api'], { MCP_HOSTS: '127.0.0.1', CORS_ORIGINS: 'https://app.example' });
    second = await platform.start('api');
    const client = await HttpClient.signUp(platform.baseUrl);
    users = [platform.baseUrl, urlOf(second)].map((baseUrl) => McpUser.of(baseUrl, client));
    id = await users[0]!.addServer(tools.url);
    await users[0]!.signIn(id);
  });
  afterAll(async () => {
    await platform?.stop();
    await tools?.stop();
    await issuer?.stop();
  });

  const refreshes = () => issuer.bodies.filter(({ body }) => body.includes('grant_type=refresh_token')).length;
  const expire = () =>
    platform.database.dataSource.query(
      `UPDATE mcp_oauth_grants SET expires_at = now() - interval '1 second', refresh_at = now() - interval '1 minute'
       WHERE server_id = $1`,
      [id],
    );
  const testsAt = (from: McpUser[], calls: number) =>
    Promise.all(Array.from({ length: calls }, (_, index) => from[index % from.length]!.test(id)));
  /** Kills the second api while it waits for the provider. */
  async function killWhileItRefreshes(): Promise<void> {
    let answer: unknown;
    const lost = users[1]!.test(id).then(
      (probe) => (answer = probe),
      (error: unknown) => (answer = error),
    );
    await until(async () => {
      if (answer !== undefined) throw new Error(`It was answered without a renewal: ${JSON.stringify(answer)}`);
      const [row] = await platform.database.dataSource.query<{ leased: boolean }[]>(
        'SELECT lease_until > now() AS leased FROM mcp_oauth_grants WHERE server_id = $1',
        [id],
      );
      return row?.leased ?? false;
    });
    await until(() => issuer.waiting > 0);
    await second.kill('SIGKILL');
    await lost;
  }

  /** The lease of the lost one has to end, which takes 20 seconds: in a long run it does so by itself. */
  async function loseLease(): Promise<void> {
    if (full) return;
    await platform.database.dataSource.query('UPDATE mcp_oauth_grants SET lease_until = now() WHERE server_id = $1', [
      id,
    ]);
  }

  it('are renewed once for twenty calls', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = refreshes();
      await expire();
      const probes = await testsAt(users, 20);
      expect(probes.every(({ ok }) => ok)).toBe(true);
      expect(refreshes() - before).toBe(1);
    }
    expect(issuer.revokedGrants()).toBe(0);
  });

  it('are renewed by another process when the provider had not heard of it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    issuer.hold = promise;
    await expire();
    await killWhileItRefreshes();
    issuer.hold = null;
    resolve();
    await loseLease();
    await until(async () => (await users[0]!.test(id)).ok, 60_000);
    expect(issuer.revokedGrants()).toBe(0);
  });

  it('are asked for anew when the provider had answered, and takes the repetition for theft', async () => {
    second = await platform.start('api');
    users[1] = users[0]!.at({ baseUrl: urlOf(second) });
    const { promise, resolve } = Promise.withResolvers<void>();
    issuer.holdAnswers = promise;
    await expire();
    await killWhileItRefreshes();
    issuer.holdAnswers = null;
    resolve();
    await loseLease();
    await until(async () => (await users[0]!.test(id)).needs_reauth, 60_000);
    expect(issuer.revokedGrants()).toBe(1);
    expect(await users[0]!.signIn(id)).toMatchObject({ ok: true });
  });
});
