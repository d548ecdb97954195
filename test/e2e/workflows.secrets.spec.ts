import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpClient } from '../support/http-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';

/** Nothing else in the database, the frames or the logs spells it. */
const CANARY = 'kanarie/vogel+ö "4711" & more';
const OTHER = 'second-canary-0815';

const forms = [CANARY, OTHER].flatMap((value) => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  new URLSearchParams({ value }).toString().slice('value='.length),
  Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1),
  Buffer.from(value).toString('hex'),
]);

interface Row {
  node_id: string;
  status: string;
  output: Record<string, unknown> | null;
  error: { code: string; message: string } | null;
  warnings: string[];
}

const secretsOf = (id: string) => `/microservices/workflow/${id}/secrets/`;

async function userId(client: HttpClient): Promise<number> {
  return (await client.get<{ info: { id: number } }>('/users/me/')).info.id;
}

function expectClean(text: string, place = ''): void {
  for (const form of forms) if (text.includes(form)) throw new Error(`${place} holds ${form}: ${text.slice(0, 500)}`);
}

describe('secrets of workflows', () => {
  let platform: HostedPlatform;
  let host: Server;
  let address: string;
  const received: string[] = [];
  let owner: HttpClient;
  let friend: HttpClient;

  beforeAll(async () => {
    // It sends back whatever it was sent.
    host = createServer((request, response) => {
      received.push(String(request.headers.authorization ?? request.headers['x-api-key']));
      const { url, headers } = request;
      response.writeHead(url?.startsWith('/fail') ? 400 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ url, headers, also: Buffer.from(String(headers.authorization)).toString('base64') }),
      );
    });
    await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
    address = `127.0.0.1:${(host.address() as AddressInfo).port}`;
    platform = await hostPlatform(['api', 'workflow-runner'], { WORKFLOW_HOSTS: address });
    owner = await HttpClient.signUp(platform.baseUrl);
    friend = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    host?.close();
    await platform?.stop();
  });

  const create = async (nodes: object[], client = owner) =>
    (await client.post<{ workflow_id: string }>('/microservices/workflow/start/', { json: { name: 'Canary', nodes } }))
      .workflow_id;
  async function answer(method: string, path: string, body?: unknown, client = owner) {
    const response = await client.send(method, path, body);
    const text = await response.text();
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Record<string, unknown> };
  }
  async function runToTheEnd(id: string, payload?: object): Promise<Record<string, Row>> {
    await owner.post('/microservices/workflow/rerun/', {
      workflow_id: id,
      ...(payload && { webhook_payload: payload }),
    });
    const path = `/microservices/workflow/${id}/`;
    await until(
      async () => ['COMPLETED', 'FAILED'].includes((await owner.get<{ status: string }>(path)).status),
      20_000,
    );
    const rows = await owner.get<Row[]>(`${path}nodes/`);
    return Object.fromEntries(rows.map((row) => [row.node_id, row]));
  }

  it('are set, listed by name, replaced and deleted, and never shown', async () => {
    const id = await create([{ id: 'a', kind: 'template', params: { template: 'x {{_secret.api_key}}' } }]);
    const created = await answer('POST', secretsOf(id), {
      name: 'api_key',
      value: CANARY,
      description: 'For the bank',
    });
    expect(created).toMatchObject({
      status: 201,
      body: { name: 'api_key', description: 'For the bank', used_by: ['a'] },
    });
    expect(Object.keys(created.body).toSorted()).toEqual([
      'created_at',
      'description',
      'name',
      'updated_at',
      'used_by',
    ]);
    expect(await answer('POST', secretsOf(id), { name: 'api_key', value: CANARY })).toMatchObject({
      status: 409,
      body: { code: 'secret_exists' },
    });
    expect(await owner.get(secretsOf(id))).toMatchObject([{ name: 'api_key' }]);
    expect(await answer('PUT', `${secretsOf(id)}api_key/`, { value: OTHER })).toMatchObject({
      status: 200,
      body: { description: 'For the bank' },
    });
    for (const [name, value] of [
      ['1st', CANARY],
      ['a-b', CANARY],
      ['short', '12345'],
      ['nul', 'abc\0defgh'],
      ['half', 'abcdefg\uD800'],
    ] as const) {
      const { status, body } = await answer('POST', secretsOf(id), { name, value });
      expect([name, status]).toEqual([name, 400]);
      expect(JSON.stringify(body)).not.toContain(CANARY);
    }
    expect(await answer('GET', `${secretsOf(id)}nothing/`)).toMatchObject({ status: 404 });
    expect(await answer('DELETE', `${secretsOf(id)}api_key/`)).toMatchObject({ status: 204 });
    expect(await answer('DELETE', `${secretsOf(id)}api_key/`)).toMatchObject({ status: 404 });
    expect(await runToTheEnd(id)).toMatchObject({ a: { status: 'FAILED', error: { code: 'unknown_secret' } } });
  });

  it('belong to those who may edit the workflow', async () => {
    const id = await create([{ id: 'a', kind: 'manual_trigger' }]);
    await owner.post(secretsOf(id), { name: 'key', value: CANARY });
    expect(await answer('GET', secretsOf(id), undefined, friend)).toMatchObject({ status: 404 });
    const friendId = await userId(friend);
    const sql = platform.database.dataSource;
    await sql.query(`INSERT INTO workflow_collaborators (workflow_id, user_id, role) VALUES ($1, $2, 'viewer')`, [
      id,
      friendId,
    ]);
    for (const [method, path, body] of [
      ['GET', ''],
      ['POST', '', { name: 'other', value: CANARY }],
      ['GET', 'key/'],
      ['PUT', 'key/', { value: OTHER }],
      ['DELETE', 'key/'],
    ] as const) {
      expect([method, (await answer(method, secretsOf(id) + path, body, friend)).status]).toEqual([method, 403]);
    }
    await sql.query(`UPDATE workflow_collaborators SET role = 'editor' WHERE workflow_id = $1`, [id]);
    expect(await friend.get(secretsOf(id))).toMatchObject([{ name: 'key' }]);
  });

  it('are at most fifty, also when they come at once', async () => {
    const id = await create([{ id: 'a', kind: 'manual_trigger' }]);
    const statuses = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        answer('POST', secretsOf(id), { name: `s${index}`, value: `${OTHER}${index}` }).then(({ status }) => status),
      ),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
  });

  it('are refused when a saved definition names unknown ones, and warned about where nobody can tell', async () => {
    const nodes = [{ id: 'a', kind: 'template', params: { template: '{{_secret.missing}} {{_secret.key}}' } }];
    const id = await create(nodes);
    await owner.post(secretsOf(id), { name: 'key', value: CANARY });
    const problem = { code: 'unknown_secret', node_id: 'a', path: 'nodes[0].params.template' };
    const validate = (body: object, client = owner) =>
      answer('POST', '/microservices/workflow/validate/', { json: { nodes }, ...body }, client);
    expect(await validate({ workflow_id: id })).toMatchObject({
      body: { valid: false, errors: [problem], warnings: [] },
    });
    expect(await validate({})).toMatchObject({ body: { valid: true, errors: [], warnings: [problem, problem] } });
    expect(await validate({ workflow_id: id }, friend)).toMatchObject({ body: { valid: true, errors: [] } });
    expect(await answer('PUT', `/microservices/workflow/${id}/`, { name: 'N', json_spec: { nodes } })).toMatchObject({
      status: 400,
      body: { problems: [problem] },
    });
    await owner.post(secretsOf(id), { name: 'missing', value: OTHER });
    expect(await answer('PUT', `/microservices/workflow/${id}/`, { name: 'N', json_spec: { nodes } })).toMatchObject({
      status: 200,
    });
    const shown = [{ id: 'a', kind: 'ask', params: { question: '{{_secret.key}}?' } }];
    expect(await answer('POST', '/microservices/workflow/start/', { json: { nodes: shown } })).toMatchObject({
      status: 400,
      body: { problems: [{ code: 'secret_not_allowed' }] },
    });
  });

  it('reach the tool, and nothing else: no row, no frame, no log line, no answer of the api', async () => {
    const id = await create([
      {
        id: 'start',
        kind: 'manual_trigger',
        next: ['call', 'text', 'hash', 'code', 'fail', 'refused', 'echo', 'basic'],
      },
      {
        id: 'call',
        kind: 'http_request',
        params: {
          url: `http://${address}/echo?key={{_secret.api_key}}`,
          headers: { authorization: 'Bearer {{_secret.api_key}}', 'x-other': '{{_secret.other}}' },
        },
        save_output: true,
        export_output: true,
        on_error: 'continue',
        next: ['after'],
      },
      {
        id: 'basic',
        kind: 'http_request',
        params: {
          url: `http://${address}/echo`,
          auth: 'basic',
          username: 'me',
          password: { $ref: '_secret.api_key' },
        },
        on_error: 'continue',
      },
      { id: 'after', kind: 'template', params: { template: '{{_output.call.body}}' }, save_output: true },
      { id: 'text', kind: 'template', params: { template: 'x {{_secret.api_key}} y' }, save_output: true },
      { id: 'hash', kind: 'crypto', params: { operation: 'hmac', text: 'body', key: '{{_secret.other}}' } },
      {
        id: 'code',
        kind: 'code',
        params: {
          code: 'console.log("log", params.key); console.warn("warn", params.key); return { [params.key]: [params.key] };',
          params: { key: { $ref: '_secret.api_key' } },
        },
      },
      {
        id: 'fail',
        kind: 'code',
        params: { code: 'throw new Error("no " + params.key)', params: { key: '{{_secret.api_key}}' } },
        on_error: 'continue',
      },
      {
        id: 'refused',
        kind: 'http_request',
        params: {
          url: `http://${address}/fail?key={{_secret.api_key}}`,
          headers: { 'x-api-key': '{{_secret.other}}' },
        },
        on_error: 'continue',
      },
      { id: 'echo', kind: 'template', params: { template: '{{_webhook_payload.text}}' } },
    ]);
    await owner.post(secretsOf(id), { name: 'api_key', value: CANARY });
    await owner.post(secretsOf(id), { name: 'other', value: OTHER });
    const socket = NodesSocket.of(platform.baseUrl, id, `token=${owner.token}`);
    await until(() => socket.frames.length > 0);
    const rows = await runToTheEnd(id, { text: '{{_secret.api_key}} {{_secret.other}}' });
    await until(() =>
      socket.frames.some(
        ({ data }) => data?.length > 0 && data.every(({ status }) => status === 'COMPLETED' || status === 'FAILED'),
      ),
    );
    socket.close();

    expect(received.some((header) => header.startsWith('Basic '))).toBe(true);
    expect(received).toContain(OTHER);
    for (const row of [rows.call, rows.basic, rows.after]) {
      expect(row!.status).toBe('COMPLETED');
      expect(JSON.stringify(row!.output)).toContain('***');
    }
    expect(rows.hash!.output).toEqual({ value: createHmac('sha256', OTHER).update('body').digest('hex') });
    expect(rows.text!.output).toEqual({ text: 'x *** y' });
    expect(rows.code).toMatchObject({
      output: { result: { '***': ['***'] }, logs: ['log ***'] },
      warnings: ['warn ***'],
    });
    expect(rows.fail).toMatchObject({ status: 'FAILED', error: { message: 'Error: no *** (line 1)' } });
    expect(rows.refused!.status).toBe('FAILED');
    // What somebody outside spells stays what it is.
    expect(rows.echo!.output).toEqual({ text: '{{_secret.api_key}} {{_secret.other}}' });

    const path = `/microservices/workflow/${id}/`;
    const detail = await owner.get<object>(path);
    const history = await owner.get<{ results: { version: number }[] }>(`${path}history/`);
    const version = await owner.get<object>(`${path}history/${history.results[0]!.version}/`);
    const outputs = await owner.get<object>(`${path}outputs/`);
    const exported = await (await owner.send('GET', `${path}export/?format=json`)).text();
    const shown = [detail, history, version, outputs, exported, rows, socket.frames].map((one) => JSON.stringify(one));
    for (const text of [...shown, platform.log()]) expectClean(text);
    for (const [place, text] of await everyRow()) expectClean(text, place);
  });

  it('reach the items of a batch and the bodies of loops, and stay out of what is kept of them', async () => {
    const call = {
      url: `http://${address}/item/{{_item}}?key={{_secret.api_key}}`,
      headers: { 'x-api-key': '{{_secret.other}}' },
    };
    const id = await create([
      { id: 'start', kind: 'manual_trigger', next: ['batch', 'loop'] },
      { id: 'batch', kind: 'batch', params: { items: ['a', 'b'], kind: 'http_request', params: call } },
      {
        id: 'loop',
        kind: 'loop',
        params: { items: ['c', 'd'], body: { nodes: [{ id: 'inner', kind: 'http_request', params: call }] } },
      },
    ]);
    await owner.post(secretsOf(id), { name: 'api_key', value: CANARY });
    await owner.post(secretsOf(id), { name: 'other', value: OTHER });
    expect(await owner.get(secretsOf(id))).toMatchObject([
      { used_by: ['batch', 'loop'] },
      { used_by: ['batch', 'loop'] },
    ]);
    received.length = 0;
    const rows = await runToTheEnd(id);
    expect([rows.batch!.error, rows.loop!.error]).toEqual([null, null]);
    expect(received).toEqual([OTHER, OTHER, OTHER, OTHER]);
    for (const row of [rows.batch, rows.loop]) expect(JSON.stringify(row!.output)).toContain('***');
    for (const [place, text] of await everyRow()) expectClean(text, place);
    expectClean(platform.log());
  });

  it('do not travel with a copy: its owner has the names only', async () => {
    const id = await create([{ id: 'a', kind: 'template', params: { template: '{{_secret.key}}' } }]);
    await owner.post(secretsOf(id), { name: 'key', value: CANARY });
    const { email } = (await friend.get<{ info: { email: string } }>('/users/me/')).info;
    await owner.post(`/microservices/workflow/${id}/share/`, { emails: [email], only_view_in_apps: false });
    const { results } = await friend.get<{ results: { id: string; my_role: string }[] }>('/microservices/workflow/');
    const copy = results.find((one) => one.my_role === 'owner' && one.id !== id);
    expect(copy).toBeDefined();
    expect(await friend.get(secretsOf(copy!.id))).toEqual([]);
    expect(JSON.stringify(await friend.get(`/microservices/workflow/${copy!.id}/`))).toContain('{{_secret.key}}');
    await friend.post('/microservices/workflow/rerun/', { workflow_id: copy!.id });
    await until(
      async () => (await friend.get<{ status: string }>(`/microservices/workflow/${copy!.id}/`)).status === 'FAILED',
    );
    const rows = await friend.get<Row[]>(`/microservices/workflow/${copy!.id}/nodes/`);
    expect(rows).toMatchObject([{ error: { code: 'unknown_secret' } }]);
  });

  it('go with the workflow', async () => {
    const id = await create([{ id: 'a', kind: 'manual_trigger' }]);
    await owner.post(secretsOf(id), { name: 'key', value: CANARY });
    await owner.send('DELETE', `/microservices/workflow/${id}/`);
    expect(await answer('GET', secretsOf(id))).toMatchObject({ status: 404 });
    expect(await answer('DELETE', `/microservices/workflow/${id}/permanent-delete/`)).toMatchObject({
      body: { deleted: { secrets: 1 } },
    });
    const left = await platform.database.dataSource.query<unknown[]>(
      'SELECT 1 FROM workflow_secrets WHERE workflow_id = $1',
      [id],
    );
    expect(left).toEqual([]);
  });

  /** Every row of every table as text; bytes are looked into too. */
  async function everyRow(): Promise<[string, string][]> {
    const sql = platform.database.dataSource;
    const tables = await sql.query<{ name: string }[]>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'`,
    );
    const found: [string, string][] = [];
    for (const { name } of tables) {
      const rows = await sql.query<{ text: string }[]>(`SELECT to_jsonb(t)::text AS text FROM ${name} t`);
      found.push(...rows.map(({ text }): [string, string] => [name, text]));
    }
    expect(found.length).toBeGreaterThan(20);
    return found;
  }
});
