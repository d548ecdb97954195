import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { searchSideBySide, twinText, type OwnedDocument, type Person } from '../support/isolation.js';
import { addIndexedDocument } from '../support/retrieval.js';

const DOCUMENTS = 40;
/** `npm run bench -- isolation` searches 10,000 times. */
const SEARCHES = 300;

describe('two people with the same texts', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  async function person(client: HttpClient): Promise<Person & { id: number }> {
    const [row] = await api.database.dataSource.query<{ id: number; email: string }[]>(
      'SELECT id, email FROM users WHERE username = $1',
      [client.username],
    );
    return {
      ...row!,
      async call(method, path, body) {
        const response = await client.send(method, path, body);
        if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
        return response.json();
      },
    };
  }

  it('never see each other’s passages, while documents are shared, taken back, trashed and moved', async () => {
    const people = [await person(await api.signUp()), await person(await api.signUp())] as const;
    const documents: OwnedDocument[] = [];
    for (let number = 0; number < DOCUMENTS; number++) {
      const { word, text } = twinText(number);
      for (const [owner, { id }] of people.entries()) {
        const uid = await addIndexedDocument(api.database.dataSource, { ownerId: id, pages: [text] });
        documents.push({ uid, owner, word });
      }
    }
    let state = 5;
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const report = await searchSideBySide(people, documents, { searches: SEARCHES, random, indexed: null });
    expect(report).toMatchObject({ foreign: [], late: [] });
    expect(report.hits).toBeGreaterThan(1000);
    expect(Object.keys(report.changes).toSorted()).toEqual(['move', 'restore', 'revoke', 'share', 'trash']);
  });
});
