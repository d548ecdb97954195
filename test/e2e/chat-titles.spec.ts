import { LLMock } from '@copilotkit/aimock';
import { newId } from '@app/common';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { until } from '../support/until.js';

const CHAT = '/microservices/agent/chat/';

describe('titles of conversations', () => {
  const mock = new LLMock({ port: 0 });
  let api: TestApi;
  let client: HttpClient;

  beforeAll(async () => {
    mock.on(
      { predicate: ({ messages }) => JSON.stringify(messages).includes('You name conversations') },
      { content: '“Pump warranty, in years.”\nAnd more.' },
    );
    mock.on({ userMessage: 'pump' }, { content: 'Three years.' });
    await mock.start();
    api = await startApi({
      LLM_PROVIDER: 'openai',
      LLM_BASE_URL: `${mock.url}/v1`,
      LLM_MODEL: 'test-model',
      CHAT_TITLES: 'true',
    });
    await api.hostRunner();
    client = await api.signUp();
  });
  afterAll(async () => {
    await api.stop();
    await mock.stop();
  });

  const titleOf = async (id: number) =>
    (await client.get<{ title: string }>(`/microservices/chat-sessions/${id}/`)).title;

  it('are written by the model once, and never over one that somebody gave', async () => {
    const conversation_id = newId();
    const message = 'How long does the warranty of a pump last, please?';
    const { chat_session_id: id } = await client.post<{ chat_session_id: number }>(CHAT, { conversation_id, message });
    await until(async () => (await titleOf(id)) === 'Pump warranty, in years');
    await client.send('PATCH', `/microservices/chat-sessions/${id}/`, { title: 'Mine' });
    await client.post(CHAT, { conversation_id, message: 'And which pump is that?' });
    const given = await client.post<{ id: number; conversation_id: string }>('/microservices/chat-sessions/', {
      kind: 'chat',
      title: 'Given',
    });
    await client.post(CHAT, { conversation_id: given.conversation_id, message });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect([await titleOf(id), await titleOf(given.id)]).toEqual(['Mine', 'Given']);
    const [row] = await api.database.dataSource.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM outbox_messages WHERE job = 'write-title'`,
    );
    expect(row!.count).toBe(0);
  });
});
