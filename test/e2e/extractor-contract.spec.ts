import type { ServerResponse } from 'node:http';
import { newId } from '@app/common';
import { startApi, type TestApi } from '../support/api.js';
import { type ExtractorServer, type Fault, startExtractorServer } from '../support/extractor-server.js';
import type { HttpClient } from '../support/http-client.js';
import { until } from '../support/until.js';

const BASE = '/microservices/data-extractor/';
const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

type Json = Record<string, unknown>;

async function ask(client: HttpClient, method: string, path: string, body?: unknown) {
  const response = await client.send(method, BASE + path, body);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: (text === '' ? {} : JSON.parse(text)) as Json };
}

const ROWS = [
  { source_uid: 'a', data: { Number: 'A-1', Total: 10.5 }, filename: 'a.pdf' },
  { source_uid: 'b', data: { Number: 'B-2', Total: 20 }, filename: 'b.pdf' },
];
const COLUMNS = [
  { name: 'Number', instruction: 'Invoice number', output_type: 'string' },
  { name: 'Total', instruction: '', output_type: 'number' },
];

/** What clients are told of tables, wherever these are kept. */
function itKeepsTables(opened: () => { owner: HttpClient; other: HttpClient }): void {
  const create = async (name: string) => {
    const table = { table_name: name, columns: COLUMNS, rows: ROWS, metadata: { column_widths: [1, 2] } };
    const { status, body } = await ask(opened().owner, 'POST', 'create_table', table);
    expect(status).toBe(200);
    expect(body).toEqual({ table_id: expect.any(String) });
    return body.table_id as string;
  };

  it('makes, lists, reads, changes and deletes a table of the caller', async () => {
    const { owner } = opened();
    const email = `${owner.username}@test.example`;
    const id = await create('Invoices');
    const table = await ask(owner, 'GET', `table/${id}`);
    expect(table.status).toBe(200);
    expect(table.body).toMatchObject({ table_id: id, table_name: 'Invoices', email });
    expect(table.body.organization_name).toBe(`${owner.username} (personal)`);
    expect(table.body.columns).toEqual(COLUMNS.map((column) => expect.objectContaining(column) as unknown));
    expect(table.body.rows).toEqual(ROWS.map((row) => expect.objectContaining(row) as unknown));
    const listed = await ask(owner, 'GET', 'tables');
    expect(listed.body.count).toBe((listed.body.tables as Json[]).length);
    expect((listed.body.tables as Json[]).map(({ table_id }) => table_id)).toContain(id);
    expect(await ask(owner, 'GET', `table?ids=${id}`)).toMatchObject({
      status: 200,
      body: { count: 1, tables: [{ table_id: id }] },
    });
    expect((await ask(owner, 'GET', 'table')).status).toBe(400);
    const changed = await ask(owner, 'PUT', `update_table/${id}`, {
      columns: [COLUMNS[0], { name: 'Currency', instruction: '' }],
      rows: [],
      metadata: { note: 'x' },
    });
    expect(changed.body).toMatchObject({
      table_id: id,
      existing_rows: 2,
      columns_added: ['Currency'],
      columns_removed: ['Total'],
    });
    expect((await ask(owner, 'GET', `table/${id}`)).body.metadata).toEqual({ column_widths: [1, 2], note: 'x' });
    const cleared = await ask(owner, 'PUT', `update_table/${id}`, { rows: [], replace_rows: true });
    expect(cleared.body).toMatchObject({ existing_rows: 0 });
    expect(await ask(owner, 'DELETE', `table/${id}`)).toMatchObject({ status: 200, body: { table_id: id } });
    expect((await ask(owner, 'GET', `table/${id}`)).status).toBe(404);
  });

  it('edits and deletes rows by their source, and exports what is there', async () => {
    const { owner } = opened();
    const id = await create('Rows');
    const edited = await ask(owner, 'PATCH', `table/${id}/rows/a`, { data: { Number: 'A-9' } });
    expect(edited).toMatchObject({ status: 200, body: { source_uid: 'a', data: { Number: 'A-9', Total: 10.5 } } });
    expect((await ask(owner, 'PATCH', `table/${id}/rows/nobody`, { data: { Number: 'x' } })).status).toBe(404);
    const removed = await ask(owner, 'DELETE', `table/${id}/rows/b`);
    expect(removed).toMatchObject({ status: 200, body: { table_id: id, source_uid: 'b', deleted_rows: 1 } });
    expect(await ask(owner, 'GET', `table/${id}/highlights`)).toMatchObject({
      status: 200,
      body: { success: true, result: { table_id: id, highlights: [] } },
    });
    const workbook = await owner.send('GET', `${BASE}table/${id}/export`);
    expect([workbook.status, workbook.headers.get('content-type')]).toEqual([200, WORKBOOK]);
    expect(workbook.headers.get('set-cookie')).toBeNull();
    expect(Buffer.from(await workbook.arrayBuffer()).toString('latin1', 0, 2)).toBe('PK');
  });

  it('groups tables, and leaves them when the group goes', async () => {
    const { owner } = opened();
    const id = await create('Member');
    const made = await ask(owner, 'POST', 'tables_database', { name: 'Group', table_ids: [id] });
    expect(made).toMatchObject({ status: 200, body: { name: 'Group', table_ids: [id], tables_count: 1 } });
    const group = made.body.tables_database_id as string;
    expect((await ask(owner, 'GET', `tables_database/${group}`)).body).toMatchObject({ tables_database_id: group });
    const { body } = await ask(owner, 'GET', 'tables_database');
    expect((body.tables_databases as Json[]).map((one) => one.tables_database_id)).toContain(group);
    const renamed = await ask(owner, 'PUT', `tables_database/${group}`, { name: 'Other', table_ids: [] });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Other', tables_count: 0 } });
    expect(await ask(owner, 'DELETE', `tables_database/${group}`)).toMatchObject({
      status: 200,
      body: { tables_database_id: group },
    });
    expect((await ask(owner, 'GET', `table/${id}`)).status).toBe(200);
  });

  it('shows nothing of a table to anybody else, and lets nobody else change it', async () => {
    const { owner, other } = opened();
    const id = await create('Private');
    const group = await ask(owner, 'POST', 'tables_database', { name: 'Mine', table_ids: [id] });
    const refused: [string, string, unknown?][] = [
      ['GET', `table/${id}`],
      ['GET', `table?ids=${id}`],
      ['PUT', `update_table/${id}`, { rows: [], replace_rows: true }],
      ['DELETE', `table/${id}`],
      ['PATCH', `table/${id}/rows/a`, { data: { Number: 'x' } }],
      ['DELETE', `table/${id}/rows/a`],
      ['GET', `table/${id}/export`],
      ['GET', `table/${id}/highlights`],
      ['GET', `tables_database/${String(group.body.tables_database_id)}`],
      ['PUT', `tables_database/${String(group.body.tables_database_id)}`, { name: 'x' }],
      ['DELETE', `tables_database/${String(group.body.tables_database_id)}`],
      ['POST', 'tables_database', { name: 'x', table_ids: [id] }],
    ];
    for (const [method, path, body] of refused)
      expect({ method, path, status: (await ask(other, method, path, body)).status }).toEqual({
        method,
        path,
        status: 403,
      });
    const { body } = await ask(other, 'GET', 'tables');
    expect(body).toEqual({ count: 0, tables: [] });
    expect((await ask(other, 'GET', 'tables_database')).body).toEqual({ count: 0, tables_databases: [] });
    expect((await ask(owner, 'GET', `table/${id}`)).body.rows).toHaveLength(2);
  });

  it('takes no owner from a body, and nobody without an address', async () => {
    const { owner, other } = opened();
    const mine = `${other.username}@test.example`;
    const body = {
      table_name: 'Whose',
      columns: COLUMNS,
      email: `${owner.username}@test.example`,
      organization_name: 'X',
    };
    const made = await ask(other, 'POST', 'create_table', body);
    const table = await ask(other, 'GET', `table/${String(made.body.table_id)}`);
    expect(table.body).toMatchObject({ email: mine, organization_name: `${other.username} (personal)` });
    await ask(other, 'DELETE', `table/${String(made.body.table_id)}`);
  });
}

