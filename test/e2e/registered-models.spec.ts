import { newId } from '@app/common';
import { HttpClient } from '../support/http-client.js';
import { type HostedApp, type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { answers, refuses } from '../support/hostile-model.js';
import { ModelEndpoint } from '../support/model-endpoint.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';
import { stopwatch } from '../support/timing.js';

const PATH = '/administration/models/';
const KEY = 'sk-staff-Zebrafink-0123456789';

interface Listed {
  id: number;
  name: string;
  source: string;
  is_default: boolean;
}

interface Registered {
  id: number;
  name: string;
  has_key: boolean;
  header_names: string[];
  default: boolean;
  enabled: boolean;
  source: string;
  base_url: string;
  test: { status: string; code: string | null; reason: string | null };
}

describe('models that staff registers', () => {
  let platform: HostedPlatform;
  let replica: HostedApp;
  let settings: ModelEndpoint;
  let endpoint: ModelEndpoint;
  let staff: HttpClient;
  let person: HttpClient;
  const sql = <T = unknown>(text: string, values: unknown[] = []) =>
    platform.database.dataSource.query<T[]>(text, values);

  beforeAll(async () => {
    [settings, endpoint] = await Promise.all([
      ModelEndpoint.start('Of the settings.'),
      ModelEndpoint.start('Registered.'),
    ]);
    platform = await hostPlatform(['api', 'workflow-runner'], {
      LLM_MODELS: JSON.stringify([
        {
          id: 1,
          name: 'One',
          value: 'one',
          base_url: settings.baseUrl,
          api_key: 'k1',
          price: { input: 1, output: 2, currency: 'EUR' },
        },
      ]),
      CHAT_TITLES: 'false',
      LLM_PROBES: 'false',
    });
    replica = await platform.host('api');
    staff = await HttpClient.signUp(platform.baseUrl);
    await sql('UPDATE users SET is_staff = true WHERE username = $1', [staff.username]);
    person = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    await platform?.stop();
    await Promise.all([settings?.stop(), endpoint?.stop()]);
  });

  const register = (more: object = {}) =>
    staff.post<Registered>(PATH, { name: 'Two', value: 'two', base_url: endpoint.baseUrl, api_key: KEY, ...more });
  const listed = async (by = person) => by.get<Listed[]>('/users/models/');
  const chat = (more: object = {}, by = person) =>
    by.post<{ answer: string }>('/microservices/agent/chat/', {
      conversation_id: newId(),
      message: 'Hello?',
      ...more,
    });
  const remove = (id: number) => staff.send('DELETE', `${PATH}${id}/`);

  it('are usable at once in every process, and their key is seen by their endpoint alone', async () => {
    const made = await register({ headers: { 'x-team': 'Zebrafink-header' } });
    expect(made).toMatchObject({ id: expect.any(Number), source: 'platform', has_key: true, header_names: ['x-team'] });
    expect(made.id).toBeGreaterThanOrEqual(100_000);
    const elsewhere = await fetch(`${replica.baseUrl}/users/models/`, {
      headers: { authorization: `Token ${person.token}` },
    });
    const took = stopwatch();
    let seen = (await elsewhere.json()) as Listed[];
    await until(async () => {
      if (seen.some(({ id }) => id === made.id)) return true;
      const again = await fetch(`${replica.baseUrl}/users/models/`, {
        headers: { authorization: `Token ${person.token}` },
      });
      seen = (await again.json()) as Listed[];
      return false;
    });
    expect(took()).toBeLessThan(1000);
    endpoint.calls.length = 0;
    expect(await chat({ llm_model_id: made.id })).toMatchObject({ answer: 'Registered.' });
    expect(endpoint.calls[0]!.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-team': 'Zebrafink-header' });
    const told = JSON.stringify([await staff.get(PATH), await staff.get(`${PATH}${made.id}/`), await listed()]);
    await staff.get('/audit/events/');
    const kept = await sql(
      'SELECT event::text FROM audit_inbox UNION ALL SELECT to_jsonb(a)::text FROM audit_events a',
    );
    const stored = await sql('SELECT to_jsonb(m)::text FROM registered_models m');
    for (const text of [told, JSON.stringify(kept), JSON.stringify(stored), platform.log()])
      expect(text).not.toContain('Zebrafink');
    expect(JSON.stringify(kept)).toContain('model.created');
    const [{ own }] = (await sql<{ own: boolean }>(
      'SELECT bool_or(own_key) AS own FROM model_usage WHERE model_id = $1',
      [made.id],
    )) as [{ own: boolean }];
    expect(own).not.toBe(true);
    await remove(made.id);
  });

  inAll('fall back to the default once they are disabled or deleted, whoever had chosen them', async () => {
    const made = await register();
    await person.post('/users/profile/', { llm_model_id: made.id });
    expect(await chat()).toMatchObject({ answer: 'Registered.' });
    await staff.send('PATCH', `${PATH}${made.id}/`, { enabled: false });
    expect((await listed()).map(({ id }) => id)).not.toContain(made.id);
    await until(async () => (await chat()).answer === 'Of the settings.');
    await staff.send('PATCH', `${PATH}${made.id}/`, { enabled: true });
    await until(async () => (await chat()).answer === 'Registered.');
    // A turn at work ends as it would.
    endpoint.behaviour = answers('Slowly but surely told.', { delayMs: 150 });
    endpoint.calls.length = 0;
    const slow = chat();
    await until(() => endpoint.calls.length > 0);
    expect((await remove(made.id)).status).toBe(204);
    expect(await slow).toMatchObject({ answer: 'Slowly but surely told.' });
    endpoint.behaviour = null;
    await until(async () => (await chat()).answer === 'Of the settings.');
    const named = await person.send('POST', '/microservices/agent/chat/', {
      conversation_id: newId(),
      message: 'Hello?',
      llm_model_id: made.id,
    });
    expect([named.status, await named.json()]).toMatchObject([404, { code: 'model_not_found' }]);
    await person.post('/users/profile/', { llm_model_id: null });
  });

  it('have one default at most, which answers where nobody chose', async () => {
    const [first, second] = [await register({ default: true }), await register({ name: 'Three', value: 'three' })];
    await sql('UPDATE users SET llm_model_id = NULL WHERE username = $1', [person.username]);
    expect((await listed()).filter((one) => one.is_default).map(({ id }) => id)).toEqual([first.id]);
    await until(async () => (await chat()).answer === 'Registered.');
    await Promise.all(
      [first, second, first, second].map(({ id }) => staff.send('PATCH', `${PATH}${id}/`, { default: true })),
    );
    const all = await staff.get<Registered[]>(PATH);
    expect(all.filter((one) => one.default && one.source === 'platform')).toHaveLength(1);
    await Promise.all([remove(first.id), remove(second.id)]);
    expect((await listed()).filter((one) => one.is_default).map(({ id }) => id)).toEqual([1]);
  });

  it('send their key nowhere else: another address erases it', async () => {
    const made = await register();
    const other = await ModelEndpoint.start();
    const patched = await (
      await staff.send('PATCH', `${PATH}${made.id}/`, { base_url: other.baseUrl, name: 'Moved' })
    ).json();
    expect(patched).toMatchObject({ name: 'Moved', has_key: false, header_names: [], base_url: other.baseUrl });
    await staff.post(`${PATH}${made.id}/test/`, {});
    expect(other.keys).toEqual(['']);
    expect(await (await staff.send('PATCH', `${PATH}${made.id}/`, { api_key: 'k2' })).json()).toMatchObject({
      has_key: true,
    });
    await staff.post(`${PATH}${made.id}/test/`, {});
    expect(other.keys.at(-1)).toBe('k2');
    expect(await (await staff.send('PATCH', `${PATH}${made.id}/`, { api_key: null })).json()).toMatchObject({
      has_key: false,
    });
    await remove(made.id);
    await other.stop();
  });

  it('are tested in words, without the key', async () => {
    const made = await register();
    expect(await staff.post(`${PATH}${made.id}/test/`, {})).toMatchObject({ ok: true, code: null, reason: null });
    expect(await staff.get(`${PATH}${made.id}/`)).toMatchObject({ test: { status: 'ok' } });
    endpoint.behaviour = refuses(401, 'invalid_api_key');
    const failed = await staff.post<{ code: string }>(`${PATH}${made.id}/test/`, {});
    expect(failed).toMatchObject({
      ok: false,
      code: 'model_auth_failed',
      reason: 'The endpoint answered 401 (invalid_api_key).',
    });
    expect(JSON.stringify(await staff.get(PATH))).not.toContain('Zebrafink');
    endpoint.behaviour = null;
    expect(await staff.post(`${PATH}1/test/`, {})).toMatchObject({ ok: true });
    await remove(made.id);
  });

  it('leave those of the settings as they are', async () => {
    const [first] = await staff.get<Registered[]>(PATH);
    expect(first).toMatchObject({ id: 1, source: 'settings', has_key: true, default: true, enabled: true });
    for (const [method, body] of [
      ['PATCH', { name: 'X' }],
      ['DELETE', undefined],
    ] as const) {
      const response = await staff.send(method, `${PATH}1/`, body);
      expect([response.status, await response.json()]).toMatchObject([409, { code: 'model_of_settings' }]);
    }
    expect((await staff.send('GET', `${PATH}999999/`)).status).toBe(404);
    expect((await person.send('GET', PATH)).status).toBe(403);
    expect((await person.send('POST', PATH, { name: 'x', value: 'y' })).status).toBe(403);
  });

  it.each([
    ['no name', { name: '' }, 'name'],
    ['a NUL', { name: 'a\u0000b' }, 'name'],
    ['no address', { base_url: null }, 'base_url'],
    ['no http', { base_url: 'ftp://x.example' }, 'base_url'],
    ['a password in the address', { base_url: 'https://u:p@x.example/v1' }, 'base_url'],
    ['an unknown protocol', { protocol: 'soap' }, 'protocol'],
    ['a maker of pictures', { capability: 'image_gen' }, 'capability'],
    ['a key of two lines', { api_key: 'a\nb' }, 'api_key'],
    ['a header of the connection', { headers: { host: 'x' } }, 'headers.host'],
    ['a header of two lines', { headers: { 'x-a': 'b\r\nc' } }, 'headers.x-a'],
    ['a price below nothing', { price: { input: -1, output: 1 } }, 'price.input'],
    ['a price without an end', { price: { input: 1e300, output: 1 } }, 'price.input'],
    ['half a price', { price: { input: 1 } }, 'price.output'],
    ['another currency', { price: { input: 1, output: 1, currency: 'USD' } }, 'price.currency'],
    ['members of the platform', { extra_body: { messages: [] } }, 'extra_body'],
    ['an unknown support', { supports: { flying: true } }, 'supports'],
    ['a stand-in that is none', { fallback: 4711 }, 'fallback'],
    ['an endless time-out', { timeout: { total_seconds: 1e9 } }, 'timeout.total_seconds'],
    ['a window of nothing', { context_window: 0 }, 'context_window'],
  ])('refuse %s', async (_name, wrong, field) => {
    const response = await staff.send('POST', PATH, {
      name: 'Two',
      value: 'two',
      base_url: endpoint.baseUrl,
      ...wrong,
    });
    expect([response.status, Object.keys((await response.json()) as object)]).toEqual([400, [field]]);
  });

  it('keep the price of their own, in the currency of the deployment', async () => {
    const made = await register({ price: { input: 1000, output: 2000 } });
    await chat({ llm_model_id: made.id });
    const rows = () =>
      sql<{ cost: string; currency: string }>('SELECT cost, currency FROM model_usage WHERE model_id = $1', [made.id]);
    await until(async () => (await rows()).length > 0);
    expect((await rows())[0]).toMatchObject({ cost: '2.0000000000', currency: 'EUR' });
    await remove(made.id);
  });

  inAll('are seen without a push, too', async () => {
    const made = await register({ name: 'Unheard' });
    await sql(`UPDATE registered_models SET name = 'Heard', version = version + 1 WHERE id = $1`, [made.id]);
    const took = stopwatch();
    await until(async () => (await listed()).some(({ name }) => name === 'Heard'));
    expect(took()).toBeLessThan(6000);
    await sql('DELETE FROM registered_models WHERE id = $1', [made.id]);
    await until(async () => !(await listed()).some(({ id }) => id === made.id));
  });

  inAll('are listed quickly, a thousand of them', async () => {
    await sql(
      `INSERT INTO registered_models (name, value, definition)
       SELECT 'M' || i, 'm' || i, jsonb_build_object('base_url', $1::text, 'capability', 'chat', 'details', '[]'::jsonb,
         'description', null, 'supports', '{}'::jsonb, 'timeout', '{}'::jsonb, 'extra_body', '{}'::jsonb, 'max_retries', 2)
       FROM generate_series(1, 1000) AS n(i)`,
      [endpoint.baseUrl],
    );
    await until(async () => (await listed()).length >= 1001);
    const times: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const took = stopwatch();
      await listed();
      times.push(took());
    }
    expect(times.toSorted((a, b) => a - b)[4]).toBeLessThan(250);
  });
});

describe('a deployment without a model', () => {
  let platform: HostedPlatform;
  let endpoint: ModelEndpoint;
  beforeAll(async () => {
    endpoint = await ModelEndpoint.start('Here I am.');
    platform = await hostPlatform(['api', 'workflow-runner'], { CHAT_TITLES: 'false' });
  });
  afterAll(async () => {
    await platform?.stop();
    await endpoint?.stop();
  });

  it('has one as soon as staff registers it, and none once that is gone', async () => {
    const staff = await HttpClient.signUp(platform.baseUrl);
    await platform.database.dataSource.query('UPDATE users SET is_staff = true WHERE username = $1', [staff.username]);
    const ask = () => staff.send('POST', '/microservices/agent/chat/', { conversation_id: newId(), message: 'Hello?' });
    expect((await ask()).status).toBe(503);
    const kinds = async () =>
      (await staff.get<{ tools: { kind: string; available: boolean }[] }>('/microservices/apis')).tools.find(
        ({ kind }) => kind === 'language_model',
      )?.available;
    expect(await kinds()).toBe(false);
    const { id } = await staff.post<{ id: number }>(PATH, { name: 'A', value: 'a', base_url: endpoint.baseUrl });
    expect(await staff.get('/users/models/')).toMatchObject([{ id, is_default: true }]);
    expect(await kinds()).toBe(true);
    await until(async () => (await ask()).status === 200);
    const { workflow_id: workflow } = await staff.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: { name: 'W', nodes: [{ id: 'a', kind: 'language_model', params: { prompt: 'Hi' } }] },
    });
    await staff.post('/microservices/workflow/rerun/', { workflow_id: workflow });
    const path = `/microservices/workflow/${workflow}/`;
    await until(async () => (await staff.get<{ status: string }>(path)).status === 'COMPLETED');
    await staff.send('DELETE', `${PATH}${id}/`);
    expect((await ask()).status).toBe(503);
    expect(await staff.get('/users/models/')).toMatchObject([{ id: 1, value: 'quoting', is_default: true }]);
  });
});
