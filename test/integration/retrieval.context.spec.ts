import { NoEmbeddings, NoReranker } from '@app/integrations';
import { KeywordSearch, NameSearch, Neighbours, Retriever, VectorSearch } from '@app/retrieval';
import { Logger } from '@nestjs/common';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { addIndexedDocument } from '../support/retrieval.js';

/** Paragraphs that fill a passage each. */
const section = (name: string) => `${`This part speaks of ${name} and of little else. `.repeat(26).trim()}\n\n`;

describe('passages in their documents', () => {
  let database: TestDatabase;
  let retriever: Retriever;
  let neighbours: Neighbours;
  let owner: number;
  let other: number;

  const search = async (query: string, userId = owner) =>
    (await retriever.search({ viewer: { userId }, query, mode: 'keyword', limit: 10 })).hits;
  const sql = (text: string, parameters: unknown[]) => database.dataSource.query(text, parameters);

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    const { dataSource } = database;
    retriever = new Retriever(
      dataSource,
      new NoEmbeddings(),
      new NoReranker(),
      new KeywordSearch(dataSource),
      new VectorSearch(dataSource),
      new NameSearch(dataSource),
    );
    neighbours = new Neighbours(dataSource);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    owner = await createUserRow(database);
    other = await createUserRow(database);
  });

  it('are found by title, heading and file name, and say them, but do not quote them', async () => {
    const body = 'The company employed some 79,000 people at the end of the year.';
    const ours = await addIndexedDocument(database.dataSource, {
      ownerId: owner,
      pages: ['A cover.', body],
      filename: 'Zenith_2021_10K.pdf',
    });
    await addIndexedDocument(database.dataSource, {
      ownerId: owner,
      pages: ['A cover.', body],
      filename: 'Borealis_2021_10K.pdf',
    });
    const [best] = await search('How many people did Zenith employ?');
    expect(best).toMatchObject({ uid: ours, page: 2, text: body, start: 0, context: 'Zenith 2021 10K' });
  });

  it('rank what says a word above what only stands under it', async () => {
    await addIndexedDocument(database.dataSource, {
      ownerId: owner,
      pages: ['Water runs through the pipe.'],
      filename: 'zebra zebra zebra.txt',
    });
    const says = await addIndexedDocument(database.dataSource, {
      ownerId: owner,
      pages: ['A zebra and a zebra run.'],
      filename: 'pipes.txt',
    });
    expect((await search('zebra'))[0]!.uid).toBe(says);
  });

  it('are shown with their neighbours on the page, within the room, once', async () => {
    const page = ['apples', 'oranges', 'quinces', 'pears'].map(section).join('').trim();
    const uid = await addIndexedDocument(database.dataSource, {
      ownerId: owner,
      pages: ['First page. Quinces too.', page],
    });
    const hits = (await search('quinces')).filter(({ page: number }) => number === 2);
    const widen = (characters: number, userId = owner) =>
      neighbours.widen({ userId }, { uids: [uid] }, hits.slice(0, 1), characters);
    const [wide] = [...(await widen(100_000)).values()];
    expect(wide).toContain(hits[0]!.text);
    for (const name of ['oranges', 'pears']) expect(wide).toContain(name);
    expect(wide).not.toContain('First page');
    expect((await widen(hits[0]!.text.length)).size).toBe(0);
  });

  it('show nothing around them that the viewer may not read any more', async () => {
    const pages = [['quartz', 'basalt', 'marble'].map(section).join('')];
    const uid = await addIndexedDocument(database.dataSource, { ownerId: other, pages });
    await sql('INSERT INTO document_shares (document_uid, user_id) VALUES ($1, $2)', [uid, owner]);
    const hits = (await search('basalt')).slice(0, 1);
    expect((await neighbours.widen({ userId: owner }, {}, hits, 100_000)).size).toBe(1);
    await sql('DELETE FROM document_shares WHERE document_uid = $1', [uid]);
    expect((await neighbours.widen({ userId: owner }, {}, hits, 100_000)).size).toBe(0);
    expect((await neighbours.widen({ userId: other }, {}, hits, 100_000)).size).toBe(1);
    await sql('UPDATE documents SET deleted_at = now(), purge_at = now() WHERE uid = $1', [uid]);
    expect((await neighbours.widen({ userId: other }, {}, hits, 100_000)).size).toBe(0);
  });
});
