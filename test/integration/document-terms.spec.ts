import { DocumentTerms } from '@app/retrieval';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { addIndexedDocument } from '../support/retrieval.js';

/** A passage fills a page. */
const PAGES = [
  'Kestrel makes robots.',
  'The robots are sold in Leeds.',
  'Revenue rose in the year.',
  'Kestrel pays a dividend.',
];

describe('DocumentTerms', () => {
  let database: TestDatabase;
  let documents: DocumentTerms;
  let owner: number;
  let other: number;
  const sql = (text: string, parameters: unknown[]) => database.dataSource.query(text, parameters);
  const add = (ownerId: number, pages = PAGES) => addIndexedDocument(database.dataSource, { ownerId, pages });
  const shares = async (uids: string[], terms = ['kestrel'], userId = owner) =>
    Object.fromEntries(
      [...(await documents.shares({ userId }, uids, terms))].map(([uid, of]) => [uid, Object.fromEntries(of)]),
    );

  beforeAll(async () => {
    database = await createTestDatabase();
    documents = new DocumentTerms(database.dataSource);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    owner = await createUserRow(database);
    other = await createUserRow(database);
  });

  it('counts in how much of a document a term stands, of each that is named', async () => {
    const [half, none] = [await add(owner), await add(owner, ['Nothing of the kind.'])];
    expect(await shares([half, none], ['kestrel', 'leeds', 'heron'])).toEqual({
      [half]: { kestrel: 0.5, leeds: 0.25 },
    });
    expect(await shares([none])).toEqual({});
  });

  it('knows a word with another ending, and a number as it is', async () => {
    const uid = await add(owner, ['Kestrels of 2019 and of 20191.']);
    expect(await shares([uid], ['kestrel', '2019', '201'])).toEqual({ [uid]: { kestrel: 1, 2019: 1 } });
  });

  it('takes a short name whole', async () => {
    const uid = await add(owner, ['Lions have no liability.']);
    expect(await shares([uid], ['li', 'lio'])).toEqual({});
  });

  it('is asked nothing without documents or terms', async () => {
    const uid = await add(owner);
    expect(await shares([])).toEqual({});
    expect(await shares([uid], [])).toEqual({});
  });

  it('reads what is shared with the viewer, and nothing that is not', async () => {
    const theirs = await add(other);
    expect(await shares([theirs])).toEqual({});
    await sql('INSERT INTO document_shares (document_uid, user_id) VALUES ($1, $2)', [theirs, owner]);
    expect(await shares([theirs])).toEqual({ [theirs]: { kestrel: 0.5 } });
    await sql('DELETE FROM document_shares WHERE document_uid = $1', [theirs]);
    expect(await shares([theirs])).toEqual({});
  });

  it('counts what lies in the trash as nothing', async () => {
    const uid = await add(owner);
    await sql('UPDATE documents SET deleted_at = now(), purge_at = now() WHERE uid = $1', [uid]);
    expect(await shares([uid])).toEqual({});
    await sql('UPDATE documents SET deleted_at = NULL, purge_at = NULL WHERE uid = $1', [uid]);
    expect(await shares([uid])).toEqual({ [uid]: { kestrel: 0.5 } });
  });

  it('takes what looks like the language of a query for a word', async () => {
    const uid = await add(owner);
    expect(await shares([uid], ["ke' | a:*", '\\', '', ':*', '&!'])).toEqual({});
  });
});
