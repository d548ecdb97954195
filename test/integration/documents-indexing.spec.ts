import { existsSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  BackgroundReindexing,
  DocumentLifecycle,
  findDocumentByUid,
  INDEX_PIPELINE_VERSION,
  type NewDocument,
} from '@app/documents';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { toIndexerSettings } from '../../apps/indexer/src/indexer-settings.js';
import { IndexerModule } from '../../apps/indexer/src/indexer.module.js';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, startDocuments, type DocumentsApp } from '../support/documents.js';
import { until } from '../support/until.js';
import { stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';

const CHILD_ENTRY = resolve(__dirname, '../../apps/indexer/dist/pipeline/child/main.js');
const FIXTURES = join(__dirname, '../fixtures/documents');

const SCANNED: Partial<NewDocument> = {
  filename: 'scanned.pdf',
  kind: 'pdf',
  mimeType: 'application/pdf',
  ocr: true,
  sourcePath: join(FIXTURES, 'scanned.pdf'),
};

describe('the indexer', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let ownerId: number;
  let indexer: INestApplicationContext;
  const env = { REDIS_KEY_PREFIX: `test-indexing-${process.pid}-${Date.now()}` };

  async function startIndexer(): Promise<INestApplicationContext> {
    const storage = { STORAGE_DIR: join(documents.folder, 'files'), LOG_LEVEL: 'fatal' };
    const config = testConfig(database.url, { ...env, ...storage });
    const settings = toIndexerSettings(config, { childEntry: CHILD_ENTRY, importEntry: '' });
    return NestFactory.createApplicationContext(IndexerModule.forRoot(config, settings), { logger: false });
  }

  beforeAll(async () => {
    if (!existsSync(CHILD_ENTRY)) throw new Error('Build first: these tests run the compiled reading process.');
    database = await createTestDatabase();
    ownerId = await createUserRow(database);
    documents = await startDocuments(database, ownerId, { env });
    indexer = await startIndexer();
  });
  afterAll(async () => {
    await indexer.close();
    await documents.close();
    await database.drop();
  });

  const find = (uid: string) => findDocumentByUid(database.dataSource, uid);
  const reached = (uid: string, state: string, withinMs = 20_000) =>
    until(async () => (await find(uid))?.processingState === state, withinMs);
  const chunkTexts = async (uid: string): Promise<string[]> => {
    const rows = await database.dataSource.query<{ text: string }[]>(
      `SELECT c.text FROM document_indexes i JOIN chunks ON chunks.index_id = i.id
         JOIN chunk_contents c ON c.chunk_id = chunks.id
       WHERE i.document_uid = $1 ORDER BY i.generation, chunks.ordinal`,
      [uid],
    );
    return rows.map(({ text }) => text);
  };

  it('makes a document searchable', async () => {
    const { document } = await documents.add({}, 'The kettle is in the kitchen.');
    await reached(document.uid, 'completed');
    expect(await find(document.uid)).toMatchObject({
      pageNumber: 1,
      status: 'Indexed and ready for questions.',
      lastError: '',
      indexGeneration: 1,
      leasedBy: null,
      completedAt: expect.any(Date),
      stage: '',
      percent: 100,
    });
    expect(await chunkTexts(document.uid)).toEqual(['The kettle is in the kitchen.']);
  });

  it('swaps the old index for the new one when it indexes again', async () => {
    const { document } = await documents.add();
    await reached(document.uid, 'completed');
    await documents.app.get(DocumentLifecycle).reindex(document.uid);
    await until(async () => (await find(document.uid))?.indexGeneration === 2);
    expect(await chunkTexts(document.uid)).toHaveLength(1);
  });

  it('reads documents again whose index an older pipeline has made, and keeps what cannot be read', async () => {
    const texts = ['The kettle is in the attic.', 'The ladder is in the shed.'];
    const uids: string[] = [];
    for (const text of texts) uids.push((await documents.add({}, text)).document.uid);
    for (const uid of uids) await reached(uid, 'completed');
    const gone = await documents.add({}, 'The rope is in the barn.');
    await reached(gone.document.uid, 'completed');
    await unlink(join(documents.folder, 'files', gone.document.storageKey));
    await database.dataSource.query('UPDATE document_indexes SET pipeline_version = 1');
    const all = [...uids, gone.document.uid];
    await until(
      async () => (await Promise.all(all.map(find))).every((row) => row?.reindexedFor === INDEX_PIPELINE_VERSION),
      40_000,
    );
    for (const uid of all) await reached(uid, 'completed');
    expect(await Promise.all(uids.map(async (uid) => (await find(uid))?.indexGeneration))).toEqual([2, 2]);
    expect(await find(gone.document.uid)).toMatchObject({
      indexGeneration: 1,
      lastError: '',
      status: 'Indexed and ready for questions.',
      pageNumber: 1,
      percent: 100,
      completedAt: expect.any(Date),
    });
    expect(await chunkTexts(gone.document.uid)).toEqual(['The rope is in the barn.']);
    expect((await documents.app.get(BackgroundReindexing).progress()).given_up).toBe(1);
  });

  it.each([
    ['encrypted.pdf', 'password'],
    ['no-pages.pdf', 'no pages'],
    ['damaged.pdf', 'damaged'],
    ['scanned.pdf', 'OCR was off'],
  ])('fails %s with a sentence for its owner', async (name, reason) => {
    const { document } = await documents.add({
      ...SCANNED,
      filename: name,
      ocr: false,
      sourcePath: join(FIXTURES, name),
    });
    await reached(document.uid, 'failed');
    const failed = await find(document.uid);
    expect(failed?.lastError.toLowerCase()).toContain(reason.toLowerCase());
    expect(failed).toMatchObject({ failedTries: 1, status: 'Could not be indexed.', leaseExpiresAt: null });
    expect(await chunkTexts(document.uid)).toEqual([]);
  });

  it('fails a document whose file is gone', async () => {
    const { document } = await documents.add({ train: false });
    await unlink(join(documents.folder, 'files', document.storageKey));
    await documents.app.get(DocumentLifecycle).reindex(document.uid);
    await reached(document.uid, 'failed');
    expect((await find(document.uid))?.lastError).toContain('missing');
  });

  it('finds documents whose job was lost with the queue', async () => {
    const elsewhere = await startDocuments(database, ownerId, {
      env: { STORAGE_DIR: join(documents.folder, 'files') },
    });
    const { document } = await elsewhere.add();
    expect(document.processingState).toBe('queued');
    await elsewhere.close();
    await reached(document.uid, 'completed');
  });

  it('writes nothing for a document that was trashed while it was read', async () => {
    const { document } = await documents.add(SCANNED);
    await reached(document.uid, 'processing');
    await documents.app.get(DocumentLifecycle).trash(ownerId, [document.uid], 30);
    const { document: next } = await documents.add();
    await reached(next.uid, 'completed');
    expect(await find(document.uid)).toMatchObject({ processingState: 'stored', indexGeneration: null, pageNumber: 0 });
    expect(await chunkTexts(document.uid)).toEqual([]);
  });

  inAll('hands its document on when it is stopped, without spending a try', async () => {
    const { document } = await documents.add(SCANNED);
    await reached(document.uid, 'processing');
    const took = stopwatch();
    await indexer.close();
    expect(took()).toBeLessThan(8000);
    expect(await find(document.uid)).toMatchObject({ processingState: 'queued', failedTries: 0, leasedBy: null });
    indexer = await startIndexer();
    await reached(document.uid, 'completed', 30_000);
    expect((await chunkTexts(document.uid)).join(' ')).toMatch(/\w{4,}/);
    expect(await find(document.uid)).toMatchObject({ indexGeneration: 2, failedTries: 0 });
  });
});