describe('tables of this deployment', () => {
  let api: TestApi;
  let owner: HttpClient;
  let other: HttpClient;

  beforeAll(async () => {
    api = await startApi();
    [owner, other] = [await api.signUp(), await api.signUp()];
  });
  afterAll(() => api.stop());

  itKeepsTables(() => ({ owner, other }));
});

describe('tables of a separate extractor', () => {
  let service: ExtractorServer;
  let api: TestApi;
  let owner: HttpClient;
  let other: HttpClient;

  beforeAll(async () => {
    service = await startExtractorServer();
    api = await startApi({
      EXTRACTOR: 'http',
      EXTRACTOR_URL: service.url,
      EXTRACTOR_SECRET: 'the key',
      EXTRACTOR_TIMEOUT_SECONDS: '5',
    });
    [owner, other] = [await api.signUp(), await api.signUp()];
  });
  afterAll(async () => {
    await api.stop();
    await service.stop();
  });

  itKeepsTables(() => ({ owner, other }));

  const made = async () => {
    const { body } = await ask(owner, 'POST', 'create_table', { table_name: 'T', columns: COLUMNS, rows: ROWS });
    return body.table_id as string;
  };

  it('tells the service for whom it works, and nothing that would let it act for them', async () => {
    const id = await made();
    await ask(owner, 'PATCH', `table/${id}/rows/a`, { data: { Number: 'x' }, email: 'else@x.example' });
    const told = service.calls.at(-1)!;
    expect(told.headers).toMatchObject({
      authorization: 'Bearer the key',
      'x-atrium-email': encodeURIComponent(`${owner.username}@test.example`),
      'x-atrium-organization': encodeURIComponent(`${owner.username} (personal)`),
    });
    expect(told.body).toEqual({ data: { Number: 'x' } });
    expect(JSON.stringify(service.calls)).not.toContain(owner.token);
  });

  it('believes the service in nothing that is not the caller’s', async () => {
    const id = await made();
    // As a service with a hole would: each table of each of its users.
    const stranger = { ...service.tables.get(id)!, email: 'K@x.example' };
    service.tables.get(id)!.email = 'else@x.example';
    expect((await ask(owner, 'GET', `table/${id}`)).body).toMatchObject({ code: 'table_forbidden' });
    service.fail(/^table\//, (response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...stranger, table_id: newId(), email: `${owner.username}@test.example` }));
    });
    expect((await ask(owner, 'GET', `table/${id}`)).status).toBe(403);
    const before = service.calls.length;
    expect((await ask(owner, 'DELETE', `table/${id}`)).status).toBe(403);
    expect(service.calls.slice(before).map(({ method }) => method)).toEqual(['GET']);
  });

  it.each(['..', '%2e%2e', '%2e', '..%2f..%2fadmin', 'a%2f..%2fb'])('leads nowhere else: %s', async (id) => {
    const before = service.calls.length;
    expect((await ask(owner, 'GET', `table/${id}/highlights`)).status).toBe(404);
    for (const { path } of service.calls.slice(before)) expect(path).toMatch(/^table\/[^/]+$/);
  });

  const faults: [string, number, string, Fault][] = [
    ['fails', 502, 'extractor_error', (response) => void response.writeHead(500).end('boom')],
    [
      'refuses our key',
      502,
      'extractor_error',
      (response) => void response.writeHead(401).end('{"detail":"Bad token"}'),
    ],
    [
      'leads elsewhere',
      502,
      'extractor_error',
      (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    [
      'answers with a page',
      502,
      'extractor_error',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<script>'),
    ],
    [
      'answers with half of its JSON',
      502,
      'extractor_error',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"tables": ['),
    ],
    [
      'answers with other JSON',
      502,
      'extractor_error',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"tables": {"a": 1}}'),
    ],
    ['hangs up', 502, 'extractor_error', (response) => void response.destroy()],
    ['says nothing', 504, 'extractor_timeout', () => undefined],
    [
      'begins, and says no more',
      504,
      'extractor_timeout',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    ],
  ];
  it.each(faults)('says so where it %s: %i', async (_, status, code, fault) => {
    service.fail(/^tables$/, fault);
    const answer = await ask(owner, 'GET', 'tables');
    expect(answer).toMatchObject({ status, body: { code } });
    expect(JSON.stringify(answer.body)).not.toMatch(/boom|Bad token|script/);
  });

  it('passes refusals on in its own shape', async () => {
    const { status, body } = await ask(owner, 'POST', 'create_table', { table_name: 'x' });
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: 'table_name and columns are required.', code: 'extractor_refused' },
    });
    expect((await ask(owner, 'POST', 'create_table', ['x'])).status).toBe(400);
    expect((await ask(owner, 'GET', `table/${newId()}`)).status).toBe(404);
  });

  it('makes a table once for a call that is made again', async () => {
    const before = service.tables.size;
    const headers = {
      'content-type': 'application/json',
      authorization: `Token ${owner.token}`,
      'idempotency-key': 'k',
    };
    const body = JSON.stringify({ table_name: 'Once', columns: COLUMNS });
    const send = () => fetch(`${api.baseUrl}${BASE}create_table`, { method: 'POST', headers, body });
    const [one, two] = [await (await send()).json(), await (await send()).json()];
    expect(two).toEqual(one);
    expect(service.tables.size).toBe(before + 1);
  });

  it('hands on no documents that the caller cannot read', async () => {
    const id = await made();
    const extract = (uids: unknown) => ask(owner, 'POST', `table/${id}/extract`, { document_uids: uids });
    expect(await extract([newId()])).toMatchObject({ status: 403, body: { code: 'document_forbidden' } });
    expect((await extract(Array.from({ length: 501 }, newId))).status).toBe(400);
    expect((await extract('x')).status).toBe(400);
  });

  it('answers questions as JSON, and as text while it comes', async () => {
    const id = await made();
    const question = { table_id: id, params: { query: 'How many?' } };
    expect((await ask(owner, 'POST', 'chat', question)).body).toEqual({
      answer: 'Asked: {"query":"How many?"}',
      table_id: id,
    });
    expect((await ask(other, 'POST', 'chat', question)).status).toBe(403);
    expect((await ask(owner, 'POST', 'chat', {})).status).toBe(400);
    const streamed = await stream(question);
    expect(streamed.headers.get('content-type')).toBe('text/event-stream');
    expect(await streamed.text()).toBe('Two rows.');
  });

  const stream = (body: object, signal?: AbortSignal) =>
    fetch(`${api.baseUrl}${BASE}chat`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: `Token ${owner.token}`,
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });

  it('breaks off what the service breaks off, and hangs up with the client', async () => {
    const id = await made();
    const begun = (path: RegExp, end: (response: ServerResponse) => void) =>
      service.fail(path, (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('Half');
        end(response);
      });
    begun(/^chat$/, (response) => void setTimeout(() => response.destroy(), 50));
    const broken = await stream({ table_id: id });
    await expect(broken.text()).rejects.toThrow();
    begun(/^chat$/, () => undefined);
    const leaving = new AbortController();
    const left = await stream({ table_id: id }, leaving.signal);
    const reader = left.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('Half');
    leaving.abort();
    await reader.read().catch(() => undefined);
    await until(() => service.calls.at(-1)!.isGone());
    service.fail(/export$/, (response) => {
      response.writeHead(200, { 'content-type': WORKBOOK }).end('<html>');
    });
    expect((await ask(owner, 'GET', `table/${id}/export`)).body).toMatchObject({ code: 'extractor_error' });
  });

  it('refuses an account without an address', async () => {
    const bare = await api.signUp();
    await api.database.dataSource.query(`UPDATE users SET email = '' WHERE username = $1`, [bare.username]);
    const before = service.calls.length;
    for (const path of ['tables', `table/${newId()}`, 'tables_database'])
      expect(await ask(bare, 'GET', path)).toMatchObject({ status: 403, body: { code: 'email_required' } });
    expect(service.calls).toHaveLength(before);
  });
});
