import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DocumentLifecycle,
  DocumentReplacement,
  DocumentStore,
  documentStorageKey,
  findDocumentByUid,
  IndexingRecords,
  indexingWork,
} from '@app/documents';
import { FileStorage } from '@app/integrations';
import { ClaimLostError, WorkClaims } from '@app/work';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, startDocuments, type DocumentsApp } from '../support/documents.js';

describe('new bytes for a document', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let ownerId: number;
  const replacement = () => documents.app.get(DocumentReplacement);
  const find = (uid: string) => findDocumentByUid(database.dataSource, uid);

  beforeAll(async () => {
    database = await createTestDatabase();
    ownerId = await createUserRow(database);
    documents = await startDocuments(database, ownerId);
  });
  afterAll(async () => {
    await documents.close();
    await database.drop();
  });

  async function content(text: string, filename = 'second.md') {
    const sourcePath = join(documents.folder, `new-${Math.random()}`);
    await writeFile(sourcePath, text);
    return { filename, sourcePath, kind: 'markdown' as const, mimeType: 'text/markdown' };
  }

  async function textOf(uid: string): Promise<string> {
    const { storageKey } = (await find(uid))!;
    const { stream } = await documents.app.get(FileStorage).open(storageKey);
    let text = '';
    for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString();
    return text;
  }

  it('keep its uid and shares, and are indexed anew', async () => {
    const reader = await createUserRow(database);
    const { document } = await documents.add({ folder: 'Plans' }, 'First');
    const { uid } = document;
    await documents.app.get(DocumentStore).share(document, reader);
    await database.dataSource.query(
      `WITH classed AS (UPDATE documents SET doc_class = 'letter' WHERE uid = $1)
       INSERT INTO document_summaries (document_uid, status, summary) VALUES ($1, 'ready', 'Of the first.')`,
      [uid],
    );
    const replaced = await replacement().replace(uid, await content('Second, longer'));
    expect(replaced).toMatchObject({
      docClass: '',
      uid,
      folder: 'Plans',
      filename: 'second.md',
      kind: 'markdown',
      sizeBytes: '14',
      path: `/media/documents/${uid}/second.md`,
    });
    expect(['pending_publish', 'queued']).toContain(replaced!.processingState);
    expect(replaced!.attempt).toBe(document.attempt + 1);
    expect(await textOf(uid)).toBe('Second, longer');
    const storage = documents.app.get(FileStorage);
    expect(await storage.stat(documentStorageKey(uid))).toBeNull();
    const shares = await database.dataSource.query<unknown[]>('SELECT FROM document_shares WHERE document_uid = $1', [
      uid,
    ]);
    expect(shares).toHaveLength(1);
    const summaries = await database.dataSource.query<unknown[]>('SELECT FROM document_summaries');
    expect(summaries).toEqual([]);
  });

  it('make a worker that reads the old ones write nothing more', async () => {
    const { document } = await documents.add({}, 'First');
    const claims = documents.app.get(WorkClaims);
    const claim = (await claims.claim(indexingWork, [document.uid]))!;
    await replacement().replace(document.uid, await content('Second'));
    await expect(claims.hold(claim)).rejects.toThrow(ClaimLostError);
    const late = database.dataSource.transaction((tx) => documents.app.get(IndexingRecords).complete(claim, tx, 1));
    await expect(late).rejects.toThrow(ClaimLostError);
    const next = (await claims.claim(indexingWork, [document.uid]))!;
    expect(next.row).toMatchObject({ filename: 'second.md', processingState: 'processing' });
    expect(next.fence).toBeGreaterThan(claim.fence);
  });

  it('are not taken for what is in the trash, or gone', async () => {
    const { document } = await documents.add({}, 'First');
    await documents.app.get(DocumentLifecycle).trash(ownerId, [document.uid], 30);
    let ran = false;
    const replaced = await replacement().replace(document.uid, await content('Second'), async () => {
      ran = true;
    });
    expect([replaced, ran]).toEqual([null, false]);
    expect(await textOf(document.uid)).toBe('First');
    const loose = await database.dataSource.query<unknown[]>('SELECT FROM loose_files');
    expect(loose).toHaveLength(0);
  });

  it('leave everything as it was when what belongs to them fails', async () => {
    const { document } = await documents.add({}, 'First');
    const failing = replacement().replace(document.uid, await content('Second'), () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await textOf(document.uid)).toBe('First');
    expect(await find(document.uid)).toMatchObject({ filename: 'note.txt', attempt: document.attempt });
  });

  it('of several at once come one after the other, and leave one file', async () => {
    const { document } = await documents.add({}, 'First');
    const texts = Array.from({ length: 6 }, (_, n) => `Number ${n}`);
    await Promise.all(texts.map(async (text) => replacement().replace(document.uid, await content(text))));
    expect(texts).toContain(await textOf(document.uid));
    const { sizeBytes } = (await find(document.uid))!;
    expect(sizeBytes).toBe('8');
    const loose = await database.dataSource.query<unknown[]>('SELECT FROM loose_files WHERE removable_at <= now()');
    expect(loose).toHaveLength(0);
  });
});
