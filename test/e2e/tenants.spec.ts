import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';

const TENANTS = 8;
/** One word per tenant, in the same sentence, so that every search of every tenant would match all documents. */
const WORDS = ['amber', 'basil', 'cobalt', 'dahlia', 'ember', 'fennel', 'garnet', 'hazel'];

interface Tenant {
  client: HttpClient;
  word: string;
  uid: string;
  workflowId: string;
}

/** Everybody does everything at the same time; nobody waits for ever, and nobody sees what belongs to another. */
describe('tenants side by side', () => {
  let platform: HostedPlatform;
  let tenants: Tenant[];
  beforeAll(async () => {
    platform = await hostPlatform();
    tenants = await Promise.all(
      WORDS.slice(0, TENANTS).map(async (word) => {
        const client = await HttpClient.signUp(platform.baseUrl);
        const file = new File([`The code word of this office is ${word}. It is told to nobody else.`], 'office.txt');
        const { uid } = await client.upload<{ uid: string }>('/semantic-search/upload/', 'path', file);
        const json = {
          nodes: [
            { id: 'start', kind: 'webhook_trigger', next: ['ask'] },
            { id: 'ask', kind: 'ask_documents', params: { question: 'What is the code word of this office?' } },
          ],
        };
        const created = await client.post<{ workflow_id: string }>('/microservices/workflow/start/', { json });
        return { client, word, uid, workflowId: created.workflow_id };
      }),
    );
    await until(async () => {
      const rows = await Promise.all(
        tenants.map(({ client, uid }) =>
          client.get<{ processing_state: string }>(`/semantic-search/documents/${uid}/`),
        ),
      );
      return rows.every(({ processing_state: state }) => state === 'completed');
    });
  });
  afterAll(() => platform.stop());

  const others = (own: Tenant) => tenants.filter((tenant) => tenant !== own);
  const expectOnlyOwn = (own: Tenant, text: string) => {
    expect(text).toContain(own.word);
    for (const other of others(own)) {
      expect(text).not.toContain(other.word);
      expect(text).not.toContain(other.uid);
    }
  };

  it('search, ask and list within their own documents', async () => {
    await Promise.all(
      tenants.map(async (tenant) => {
        const { client, uid } = tenant;
        const asked = await Promise.all(
          Array.from({ length: 5 }, () =>
            client.text('/semantic-search/single-file-chat/', {
              uid,
              message: 'What is the code word of this office?',
            }),
          ),
        );
        for (const reply of asked) expectOnlyOwn(tenant, reply);
        const found = await client.post('/semantic-search/search/', { query: 'code word office', limit: 50 });
        expectOnlyOwn(tenant, JSON.stringify(found));
        const listed = await client.get<{ uid: string }[]>('/semantic-search/documents/');
        expect(listed.map((row) => row.uid)).toEqual([uid]);
      }),
    );
  });

  it('run workflows with their own rights', async () => {
    await Promise.all(
      tenants.map(async (tenant) => {
        const { client, workflowId } = tenant;
        await client.post('/microservices/workflow/rerun/', { workflow_id: workflowId });
        const path = `/microservices/workflow/${workflowId}/`;
        await until(async () => (await client.get<{ status: string }>(path)).status === 'COMPLETED');
        expectOnlyOwn(tenant, JSON.stringify(await client.get(`${path}nodes/`)));
      }),
    );
  });

  it('find nothing at the addresses of the others', async () => {
    const [victim, ...rest] = tenants as [Tenant, ...Tenant[]];
    const calls: [string, string, unknown?][] = [
      ['GET', `/semantic-search/documents/${victim.uid}/`],
      ['PUT', `/semantic-search/${victim.uid}/update/`, { folder: 'mine' }],
      ['DELETE', `/semantic-search/${victim.uid}/delete/`],
      ['POST', `/semantic-search/${victim.uid}/retry/`, {}],
      ['GET', `/microservices/workflow/${victim.workflowId}/`],
      ['GET', `/microservices/workflow/${victim.workflowId}/nodes/`],
      ['GET', `/microservices/workflow/${victim.workflowId}/webhook-queue/`],
      ['PUT', `/microservices/workflow/${victim.workflowId}/`, { name: 'Mine', json_spec: { nodes: [] } }],
      ['POST', '/microservices/workflow/rerun/', { workflow_id: victim.workflowId }],
      ['POST', '/microservices/workflow/stop/', { workflow_id: victim.workflowId }],
      ['DELETE', `/microservices/workflow/${victim.workflowId}/`],
    ];
    for (const { client } of rest) {
      const answers = await Promise.all(calls.map(([method, path, body]) => client.send(method, path, body)));
      expect(answers.map(({ status }, index) => [calls[index]![1], status])).toEqual(
        calls.map(([, path]) => [path, 404]),
      );
    }
    expect((await victim.client.get<{ folder: string }>(`/semantic-search/documents/${victim.uid}/`)).folder).toBe('');
  });
});
