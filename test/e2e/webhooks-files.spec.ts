import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface QueueFile {
  url: string;
  status: string;
  file_name: string | null;
  uid: string | null;
  error: string | null;
}
interface Queue {
  requests: {
    id: string;
    status: string;
    queue_position: number | null;
    file_name: string;
    file_urls: string[];
    files: QueueFile[];
    processed: number | null;
    failed: number | null;
    skipped: number | null;
  }[];
}
const PATH = '/microservices/workflow/webhook/';
const definition = {
  name: 'Invoices / in',
  nodes: [{ id: 'hook', kind: 'webhook_trigger', save_output: true }],
};

describe('files that webhook calls name', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;
  let host: Server;
  let base: string;
  const hits = new Map<string, number>();
  let release: (() => void) | null = null;

  beforeAll(async () => {
    host = createServer((request, response) => {
      const path = new URL(request.url!, 'http://x').pathname;
      const hit = (hits.get(path) ?? 0) + 1;
      hits.set(path, hit);
      if (path === '/flaky.txt' && hit === 1) return response.writeHead(503).end();
      if (path === '/moved') return response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
      if (path === '/download')
        return response
          .writeHead(200, {
            'content-disposition': 'attachment; filename="../../R report.csv"',
            'content-type': 'text/csv',
          })
          .end('a,b\n1,2\n');
      if (path === '/typed')
        return response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('typed');
      if (path === '/bad.pdf') return response.end('no pdf at all');
      if (path === '/tool.exe') return response.end('MZ');
      if (path === '/slow.txt') {
        release = () => response.end('slow at last');
        response.writeHead(200).write('…');
        return;
      }
      return path.endsWith('.txt') ? response.end(`text of ${path}`) : response.writeHead(404).end();
    });
    await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
    base = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    platform = await hostPlatform(['api'], {
      WORKFLOW_HOSTS: base.slice('http://'.length),
      WEBHOOK_FILES: '8',
      LEASE_SECONDS: '3',
      HEARTBEAT_SECONDS: '1',
      SWEEP_SECONDS: '1',
    });
    await platform.start('workflow-runner');
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    release?.();
    await platform.stop();
    host.closeAllConnections();
    await new Promise((done) => host.close(done));
  });

  async function create(json: unknown = definition) {
    const { workflow_id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', { json });
    const detail = await owner.get<Record<string, string>>(`/microservices/workflow/${workflow_id}/`);
    return { id: workflow_id, webhook_id: detail.webhook_id!, webhook_secret: detail.webhook_secret! };
  }
  async function trigger(body: object) {
    const response = await fetch(platform.baseUrl + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      body: (await response.json()) as Record<string, unknown> & { request_id: string },
    };
  }
  const find = async (id: string, request: string) =>
    (await owner.get<Queue>(`/microservices/workflow/${id}/webhook-queue/`)).requests.find(
      (one) => one.id === request,
    )!;
  const documents = () =>
    platform.database.dataSource.query<{ uid: string; filename: string; folder: string }[]>(
      'SELECT uid, filename, folder FROM documents ORDER BY created_at',
    );

  it('become documents of the owner, or say why not, and the run lists them', async () => {
    const { id, ...credential } = await create();
    const urls = [
      `${base}/flaky.txt`,
      `${base}/download?token=1`,
      `${base}/typed`,
      `${base}/bad.pdf`,
      `${base}/tool.exe`,
      `${base}/missing.pdf`,
      `${base}/moved`,
      'https://127.0.0.1/secret.txt',
      `${base}/flaky.txt`,
      `${base}/ninth.txt`,
    ];
    const { status, body } = await trigger({ ...credential, payload: { n: 1, file_urls: urls }, wait_seconds: 25 });
    expect([status, body.queue_position]).toEqual([200, 1]);
    const request = await find(id, body.request_id);
    expect(request).toMatchObject({
      status: 'done',
      file_name: 'flaky.txt',
      file_urls: urls,
      processed: 3,
      failed: 5,
      skipped: 2,
    });
    expect(request.files.map((file) => [file.status, file.file_name])).toEqual([
      ['stored', 'flaky.txt'],
      ['stored', 'R report.csv'],
      ['stored', 'typed.txt'],
      ...Array.from({ length: 5 }, () => ['failed', null]),
      ['skipped', null],
      ['skipped', null],
    ]);
    expect(request.files.slice(3).map(({ error }) => error)).toEqual([
      expect.stringContaining('not a PDF'),
      expect.stringContaining('not supported'),
      'The host answers with status 404.',
      expect.stringMatching(/public internet|https/),
      expect.stringContaining('public internet'),
      expect.stringContaining('twice'),
      expect.stringContaining('Only 8 files'),
    ]);
    expect(hits.get('/flaky.txt')).toBe(2);
    const output = body.output as { hook: { payload: object; files: Record<string, unknown>[] } };
    expect(output.hook.payload).toEqual({ n: 1, file_urls: urls });
    const stored = await documents();
    expect(stored.map(({ filename, folder }) => [filename, folder]).toSorted()).toEqual([
      ['R report.csv', 'Webhooks/Invoices - in'],
      ['flaky.txt', 'Webhooks/Invoices - in'],
      ['typed.txt', 'Webhooks/Invoices - in'],
    ]);
    expect(output.hook.files.slice(0, 3)).toEqual(
      request.files.slice(0, 3).map((file) => ({
        url: file.url,
        status: 'stored',
        file_name: file.file_name,
        uid: stored.find(({ uid }) => uid === file.uid)!.uid,
        mime_type: expect.any(String),
        size_bytes: expect.any(Number),
        error: null,
      })),
    );
  });

  inAll('hold up those behind them, outlive their worker, and are fetched once', async () => {
    const { id, ...credential } = await create();
    const before = (await documents()).length;
    const urls = [`${base}/one.txt`, `${base}/slow.txt`];
    const first = await trigger({ ...credential, payload: { file_urls: urls } });
    const second = await trigger({ ...credential, payload: { n: 2 } });
    expect([first.body.queue_position, second.body.queue_position]).toEqual([1, 2]);
    await until(
      async () => (await find(id, first.body.request_id)).processed === 1 && (hits.get('/slow.txt') ?? 0) === 1,
    );
    expect((await find(id, second.body.request_id)).status).toBe('pending');
    const runner = platform.apps.find(({ name }) => name === 'workflow-runner')!;
    await runner.kill('SIGKILL');
    await platform.host('workflow-runner');
    await until(() => (hits.get('/slow.txt') ?? 0) === 2);
    release!();
    await until(async () => (await find(id, second.body.request_id)).status === 'done');
    expect(await find(id, first.body.request_id)).toMatchObject({
      status: 'done',
      processed: 2,
      failed: 0,
      skipped: 0,
    });
    expect(hits.get('/one.txt')).toBe(1);
    expect((await documents()).length).toBe(before + 2);
    const versions = await platform.database.dataSource.query<{ id: string }[]>(
      'SELECT id FROM workflow_requests WHERE workflow_id = $1 ORDER BY run_version',
      [id],
    );
    expect(versions.map((row) => row.id)).toEqual([first.body.request_id, second.body.request_id]);
  });

  it('are not fetched before the call is approved, nor after it is cancelled', async () => {
    const { id, ...credential } = await create();
    await owner.send('PATCH', `/microservices/workflow/${id}/webhook-settings/`, { requires_approval: true });
    const call = async (name: string) =>
      (await trigger({ ...credential, payload: { file_urls: `${base}/${name}.txt` } })).body.request_id;
    const [approved, rejected] = [await call('approved'), await call('rejected')];
    const act = (request: string, action: string) =>
      owner.send('POST', `/microservices/workflow/${id}/webhook-queue/${request}/`, { action });
    await act(rejected, 'reject');
    await new Promise((done) => setTimeout(done, 1500));
    expect([hits.get('/approved.txt'), hits.get('/rejected.txt')]).toEqual([undefined, undefined]);
    await act(approved, 'approve');
    await until(async () => (await find(id, approved)).status === 'done');
    expect([hits.get('/approved.txt'), hits.get('/rejected.txt')]).toEqual([1, undefined]);
  });

  it('may be what a call stands or falls with, and are fetched anew by a retry', async () => {
    const { id, ...credential } = await create({
      nodes: [{ id: 'hook', kind: 'webhook_trigger', params: { require_files: true } }],
    });
    const urls = [`${base}/kept.txt`, `${base}/late`];
    const { body } = await trigger({ ...credential, payload: { file_urls: urls }, wait_seconds: 20 });
    expect(body).toMatchObject({ status: 'failed', error: { node_id: 'hook', code: 'file_missing' } });
    host.removeAllListeners('request');
    host.on('request', (request, response) => {
      hits.set(request.url!, (hits.get(request.url!) ?? 0) + 1);
      response.setHeader('content-type', 'text/plain').end('now it is here');
    });
    await owner.send('POST', `/microservices/workflow/${id}/webhook-queue/${body.request_id}/`, { action: 'retry' });
    await until(async () => (await find(id, body.request_id)).status === 'done');
    expect(await find(id, body.request_id)).toMatchObject({ processed: 2, failed: 0 });
    expect(hits.get('/kept.txt')).toBe(1);
  });
});
