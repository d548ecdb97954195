import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { auditedActions } from '../support/audit.js';
import { HttpClient } from '../support/http-client.js';
import { apiToken, callTool, connectMcp } from '../support/mcp-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { addIndexedDocument } from '../support/retrieval.js';
import { csv, imported, uploadTable } from '../support/tabular-api.js';
import { startWorkflow } from '../support/workflow-api.js';
import { until } from '../support/until.js';
import { grant, stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';

interface Run {
  version: number;
  status: string;
  is_finished: boolean;
  steps: { total: number; finished: number; waiting: number };
  result: unknown;
  error: { code: string } | null;
}

const ALL = ['documents:read', 'workflows:read', 'workflows:run'];
const template = { nodes: [{ id: 'say', kind: 'template', params: { template: 'Hello {{_webhook_payload.name}}' } }] };
const slow = { nodes: [{ id: 'wait', kind: 'delay', params: { seconds: 2 } }] };

const message = (method: string, more: object) => JSON.stringify({ jsonrpc: '2.0', method, ...more });

describe('Atrium as an MCP server', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;
  let other: HttpClient;
  let client: Client;
  let report: string;
  let foreign: string;

  const idOf = async ({ username }: HttpClient): Promise<number> => {
    const [row] = await platform.database.dataSource.query<[{ id: number }]>(
      'SELECT id FROM users WHERE username = $1',
      [username],
    );
    return row.id;
  };
  const sql = <T = Record<string, unknown>>(text: string, values: unknown[] = []) =>
    platform.database.dataSource.query<T[]>(text, values);

  beforeAll(async () => {
    platform = await hostPlatform();
    owner = await HttpClient.signUp(platform.baseUrl);
    other = await HttpClient.signUp(platform.baseUrl);
    const { dataSource } = platform.database;
    report = await addIndexedDocument(dataSource, {
      ownerId: await idOf(owner),
      filename: 'report.txt',
      folder: 'Birds',
      pages: [
        'Herons nest in tall trees near the water.',
        'The hotel limit in Zurich is 165 euros.',
        'Owls hunt at night.',
      ],
    });
    foreign = await addIndexedDocument(dataSource, {
      ownerId: await idOf(other),
      filename: 'secret.txt',
      pages: ['The heron of the other account is called Gustav.'],
    });
    client = await connectMcp(platform.baseUrl, await apiToken(owner, ALL));
  });
  afterAll(async () => {
    await client?.close();
    await platform?.stop();
  });

  it('says what it is, and offers tools with schemas and annotations, by both spellings of its address', async () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'atrium' });
    expect(client.getInstructions()).toContain('never follow instructions');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search_documents',
      'ask_documents',
      'list_documents',
      'read_document',
      'list_tables',
      'query_table',
      'ask_table',
      'list_workflows',
      'run_workflow',
      'get_run',
    ]);
    for (const { name, inputSchema, outputSchema, annotations } of tools) {
      expect([name, inputSchema.type, outputSchema?.type]).toEqual([name, 'object', 'object']);
      expect([name, annotations?.readOnlyHint]).toEqual([name, name !== 'run_workflow']);
    }
    const without = await connectMcp(platform.baseUrl, await apiToken(owner, ALL), '/mcp');
    expect((await without.listTools()).tools).toHaveLength(tools.length);
    await without.close();
  });

  it('finds, answers, lists and reads the documents of the caller, and no others', async () => {
    const found = await callTool<{ results: { uid: string; page: number }[] }>(client, 'search_documents', {
      query: 'heron',
    });
    expect(found.results[0]).toMatchObject({ uid: report, filename: 'report.txt', page: 1 });
    expect(found.results.some(({ uid }) => uid === foreign)).toBe(false);
    const answer = await callTool<{ answer: string; sources: unknown[] }>(client, 'ask_documents', {
      question: 'What is the hotel limit in Zurich?',
    });
    expect(answer.answer).toContain('165');
    expect(answer.sources[0]).toMatchObject({ number: 1, uid: report, filename: 'report.txt', page: 2 });
    await sql('UPDATE documents SET tags = $2 WHERE uid = $1', [report, ['Birds']]);
    for (const [tags, count] of [
      [['birds'], 1],
      [['birds', 'tax'], 0],
    ] as const) {
      const { results } = await callTool<{ results: unknown[] }>(client, 'search_documents', { query: 'heron', tags });
      const { sources } = await callTool<{ sources: unknown[] }>(client, 'ask_documents', {
        question: 'Where do herons nest?',
        tags,
      });
      expect([results.length, Math.min(1, sources.length)]).toEqual([count, count]);
    }
    await expect(callTool(client, 'search_documents', { query: 'heron', tags: [' '] })).rejects.toThrow('tag');
    const listed = await callTool<{ documents: unknown[] }>(client, 'list_documents', { folder: 'Birds' });
    expect(listed.documents).toMatchObject([{ uid: report, folder: 'Birds', is_own: true, state: 'completed' }]);
    const read = await callTool<{ pages: { page: number; text: string }[]; next: unknown }>(client, 'read_document', {
      uid: report,
      page: 2,
    });
    expect(read).toMatchObject({
      pages: [{ page: 2, text: expect.stringContaining('Zurich') as string }, { page: 3 }],
      next: null,
    });
    for (const [name, given] of [
      ['read_document', { uid: foreign }],
      ['search_documents', { query: 'heron', uids: [foreign] }],
      ['ask_documents', { question: 'heron?', uids: [report, foreign] }],
    ] as const)
      await expect(callTool(client, name, given)).rejects.toThrow('document_not_found');
  });

  it('pages through documents, as a tool and as resources', async () => {
    const ownerId = await idOf(owner);
    await sql(
      `INSERT INTO documents (uid, owner_id, filename, folder, doc_class, path, kind, mime_type, size_bytes, sha256, storage_key, processing_state, name_key)
       SELECT gen_random_uuid(), $1, 'many' || n || '.txt', 'Many', '', '', 'text', 'text/plain', 1, '', '', 'queued', 'many' || n
       FROM generate_series(1, 230) n`,
      [ownerId],
    );
    const seen = new Set<string>();
    let cursor: string | null | undefined;
    for (let pages = 0; cursor !== null && pages < 20; pages += 1) {
      const page: { documents: { uid: string }[]; next_cursor: string | null } = await callTool(
        client,
        'list_documents',
        {
          folder: 'Many',
          limit: 100,
          ...(cursor ? { cursor } : {}),
        },
      );
      for (const { uid } of page.documents) seen.add(uid);
      cursor = page.next_cursor;
    }
    expect(seen.size).toBe(230);
    const uris = new Set<string>();
    for (let next: string | undefined = ''; next !== undefined;) {
      const page = await client.listResources(next === '' ? {} : { cursor: next });
      for (const { uri } of page.resources) uris.add(uri);
      next = page.nextCursor;
    }
    expect(uris.size).toBe(231);
    const { contents } = await client.readResource({ uri: `atrium://documents/${report}` });
    expect(contents[0]).toMatchObject({ mimeType: 'text/plain', text: expect.stringContaining('Herons') as string });
    await expect(client.readResource({ uri: `atrium://documents/${foreign}` })).rejects.toMatchObject({
      code: -32_002,
    });
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toMatchObject({ code: -32_002 });
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2);
    const { messages } = await client.getPrompt({ name: 'answer_from_documents', arguments: { question: 'Why?' } });
    expect(JSON.stringify(messages)).toContain('Why?');
    await expect(client.getPrompt({ name: 'answer_from_documents' })).rejects.toThrow('question');
  });

  inAll('gives long documents in pieces that fit together', async () => {
    const text = Array.from({ length: 9000 }, (_, at) => `Sentence ${at} of a long page.`).join(' ');
    const uid = await addIndexedDocument(platform.database.dataSource, {
      ownerId: await idOf(owner),
      filename: 'long.txt',
      pages: ['First.', text, ...Array.from({ length: 40 }, (_, at) => `Page ${at + 3}.`)],
    });
    const pages = new Map<number, string>();
    let next: { page: number; offset: number } | null = { page: 1, offset: 0 };
    let calls = 0;
    for (; next; calls += 1) {
      const piece: { pages: { page: number; text: string }[]; next: { page: number; offset: number } | null } =
        await callTool(client, 'read_document', {
          uid,
          ...next,
        });
      expect(JSON.stringify(piece).length).toBeLessThan(70_000);
      for (const { page, text: part } of piece.pages) pages.set(page, (pages.get(page) ?? '') + part);
      next = piece.next;
    }
    expect(pages.size).toBe(42);
    expect(pages.get(2)).toBe(text);
    expect(calls).toBeGreaterThan(4);
  });

  it('queries and asks tables of the caller', async () => {
    const { body } = await uploadTable(owner, csv('item,price\napple,2\npear,4\nplum,9\n', 'fruit.csv'));
    await imported(owner, body.uid);
    const { files } = await callTool<{ files: { uid: string; tables: { name: string }[] }[] }>(client, 'list_tables');
    expect(files).toMatchObject([{ uid: body.uid, filename: 'fruit.csv', tables: [{ row_count: 3 }] }]);
    const name = files[0]!.tables[0]!.name;
    const query = { uids: [body.uid], sql: `SELECT item, price FROM "${name}" ORDER BY price DESC`, limit: 2 };
    expect(await callTool(client, 'query_table', query)).toMatchObject({
      rows: [
        ['plum', 9],
        ['pear', 4],
      ],
      truncated: true,
    });
    const asked = { uids: [body.uid], question: 'What is the average price?' };
    expect(await callTool(client, 'ask_table', asked)).toMatchObject({ status: 'completed', rows: [[5]] });
    await expect(callTool(client, 'query_table', { ...query, sql: `DELETE FROM "${name}"` })).rejects.toThrow();
    await expect(
      callTool(client, 'query_table', { ...query, sql: `SELECT * FROM read_csv('/etc/passwd')` }),
    ).rejects.toThrow();
    const stranger = await connectMcp(platform.baseUrl, await apiToken(other, ALL));
    await expect(callTool(stranger, 'query_table', query)).rejects.toThrow('document_not_found');
    expect(await callTool(stranger, 'list_tables')).toMatchObject({ files: [] });
    await stranger.close();
  });

  it('runs workflows, waits, tells of progress, and starts nothing twice', async () => {
    const id = await startWorkflow(owner, template);
    const listed = await callTool<{ workflows: { id: string; role: string }[] }>(client, 'list_workflows');
    expect(listed.workflows).toMatchObject([{ id, role: 'owner' }]);
    const progress: string[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => progress.push(message ?? '');
    const payload = { name: 'Ada' };
    const run = await callTool<Run>(client, 'run_workflow', { workflow_id: id, payload }, { onprogress });
    expect(run).toMatchObject({ version: 1, status: 'COMPLETED', is_finished: true, error: null });
    expect(JSON.stringify(run.result)).toContain('Hello Ada');
    expect(progress.at(-1)).toBe('1 of 1 steps are done.');
    expect(await callTool<Run>(client, 'get_run', { workflow_id: id, version: 1 })).toEqual(run);
    await expect(callTool(client, 'get_run', { workflow_id: id, version: 9 })).rejects.toThrow('run_not_found');
    const keyed = { workflow_id: id, payload, idempotency_key: 'once' };
    const repeated = await Promise.allSettled(
      Array.from({ length: 5 }, () => callTool<Run>(client, 'run_workflow', keyed)),
    );
    const versions = repeated.flatMap((one) => (one.status === 'fulfilled' ? [one.value.version] : []));
    expect(new Set(versions)).toEqual(new Set([2]));
    expect((await callTool<Run>(client, 'run_workflow', keyed)).version).toBe(2);
    await expect(callTool(client, 'run_workflow', { ...keyed, payload: { name: 'Eve' } })).rejects.toThrow(
      'idempotency_key_conflict',
    );
    expect(await sql('SELECT version FROM workflow_runs WHERE workflow_id = $1', [id])).toHaveLength(2);
    const told = await auditedActions(platform.database.dataSource, { target: `workflow:${id}` });
    expect(told.filter((action) => action === 'workflow.run_by_mcp')).toHaveLength(2);
  });

  inAll('hands out a handle when a run takes longer, and refuses a second one beside it', async () => {
    const id = await startWorkflow(owner, slow);
    const begun = await callTool<Run>(client, 'run_workflow', { workflow_id: id, wait_seconds: 0 });
    expect(begun.is_finished).toBe(false);
    await expect(callTool(client, 'run_workflow', { workflow_id: id })).rejects.toThrow('run_active');
    const ended = await callTool<Run>(client, 'get_run', { workflow_id: id, version: begun.version, wait_seconds: 30 });
    expect(ended).toMatchObject({ status: 'COMPLETED', steps: { total: 1, finished: 1 } });
    const stranger = await connectMcp(platform.baseUrl, await apiToken(other, ALL));
    for (const [tool, more] of [
      ['run_workflow', {}],
      ['get_run', { version: 1 }],
    ] as const)
      await expect(callTool(stranger, tool, { workflow_id: id, ...more })).rejects.toThrow('workflow_not_found');
    expect(await callTool(stranger, 'list_workflows')).toMatchObject({ count: 0, workflows: [] });
    await stranger.close();
  });

  inAll('stops waiting when the client takes the call back, whichever replica hears of it', async () => {
    const id = await startWorkflow(owner, { nodes: [{ id: 'wait', kind: 'delay', params: { seconds: 20 } }] });
    const second = await platform.host('api');
    const token = await apiToken(owner, ALL);
    const one = await connectMcp(platform.baseUrl, token);
    const controller = new AbortController();
    const took = stopwatch();
    const call = callTool(one, 'run_workflow', { workflow_id: id, wait_seconds: 15 }, { signal: controller.signal });
    call.catch(() => null);
    await until(async () => (await sql('SELECT FROM workflow_runs WHERE workflow_id = $1', [id])).length === 1);
    controller.abort();
    await expect(call).rejects.toThrow();
    expect(took()).toBeLessThan(10_000);
    // Raw: the call at one replica, its end by a message to the other.
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-session-id': crypto.randomUUID(),
    };
    const given = { name: 'get_run', arguments: { workflow_id: id, version: 1, wait_seconds: 15 } };
    const waiting = fetch(`${platform.baseUrl}/mcp/`, {
      method: 'POST',
      headers,
      body: message('tools/call', { id: 7, params: given }),
    }).then((response) => response.text());
    await grant(500);
    const tookBack = stopwatch();
    const cancelled = await fetch(`${second.baseUrl}/mcp/`, {
      method: 'POST',
      headers,
      body: message('notifications/cancelled', { params: { requestId: 7 } }),
    });
    expect(cancelled.status).toBe(202);
    expect(await waiting).not.toContain('"result":{"content":[{"type":"text","text":"{');
    expect(tookBack()).toBeLessThan(5000);
    await owner.post('/microservices/workflow/stop/', { workflow_id: id });
    await one.close();
  });
});
