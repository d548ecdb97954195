import { LLMock } from '@copilotkit/aimock';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';

interface Row {
  node_id: string;
  status: string;
  output: Record<string, unknown> | null;
}

describe('workflows with a language model', () => {
  const mock = new LLMock({ port: 0 });
  let platform: HostedPlatform;
  let owner: HttpClient;

  beforeAll(async () => {
    await mock.start();
    mock.onMessage(/complaint letter/, { content: 'Dear sirs, I am unhappy. '.repeat(20) }, { chunkSize: 20 });
    mock.onMessage(/I am unhappy/, {
      content: JSON.stringify({ classes: ['Complaint'], confidence: 0.9, reason: 'Unhappy.' }),
    });
    const base_url = `${mock.url}/v1`;
    const models = [
      { id: 1, name: 'Test', value: 'test-model', base_url, price: { input: 1000, output: 2000 } },
      { id: 2, name: 'Judge', value: 'judging-model', base_url, price: { input: 3000, output: 3000 } },
    ];
    platform = await hostPlatform(['api', 'workflow-runner'], { LLM_MODELS: JSON.stringify(models) });
    owner = await HttpClient.signUp(platform.baseUrl);
  });
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
          model: 'Judge',
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
      json: { name: 'Complaints', nodes },
    });
    await owner.post('/microservices/workflow/rerun/', { workflow_id: id });
    const path = `/microservices/workflow/${id}/`;
    await until(async () => (await owner.get<{ status: string }>(path)).status === 'COMPLETED');
    const rows = Object.fromEntries((await owner.get<Row[]>(`${path}nodes/`)).map((row) => [row.node_id, row]));
    expect(rows.write!.output).toMatchObject({ model: 'test-model' });
    expect(rows.sort!.output).toMatchObject({ class: 'Complaint', confidence: 0.9 });
    expect(rows.calm).toMatchObject({ status: 'COMPLETED', output: { text: 'Sorry: Unhappy.' } });
    expect(rows.thank!.status).toBe('SKIPPED');
    expect(rows.sort!.output).toMatchObject({ model: 'judging-model' });
    const run = await owner.get<{ tokens: number; spend: number }>(`${path}history/1/`);
    interface Usage {
      prompt_tokens: number;
      completion_tokens: number;
    }
    const [written, judged] = [rows.write!.output!.usage as Usage, rows.sort!.output!.usage as Usage];
    const judgedTokens = judged.prompt_tokens + judged.completion_tokens;
    expect(run.tokens).toBe(written.prompt_tokens + written.completion_tokens + judgedTokens);
    const spend = (written.prompt_tokens + 2 * written.completion_tokens + 3 * judgedTokens) / 1000;
    expect(run.spend).toBeCloseTo(spend, 6);
    const costs = () =>
      owner.get<{ totals: { requests: number }; by_workflow: unknown[] }>(
        `/microservices/cost-tracker/users/${owner.username}/costs`,
      );
    await until(async () => (await costs()).totals.requests === 2);
    expect(await costs()).toMatchObject({
      totals: { requests: 2, total_tokens: run.tokens, spend: expect.closeTo(spend, 6) as number },
      by_workflow: [{ workflow_id: id, successful_runs: 1, spend: expect.closeTo(spend, 6) as number }],
    });
  });

  it('are offered the kinds that need one', async () => {
    const { tools } = await owner.get<{ tools: { kind: string; available: boolean }[] }>('/microservices/apis/');
    const available = new Set(tools.filter((tool) => tool.available).map(({ kind }) => kind));
    for (const kind of ['language_model', 'classify', 'extract_fields', 'summarise_text', 'translate', 'agent'])
      expect([kind, available.has(kind)]).toEqual([kind, true]);
  });
});
