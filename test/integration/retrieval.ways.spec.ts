import { newId } from '@app/common';
import { ChunkIndex, KeywordSearch, VectorSearch, type SearchScope } from '@app/retrieval';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { addIndexedDocument } from '../support/retrieval.js';

const DIMENSIONS = 32;
const MODEL = 'test';
const all = { scanChunks: 0, scanNarrowedChunks: 0 };

let state = 11;
const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5;

function unit(values: Float32Array): Float32Array {
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

const anywhere = () => unit(new Float32Array(DIMENSIONS).map(random));
const many = (count: number, make: () => Float32Array) => Array.from({ length: count }, make);
const near = (vector: Float32Array, by: number) => unit(vector.map((value) => value + random() * by));

/** Large scopes are searched in other ways than small ones: what they find must be the same. */
describe('ways to search', () => {
  let database: TestDatabase;
  let owner: number;
  let other: number;
  const sql = (text: string, parameters: unknown[] = []) =>
    database.dataSource.query<Record<string, unknown>[]>(text, parameters);

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    owner = await createUserRow(database);
    other = await createUserRow(database);
  });

  const share = (uid: string) =>
    sql('INSERT INTO document_shares (document_uid, user_id) VALUES ($1, $2)', [uid, owner]);
  const trash = (uids: string[]) =>
    sql('UPDATE documents SET deleted_at = now(), purge_at = now() WHERE uid = ANY ($1)', [uids]);

  const ways = () => ({
    scan: new KeywordSearch(database.dataSource),
    set: new KeywordSearch(database.dataSource, { ...all, bestFromChunks: Number.POSITIVE_INFINITY }),
    best: new KeywordSearch(database.dataSource, { ...all, bestFromChunks: 0 }),
  });
  const addText = (text: string, more: { ownerId?: number; folder?: string } = {}) =>
    addIndexedDocument(database.dataSource, { ownerId: owner, pages: [text], ...more });
  const found = async (by: KeywordSearch, scope: SearchScope = {}, limit = 10) =>
    (await by.search({ userId: owner }, scope, 'zebra quartz', limit)).hits.map(({ chunkId, score, share: part }) => ({
      chunkId,
      score: score.toFixed(9),
      share: part.toFixed(9),
    }));

  describe('by words', () => {
    it('give the same hits with the same scores, of own and of shared documents', async () => {
      const { scan, set, best } = ways();
      for (let at = 0; at < 6; at++)
        await addText(`zebra number ${at}${' quartz'.repeat(at)}`, { folder: `f${at % 2}` });
      await share(await addText('a shared zebra', { ownerId: other }));
      for (let at = 0; at < 20; at++) await addText(`zebra quartz ${at} of somebody else`, { ownerId: other });
      for (const scope of [{}, { folder: 'f1' }]) {
        const expected = await found(scan, scope);
        expect(expected).toHaveLength('folder' in scope ? 3 : 7);
        expect(await found(set, scope)).toEqual(expected);
        expect(await found(best, scope)).toEqual(expected);
      }
    });

    it('show nothing of the trash, though all of the best lie there, and as many as there are', async () => {
      const { scan, set, best } = ways();
      const gone: string[] = [];
      for (let at = 0; at < 9; at++) gone.push(await addText('zebra quartz zebra quartz'));
      for (let at = 0; at < 3; at++) await addText(`a zebra among ${at} other words`);
      await trash(gone);
      const expected = await found(scan, {}, 3);
      expect(expected).toHaveLength(3);
      expect(await found(set, {}, 3)).toEqual(expected);
      expect(await found(best, {}, 3)).toEqual(expected);
    });
  });

  describe('by vectors', () => {
    const index = new ChunkIndex();
    const question = anywhere();

    async function add(vectors: Float32Array[], ownerId = owner): Promise<{ uid: string; ids: string[] }> {
      const uid = await addIndexedDocument(database.dataSource, { ownerId, pages: [], generation: null });
      const chunks = vectors.map((_, ordinal) => {
        const text = `passage ${ordinal} ${newId()}`;
        return { ordinal, page: 1, start: 0, end: text.length, text, context: '', spans: [] };
      });
      await database.dataSource.transaction(async (tx) => {
        const target = { documentUid: uid, ownerId, generation: 1 };
        await index.replace(tx, target, chunks, { modelId: MODEL, vectors });
        await tx.query(`UPDATE documents SET processing_state = 'completed', index_generation = 1 WHERE uid = $1`, [
          uid,
        ]);
      });
      const rows = await sql(
        'SELECT c.id FROM chunks c JOIN document_indexes i ON i.id = c.index_id WHERE i.document_uid = $1 ORDER BY c.ordinal',
        [uid],
      );
      return { uid, ids: rows.map(({ id }) => id as string) };
    }
    const nearest = async (limit: number, scope: SearchScope = {}, vector = question) => {
      const search = new VectorSearch(database.dataSource);
      const hits = await search.nearest({ userId: owner }, scope, { modelId: MODEL, vector }, limit);
      return hits.map(({ chunkId }) => chunkId);
    };

    it('find own and shared ones in order, and nothing of anybody else', async () => {
      const mine = await add([near(question, 0.1), ...many(200, anywhere)]);
      const shared = await add([question, ...many(5, anywhere)], other);
      await add(
        many(50, () => near(question, 0.02)),
        other,
      );
      await share(shared.uid);
      expect(await nearest(2)).toEqual([shared.ids[0], mine.ids[0]]);
      expect(await nearest(1, { uids: [mine.uid] })).toEqual([mine.ids[0]]);
      await sql('DELETE FROM document_shares WHERE document_uid = $1', [shared.uid]);
      expect((await nearest(150)).every((id) => mine.ids.includes(id))).toBe(true);
    });

    it('find what there is behind a trash full of nearer ones', async () => {
      const gone = await add(many(2500, () => near(question, 0.02)));
      const mine = await add([near(question, 0.3), ...many(20, anywhere)]);
      await trash([gone.uid]);
      expect((await nearest(1))[0]).toBe(mine.ids[0]);
      expect(await nearest(150)).toHaveLength(21);
    });

    it('find what was written without owner and magnitudes', async () => {
      const { ids } = await add([near(question, 0.1), ...many(30, anywhere)]);
      const [row] = await sql('SELECT index_id, bits, owner_id FROM chunk_sign_bits WHERE chunk_id = $1', [ids[0]]);
      const { index_id: indexId, bits, owner_id: ownerId } = row!;
      await sql('DELETE FROM chunk_sign_bits WHERE chunk_id = $1', [ids[0]]);
      await sql('INSERT INTO chunk_sign_bits (chunk_id, index_id, bits) VALUES ($1, $2, $3)', [ids[0], indexId, bits]);
      expect(await sql('SELECT owner_id FROM chunk_sign_bits WHERE chunk_id = $1', [ids[0]])).toEqual([
        { owner_id: ownerId },
      ]);
      expect((await nearest(1))[0]).toBe(ids[0]);
    });

    it('pass over vectors of another length', async () => {
      const { ids } = await add([near(question, 0.1), ...many(3, anywhere)]);
      expect(await nearest(1, {}, unit(new Float32Array(16).map(random)))).toEqual([]);
      expect(await nearest(1)).toEqual([ids[0]]);
    });
  });
});
