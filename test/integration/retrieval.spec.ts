import { NoEmbeddings, NoReranker, type Embeddings, type Reranker } from '@app/integrations';
import { ChunkIndex, KeywordSearch, NameSearch, Retriever, VectorSearch, type SearchRequest } from '@app/retrieval';
import { Logger } from '@nestjs/common';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { addIndexedDocument, writeGeneration } from '../support/retrieval.js';

const reading = (scores: (text: string) => number): Reranker => ({
  enabled: true,
  rerank: (_query, texts) => Promise.resolve(texts.map(scores)),
});

const liking = (word: string) => reading((text) => (text.includes(word) ? 0.9 : 0.2));

describe('retrieval', () => {
  let database: TestDatabase;
  let retriever: Retriever;
  let owner: number;
  let other: number;
  const index = new ChunkIndex();

  const retrieverWith = (embeddings: Embeddings, reranker: Reranker = new NoReranker()) =>
    new Retriever(
      database.dataSource,
      embeddings,
      reranker,
      new KeywordSearch(database.dataSource),
      new VectorSearch(database.dataSource),
      new NameSearch(database.dataSource),
    );
  const search = async (query: string, more: Partial<SearchRequest> = {}) =>
    (await retriever.search({ viewer: { userId: owner }, query, mode: 'hybrid', limit: 10, ...more })).hits;
  const reranked = async (reranker: Reranker, more: Partial<SearchRequest> = {}) =>
    (
      await retrieverWith(new NoEmbeddings(), reranker).search({
        viewer: { userId: owner },
        query: 'zebra',
        mode: 'hybrid',
        limit: 10,
        ...more,
      })
    ).hits;
  const sql = (text: string, parameters: unknown[] = []) =>
    database.dataSource.query<Record<string, unknown>[]>(text, parameters);

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    retriever = retrieverWith(new NoEmbeddings());
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    owner = await createUserRow(database);
    other = await createUserRow(database);
  });

  const add = (
    text: string | string[],
    more: { ownerId?: number; folder?: string; docClass?: string; filename?: string } = {},
  ) => addIndexedDocument(database.dataSource, { ownerId: owner, pages: [text].flat(), ...more });

  const zebras = async (more: Partial<SearchRequest>) => (await search('zebra', more)).map(({ uid }) => uid).toSorted();

  it('ranks rare words above common ones and many occurrences above one', async () => {
    for (let i = 0; i < 12; i++) await add(`The pump report number ${i} speaks of pumps and of water.`);
    const rare = await add('The pump has a diaphragm.');
    const often = await add('A diaphragm next to another diaphragm under a third diaphragm.');
    const hits = await search('pump diaphragm');
    expect(new Set(hits.slice(0, 2).map(({ uid }) => uid))).toEqual(new Set([rare, often]));
    expect(hits[0]!.score).toBeGreaterThan(3 * hits[2]!.score);
    expect((await search('diaphragm')).map(({ uid }) => uid)).toEqual([often, rare]);
    for (const { score } of hits) expect(score > 0 && score <= 1).toBe(true);
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
  });

  it('cites the page', async () => {
    const uid = await add(['All about apples.', 'All about oranges.'], { filename: 'fruit.txt', folder: 'food' });
    expect(await search('oranges')).toMatchObject([
      { uid, filename: 'fruit.txt', folder: 'food', page: 2, text: 'All about oranges.', vectorScore: null, spans: [] },
    ]);
  });

  it('finds Arabic words in other forms', async () => {
    const uid = await add('وقّعت الشركة العقد مع الموظفين الجدد في المدرسة.');
    for (const query of ['موظفون', 'الشركه', 'عقد', 'مدرسة', 'والمدرسة'])
      expect([query, (await search(query))[0]?.uid]).toEqual([query, uid]);
  });

  it('narrows to documents, folders and classes', async () => {
    const a = await add('zebra one', { folder: 'x/y' });
    const b = await add('zebra two', { folder: 'xy', docClass: 'invoice' });
    expect(await zebras({})).toEqual([a, b].toSorted());
    expect(await zebras({ folder: 'x' })).toEqual([a]);
    expect(await zebras({ docClass: 'invoice' })).toEqual([b]);
    expect(await zebras({ uids: [b] })).toEqual([b]);
    expect(await zebras({ limit: 1 })).toHaveLength(1);
    expect(await zebras({ minScore: 1 })).toEqual([]);
  });

  it('shows what is shared, and nothing that is not, not even for a moment too long', async () => {
    const theirs = await add('quartz secret', { ownerId: other, folder: 'private' });
    expect(await search('quartz')).toEqual([]);
    expect(await search('quartz', { uids: [theirs] })).toEqual([]);
    await sql('INSERT INTO document_shares (document_uid, user_id) VALUES ($1, $2)', [theirs, owner]);
    expect(await search('quartz')).toMatchObject([{ uid: theirs, folder: '' }]);
    expect(await search('quartz', { folder: 'private' })).toEqual([]);
    await sql('DELETE FROM document_shares WHERE document_uid = $1', [theirs]);
    expect(await search('quartz')).toEqual([]);
  });

  it('does not look into the trash', async () => {
    const uid = await add('granite');
    await sql(`UPDATE documents SET deleted_at = now(), purge_at = now() WHERE uid = $1`, [uid]);
    expect(await search('granite')).toEqual([]);
    await sql(`UPDATE documents SET deleted_at = NULL, purge_at = NULL WHERE uid = $1`, [uid]);
    expect(await search('granite')).toHaveLength(1);
    await sql('DELETE FROM documents WHERE uid = $1', [uid]);
    expect(await sql('SELECT 1 FROM document_indexes WHERE document_uid = $1', [uid])).toEqual([]);
  });

  it('gives no tenant a chunk of another, whoever asks what', async () => {
    const words = ['basalt', 'marble', 'slate', 'chalk', 'flint'];
    const mine = new Set<string>();
    for (let i = 0; i < 6; i++) {
      mine.add(await add(`${words[i % 5]} ${words[(i + 1) % 5]} of the owner`));
      await add(`${words[i % 5]} ${words[(i + 2) % 5]} of the other`, { ownerId: other });
    }
    let found = 0;
    for (let i = 0; i < 60; i++) {
      const hits = await search(`${words[i % 5]} ${words[(i * 3) % 5]} owner other`);
      found += hits.length;
      expect(hits.filter(({ uid }) => !mine.has(uid))).toEqual([]);
    }
    expect(found).toBeGreaterThan(60);
  });

  it('serves the old generation until the new one is swapped in, in one step', async () => {
    const uid = await add('old text about copper');
    await writeGeneration(database.dataSource, uid, owner, 2, ['new text about silver']);
    expect(await search('silver')).toEqual([]);
    expect(await search('copper')).toHaveLength(1);
    await database.dataSource.transaction(async (tx) => {
      await tx.query('UPDATE documents SET index_generation = 2 WHERE uid = $1', [uid]);
      await index.keepOnly(tx, uid, 2);
      expect(await search('copper')).toHaveLength(1);
    });
    expect(await search('copper')).toEqual([]);
    expect(await search('silver')).toHaveLength(1);
    expect(await sql('SELECT generation FROM document_indexes WHERE document_uid = $1', [uid])).toEqual([
      { generation: 2 },
    ]);
  });

  it('discards what a dead try wrote', async () => {
    const uid = await add('text about nickel');
    await writeGeneration(database.dataSource, uid, owner, 2, ['half a try', 'of two pages']);
    await writeGeneration(database.dataSource, uid, owner, 2, ['whole try']);
    const chunks =
      'SELECT count(*)::int AS n FROM chunks c JOIN document_indexes i ON i.id = c.index_id WHERE i.document_uid = $1';
    expect(await sql(chunks, [uid])).toEqual([{ n: 2 }]);
    await database.dataSource.transaction((tx) => index.discard(tx, uid, 2));
    expect(await sql(chunks, [uid])).toEqual([{ n: 1 }]);
    expect(await search('nickel')).toHaveLength(1);
  });

  it('lets workers write side by side, on one document too', async () => {
    const uids = await Promise.all(
      Array.from({ length: 4 }, () =>
        addIndexedDocument(database.dataSource, { ownerId: owner, pages: ['x'], generation: 1 }),
      ),
    );
    const pages = Array.from({ length: 20 }, (_, i) => `cobalt passage ${i} with common words`);
    const writes = uids.flatMap((uid) => [0, 1].map(() => writeGeneration(database.dataSource, uid, owner, 1, pages)));
    await Promise.all(writes);
    expect(
      await sql(
        'SELECT count(*)::int AS n FROM chunks c JOIN document_indexes i ON i.id = c.index_id WHERE i.document_uid = ANY ($1)',
        [uids],
      ),
    ).toEqual([{ n: 80 }]);
    expect(await search('cobalt', { limit: 50 })).toHaveLength(50);
  });

  it('takes questions of any form', async () => {
    await add(`it's a "quoted" back\\slash & pipe | text`);
    for (const query of [`it's "quoted"`, `back\\slash & | ! ( :*`, '%_', 'x'.repeat(1000), 'word '.repeat(200)])
      await search(query);
    expect(await search('quoted slash')).toHaveLength(1);
    expect(await search('of the and')).toEqual([]);
  });

  describe('with vectors', () => {
    /** Directions by subject, so that it is plain which texts are alike. */
    const encoder = {
      enabled: true,
      onPremises: true,
      language: null,
      modelId: 'test',
      hybridWeight: 0.5,
      embed: (texts: readonly string[]): Promise<Float32Array[]> =>
        Promise.resolve(
          texts.map((text) => {
            const subject = /car|vehicle|automobile/.test(text) ? 1 : -1;
            return Float32Array.from({ length: 32 }, (_, i) => (subject * (i % 2 === 0 ? 1 : -1)) / Math.sqrt(32));
          }),
        ),
    };

    it('finds what has no word in common, and needs the same encoder', async () => {
      const encode = async (texts: string[]) => ({ modelId: 'test', vectors: await encoder.embed(texts) });
      const uid = await addIndexedDocument(database.dataSource, { ownerId: owner, pages: [], generation: 1 });
      await writeGeneration(
        database.dataSource,
        uid,
        owner,
        1,
        ['my automobile is red', 'the weather is fine'],
        encode,
      );
      const withVectors = retrieverWith(encoder);
      const ask = (mode: 'hybrid' | 'vector' | 'keyword', userId = owner) =>
        withVectors.search({ viewer: { userId }, query: 'vehicle', mode, limit: 1 });
      const { hits } = await ask('vector');
      expect(hits[0]).toMatchObject({ uid, page: 1, text: 'my automobile is red', keywordScore: null });
      expect(hits[0]!.vectorScore).toBeCloseTo(1, 5);
      expect((await ask('hybrid')).hits[0]!.page).toBe(1);
      expect((await ask('keyword')).hits).toEqual([]);
      expect((await ask('vector', other)).hits).toEqual([]);
      const another = retrieverWith({ ...encoder, modelId: 'another' });
      expect(
        (await another.search({ viewer: { userId: owner }, query: 'vehicle', mode: 'vector', limit: 1 })).hits,
      ).toEqual([]);
    });

    it('searches by words while the encoder is down', async () => {
      await add('the tungsten report');
      const down = retrieverWith({ ...encoder, embed: () => Promise.reject(new Error('down')) });
      const request = { viewer: { userId: owner }, query: 'tungsten', limit: 5 };
      expect((await down.search({ ...request, mode: 'hybrid' })).hits).toHaveLength(1);
      await expect(down.search({ ...request, mode: 'vector' })).rejects.toThrow('down');
    });
  });

  it('lets a reranker order the best, and does without it when it is down', async () => {
    const short = await add('The zebra runs.');
    const long = await add('A zebra and another zebra stand by the water and do not run at all.');
    expect((await reranked(liking('water'))).map(({ uid }) => uid)).toEqual([long, short]);
    expect(await reranked(liking('runs'))).toMatchObject([
      { uid: short, score: 0.9, rerankScore: 0.9 },
      { uid: long, score: 0.2 },
    ]);
    expect((await reranked(liking('runs'), { minScore: 0.5 })).map(({ uid }) => uid)).toEqual([short]);
    const down: Reranker = { enabled: true, rerank: () => Promise.reject(new Error('down')) };
    expect((await reranked(down)).map(({ uid }) => uid)).toEqual((await search('zebra')).map(({ uid }) => uid));
  });
});
