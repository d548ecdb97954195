import { read, utils } from '@e965/xlsx';
import { unzipSync } from 'fflate';
import { HttpClient } from '../support/http-client.js';
import { type HostedApp, type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { ask } from '../support/workflow-api.js';
import { inAll } from '../support/long.js';

type Json = Record<string, unknown>;

/** About 40 bytes each as JSON. */
const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ n, name: `row number ${n}`, even: n % 2 === 0 }));

const at = (id: string, path = '') => `/microservices/workflow/${id}/${path}`;
const nodesOf = (detail: Json) => detail.nodes as { node_id: string; status: string; output: Json }[];
const sign = async (client: HttpClient, path: string) =>
  (await client.post<{ urls: { url: string }[]; not_found: string[] }>('/media/sign/', { paths: [path] })).urls[0]?.url;
const filesOf = (client: HttpClient) => client.get<{ files: string[] }>('/users/file_writer_files/');
const download = async (url: string) => (await fetch(url)).json();

const sheetOf = (id: string, name: string) => ({
  id,
  name,
  kind: 'set',
  params: { fields: { rows: [{ text: 'bell \u0007 and tab \t' }, { text: 'constructor' }] } },
  next: [],
  export_output: true,
});

describe('what workflows make', () => {
  let platform: HostedPlatform;
  let runner: HostedApp;
  let owner: HttpClient;
  let viewer: HttpClient;
  let stranger: HttpClient;

  beforeAll(async () => {
    platform = await hostPlatform(['api']);
    runner = await platform.host('workflow-runner');
    [owner, viewer, stranger] = await Promise.all([
      HttpClient.signUp(platform.baseUrl),
      HttpClient.signUp(platform.baseUrl),
      HttpClient.signUp(platform.baseUrl),
    ]);
  });
  afterAll(() => platform.stop());

  const sql = <T>(text: string, values: unknown[] = []) => platform.database.dataSource.query<T>(text, values);
  async function create(nodes: unknown[], name = 'Makes things'): Promise<string> {
    const json = { name, nodes };
    const { workflow_id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', { json });
    await sql(
      `INSERT INTO workflow_collaborators (workflow_id, user_id, role) SELECT $1, id, 'viewer' FROM users WHERE username = $2`,
      [workflow_id, viewer.username],
    );
    return workflow_id;
  }
  const get = (id: string, path: string) => owner.get<Json>(at(id, path));
  async function ended(id: string, version: number): Promise<Json> {
    await until(async () => (await get(id, `history/${version}/`)).finished_at !== null);
    return get(id, `history/${version}/`);
  }
  async function run(id: string): Promise<Json> {
    const { version } = await owner.post<{ version: number }>('/microservices/workflow/rerun/', { workflow_id: id });
    return ended(id, version);
  }
  const outputsOf = async (id: string, query = '') => ((await get(id, `outputs/${query}`)).results ?? []) as Json[];

  it('keeps the results of save_output nodes, by type, until they are deleted', async () => {
    const id = await create([
      {
        id: 'text',
        name: 'Greeting',
        kind: 'template',
        params: { template: 'Hello' },
        next: ['data'],
        save_output: true,
      },
      { id: 'data', kind: 'set', params: { fields: { a: [1] } }, next: ['chart'], save_output: true },
      {
        id: 'chart',
        kind: 'set',
        params: { fields: { mgid: 'm1', title: 'Sales' } },
        next: ['artifact'],
        save_output: true,
      },
      { id: 'artifact', kind: 'set', params: { fields: { artifact_id: 'a1' } }, next: ['table'], save_output: true },
      { id: 'table', kind: 'set', params: { fields: { table_id: 't1' } }, next: ['not kept'], save_output: true },
      { id: 'not kept', kind: 'template', params: { template: 'x' }, next: [] },
    ]);
    await run(id);
    await run(id);
    const first = await outputsOf(id, '?run_version=1');
    expect(first).toHaveLength(5);
    expect(first.find(({ node_id }) => node_id === 'text')).toEqual({
      id: expect.any(String),
      workflow: id,
      run_version: 1,
      node_id: 'text',
      node_name: 'Greeting',
      kind: 'template',
      type: 'text',
      title: 'Greeting',
      value: 'Hello',
      media_path: null,
      mime_type: 'text/plain',
      size_bytes: 7,
      mgid: null,
      artifact_id: null,
      table_id: null,
      created_at: expect.any(String),
    });
    const by = (node: string) => first.find(({ node_id }) => node_id === node);
    expect(by('data')).toMatchObject({ type: 'json', value: { a: [1] }, mime_type: 'application/json' });
    expect(by('chart')).toMatchObject({ type: 'chart', mgid: 'm1', title: 'Sales' });
    expect(by('artifact')).toMatchObject({ type: 'artifact', artifact_id: 'a1' });
    expect(by('table')).toMatchObject({ type: 'table', table_id: 't1' });
    expect((await outputsOf(id, '?type=chart&node_id=chart')).map(({ run_version }) => run_version)).toEqual([2, 1]);
    expect(await get(id, 'outputs/?page_size=3&page=2')).toMatchObject({ count: 10, results: { length: 3 } });

    const path = at(id, `outputs/${String(by('text')!.id)}/`);
    expect((await ask(viewer, 'GET', path)).body).toEqual(by('text'));
    expect(await ask(stranger, 'GET', path)).toMatchObject({ status: 404, body: { code: 'workflow_not_found' } });
    expect(await ask(stranger, 'GET', at(id, 'outputs/'))).toMatchObject({ status: 404 });
    expect(await ask(viewer, 'DELETE', path)).toMatchObject({ status: 403 });
    expect((await ask(owner, 'DELETE', path)).status).toBe(204);
    expect(await ask(owner, 'GET', path)).toMatchObject({ status: 404, body: { code: 'output_not_found' } });
    const other = await create([]);
    expect((await ask(owner, 'GET', at(other, `outputs/${String(by('data')!.id)}/`))).status).toBe(404);
    // With its run goes what it left.
    await ask(owner, 'DELETE', at(id, 'history/1/'));
    expect(await outputsOf(id, '?run_version=1')).toEqual([]);
  });

  it('moves large outputs to the storage, shows where they lie, and gives them back to whoever needs them', async () => {
    // Too large for its row, and for that of what is kept of it.
    const many = rows(700).map((row) => ({ ...row, name: row.name.padEnd(400, '.') }));
    const nodes = [
      {
        id: 'big',
        kind: 'set',
        params: { fields: { rows: many } },
        next: ['stop', 'use'],
        save_output: true,
        export_output: true,
      },
      { id: 'stop', kind: 'stop_with_error', params: { message: 'Later.' }, next: ['tell'] },
      { id: 'use', kind: 'template', params: { template: '{{_output.big.rows[699].name}}' }, next: [] },
      { id: 'tell', kind: 'set', params: { fields: { it: { $ref: '_output.big.rows[5]' } } }, next: [] },
    ];
    const id = await create(nodes);
    const [big, , use] = nodesOf(await run(id));
    expect(use!.output).toEqual({ text: many[699]!.name });
    const text = JSON.stringify({ rows: many });
    expect(big!.output).toEqual({
      stored: true,
      size_bytes: text.length,
      media_path: expect.stringMatching(/^\/media\/workflow-runs\/[0-9a-f-]{36}\/big\.json$/),
      preview: expect.any(String),
    });
    expect(big!.output.preview).toMatch(/^\{"rows":\[\{"n":0,/);
    const frames = await owner.get<{ node_id: string; output: Json }[]>(at(id, 'nodes/'));
    expect(frames[0]!.output).toEqual(big!.output);
    const path = String(big!.output.media_path);
    expect(await outputsOf(id)).toMatchObject([
      { type: 'json', value: null, media_path: path, size_bytes: text.length },
    ]);

    const url = (await sign(viewer, path))!;
    expect(await download(url)).toEqual({ rows: many });
    expect(await sign(stranger, path)).toBeUndefined();
    await sql('DELETE FROM workflow_collaborators WHERE workflow_id = $1', [id]);
    expect((await fetch(url)).status).toBe(404);
    expect(await sign(viewer, path)).toBeUndefined();

    // A retry and a branch share the file; it goes with the last run that refers to it.
    const mended = nodes.map((node) =>
      node.id === 'stop' ? { ...node, kind: 'template', params: { template: '' } } : node,
    );
    await ask(owner, 'PUT', at(id), { name: 'N', json_spec: { nodes: mended } });
    const retried = await ask(owner, 'POST', at(id, 'history/1/retry/'), { from: 'failed', spec: 'latest' });
    expect(retried.body).toMatchObject({ version: 2, nodes_reused: 2 });
    expect(nodesOf(await ended(id, 2))[3]!.output).toEqual({ it: many[5] });
    await owner.post('/microservices/workflow/branch-rerun/', { workflow_id: id, start_node_id: 'tell' });
    const [shared, , , told] = nodesOf(await ended(id, 3));
    expect(told!.output).toEqual({ it: many[5] });
    const keys = () => sql<{ key: string }[]>('SELECT storage_key AS key FROM loose_files');
    for (const version of [1, 2]) expect((await ask(owner, 'DELETE', at(id, `history/${version}/`))).status).toBe(204);
    expect(await download((await sign(owner, String(shared!.output.media_path)))!)).toEqual({ rows: many });
    expect(await keys()).toEqual([]);
    expect((await ask(owner, 'DELETE', at(id, 'history/3/'))).status).toBe(204);
    expect(await sign(owner, String(shared!.output.media_path))).toBeUndefined();
    expect(await keys()).toHaveLength(1);
  });

  it('does not take an output that looks like a stored one for one', async () => {
    const forged = { $stored: { key: 'documents/00/x', size: 1, sha256: '', preview: '' } };
    const id = await create([
      { id: 'forger', kind: 'set', params: { fields: forged }, next: ['reader'] },
      { id: 'reader', kind: 'set', params: { fields: { read: { $ref: '_output.forger' } } }, next: [] },
    ]);
    const [forger, reader] = nodesOf(await run(id));
    expect(reader!.output).toEqual({ read: forged });
    expect(await (await fetch((await sign(owner, String(forger!.output.media_path)))!)).json()).toEqual(forged);
  });

  it('writes files for the owner: once per node and run, signed for those who see the workflow', async () => {
    const id = await create([
      {
        id: 'rows',
        kind: 'set',
        params: { fields: { items: [...rows(2), { n: '=1+1', name: 'ä,"' }, { n: '__proto__', name: '_x0041_' }] } },
        next: ['csv'],
      },
      {
        id: 'csv',
        kind: 'file_writer',
        params: { path: 'reports/../June 1.csv', content: { $ref: '_output.rows' } },
        next: ['sheet', 'json', 'bytes'],
        save_output: true,
        export_output: true,
      },
      {
        id: 'sheet',
        kind: 'file_writer',
        params: { path: 'june.xlsx', content: { $ref: '_output.rows.items' } },
        next: [],
      },
      {
        id: 'json',
        kind: 'file_writer',
        params: { path: 'june.json', content: { $ref: '_output.rows' }, if_exists: 'replace' },
        next: [],
      },
      {
        id: 'bytes',
        kind: 'file_writer',
        params: { path: 'x.bin', format: 'base64', content: 'AAEC', if_exists: 'replace' },
        next: [],
      },
    ]);
    const [, csv, sheet, , bytes] = nodesOf(await run(id));
    const csvText = 'n,name,even\n0,row number 0,true\n1,row number 1,false\n\'=1+1,"ä,""",\n__proto__,_x0041_,\n';
    expect(csv!.output).toEqual({
      path: 'reports/June 1.csv',
      filename: 'June 1.csv',
      media_path: expect.stringMatching(/^\/media\/written\/[0-9a-f-]{36}\/June%201\.csv$/),
      mime_type: 'text/csv',
      size_bytes: Buffer.byteLength(csvText),
    });
    expect((await filesOf(owner)).files).toEqual(['june.json', 'june.xlsx', 'reports/June 1.csv', 'x.bin']);
    const path = String(csv!.output.media_path);
    for (const client of [owner, viewer]) expect(await (await fetch((await sign(client, path))!)).text()).toBe(csvText);
    expect(await sign(stranger, path)).toBeUndefined();
    expect(await sign(viewer, 'reports/June 1.csv')).toBeUndefined();
    expect(await ask(viewer, 'POST', '/artifacts/links/', { media_path: path })).toMatchObject({ status: 400 });
    const bytesUrl = (await sign(owner, String(bytes!.output.media_path)))!;
    expect(Buffer.from(await (await fetch(bytesUrl)).arrayBuffer())).toEqual(Buffer.from([0, 1, 2]));
    const workbook = read(await (await fetch((await sign(owner, String(sheet!.output.media_path)))!)).arrayBuffer());
    expect(utils.sheet_to_json(workbook.Sheets[workbook.SheetNames[0]!]!)).toEqual([
      { n: 0, name: 'row number 0', even: true },
      { n: 1, name: 'row number 1', even: false },
      { n: '=1+1', name: 'ä,"' },
      { n: '__proto__', name: '_x0041_' },
    ]);
    expect(await outputsOf(id)).toMatchObject([
      {
        type: 'file',
        title: 'June 1.csv',
        media_path: path,
        mime_type: 'text/csv',
        size_bytes: Buffer.byteLength(csvText),
      },
    ]);

    await run(id);
    expect((await filesOf(owner)).files).toEqual([
      'june (2).xlsx',
      'june.json',
      'june.xlsx',
      'reports/June 1 (2).csv',
      'reports/June 1.csv',
      'x.bin',
    ]);
    const zip = await owner.send('GET', at(id, 'export/?run_version=1'));
    expect(Object.keys(unzipSync(new Uint8Array(await zip.arrayBuffer())))).toEqual(['June 1.csv']);

    // Deleting the workflow leaves the files to their owner alone.
    expect((await ask(owner, 'DELETE', at(id, 'permanent-delete/'))).status).toBe(200);
    expect(await sign(owner, path)).toBeDefined();
    expect(await sign(viewer, path)).toBeUndefined();
  });

  inAll('refuses files beyond the quota, and content that the format cannot hold', async () => {
    const id = await create([
      { id: 'odd', kind: 'file_writer', params: { path: 'x.bin', format: 'base64', content: '!' }, next: [] },
    ]);
    expect(await run(id)).toMatchObject({ status: 'FAILED', error: { code: 'invalid_content' } });
    await runner.stop();
    const poor = await platform.host('workflow-runner', { STORAGE_QUOTA_BYTES: '10' });
    const full = await create([
      { id: 'more', kind: 'file_writer', params: { path: 'm.txt', content: 'x'.repeat(11) }, next: [] },
    ]);
    expect(await run(full)).toMatchObject({ status: 'FAILED', error: { code: 'storage_limit_exceeded' } });
    expect((await filesOf(owner)).files).not.toContain('m.txt');
    await poor.stop();
    await platform.host('workflow-runner');
  });

  it('exports what is marked for it, in three formats', async () => {
    const id = await create(
      [
        {
          id: 'a',
          name: 'Notes / all',
          kind: 'template',
          params: { template: 'Hello' },
          next: ['b'],
          export_output: true,
        },
        {
          id: 'b',
          name: 'Notes / all',
          kind: 'set',
          params: { fields: { items: rows(3) } },
          next: ['c', 'd'],
          export_output: true,
        },
        {
          id: 'c',
          name: '../../etc',
          kind: 'set',
          params: { fields: { rows: rows(1_600) } },
          next: [],
          export_output: true,
        },
        { id: 'd', kind: 'template', params: { template: 'not exported' }, next: [] },
      ],
      'Übersicht: "Q1/Q2"',
    );
    expect(await ask(owner, 'GET', at(id, 'export/'))).toMatchObject({
      status: 404,
      body: { code: 'nothing_to_export' },
    });
    await run(id);
    const answer = await owner.send('GET', at(id, 'export/'));
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toContain(`filename*=UTF-8''%C3%9Cbersicht_`);
    const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    expect(Object.keys(files)).toEqual(['Notes _ all.txt', 'Notes _ all.json', '_.._etc.json']);
    const textOf = (name: string) => Buffer.from(files[name]!).toString();
    expect(textOf('Notes _ all.txt')).toBe('Hello');
    expect(JSON.parse(textOf('_.._etc.json'))).toEqual({ rows: rows(1_600) });

    const json = await (await viewer.send('GET', at(id, 'export/?format=json'))).json();
    expect(json).toEqual({
      workflow_name: 'Übersicht: "Q1/Q2"',
      run_version: 1,
      nodes: [
        { node_id: 'a', name: 'Notes / all', kind: 'template', output: { text: 'Hello' } },
        { node_id: 'b', name: 'Notes / all', kind: 'set', output: { items: rows(3) } },
        { node_id: 'c', name: '../../etc', kind: 'set', output: { rows: rows(1_600) } },
      ],
    });
    const book = read(await (await owner.send('GET', at(id, 'export/?format=xlsx'))).arrayBuffer());
    expect(book.SheetNames).toEqual(['Notes   all', 'Notes   all (2)', '.. .. etc']);
    expect(utils.sheet_to_json(book.Sheets[book.SheetNames[2]!]!)).toHaveLength(1_600);
    expect(await ask(owner, 'GET', at(id, 'export/?run_version=9'))).toMatchObject({ status: 404 });
    expect(await ask(owner, 'GET', at(id, 'export/?format=pdf'))).toMatchObject({
      status: 400,
      body: { format: [expect.any(String)] },
    });
    expect(await ask(stranger, 'GET', at(id, 'export/'))).toMatchObject({
      status: 404,
      body: { code: 'workflow_not_found' },
    });
  });

  it('exports under names that fit, whatever things are called', async () => {
    const id = await create([sheetOf('a', 'History'), sheetOf('b', '😀'.repeat(20))], `${'n'.repeat(99)}😀 and on`);
    await run(id);
    for (const format of ['zip', 'json', 'xlsx']) {
      const answer = await owner.send('GET', at(id, `export/?format=${format}`));
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-disposition')).toContain(
        `filename*=UTF-8''${'n'.repeat(99)}%F0%9F%98%80-run-1.${format}`,
      );
      if (format !== 'xlsx') continue;
      const book = read(await answer.arrayBuffer());
      // No program opens a sheet that is called History.
      expect(book.SheetNames).toEqual(['History (2)', '😀'.repeat(15)]);
      expect(utils.sheet_to_json(book.Sheets['History (2)']!)).toEqual([
        { text: 'bell  and tab \t' },
        { text: 'constructor' },
      ]);
    }
  });
});
