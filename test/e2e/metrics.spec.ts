import { HttpClient } from '../support/http-client.js';
import { freePort } from '../support/free-port.js';
import { startPlatform, type AppName, type Platform } from '../support/platform.js';
import { until } from '../support/until.js';
import { splitAnswer } from '../support/streamed-answer.js';

const APPS: readonly AppName[] = ['api', 'indexer', 'workflow-runner'];
const WEBHOOK = '/microservices/workflow/webhook/';

/** What an operator sees of work that people had done: series of Prometheus, and one log line for what has ended. */
describe('metrics and log lines', () => {
  let platform: Platform;
  let client: HttpClient;
  const ports = new Map<AppName, number>();

  beforeAll(async () => {
    platform = await startPlatform([], { LOG_LEVEL: 'info' });
    for (const name of APPS) {
      const port = await freePort();
      ports.set(name, port);
      await platform.start(name, { HEALTH_PORT: String(port) });
    }
    const api = platform.apps.find(({ name }) => name === 'api')!;
    client = await HttpClient.signUp(`http://127.0.0.1:${String(api.ready.port)}`);
  });
  afterAll(() => platform.stop());

  /** The series of the platform, without those of Node.js. */
  const scrape = async (name: AppName) => {
    const text = await (await fetch(`http://127.0.0.1:${ports.get(name)}/metrics/`)).text();
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

  it('tell of requests, documents, turns, runs and nodes', async () => {
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
      'atrium_work_ended_total{work="run",outcome="completed",app="workflow-runner"} 1',
      'atrium_work_ended_total{work="run",outcome="failed",app="workflow-runner"} 1',
      'atrium_work_ended_total{work="turn",outcome="completed",app="workflow-runner"} 1',
      'atrium_nodes_ended_total{kind="template",outcome="completed",app="workflow-runner"} 1',
      'atrium_nodes_ended_total{kind="parse_json",outcome="failed",app="workflow-runner"} 1',
      'atrium_webhook_lag_seconds_count{app="workflow-runner"} 2',
      'atrium_backlog_oldest_seconds{work="runs",app="workflow-runner"} 0',
    ])
      expect(runner).toContain(series);

    const [completed] = linesOf('workflow-runner', 'run completed');
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

  it('tell of runs that were stopped, once each', async () => {
    const json = { nodes: [{ id: 'wait', kind: 'delay', params: { seconds: 60 } }] };
    const { workflow_id: id } = await client.post<{ workflow_id: string }>('/microservices/workflow/start/', { json });
    await client.post('/microservices/workflow/rerun/', { workflow_id: id });
    await client.post('/microservices/workflow/stop/', { workflow_id: id });
    expect(linesOf('api', 'run stopped')).toEqual([expect.objectContaining({ workflowId: id, code: 'stopped' })]);
    expect(linesOf('workflow-runner', 'run stopped')).toEqual([]);
    expect(await scrape('api')).toContain('atrium_work_ended_total{work="run",outcome="stopped",app="api"} 1');
  });
});
