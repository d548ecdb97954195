import { randomBytes } from 'node:crypto';
import { HttpClient } from '../support/http-client.js';
import { OddServer } from '../support/mcp-odd-server.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { findTraces } from '../support/traces.js';
import { until } from '../support/until.js';

interface Row {
  node_id: string;
  status: string;
  output: { content: Record<string, unknown> } | null;
  error: { code: string; message: string } | null;
}

const SERVERS = '/mcp-servers/servers/';
const SECRET = `canary-${randomBytes(12).toString('hex')}`;

describe('workflows that call connected tool servers', () => {
  let platform: HostedPlatform;
  let odd: OddServer;
  let owner: HttpClient;
  let id: number;

  beforeAll(async () => {
    odd = await OddServer.start();
    odd.tools = [
      {
        name: 'find customer',
        inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
        run: ({ input }) => ({ content: [], structuredContent: { name: input['name'], city: 'Rome' } }),
      },
      { name: 'draw', run: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }] }) },
      { name: 'fail', run: () => ({ content: [{ type: 'text', text: `It was ${SECRET}.` }], isError: true }) },
    ];
    platform = await hostPlatform(['api', 'workflow-runner'], {
      MCP_HOSTS: odd.host,
      LOG_LEVEL: 'trace',
      LOG_REQUESTS: 'true',
    });
    owner = await HttpClient.signUp(platform.baseUrl);
    const made = await owner.post<{ id: number }>(SERVERS, {
      label: 'CRM',
      url: odd.url,
      auth_type: 'bearer',
      secret: SECRET,
    });
    ({ id } = made);
    expect(await owner.post(`${SERVERS}${id}/test/`, {})).toMatchObject({ ok: true });
  });

  afterAll(async () => {
    await platform.stop();
    await odd.stop();
  });

  async function run(tool: string, input: object = {}, server = 'crm'): Promise<Row> {
    const nodes = [{ id: 'call', kind: 'mcp_tool', params: { server, tool, input } }];
    const { workflow_id: workflowId } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: { nodes },
    });
    await owner.post('/microservices/workflow/rerun/', { workflow_id: workflowId });
    const path = `/microservices/workflow/${workflowId}/`;
    await until(
      async () => ['COMPLETED', 'FAILED'].includes((await owner.get<{ status: string }>(path)).status),
      20_000,
    );
    const [row] = await owner.get<Row[]>(`${path}nodes/`);
    return row!;
  }

  it('get what the tool answers, once', async () => {
    const row = await run('find customer', { name: 'Ada' });
    expect(row).toMatchObject({
      status: 'COMPLETED',
      output: {
        content: { structured: { name: 'Ada', city: 'Rome' }, text: '{"name":"Ada","city":"Rome"}', truncated: false },
      },
    });
    const calls = odd.requests.filter(({ body }) => body.includes('"tools/call"'));
    expect(calls).toHaveLength(1);
    expect(calls[0]!.body).toContain('atrium/idempotency-key');
    expect(calls[0]!.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  it('keep its files', async () => {
    await run('draw');
    // Of the same name as the one before: it is called what the answer calls it.
    const { output } = await run('draw');
    const { files } = output!.content as { files: { media_path: string; name: string; mime_type: string }[] };
    expect(files).toEqual([{ name: 'image-1.png', mime_type: 'image/png', media_path: expect.any(String) as string }]);
    const { urls } = await owner.post<{ urls: { url: string }[] }>('/media/sign/', {
      paths: [files[0]!.media_path],
    });
    const response = await fetch(new URL(urls[0]!.url, platform.baseUrl));
    expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe('iVBORw0KGgo=');
  });

  it('fail with a reason', async () => {
    expect(await run('fail')).toMatchObject({
      status: 'FAILED',
      error: { code: 'mcp_tool_failed', message: 'The tool answered with an error: It was ***.' },
    });
    expect(await run('find customer', { name: 5 })).toMatchObject({
      status: 'FAILED',
      error: { code: 'mcp_tool_failed', message: expect.stringMatching(/name.*string/) as string },
    });
    expect(await run('nothing')).toMatchObject({ status: 'FAILED', error: { code: 'mcp_tool_not_found' } });
    expect(await run('draw', {}, 'nobody')).toMatchObject({ status: 'FAILED', error: { code: 'mcp_tool_not_found' } });
    odd.intercept = (_, response, body) => body.includes('"tools/call"') && (response.writeHead(500).end(SECRET), true);
    expect(await run('draw')).toMatchObject({ status: 'FAILED', error: { code: 'mcp_server_failed' } });
    odd.intercept = null;
  });

  it('leave no trace of the secret', async () => {
    await owner.send('PUT', `${SERVERS}${id}/`, { secret: `${SECRET}\n${SECRET}` });
    await owner.send('POST', SERVERS, { label: '', url: odd.url, secret: SECRET });
    await owner.send('POST', `${SERVERS}test/`, { url: 'https://127.0.0.1/', secret: SECRET });
    odd.intercept = (_, response) => (response.writeHead(401, { 'www-authenticate': SECRET }).end(SECRET), true);
    await owner.post(`${SERVERS}${id}/test/`, {});
    const seen = [JSON.stringify(await owner.get(SERVERS)), platform.log()];
    for (const text of seen) expect(text).not.toContain(SECRET);
    const { REDIS_URL, REDIS_KEY_PREFIX, STORAGE_DIR } = platform.env;
    const redis = { url: REDIS_URL!, keyPrefix: REDIS_KEY_PREFIX! };
    const kept = { dataSource: platform.database.dataSource, redis, folders: [STORAGE_DIR!] };
    expect(await findTraces(kept, [SECRET])).toEqual([]);
  });
});
