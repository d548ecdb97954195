import { HostedAdmin } from '../support/admin.js';
import { freePort } from '../support/free-port.js';
import * as hostile from '../support/hostile-model.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';

const KEY = 'sk-canary-of-the-key';

interface ListedModel {
  id: number;
  health?: { status: string; code: string | null; reason: string | null; checked_at: string | null };
}

/** A wrong key, name or address is known when the platform starts, not when the first person waits for an answer. */
describe('models that are probed at the start', () => {
  const [well, refusing] = [new hostile.HostileModel(), new hostile.HostileModel()];
  let platform: HostedPlatform;
  let admin: HostedAdmin;
  let client: HttpClient;
  const azure = () => `${well.baseUrl.replace('/v1', '')}/openai/deployments/gpt?api-version=2024-10-21`;

  beforeAll(async () => {
    await Promise.all([well.start(), refusing.start()]);
    refusing.always(hostile.refuses(401));
    const known = { api_key: KEY, max_retries: 0 };
    const models = [
      { ...known, id: 1, name: 'Refusing', value: 'a', base_url: refusing.baseUrl, default: true },
      { ...known, id: 2, name: 'Well', value: 'b', base_url: well.baseUrl },
      { ...known, id: 3, name: 'Away', value: 'c', base_url: `http://127.0.0.1:${await freePort()}/v1` },
      { ...known, id: 4, name: 'Azure', value: 'd', base_url: azure() },
      { ...known, id: 5, name: 'Painter', value: 'e', base_url: well.baseUrl, capability: 'image_gen' },
    ];
    platform = await hostPlatform(['api'], {
      // Beside a list it only says what is so anyway.
      LLM_PROVIDER: 'openai',
      LLM_MODELS: JSON.stringify(models),
      LLM_PROBES: 'true',
      LOG_LEVEL: 'info',
    });
    admin = new HostedAdmin(platform.env);
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    await admin?.stop();
    await platform?.stop();
    await Promise.all([well.stop(), refusing.stop()]);
  });

  it('are told of in the log, to staff and by the readiness, which they do not spoil', async () => {
    const { log } = platform;
    await until(() => log().includes('Model 1 (Refusing) cannot answer') && log().includes('Model 3 (Away)'));
    expect(log()).toContain('The endpoint answered 401. (model_auth_failed)');
    expect(log()).toContain('(model_unreachable)');
    expect(log()).not.toContain(KEY);

    const ready = await fetch(`${platform.baseUrl}/readyz/`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({
      status: 'ok',
      checks: { model: { status: 'unavailable', code: 'model_auth_failed' } },
    });

    expect((await client.get<ListedModel[]>('/users/models/')).every((model) => !('health' in model))).toBe(true);
    await admin.run(['users', 'make-staff', client.username]);
    const listed = async () =>
      new Map((await client.get<ListedModel[]>('/users/models/')).map(({ id, health }) => [id, health]));
    await until(async () => (await listed()).get(1) !== undefined);
    const health = await listed();
    expect(health.get(1)).toMatchObject({ status: 'failed', code: 'model_auth_failed', reason: expect.any(String) });
    expect(health.get(2)).toMatchObject({ status: 'ok', code: null, checked_at: expect.any(String) });
    expect(health.get(3)).toMatchObject({ status: 'failed', code: 'model_unreachable' });
    expect(health.get(4)).toMatchObject({ status: 'ok' });
    expect(health.get(5)).toMatchObject({ status: 'unknown' });
  });

  it('can be listed and tested from a terminal', async () => {
    const listed = await admin.run(['--json', 'models', 'list']);
    expect(JSON.parse(listed.stdout)).toHaveLength(5);
    const tested = await admin.run(['--json', 'models', 'test']);
    expect(tested.code).toBe(1);
    expect(tested.stdout + tested.stderr).not.toContain(KEY);
    const results = JSON.parse(tested.stdout) as { id: number; status: string; code: string | null }[];
    expect(results.map(({ id, status, code }) => [id, status, code])).toEqual([
      [1, 'failed', 'model_auth_failed'],
      [2, 'ok', null],
      [3, 'failed', 'model_unreachable'],
      [4, 'ok', null],
      [5, 'unknown', null],
    ]);
    expect(await admin.run(['--json', 'models', 'test', '2'])).toMatchObject({ code: 0 });
    expect(await admin.run(['models', 'test', '9'])).toMatchObject({
      code: 1,
      stderr: 'There is no such model.\n',
    });
  });
});
