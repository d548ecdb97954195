import { newId } from '@app/common';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { answers, refuses, stallsBeforeFirstByte } from '../support/hostile-model.js';
import { ModelEndpoint } from '../support/model-endpoint.js';
import { until } from '../support/until.js';
import { stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';

const OWN = '/users/models/own/';
const OURS = '/organisations/current/models/';
const KEY = 'sk-own-Zebrafink-0123456789';

interface Listed {
  id: number;
  name: string;
  source: string;
}

interface Made {
  id: number;
  has_key: boolean;
  test: { status: string };
}

const listed = (by: HttpClient) => by.get<Listed[]>('/users/models/');
const ask = (by: HttpClient) =>
  by.send('POST', '/microservices/agent/chat/', { conversation_id: newId(), message: 'Hello?' });
const send = async (by: HttpClient, method: string, path: string, body?: object) => {
  const response = await by.send(method, path, body);
  const text = await response.text();
  return {
    status: response.status,
    text,
    body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
};
/** A workflow of one node, run to its end. */
const runNode = async (by: HttpClient, kind: string, params: object) => {
  const { workflow_id: id } = await by.post<{ workflow_id: string }>('/microservices/workflow/start/', {
    json: { name: 'W', nodes: [{ id: 'a', kind, params }] },
  });
  await by.post('/microservices/workflow/rerun/', { workflow_id: id });
  const path = `/microservices/workflow/${id}/`;
  await until(async () => ['COMPLETED', 'FAILED'].includes((await by.get<{ status: string }>(path)).status));
  const [row] = await by.get<{ status: string; error: { code: string } | null; output: object }[]>(`${path}nodes/`);
  return row!;
};

const chat = (by: HttpClient, more: object = {}) =>
  send(by, 'POST', '/microservices/agent/chat/', { conversation_id: newId(), message: 'Hello?', ...more });

describe('models that people register', () => {
  let platform: HostedPlatform;
  let shared: ModelEndpoint;
  let endpoint: ModelEndpoint;
  let anna: HttpClient;
  let bert: HttpClient;
  let model: Made;
  const sql = <T = unknown>(text: string, values: unknown[] = []) =>
    platform.database.dataSource.query<T[]>(text, values);

  beforeAll(async () => {
    [shared, endpoint] = await Promise.all([ModelEndpoint.start('Shared.'), ModelEndpoint.start('Own.')]);
    platform = await hostPlatform(['api', 'workflow-runner'], {
      LLM_MODELS: JSON.stringify([{ id: 1, name: 'One', value: 'one', base_url: shared.baseUrl, api_key: 'k1' }]),
      LLM_HOSTS: endpoint.host,
      LLM_PROBES: 'false',
    });
    [anna, bert] = [await HttpClient.signUp(platform.baseUrl), await HttpClient.signUp(platform.baseUrl)];
    model = await register(anna);
  });
  afterAll(async () => {
    await platform?.stop();
    await Promise.all([shared?.stop(), endpoint?.stop()]);
  });

  const register = (by: HttpClient, more: object = {}, path = OWN) =>
    by.post<Made>(path, { name: 'Mine', value: 'mine', base_url: endpoint.baseUrl, api_key: KEY, ...more });
  const asked = async (work: () => Promise<unknown>) => {
    const before = endpoint.calls.length;
    await work();
    return endpoint.calls.length - before;
  };

  it('are listed for their owner alone, without their key', async () => {
    expect((await listed(anna)).map(({ id, source }) => [id, source])).toEqual([
      [1, 'settings'],
      [model.id, 'own'],
    ]);
    expect((await listed(bert)).map(({ id }) => id)).toEqual([1]);
    expect(await bert.get(OWN)).toEqual([]);
    for (const [method, path, body] of [
      ['GET', `${OWN}${model.id}/`, undefined],
      ['PATCH', `${OWN}${model.id}/`, { name: 'Stolen' }],
      ['DELETE', `${OWN}${model.id}/`, undefined],
      ['POST', `${OWN}${model.id}/test/`, {}],
      ['POST', `${OWN}discover/`, { id: model.id }],
      ['GET', `${OURS}${model.id}/`, undefined],
    ] as const)
      expect((await send(bert, method, path, body)).status).toBe(404);
    expect(JSON.stringify([await anna.get(OWN), await listed(anna)])).not.toContain('Zebrafink');
    expect(platform.log()).not.toContain('Zebrafink');
  });

  it('answer their owner: by name, by profile, in nodes and in what is done beside', async () => {
    const before = shared.calls.length;
    expect((await chat(anna, { llm_model_id: model.id })).body).toMatchObject({ answer: 'Own.' });
    await anna.post('/users/profile/', { llm_model_id: model.id });
    expect(await anna.get('/users/me/')).toMatchObject({ info: { llm_model: 'Mine' } });
    expect((await chat(anna)).body).toMatchObject({ answer: 'Own.' });
    for (const params of [{ prompt: 'x' }, { prompt: 'x', model: 'mine' }, { prompt: 'x', model: String(model.id) }])
      expect(await runNode(anna, 'language_model', params)).toMatchObject({
        status: 'COMPLETED',
        output: { text: 'Own.' },
      });
    expect(await runNode(anna, 'agent', { prompt: 'x' })).toMatchObject({ output: { text: 'Own.' } });
    expect(new Set(endpoint.keys)).toEqual(new Set([KEY]));
    // Titles and memories, too.
    expect(shared.calls).toHaveLength(before);
    const rows = () =>
      sql<{ own: boolean; cost: string | null }>('SELECT own_key AS own, cost FROM model_usage WHERE model_id = $1', [
        model.id,
      ]);
    await until(async () => (await rows()).length > 4);
    expect(new Set((await rows()).map(({ own, cost }) => `${own} ${cost}`))).toEqual(new Set(['true null']));
    const [{ user }] = (await sql('SELECT count(DISTINCT user_id)::int AS user FROM model_usage WHERE own_key')) as [
      { user: number },
    ];
    expect(user).toBe(1);
    const { by_model } = await anna.get<{ by_model: { own_key: boolean; requests: number }[] }>(
      '/subscriptions/usage/?days=2',
    );
    expect(by_model.filter(({ own_key }) => own_key)).toMatchObject([{ requests: (await rows()).length, spend: null }]);
    await anna.post('/users/profile/', { llm_model_id: 1 });
  });

  it('are nobody else’s at any door', async () => {
    const id = model.id;
    const named = { llm_model_id: id };
    const calls = await asked(async () => {
      expect((await send(bert, 'POST', '/users/profile/', named)).body).toHaveProperty('llm_model_id');
      for (const [path, body] of [
        ['/microservices/agent/chat/', { conversation_id: newId(), message: 'Hello?' }],
        ['/semantic-search/all-files-chat/', { message: 'Hello?' }],
        ['/secure-gpt/chat/', { message: 'Hello?' }],
        ['/microservices/agent/artifact-chat/', { conversation_id: newId(), message: 'A page' }],
      ] as const) {
        const { status, body: said } = await send(bert, 'POST', path, { ...body, ...named });
        expect([path, status, said.code]).toEqual([path, 404, 'model_not_found']);
      }
      const authoring = await send(bert, 'POST', '/microservices/prompt-2-workflow/agent/', {
        prompt: 'Build',
        ...named,
      });
      expect([authoring.status, Object.keys(authoring.body)]).toEqual([400, ['llm_model_id']]);
      for (const wanted of [String(id), 'mine', 'Mine'])
        expect(await runNode(bert, 'language_model', { prompt: 'x', model: wanted })).toMatchObject({
          status: 'FAILED',
          error: { code: 'unknown_model' },
        });
      // Chosen by whatever means: passed over.
      await sql('UPDATE users SET llm_model_id = $2 WHERE username = $1', [bert.username, id]);
      expect((await chat(bert)).body).toMatchObject({ answer: 'Shared.' });
      expect(await runNode(bert, 'agent', { prompt: 'x' })).toMatchObject({ output: { text: 'Shared.' } });
      await sql('UPDATE users SET llm_model_id = 1 WHERE username = $1', [bert.username]);
    });
    expect(calls).toBe(0);
  });

  it('serve an organisation: its administrators manage them, its members use them, nobody else does', async () => {
    const [one, other] = [await HttpClient.signUp(platform.baseUrl), await HttpClient.signUp(platform.baseUrl)];
    const [{ id: organization }] = (await sql(
      `INSERT INTO organizations (name, domain) VALUES ('Acme', 'acme-models.example') RETURNING id`,
    )) as [{ id: number }];
    const join = (who: HttpClient, role: string, to: number) =>
      sql('UPDATE users SET organization_id = $2, organization_role = $3 WHERE username = $1', [
        who.username,
        to,
        role,
      ]);
    await join(one, 'admin', organization);
    await join(other, 'member', organization);
    const made = await register(one, { name: 'Ours', value: 'ours' }, OURS);
    expect((await send(other, 'GET', OURS)).body).toMatchObject({ code: 'not_organization_admin' });
    expect((await send(other, 'POST', OURS, { name: 'x', value: 'y' })).status).toBe(403);
    expect((await send(other, 'DELETE', `${OURS}${made.id}/`)).status).toBe(403);
    expect((await send(other, 'POST', `${OURS}discover/`, { base_url: endpoint.baseUrl })).status).toBe(403);
    expect((await listed(other)).find(({ id }) => id === made.id)).toMatchObject({ source: 'organization' });
    expect((await chat(other, { llm_model_id: made.id })).body).toMatchObject({ answer: 'Own.' });
    await other.post('/users/profile/', { llm_model_id: made.id });
    expect((await chat(other)).body).toMatchObject({ answer: 'Own.' });
    expect((await chat(anna, { llm_model_id: made.id })).status).toBe(404);
    expect((await listed(anna)).map(({ id }) => id)).not.toContain(made.id);
    // Who leaves uses it no more, from the next call on.
    const [{ id: left }] = (await sql(
      `INSERT INTO organizations (name, personal) VALUES ('Alone', true) RETURNING id`,
    )) as [{ id: number }];
    await join(other, 'member', left);
    expect((await chat(other, { llm_model_id: made.id })).status).toBe(404);
    expect((await chat(other)).body).toMatchObject({ answer: 'Shared.' });
    // In an organisation of one's own everybody is the owner.
    expect((await send(other, 'GET', OURS)).status).toBe(200);
    await join(one, 'member', organization);
    expect((await send(one, 'PATCH', `${OURS}${made.id}/`, { name: 'Mine' })).status).toBe(403);
  });

  it.each([
    ['a metadata service', 'http://169.254.169.254/latest'],
    ['a metadata service over TLS', 'https://169.254.169.254/v1'],
    ['this machine', 'https://localhost/v1'],
    ['this machine by number', 'https://2130706433/v1'],
    ['this machine in v6', 'https://[::1]/v1'],
    ['the own network', 'https://10.0.0.8/v1'],
    ['no TLS', 'http://models.example/v1'],
    ['another port', 'https://models.example:22/v1'],
    ['a file', 'file:///etc/passwd'],
    ['no address', 'models'],
    ['a password in it', 'https://u:p@models.example/v1'],
  ])('are refused at %s', async (_name, base_url) => {
    for (const [path, body] of [
      [OWN, { name: 'x', value: 'y', base_url }],
      [`${OWN}discover/`, { base_url }],
    ] as const) {
      const { status, body: said } = await send(anna, 'POST', path, body);
      expect([status, Object.keys(said)]).toEqual([400, ['base_url']]);
    }
    const { status } = await send(anna, 'PATCH', `${OWN}${model.id}/`, { base_url });
    expect(status).toBe(400);
  });

  it('are never called at an address that changed its mind, nor led elsewhere', async () => {
    const inside = await ModelEndpoint.start('Inside.');
    const mine = await register(anna, { name: 'Led' });
    endpoint.behaviour = (response) => {
      response.writeHead(307, { location: `${inside.baseUrl}/chat/completions` });
      response.end();
    };
    for (const path of [`${OWN}${mine.id}/test/`, `${OWN}discover/`]) {
      const { body, text } = await send(anna, 'POST', path, path.endsWith('discover/') ? { id: mine.id } : {});
      expect(body).toMatchObject({ ok: false, code: 'model_error', reason: 'The endpoint answered with a redirect.' });
      expect(text).not.toContain('Zebrafink');
    }
    endpoint.behaviour = null;
    // As if its name led there by now.
    await sql(
      `UPDATE registered_models SET definition = definition || jsonb_build_object('base_url', $2::text), version = version + 1
       WHERE id = $1`,
      [mine.id, inside.baseUrl],
    );
    const { body } = await send(anna, 'POST', `${OWN}${mine.id}/test/`, {});
    expect(body).toMatchObject({ ok: false, code: 'model_address_blocked' });
    expect(inside.calls).toHaveLength(0);
    await send(anna, 'DELETE', `${OWN}${mine.id}/`);
    await inside.stop();
  });

  it('say that the address may be wrong where nothing answers there', async () => {
    const mine = await register(anna, { name: 'Elsewhere' });
    endpoint.behaviour = (response) => {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Nothing</h1>');
    };
    for (const [path, body] of [
      [`${OWN}${mine.id}/test/`, {}],
      [`${OWN}discover/`, { id: mine.id }],
    ] as const) {
      const { body: told } = await send(anna, 'POST', path, body);
      expect(told).toMatchObject({
        ok: false,
        code: 'model_not_found',
        reason: expect.stringMatching(/404.*\/v1/) as string,
      });
    }
    endpoint.behaviour = null;
    await send(anna, 'DELETE', `${OWN}${mine.id}/`);
  });

  it('are told of by their endpoint, which says nothing of the key', async () => {
    const found = await anna.post<{ models: unknown[] }>(`${OWN}discover/`, {
      base_url: endpoint.baseUrl,
      api_key: KEY,
    });
    expect(found).toMatchObject({
      ok: true,
      models: [
        { value: 'alpha', name: 'alpha' },
        { value: 'beta', name: 'Beta' },
      ],
    });
    endpoint.models = {
      data: [{ id: KEY }, { id: 'x'.repeat(5000) }, { id: 7 }, null, 'text', { id: 'a\u0000\u202eb' }, { id: 'good' }],
    };
    expect((await anna.post<{ models: unknown[] }>(`${OWN}discover/`, { id: model.id })).models).toEqual([
      { value: 'a b', name: 'a b' },
      { value: 'good', name: 'good' },
    ]);
    for (const odd of ['no list', { data: 'no' }, null]) {
      endpoint.models = odd;
      expect(await anna.post(`${OWN}discover/`, { id: model.id })).toMatchObject({ ok: false, models: [] });
    }
    endpoint.models = { data: [] };
    // The stored key is for its own address alone.
    endpoint.calls.length = 0;
    await anna.post(`${OWN}discover/`, { id: model.id, base_url: `http://${endpoint.host}/v2` });
    expect(endpoint.keys).toEqual(['']);
    endpoint.behaviour = refuses(401);
    const { text } = await send(anna, 'POST', `${OWN}discover/`, { id: model.id });
    expect(text).not.toContain('Zebrafink');
    const failed = await send(anna, 'POST', `${OWN}${model.id}/test/`, {});
    expect(failed.text).not.toContain('Zebrafink');
    const asking = await chat(anna, { llm_model_id: model.id });
    expect([asking.status, asking.body.code]).toEqual([502, 'model_auth_failed']);
    expect(asking.text).not.toContain('Zebrafink');
    expect(platform.log()).not.toContain('Zebrafink');
    endpoint.behaviour = null;
  });

  inAll('keep others waiting for nothing while one does not answer', async () => {
    const dead = await register(anna, { name: 'Dead', timeout: { total_seconds: 2 }, max_retries: 0 });
    const live = await register(bert, { name: 'Live' });
    await send(anna, 'PATCH', `${OWN}${dead.id}/`, { value: 'dead' });
    endpoint.behaviour = (response, call) =>
      call.body.model === 'dead' ? stallsBeforeFirstByte(response, call) : answers('Own.')(response, call);
    const stuck = Promise.all(Array.from({ length: 3 }, () => chat(anna, { llm_model_id: dead.id })));
    const took = stopwatch();
    expect((await chat(bert, { llm_model_id: live.id })).body).toMatchObject({ answer: 'Own.' });
    expect(took()).toBeLessThan(1900);
    expect(new Set((await stuck).map(({ status }) => status))).toEqual(new Set([504]));
    // Nobody answered three times: it is not asked for a while, so that no worker waits for it.
    const again = stopwatch();
    const calls = await asked(() => chat(anna, { llm_model_id: dead.id }));
    expect([calls, again() < 1500]).toEqual([0, true]);
    endpoint.behaviour = null;
    await send(anna, 'DELETE', `${OWN}${dead.id}/`);
  });

  it('are twenty at most, and end with what is theirs', async () => {
    const many = await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        send(anna, 'POST', OWN, { name: `M${i}`, value: 'm', base_url: endpoint.baseUrl }),
      ),
    );
    expect(await anna.get(OWN)).toHaveLength(20);
    const refused = many.filter(({ status }) => status === 400);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['model_limit_reached']));
    await anna.post('/users/profile/', { llm_model_id: model.id });
    expect((await send(anna, 'DELETE', `${OWN}${model.id}/`)).status).toBe(204);
    expect((await chat(anna)).body).toMatchObject({ answer: 'Shared.' });
    expect((await chat(anna, { llm_model_id: model.id })).status).toBe(404);
  });

  it.each([
    ['a stand-in', { fallback: 1 }, 'fallback'],
    ['a promise of the house', { on_premises: true }, 'on_premises'],
    ['to be the default', { default: true }, 'default'],
  ])('refuse %s', async (_name, wrong, field) => {
    const { status, body } = await send(bert, 'POST', OWN, {
      name: 'x',
      value: 'y',
      base_url: endpoint.baseUrl,
      ...wrong,
    });
    expect([status, Object.keys(body)]).toEqual([400, [field]]);
  });
});

describe('a person with a model of their own, where the deployment has none', () => {
  it('is answered by it, in chats and nodes; others are not', async () => {
    const endpoint = await ModelEndpoint.start('Own.');
    const platform = await hostPlatform(['api', 'workflow-runner'], { LLM_HOSTS: '127.0.0.1', CHAT_TITLES: 'false' });
    try {
      const [anna, bert] = [await HttpClient.signUp(platform.baseUrl), await HttpClient.signUp(platform.baseUrl)];
      const { id } = await anna.post<Made>(OWN, { name: 'Mine', value: 'mine', base_url: endpoint.baseUrl });
      await anna.post('/users/profile/', { llm_model_id: id });
      expect(await (await ask(anna)).json()).toMatchObject({ answer: 'Own.' });
      expect((await ask(bert)).status).toBe(503);
    } finally {
      await platform.stop();
      await endpoint.stop();
    }
  });
});
