import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { KeyRotation, SEALED_COLUMNS } from '@app/secrets';
import { WorkflowSecrets } from '@app/workflows';
import { call, postJson, startApi, type TestApi } from '../support/api.js';
import { makeFullAccount, type FullAccount } from '../support/full-account.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

async function isDone({ app }: TestApi): Promise<boolean> {
  return (await app.get(KeyRotation).status()).every(({ stale }) => stale === 0);
}

async function unreadable({ app }: TestApi): Promise<number> {
  return (await app.get(KeyRotation).status()).reduce((sum, row) => sum + row.unreadable, 0);
}

/** More than a rotation takes at once. */
const MANY = 220;

describe('a rotation of the master key', () => {
  const second = randomBytes(32).toString('base64');
  let first: TestApi;
  let both: TestApi;
  let account: FullAccount;
  let webhook: { webhook_id: string; webhook_secret: string };
  /** Of another workflow: what it was called with before its rotation, and its signing key. */
  let signed: { webhook_id: string; key: string; earlier: { webhook_id: string; webhook_secret: string } };
  let signedUrl: string;
  const metadata = (api: TestApi) =>
    call(`${api.baseUrl}/users/metadata/?key=filter`, { headers: { authorization: `Token ${account.token}` } });
  const trigger = (api: TestApi) => postJson(`${api.baseUrl}/microservices/workflow/webhook/`, webhook);
  const triggerEarlier = (api: TestApi) => postJson(`${api.baseUrl}/microservices/workflow/webhook/`, signed.earlier);
  const triggerSigned = (api: TestApi) => {
    const at = new Date();
    const id = randomBytes(8).toString('hex');
    return call(`${api.baseUrl}/microservices/workflow/webhook/${signed.webhook_id}/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(signed.key).sign(id, at, '{}'),
      },
      body: '{}',
    });
  };

  beforeAll(async () => {
    first = await startApi();
    const friend = await first.signUp();
    const { dataSource } = first.database;
    const [{ id }] = await dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
      friend.username,
    ]);
    account = await makeFullAccount(first, { id });
    const started = await friend.post<{ workflow_id: string; webhook_id: string; webhook_secret: string }>(
      '/microservices/workflow/start/',
      { json: { nodes: [{ id: 'start', kind: 'webhook_trigger', next: [] }] } },
    );
    const detail = await friend.get<typeof webhook>(`/microservices/workflow/${started.workflow_id}/`);
    webhook = { webhook_id: detail.webhook_id, webhook_secret: detail.webhook_secret };
    const other = await friend.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: { nodes: [{ id: 'start', kind: 'webhook_trigger', next: [] }] },
    });
    const before = await friend.get<typeof webhook>(`/microservices/workflow/${other.workflow_id}/node-webhook/start/`);
    await friend.post(`/microservices/workflow/${other.workflow_id}/webhook-secret/rotate/`, { node_id: 'start' });
    const { webhook_id, signing_key } = await friend.post<Record<string, string>>(
      `/microservices/workflow/${other.workflow_id}/webhook-signing-key/`,
      {},
    );
    const earlier = { webhook_id: before.webhook_id, webhook_secret: before.webhook_secret };
    signed = { webhook_id: webhook_id!, key: signing_key!, earlier };
    const headers = { authorization: `Token ${account.token}` };
    const [exported] = (await call(`${first.baseUrl}/users/export/`, { headers })).body as [{ download_url: string }];
    signedUrl = exported.download_url;
    both = await first.startReplica({ SECRETS_KEY: second, SECRETS_PREVIOUS_KEYS: first.config.secrets.key });
  });
  afterAll(async () => {
    await both.stop();
    await first.stop();
  });

  it('knows every sealed column of the schema', async () => {
    const rows = await first.database.dataSource.query<{ name: string }[]>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name LIKE '%\\_sealed' AND data_type = 'bytea' ORDER BY name`,
    );
    expect(rows.map(({ name }) => name)).toEqual(
      SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).toSorted(),
    );
  });

  it('reads everything before, while and after it runs, twice at once and stopped in the middle', async () => {
    const headers = { authorization: `Token ${account.token}` };
    for (let n = 0; n < MANY; n += 1) await postJson(`${first.baseUrl}/users/metadata/push/`, { data: { n } }, headers);
    expect(await isDone(both)).toBe(false);
    const stop = new AbortController();
    const statuses = new Set<number>();
    const reader = (async () => {
      while (!stop.signal.aborted) {
        for (const use of [metadata, trigger, triggerEarlier, triggerSigned]) statuses.add((await use(both)).status);
        await sleep(20);
      }
    })();
    const rotation = both.app.get(KeyRotation);
    await rotation
      .rewrap(({ name }) => {
        if (name === 'passkeys.rek_wrapped_sealed') throw new Error('stopped in the middle');
      })
      .catch(() => undefined);
    expect(await isDone(both)).toBe(false);
    await Promise.all([rotation.rewrap(), rotation.rewrap()]);
    await until(() => isDone(both));
    stop.abort();
    await reader;
    expect([...statuses].toSorted()).toEqual([200, 202]);
    expect(await isDone(both)).toBe(true);
  });

  it('then needs the earlier key no more', async () => {
    expect((await fetch(signedUrl.replace(first.baseUrl, both.baseUrl))).status).toBe(200);
    const alone = await both.startReplica({ SECRETS_KEY: second, SECRETS_PREVIOUS_KEYS: '' });
    const { body, status } = await metadata(alone);
    expect(status).toBe(200);
    expect(body).toEqual({ metadata: [{ filter: account.words[0] }] });
    for (const use of [trigger, triggerEarlier, triggerSigned]) expect((await use(alone)).status).toBe(202);
    const [, , , workflowId] = account.words;
    expect((await alone.app.get(WorkflowSecrets).open(workflowId!, ['key'], account.id)).values).toEqual(
      new Map([['key', account.words[0]]]),
    );
    expect((await fetch(signedUrl.replace(first.baseUrl, alone.baseUrl))).status).toBe(403);
    await alone.stop();
  });

  inAll('reports what no key opens, and goes on', async () => {
    const { dataSource } = first.database;
    await dataSource.query(
      `INSERT INTO user_metadata (user_id, data_sealed) SELECT id, '\\x01ffffffff00' FROM users WHERE id = $1`,
      [account.id],
    );
    expect(await metadata(both)).toMatchObject({ status: 503, body: { code: 'secret_unavailable' } });
    expect(await unreadable(both)).toBe(1);
    const restored = await both.startReplica({ SECRETS_KEY: randomBytes(32).toString('base64') });
    expect(await unreadable(restored)).toBeGreaterThan(MANY);
    await restored.stop();
    const progress = await both.app.get(KeyRotation).rewrap();
    expect(progress.find(({ name }) => name === 'user_metadata.data_sealed')).toMatchObject({
      unreadable: 1,
      stale: 1,
    });
  });
});
