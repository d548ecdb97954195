import { makeMail } from '../fixtures/documents/make-mail.js';
import { makePdf } from '../fixtures/documents/make-pdf.js';
import { fixture } from '../support/documents-api.js';
import { HttpClient } from '../support/http-client.js';
import { type AppName, type Platform, startPlatform } from '../support/platform.js';
import { freePort } from '../support/free-port.js';
import { Directory } from '../support/scim.js';
import { testServers } from '../support/servers.js';
import { splitAnswer } from '../support/streamed-answer.js';
import { switchedPort } from '../support/switched-port.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';
import { inAll } from '../support/long.js';

const APPS: readonly AppName[] = ['api', 'indexer', 'workflow-runner'];
const WEBHOOK = '/microservices/workflow/webhook/';

interface DocumentRow {
  uid: string;
  processing_state: string;
  last_error: string;
}

const statusOf = async (url: string) => {
  const response = await fetch(url);
  const body = (await response.json()) as { status: string; checks?: Record<string, { status: string }> };
  return [response.status, body.status, body.checks?.queue?.status, body.checks?.database?.status];
};

/** The three built apps as processes, over HTTP and WebSocket: one start, while Redis is away, for all that is seen of them. */
describe('the platform', () => {
  let platform: Platform;
  let redis: Awaited<ReturnType<typeof switchedPort>>;
  let client: HttpClient;
  const ports = new Map<AppName, number>();
  const healthOf = (name: AppName) => `http://127.0.0.1:${ports.get(name)}`;

  beforeAll(async () => {
    redis = await switchedPort(new URL(testServers().redisUrl));
    await redis.away();
    for (const name of APPS) ports.set(name, await freePort());
    const deployment = await startPlatform([], { REDIS_URL: redis.url, LOG_LEVEL: 'info' });
    const apps = await Promise.all(
      APPS.map((name) => deployment.start(name, { HEALTH_PORT: String(ports.get(name)) })),
    );
    platform = { ...deployment, baseUrl: `http://127.0.0.1:${String(apps[0]!.ready.port)}` };
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    await platform?.stop();
    await redis.stop();
  });

  /** The series of the platform, without those of Node.js. */
  const scrape = async (name: AppName) => {
    const text = await (await fetch(`${healthOf(name)}/metrics/`)).text();
    return text
      .split('\n')
      .filter((line) => /^(?:atrium|http)_/.test(line) && !line.includes('_bucket'))
      .join('\n');
  };
  const linesOf = (name: AppName, message: string) =>
    platform.apps
      .find((app) => app.name === name)!
      .log()
      .split('\n')
      .filter((line) => line.includes(`"msg":"${message}"`))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  async function run(json: unknown): Promise<string> {
    const { workflow_id: id } = await client.post<{ workflow_id: string }>('/microservices/workflow/start/', { json });
    const { webhook_id, webhook_secret } = await client.get<Record<string, string>>(`/microservices/workflow/${id}/`);
    await client.post(WEBHOOK, { webhook_id, webhook_secret, payload: {}, wait_seconds: 20 });
    return id;
  }

  // First, as Redis is back at its end.
  it('starts while Redis is away: the apps live, say what they lack, and work as soon as Redis is there', async () => {
    const api = platform.baseUrl;
    const bases = [api, ...APPS.map(healthOf)];
    for (const base of bases) {
      expect([base, await statusOf(`${base}/healthz/`)]).toEqual([base, [200, 'ok', undefined, undefined]]);
      expect([base, await statusOf(`${base}/readyz/`)]).toEqual([base, [503, 'unavailable', 'unavailable', 'ok']]);
    }
    // What needs no queue is answered, and what only needs a job is written down.
    const owner = await HttpClient.signUp(api);
    const me = async () => (await owner.get<{ info: { id: number; roles: string[] } }>('/users/me/')).info;
    const { id: ownerId, roles } = await me();
    const directory = await Directory.open({ baseUrl: api, database: platform.database });
    const joined = 'UPDATE users SET organization_id = $2 WHERE id = $1';
    await platform.database.dataSource.query(joined, [ownerId, directory.organizationId]);
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group'];
    const pilots = { schemas, displayName: 'Pilots', members: [{ value: String(ownerId) }] };
    expect((await directory.call('POST', '/Groups', pilots)).status).toBe(201);
    // Whoever was changed here is seen so here, though no other replica hears of it.
    expect((await me()).roles).toEqual([...roles, 'Pilots']);
    const { workflow_id: id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: fanOutAndJoin,
    });
    await owner.post('/microservices/workflow/rerun/', { workflow_id: id, webhook_payload: { n: 1 } });

    await redis.back();
    for (const base of bases) await until(async () => (await statusOf(`${base}/readyz/`))[0] === 200);
    await until(
      async () => (await owner.get<{ status: string }>(`/microservices/workflow/${id}/`)).status === 'COMPLETED',
    );
  });

  // Then what is counted: beside that one run.
  inAll('tells operators of requests, documents, turns, runs and nodes', async () => {
    const { uid } = await client.upload<{ uid: string }>(
      '/semantic-search/upload/',
      'path',
      new File(['# Leave\n\nEverybody has 31 days of paid leave a year.\n'], 'rules.md'),
    );
    await until(() => linesOf('indexer', 'document completed').length > 0);
    const asked = await client.text('/semantic-search/single-file-chat/', { uid, message: 'How many days of leave?' });
    expect(splitAnswer(asked).answer).toContain('31');
    await client.send('GET', `/semantic-search/documents/${uid}/`);
    const good = await run({ nodes: [{ id: 'a', kind: 'template', params: { template: 'hello' } }] });
    const bad = await run({ nodes: [{ id: 'a', kind: 'parse_json', params: { text: '{' } }] });
    await until(() => linesOf('workflow-runner', 'run failed').length > 0);

    const api = await scrape('api');
    expect(api).toContain('route="/semantic-search/documents/:uid",status="2xx"');
    expect(api).not.toContain(uid);
    expect(api).toMatch(/atrium_database_connections\{state="idle",app="api"\} [1-9]/);
    expect(api).toMatch(/atrium_backlog_waiting\{work="outbox",app="api"\} \d/);

    const indexer = await scrape('indexer');
    expect(indexer).toContain('atrium_work_ended_total{work="document",outcome="completed",app="indexer"} 1');
    expect(indexer).toContain('atrium_backlog_waiting{work="documents",app="indexer"} 0');
    expect(indexer).toMatch(
      /atrium_job_duration_seconds_count\{app="indexer",job="index-document",outcome="completed"\} \d/,
    );

    const runner = await scrape('workflow-runner');
    for (const series of [
      'atrium_work_ended_total{work="run",outcome="completed",app="workflow-runner"} 2',
      'atrium_work_ended_total{work="run",outcome="failed",app="workflow-runner"} 1',
      'atrium_work_ended_total{work="turn",outcome="completed",app="workflow-runner"} 1',
      'atrium_nodes_ended_total{kind="template",outcome="completed",app="workflow-runner"} 3',
      'atrium_nodes_ended_total{kind="parse_json",outcome="failed",app="workflow-runner"} 1',
      'atrium_webhook_lag_seconds_count{app="workflow-runner"} 2',
      'atrium_backlog_oldest_seconds{work="runs",app="workflow-runner"} 0',
    ])
      expect(runner).toContain(series);

    const [before, completed] = linesOf('workflow-runner', 'run completed');
    expect(before).toMatchObject({ work: 'run', outcome: 'completed' });
    expect(completed).toMatchObject({ work: 'run', workflowId: good, outcome: 'completed', code: null });
    expect(completed).toMatchObject({
      requestId: expect.any(String),
      ownerId: expect.any(Number),
      ms: expect.any(Number),
    });
    expect(linesOf('workflow-runner', 'run failed')).toEqual([
      expect.objectContaining({ workflowId: bad, nodeId: 'a', code: 'invalid_json', outcome: 'failed' }),
    ]);
    expect(linesOf('workflow-runner', 'turn completed')).toEqual([
      expect.objectContaining({ handler: expect.any(String), turnId: expect.any(String), outcome: 'completed' }),
    ]);
    expect(linesOf('indexer', 'document completed')).toEqual([expect.objectContaining({ uid, kind: 'markdown' })]);
  });

  it('tells operators of runs that were stopped, once each', async () => {
    const json = { nodes: [{ id: 'wait', kind: 'delay', params: { seconds: 60 } }] };
    const { workflow_id: id } = await client.post<{ workflow_id: string }>('/microservices/workflow/start/', { json });
    await client.post('/microservices/workflow/rerun/', { workflow_id: id });
    await client.post('/microservices/workflow/stop/', { workflow_id: id });
    expect(linesOf('api', 'run stopped')).toEqual([expect.objectContaining({ workflowId: id, code: 'stopped' })]);
    expect(linesOf('workflow-runner', 'run stopped')).toEqual([]);
    expect(await scrape('api')).toContain('atrium_work_ended_total{work="run",outcome="stopped",app="api"} 1');
  });

  const indexed = (uid: string) =>
    until(async () => {
      const row = await client.get<DocumentRow>(`/semantic-search/documents/${uid}/`);
      if (row.processing_state === 'failed') throw new Error(row.last_error);
      return row.processing_state === 'completed';
    });

  it('keeps one request id through the api and the worker', async () => {
    const form = new FormData();
    form.append('path', new File(['Traced.'], 'traced.txt'));
    const response = await fetch(`${platform.baseUrl}/semantic-search/upload/`, {
      method: 'POST',
      headers: { authorization: `Token ${client.token}`, 'x-request-id': 'trace-4711' },
      body: form,
    });
    expect(response.headers.get('x-request-id')).toBe('trace-4711');
    await indexed(((await response.json()) as DocumentRow).uid);
    const indexer = platform.apps.find(({ name }) => name === 'indexer')!;
    await until(() => indexer.log().includes('"requestId":"trace-4711"'));
  });

  it('answers a question about an uploaded document, with its source', async () => {
    const text =
      '# Travel\n\nTrips abroad need the consent of the team lead.\n\n# Leave\n\nEverybody has 31 days of paid leave a year.\n';
    const { uid } = await client.upload<DocumentRow>('/semantic-search/upload/', 'path', new File([text], 'rules.md'), {
      folder: 'Office',
    });
    await indexed(uid);

    const reply = await client.text('/semantic-search/single-file-chat/', {
      uid,
      message: 'How many days of paid leave do we have?',
    });
    const { sources, answer } = splitAnswer(reply);
    expect(sources[0]).toMatchObject({ uid, filename: 'rules.md', page: 1 });
    expect(answer).toContain('31 days of paid leave');
  });

  inAll(
    'answers from what is attached to a mail, and names the mail; what could not be read of it is told',
    async () => {
      const pdf = makePdf([
        { runs: [{ x: 72, y: 700, text: 'The total of the invoice is 4,711 euros, due in May.' }] },
      ]);
      const locked = await fixture('encrypted.pdf');
      const mail = makeMail([
        { name: 'invoice.pdf', type: 'application/pdf', bytes: pdf },
        { name: 'locked.pdf', type: 'application/pdf', bytes: Buffer.from(await locked.arrayBuffer()) },
      ]);
      const file = new File([new Uint8Array(mail)], 'your order.eml');
      const { uid } = await client.upload<DocumentRow>('/semantic-search/upload/', 'path', file);
      await indexed(uid);
      const reply = await client.text('/semantic-search/single-file-chat/', {
        uid,
        message: 'What is the total of the invoice?',
      });
      const { sources, answer } = splitAnswer(reply);
      expect(sources[0]).toMatchObject({ uid, filename: 'your order.eml', page: 2 });
      expect(answer).toContain('4,711 euros');
      const row = await client.get<{ status: string }>(`/semantic-search/documents/${uid}/`);
      expect(row.status).toMatch(/^Indexed, but .*locked\.pdf: This PDF is protected by a password/);
    },
  );

  it('shows a document to its owner only', async () => {
    const { uid } = await client.upload<DocumentRow>(
      '/semantic-search/upload/',
      'path',
      new File(['The code word is heron.'], 'secret.txt'),
    );
    const stranger = await HttpClient.signUp(platform.baseUrl);
    expect((await stranger.send('GET', `/semantic-search/documents/${uid}/`)).status).toBe(404);
    expect(
      (await stranger.send('POST', '/semantic-search/single-file-chat/', { uid, message: 'What is the code word?' }))
        .status,
    ).toBe(404);
    const found = await stranger.post<{ results: unknown[] }>('/semantic-search/search/', { query: 'heron' });
    expect(found.results).toEqual([]);
    expect((await fetch(`${platform.baseUrl}/semantic-search/documents/`)).status).toBe(401);
  });
});
