import { DocumentFolders, DocumentLifecycle, findDocumentByUid, IndexingRecords, indexingWork } from '@app/documents';
import { ClaimLostError, WorkClaims } from '@app/work';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, startDocuments, type DocumentsApp } from '../support/documents.js';
import { inAll } from '../support/long.js';

describe('folders while documents are indexed', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let ownerId: number;
  let claims: WorkClaims;
  let records: IndexingRecords;
  let folders: DocumentFolders;
  beforeAll(async () => {
    database = await createTestDatabase();
    ownerId = await createUserRow(database);
    documents = await startDocuments(database, ownerId);
    claims = documents.app.get(WorkClaims);
    records = documents.app.get(IndexingRecords);
    folders = documents.app.get(DocumentFolders);
  });
  afterAll(async () => {
    await documents.close();
    await database.drop();
  });

  const find = (uid: string) => findDocumentByUid(database.dataSource, uid);

  it('leaves work under way alone when it moves, and ends it when it trashes', async () => {
    const { document } = await documents.add({ folder: 'Old' });
    const claim = (await claims.claim(indexingWork, [document.uid]))!;
    expect(await folders.move(ownerId, 'Old', 'New')).toBe(1);
    await claims.hold(claim);
    expect(await find(document.uid)).toMatchObject({ folder: 'New', processingState: 'processing' });
    expect(await folders.trash(ownerId, 'New', 30)).toBe(1);
    await expect(claims.hold(claim)).rejects.toBeInstanceOf(ClaimLostError);
    const { dataSource } = database;
    await expect(dataSource.transaction((tx) => records.complete(claim, tx, 1))).rejects.toBeInstanceOf(ClaimLostError);
    expect(await find(document.uid)).toMatchObject({ processingState: 'stored', indexGeneration: null, folder: 'New' });
  });

  inAll('never brings a document back that was trashed at any moment of its indexing', async () => {
    const dataSource = documents.app.get(DataSource);
    for (let round = 0; round < 40; round += 1) {
      const added = await Promise.all([1, 2, 3].map(() => documents.add({ folder: `Round ${round}` })));
      const index = async (uid: string) => {
        const claim = await claims.claim(indexingWork, [uid]);
        if (!claim) return 'not claimed';
        const later = { afterSeconds: 0, reason: 'It went wrong.', isTry: round % 3 === 1 };
        const end =
          round % 3 === 2
            ? dataSource.transaction((tx) => records.complete(claim, tx, 1))
            : claims.postpone(claim, later);
        return end.catch((error: unknown) => {
          if (!(error instanceof ClaimLostError)) throw error;
        });
      };
      const wait = new Promise((resolve) => setTimeout(resolve, round % 8));
      const [count] = await Promise.all([
        wait.then(() => folders.trash(ownerId, `Round ${round}`, 30)),
        ...added.map(({ document }) => index(document.uid)),
      ]);
      expect(count).toBe(3);
      for (const { document } of added) {
        const now = (await find(document.uid))!;
        expect(now.deletedAt).not.toBeNull();
        expect(['stored', 'completed']).toContain(now.processingState);
        expect(await claims.claim(indexingWork, [document.uid])).toBeNull();
      }
    }
  });

  it('moves and trashes crosswise with workers that take many rows, without a deadlock', async () => {
    const uids = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => (await documents.add({ folder: `D${n % 3}` })).document.uid),
    );
    const lifecycle = documents.app.get(DocumentLifecycle);
    const { dataSource } = database;
    const stamp = (order: string[]) =>
      dataSource.transaction(async (tx) => {
        for (const uid of order) await tx.query('UPDATE documents SET rung_at = now() WHERE uid = $1', [uid]);
      });
    const moves = Array.from({ length: 12 }, (_, n) =>
      folders.move(ownerId, `D${n % 3}`, `D${(n + 1) % 3}`).catch((error: Error) => error.name),
    );
    const sorted = uids.toSorted();
    const stamps = [stamp(sorted), stamp(sorted)];
    const trashed = lifecycle.trash(ownerId, sorted.slice(0, 10).toReversed(), 30);
    const outcomes = await Promise.all(moves);
    for (const outcome of outcomes)
      expect(['NotFoundError', 'number']).toContain(typeof outcome === 'number' ? 'number' : outcome);
    await Promise.all(stamps);
    expect(await trashed).toHaveLength(10);
    const left = await folders.list(ownerId);
    expect(left.filter(({ folder }) => /^D\d$/.test(folder)).reduce((sum, { count }) => sum + count, 0)).toBe(20);
  });
});
