import { LLMock } from '@copilotkit/aimock';
import { HttpClient } from '../support/http-client.js';
import { type Platform, startPlatform } from '../support/platform.js';
import { until } from '../support/until.js';

interface Row {
  node_id: string;
  status: string;
  output: Record<string, unknown> | null;
}

describe('workflows with a language model', () => {
  const mock = new LLMock({ port: 0 });
  let platform: Platform;
  let owner: HttpClient;

  beforeAll(async () => {
    await mock.start();
    mock.onMessage(/complaint letter/, { content: 'Dear sirs, I am unhappy. '.repeat(20) }, { chunkSize: 20 });
    mock.onMessage(/I am unhappy/, {
      content: JSON.stringify({ classes: ['Complaint'], confidence: 0.9, reason: 'Unhappy.' }),
    });
    const model = { LLM_PROVIDER: 'openai', LLM_BASE_URL: `${mock.url}/v1`, LLM_MODEL: 'test-model', LLM_API_KEY: 'k' };
    platform = await startPlatform(['api', 'workflow-runner'], model);
    owner = await HttpClient.signUp(platform.baseUrl);
  }, 90_000);
  afterAll(async () => {
    await platform?.stop();
    await mock.stop();
  });

  it('write, classify and go on with the class; what was used is counted', async () => {
    const nodes = [
      { id: 'write', kind: 'language_model', params: { prompt: 'Write a complaint letter.' }, next: ['sort'] },
      {
        id: 'sort',
        kind: 'classify',
        params: {
          text: { $ref: '_output.write.text' },
          classes: [
            { name: 'Complaint', next: ['calm'] },
            { name: 'Praise', next: ['thank'] },
          ],
        },
        next: ['calm', 'thank'],
      },
      { id: 'calm', kind: 'template', params: { template: 'Sorry: {{_output.sort.reason}}' } },
      { id: 'thank', kind: 'template', params: { template: 'Thanks' } },
    ];
    const { workflow_id: id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: { nodes },
    });
    await owner.post('/microservices/workflow/rerun/', { workflow_id: id });
    const path = `/microservices/workflow/${id}/`;
    await until(async () => (await owner.get<{ status: string }>(path)).status === 'COMPLETED', 20_000);
    const rows = Object.fromEntries((await owner.get<Row[]>(`${path}nodes/`)).map((row) => [row.node_id, row]));
    expect(rows.write!.output).toMatchObject({ model: 'test-model' });
    expect(rows.sort!.output).toMatchObject({ class: 'Complaint', confidence: 0.9 });
    expect(rows.calm).toMatchObject({ status: 'COMPLETED', output: { text: 'Sorry: Unhappy.' } });
    expect(rows.thank!.status).toBe('SKIPPED');
    const run = await owner.get<{ tokens: number }>(`${path}history/1/`);
    expect(run.tokens).toBeGreaterThan(0);
  });

  it('are offered the kinds that need one', async () => {
    const { tools } = await owner.get<{ tools: { kind: string; available: boolean }[] }>('/microservices/apis/');
    const available = new Set(tools.filter((tool) => tool.available).map(({ kind }) => kind));
    for (const kind of ['language_model', 'classify', 'extract_fields', 'summarise_text', 'translate'])
      expect([kind, available.has(kind)]).toEqual([kind, true]);
    expect(available.has('agent')).toBe(false);
  });
});
