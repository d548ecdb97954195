import * as hostile from '../support/hostile-model.js';
import { hostPlatform } from '../support/hosted-platform.js';
import { HttpClient } from '../support/http-client.js';
import { OtlpCollector } from '../support/otlp-collector.js';
import { type Platform, startPlatform } from '../support/platform.js';
import { until } from '../support/until.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const CALLER = { traceparent: `00-${TRACE}-${PARENT}-01` };
const KEY = 'sk-canary-of-the-key';
const WORDS = 'canary of the prompt';

async function runWithModel(platform: Platform, client: HttpClient): Promise<void> {
  const { workflow_id: id } = await client.post<{ workflow_id: string }>('/microservices/workflow/start/', {
    json: { nodes: [{ id: 'ask', kind: 'language_model', params: { prompt: WORDS } }] },
  });
  const { webhook_id, webhook_secret } = await client.get<Record<string, string>>(`/microservices/workflow/${id}/`);
  const response = await fetch(`${platform.baseUrl}/microservices/workflow/webhook/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...CALLER },
    body: JSON.stringify({ webhook_id, webhook_secret, payload: {}, wait_seconds: 20 }),
  });
  expect(await response.json()).toMatchObject({ status: 'done' });
}

/** One trace from the caller through api, outbox, queue and runner to what the runner asks outside. */
describe('traces', () => {
  const collector = new OtlpCollector();
  const model = new hostile.HostileModel();

  const settings = () => ({
    LLM_PROVIDER: 'openai',
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'words',
    LLM_API_KEY: KEY,
  });
  beforeAll(() => model.start());
  afterAll(() => Promise.all([model.stop(), collector.stop()]));
  beforeEach(() => model.next());

  /** Of the node's call: a new workflow asks for a name, too. */
  const traceparentOfCall = () =>
    model.calls.find(({ body }) => JSON.stringify(body).includes(WORDS))!.headers.traceparent;

  it('reach the collector whole, without anything that people wrote', async () => {
    // What collects is loaded by a process before its app.
    const platform = await startPlatform(['api', 'workflow-runner'], {
      ...settings(),
      LOG_LEVEL: 'info',
      OTEL_EXPORTER_OTLP_ENDPOINT: await collector.start(),
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    try {
      const client = await HttpClient.signUp(platform.baseUrl);
      await runWithModel(platform, client);
      const ours = () => collector.spans.filter(({ traceId }) => traceId === TRACE);
      await until(() => ours().some(({ name }) => name.startsWith('POST /microservices/workflow/webhook')));
      await until(() => ours().some(({ name }) => name === 'run workflow'));
      const [request, job, run, chat] = [
        'POST /microservices/workflow/webhook',
        'job execute-run',
        'run workflow',
        'chat words',
      ].map((name) => ours().find((span) => span.name === name));
      expect(request).toMatchObject({ app: 'atrium-api', parentSpanId: PARENT, error: '' });
      expect(request!.attributes).toMatchObject({ 'http.route': '/microservices/workflow/webhook' });
      expect(job).toMatchObject({ app: 'atrium-workflow-runner', parentSpanId: request!.spanId });
      expect(run).toMatchObject({ app: 'atrium-workflow-runner', traceId: TRACE });
      expect(run!.attributes).toMatchObject({ 'atrium.run.version': 1 });
      expect(chat).toMatchObject({ app: 'atrium-workflow-runner', parentSpanId: run!.spanId });
      expect(traceparentOfCall()).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
      expect(platform.apps.find(({ name }) => name === 'workflow-runner')!.log()).toContain(`"traceId":"${TRACE}"`);
      for (const secret of [KEY, WORDS, client.token]) expect(collector.raw).not.toContain(secret);
    } finally {
      await platform.stop();
    }
  });

  it('are handed on where nobody collects them', async () => {
    const platform = await hostPlatform(['api', 'workflow-runner'], settings());
    try {
      await runWithModel(platform, await HttpClient.signUp(platform.baseUrl));
      expect(traceparentOfCall()).toBe(CALLER.traceparent);
    } finally {
      await platform.stop();
    }
  });
});
