import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { setupToken } from '../support/sso-setup-token.js';
import { findTraces } from '../support/traces.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';

interface Reply {
  status: number;
  body: Record<string, unknown>;
  text: string;
  cookie: string;
}

const canary = (kind: string) => `${kind}-${randomBytes(12).toString('hex')}`;

/** Secrets of every kind go through every flow, right and wrong; afterwards they stand nowhere but with their owner. */
describe('canary secrets', () => {
  const secrets = {
    password: canary('password'),
    newPassword: canary('new-password'),
    wrongPassword: canary('wrong-password'),
    recoveryCode: canary('recovery'),
    clientSecret: canary('client-secret'),
    rek: canary('rek'),
    metadata: canary('metadata'),
    dek: randomBytes(32).toString('hex'),
    refused: canary('refused'),
  };
  /** Secrets that the platform makes. */
  const issued: string[] = [];
  const errors: string[] = [];
  let platform: HostedPlatform;

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const response = await fetch(platform.baseUrl + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 400) errors.push(text);
    const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status: response.status, body: json, text, cookie: response.headers.get('set-cookie') ?? '' };
  }

  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner'], { LOG_LEVEL: 'trace', LOG_REQUESTS: 'true' });
  });
  afterAll(() => platform.stop());

  it('appear in no log line, no error, no table and no key of Redis', async () => {
    const username = 'canary';
    const email = 'canary@mail.example';
    const { password, newPassword, wrongPassword, recoveryCode } = secrets;
    await send('POST', '/api/v1/users/', { username, email, password });
    await send('POST', '/api/v1/users/', { username, email, password: wrongPassword, promo_code: secrets.refused });
    await send('POST', '/api/v1/token/login/', { username, password: wrongPassword });
    await send('POST', '/api/v1/token/login/', { username: wrongPassword, password });
    const login = await send('POST', '/api/v1/token/login/', { username, password });
    const refreshToken = /refresh_token=([^;]+)/.exec(login.cookie)![1]!;
    const refreshed = await send('POST', '/api/v1/auth/refresh/', { refresh_token: refreshToken });
    const token = String(refreshed.body.auth_token);
    issued.push(
      refreshToken,
      String(login.body.auth_token),
      token,
      /refresh_token=([^;]+)/.exec(refreshed.cookie)![1]!,
    );
    const mine = { authorization: `Token ${token}` };
    const post = (path: string, body: unknown) => send('POST', path, body, mine);

    await post('/users/metadata/push/', { data: { note: secrets.metadata } });
    await post('/users/metadata/push/', { data: `{${secrets.refused}` });
    await post('/users/recovery-code/send-email/', { recovery_code: recoveryCode });
    await post('/users/encryption/migrate-chats/', { dek: secrets.dek });
    await post('/users/encryption/migrate-chats/', { dek: `${secrets.refused}` });
    await post('/users/password/change/', { old_password: wrongPassword, new_password: newPassword });
    await post('/users/password/change/', { old_password: password, new_password: newPassword });
    await send('POST', '/users/password/forget/', { email, recovery_code: recoveryCode, new_password: newPassword });
    await send('POST', '/api/v1/auth/sso_org/setup-credentials/', {
      domain: 'canary.example',
      client_id: 'client',
      client_secret: secrets.clientSecret,
      setup_token: await setupToken(platform, 'canary.example'),
    });
    await send('POST', '/api/v1/auth/sso_org/callback/', { code: secrets.refused, state: secrets.refused });
    await post('/users/sso/link/', { provider: 'sso_org', sub: 'x', rek_wrapped: secrets.rek });
    await post('/users/passkeys/register/finish/', { credential: { id: secrets.refused }, rek_wrapped: secrets.rek });
    await send('GET', `/api/v1/auth/sso_org/callback/?code=${secrets.refused}&state=${secrets.refused}`);
    await send('GET', `/users/verify/number/?token=${secrets.refused.slice(0, 20)}`, undefined, mine);
    await send('GET', '/scim/v2/Users', undefined, { authorization: `Bearer ${secrets.refused}` });
    await send('GET', '/users/me/', undefined, { authorization: `Token ${secrets.refused}` });

    const made = await post('/users/api-tokens/', { name: 'n', scopes: ['workflows:read'] });
    issued.push(String(made.body.token));
    const started = await post('/microservices/workflow/start/', { json: fanOutAndJoin });
    const id = String(started.body.workflow_id);
    const { webhook_id, webhook_secret } = (await send('GET', `/microservices/workflow/${id}/`, undefined, mine)).body;
    issued.push(String(webhook_secret));
    await send('POST', '/microservices/workflow/webhook/', { webhook_id, webhook_secret });
    await send('POST', '/microservices/workflow/webhook/', { webhook_id, webhook_secret: secrets.refused });
    await send(
      'GET',
      `/microservices/workflow/webhook/status/?webhook_id=${webhook_id}&webhook_secret=${webhook_secret}`,
    );
    const { ticket } = (await post('/ws/ticket/', { channel: `/ws/workflow/${id}/nodes/` })).body;
    issued.push(String(ticket));
    for (const query of [`ticket=${String(ticket)}`, `token=${token}`, `token=${secrets.refused}`]) {
      const socket = NodesSocket.of(platform.baseUrl, id, query);
      await until(() => socket.frames.length > 0 || query.includes(secrets.refused));
      socket.close();
    }
    await post('/api/v1/auth/logout-all/', {});
    await until(async () => {
      const rows = await platform.database.dataSource.query<unknown[]>(
        `SELECT FROM outgoing_messages WHERE state = 'waiting'`,
      );
      return rows.length === 0;
    });

    const words = [...Object.values(secrets), ...issued];
    expect(words.every((word) => word.length >= 20)).toBe(true);
    const logs = platform.log();
    expect(logs.length).toBeGreaterThan(5000);
    expect(words.filter((word) => logs.includes(word))).toEqual([]);
    expect(words.filter((word) => errors.join('\n').includes(word))).toEqual([]);
    const { REDIS_URL, REDIS_KEY_PREFIX, STORAGE_DIR, OUTBOX_DIR } = platform.env as Record<string, string>;
    const redis = { url: REDIS_URL!, keyPrefix: REDIS_KEY_PREFIX! };
    expect(
      await findTraces({ dataSource: platform.database.dataSource, redis, folders: [STORAGE_DIR!] }, words),
    ).toEqual([]);
    // The one place where one of them belongs: the mail with the recovery code.
    const mails = await Promise.all(
      (await readdir(OUTBOX_DIR!)).map((name) => readFile(join(OUTBOX_DIR!, name), 'utf8')),
    );
    expect(words.filter((word) => mails.join('\n').includes(word))).toEqual([recoveryCode]);
  });
});
