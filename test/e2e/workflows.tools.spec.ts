import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';

interface Row {
  node_id: string;
  status: string;
  output: Record<string, unknown>;
  error: { code: string } | null;
}

async function run(client: HttpClient, nodes: object[]): Promise<Record<string, Row>> {
  const { workflow_id } = await client.post<{ workflow_id: string }>('/microservices/workflow/start/', {
    json: { nodes },
  });
  await client.post('/microservices/workflow/rerun/', { workflow_id });
  const path = `/microservices/workflow/${workflow_id}/`;
  await until(async () => ['COMPLETED', 'FAILED'].includes((await client.get<{ status: string }>(path)).status));
  const rows = await client.get<Row[]>(`${path}nodes/`);
  return Object.fromEntries(rows.map((row) => [row.node_id, row]));
}

describe('workflow tools over the rest of the platform', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;
  let uid: string;

  beforeAll(async () => {
    platform = await hostPlatform();
    owner = await HttpClient.signUp(platform.baseUrl);
    const file = new File(['Herons nest in tall trees.\n\nThe hotel limit in Zurich is 165 euros.'], 'handbook.txt');
    ({ uid } = await owner.upload<{ uid: string }>('/semantic-search/upload/', 'path', file));
    await until(async () => {
      const document = await owner.get<{ processing_state: string }>(`/semantic-search/documents/${uid}/`);
      return document.processing_state === 'completed';
    });
  });
  afterAll(() => platform.stop());

  const nodes = () => [
    {
      id: 'ask',
      kind: 'ask_documents',
      params: { question: 'What is the hotel limit in Zurich?', document_uids: [uid] },
      next: ['say'],
    },
    { id: 'tagged', kind: 'semantic_search', params: { query: 'herons trees', tags: ['TRAVEL'] } },
    { id: 'others', kind: 'semantic_search', params: { query: 'herons trees', tags: ['travel', 'tax'] } },
    { id: 'find', kind: 'semantic_search', params: { query: 'herons trees', document_uids: [uid, 'no uuid'] } },
    { id: 'say', kind: 'template', params: { template: '{{_output.ask.answer}}' } },
  ];

  it('asks and searches the documents of the owner of the workflow', async () => {
    await owner.send('PUT', `/semantic-search/${uid}/tags/`, { tags: ['Travel'] });
    const { ask, find, say, tagged, others } = await run(owner, nodes());
    expect([tagged!.output.count, others!.output.count]).toEqual([1, 0]);
    expect(ask).toMatchObject({ status: 'COMPLETED', output: { sources: [{ document_uid: uid }] } });
    expect(say!.output.text).toContain('165 euros');
    expect(find).toMatchObject({ output: { count: 1, items: [{ filename: 'handbook.txt' }] } });
  });

  it('finds nothing of theirs for anybody else', async () => {
    const { ask, find } = await run(await HttpClient.signUp(platform.baseUrl), nodes());
    expect(ask!.output.sources).toEqual([]);
    expect(find!.output).toMatchObject({ count: 0, items: [] });
  });

  it('fails a node whose model is not configured, and says so', async () => {
    const { write } = await run(owner, [{ id: 'write', kind: 'language_model', params: { prompt: 'Hello' } }]);
    expect(write).toMatchObject({ status: 'FAILED', error: { code: 'model_not_configured' } });
  });
});
