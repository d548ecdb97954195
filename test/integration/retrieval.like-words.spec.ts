import { KeywordSearch } from '@app/retrieval';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { addIndexedDocument } from '../support/retrieval.js';

describe('words that nothing has', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('are looked up in the index, and replaced only by what a passage has', async () => {
    const owner = await createUserRow(database);
    for (const text of ['The propulsion of the turbine', 'Kündigung des Vertrags', 'Die Frist endet mit der Kündigung'])
      await addIndexedDocument(database.dataSource, { ownerId: owner, pages: [text] });
    const queries = jest.spyOn(database.dataSource, 'query');
    const keywords = new KeywordSearch(database.dataSource);
    const replaced = async (query: string) => {
      const { hits, terms } = await keywords.search({ userId: owner }, {}, query, 5);
      return [hits.length, terms.map((term) => term.replaced)];
    };
    expect(await replaced('propuslion')).toEqual([1, [true]]);
    expect(await replaced('Kündigungsfrist')).toEqual([1, [true]]);
    queries.mockClear();
    expect(await replaced('bgldkrtao')).toEqual([0, [false]]);
    // Counted, searched once, and not searched again with words that nothing has either.
    expect(queries.mock.calls.filter(([sql]) => sql.includes('matched AS'))).toHaveLength(1);
    queries.mockRestore();
  });

  it('are looked up before a large scope is scored, which happens once', async () => {
    const owner = await createUserRow(database);
    for (const text of ['The turbine and its propulsion', 'Der Vertrag endet mit der Kündigung nach Ablauf der Frist'])
      await addIndexedDocument(database.dataSource, { ownerId: owner, pages: [text] });
    const large = { owners: [owner], chunks: 10_000, meanLength: 6, vectors: {}, languages: ['de', 'en'] as const };
    const queries = jest.spyOn(database.dataSource, 'query');
    const keywords = new KeywordSearch(database.dataSource);
    for (const [query, replaced] of [
      ['propuslion of turbine', [true, false]],
      ['Kündigungsfrist Vertrag', [true, false]],
      ['bgldkrtao12 turbine', [false, false]],
    ] as const) {
      queries.mockClear();
      const { hits, terms } = await keywords.search({ userId: owner }, {}, query, 5, large);
      expect(hits).toHaveLength(1);
      expect(terms.map((term) => term.replaced)).toEqual(replaced);
      expect(terms.map(({ found }) => found > 0)).toEqual([false, true]);
      expect(queries.mock.calls.filter(([sql]) => sql.includes('matched AS'))).toHaveLength(1);
    }
    queries.mockRestore();
  });
});
