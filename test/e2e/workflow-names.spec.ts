import { LLMock } from '@copilotkit/aimock';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { startWorkflow } from '../support/workflow-api.js';

const nodes = [
  { id: 'hook', kind: 'webhook_trigger', params: { sample: { password: 'do-not-tell' } }, next: ['mail'] },
  { id: 'mail', kind: 'template', name: 'Write the reminder', params: { template: 'secret-words' } },
];

describe('names of workflows', () => {
  const mock = new LLMock({ port: 0 });
  let api: TestApi;
  let client: HttpClient;
  beforeAll(async () => {
    await mock.start();
    api = await startApi({ LLM_PROVIDER: 'openai', LLM_BASE_URL: `${mock.url}/v1`, LLM_MODEL: 'test-model' });
    client = await api.signUp();
  });
  afterAll(async () => {
    await api.stop();
    await mock.stop();
  });

  const nameOf = async (json: object) => {
    const id = await startWorkflow(client, json);
    const workflow = await client.get<{ name: string; json_spec: { name: string } }>(`/microservices/workflow/${id}/`);
    expect(workflow.json_spec.name).toBe(workflow.name);
    return workflow.name;
  };

  it('come from the language model, which sees the steps and nothing in them', async () => {
    mock.onMessage(/Write the reminder/, { content: '“Reminder Mail”' });
    expect(await nameOf({ name: 'Untitled workflow', nodes })).toBe('Reminder Mail');
    const sent = JSON.stringify(mock.getLastRequest()!.body);
    expect(sent).toContain('Webhook');
    expect(sent).not.toMatch(/do-not-tell|secret-words/);
  });

  it('come from the steps when the model fails, and from nobody when there is one', async () => {
    mock.clearFixtures();
    expect(await nameOf({ nodes })).toBe('Webhook → Write the reminder');
    expect(await nameOf({ name: 'Mine', nodes })).toBe('Mine');
  });
});
