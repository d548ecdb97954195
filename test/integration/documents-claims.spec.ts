import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  DocumentLifecycle,
  type DocumentRecord,
  documentStorageKey,
  findDocumentByUid,
  IndexingRecords,
  indexingWork,
  MAX_TRIES,
} from '@app/documents';
import { chunkPages, ChunkIndex } from '@app/retrieval';
import { type Claim, ClaimLostError, GiveUpError, TryAgainError, WorkClaims, WorkPerformer } from '@app/work';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, startDocuments, type DocumentsApp } from '../support/documents.js';
import { Mortal } from '../support/mortal.js';

const refuse = () => Promise.reject(new GiveUpError('It is broken.', 'damaged'));

describe('claims on documents', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let ownerId: number;
  let claims: WorkClaims;
  let records: IndexingRecords;
  let lifecycle: DocumentLifecycle;
  beforeAll(async () => {
    database = await createTestDatabase();
    ownerId = await createUserRow(database);
    documents = await startDocuments(database, ownerId);
    claims = documents.app.get(WorkClaims);
    records = documents.app.get(IndexingRecords);
    lifecycle = documents.app.get(DocumentLifecycle);
  });
  beforeEach(() => database.dataSource.query('DELETE FROM documents'));
  afterAll(async () => {
    await documents.close();
    await database.drop();
  });

  const find = (uid: string) => findDocumentByUid(documents.app.get(DataSource), uid);
  const claim = (uid: string) => claims.claim(indexingWork, [uid]);
  const complete = (held: Claim<DocumentRecord>, pages = 1) =>
    documents.app.get(DataSource).transaction((tx) => records.complete(held, tx, pages));
  const perform = (uid: string, work: (held: Claim<DocumentRecord>) => Promise<void>) =>
    documents.app.get(WorkPerformer).perform(indexingWork, [uid], work);
  const handedBack = { afterSeconds: 0, reason: '', isTry: false };
  const claimed = async () => {
    const { document } = await documents.add();
    const held = await claim(document.uid);
    if (!held) throw new Error('not claimed');
    return held;
  };
  const generations = (uid: string) =>
    database.dataSource.query<{ generation: number; chunks: number }[]>(
      `SELECT i.generation, (SELECT count(*)::int FROM chunks c WHERE c.index_id = i.id) AS chunks
       FROM document_indexes i WHERE i.document_uid = $1`,
      [uid],
    );
  /** As after a while. */
  const makeDue = async () => {
    await database.dataSource.query(
      `UPDATE documents SET lease_expires_at = now() - interval '1 second' WHERE processing_state = 'processing'`,
    );
    await claims.showLost(indexingWork);
    await database.dataSource.query('UPDATE documents SET not_before = NULL');
  };

  it('queues what was added, and keeps what is not to be indexed', async () => {
    const { document, delivery } = await documents.add();
    expect(delivery).toEqual({ pending: false, error: null });
    expect(document).toMatchObject({ processingState: 'queued', enqueueAttemptCount: 1, sizeBytes: '26' });
    expect(document.queuedAt).toBeInstanceOf(Date);
    const untrained = await documents.add({ train: false });
    expect(untrained).toMatchObject({ delivery: null, document: { processingState: 'untrained', queuedAt: null } });
  });

  it('lets one of many workers have a document', async () => {
    const { document } = await documents.add();
    const tries = await Promise.all(Array.from({ length: 8 }, () => claim(document.uid)));
    expect(tries.filter((held) => held !== null)).toHaveLength(1);
    expect(await find(document.uid)).toMatchObject({ processingState: 'processing', fence: 1 });
  });

  it('completes once, with the generation of the claim', async () => {
    const held = await claimed();
    await records.report(held, { stage: 'reading', percent: 10, pageNumber: 2, status: 'Reading page 2.' });
    expect(await find(held.row.uid)).toMatchObject({ pageNumber: 2, percent: 10, status: 'Reading page 2.' });
    await records.report(held, { stage: 'ocr', percent: null, pageNumber: 3, status: 'Recognising.' });
    expect(await find(held.row.uid)).toMatchObject({ percent: 10, stage: 'ocr' });
    await complete(held, 3);
    expect(await find(held.row.uid)).toMatchObject({
      processingState: 'completed',
      pageNumber: 3,
      indexGeneration: held.fence,
      leasedBy: null,
      leaseExpiresAt: null,
    });
    await expect(complete(held)).rejects.toThrow(ClaimLostError);
  });

  it('takes every right to write from a worker that was given up', async () => {
    const late = await claimed();
    await makeDue();
    const next = await claim(late.row.uid);
    expect(next?.fence).toBe(late.fence + 1);
    await expect(claims.hold(late)).rejects.toThrow(ClaimLostError);
    await expect(complete(late)).rejects.toThrow(ClaimLostError);
    await expect(claims.giveUp(late, 'Broken.')).rejects.toThrow(ClaimLostError);
    await expect(claims.postpone(late, handedBack)).rejects.toThrow(ClaimLostError);
    expect(await find(late.row.uid)).toMatchObject({ processingState: 'processing', fence: next?.fence });
  });

  it('fails after the last try, with the reason', async () => {
    const { document } = await documents.add();
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      await perform(document.uid, () => Promise.reject(new TryAgainError('No luck.')));
      const { processingState, lastError } = (await find(document.uid))!;
      if (attempt < MAX_TRIES) expect([processingState, lastError]).toEqual(['queued', 'No luck.']);
      await makeDue();
    }
    expect(await find(document.uid)).toMatchObject({
      processingState: 'failed',
      failedTries: MAX_TRIES,
      lastError: `No luck. Indexing was tried ${MAX_TRIES} times.`,
    });
    const retried = await lifecycle.reindex(document.uid);
    expect(retried?.document).toMatchObject({ processingState: 'queued', failedTries: 0, lastError: '' });
  });

  it('hands a document back without spending a try', async () => {
    const held = await claimed();
    await claims.postpone(held, handedBack);
    const row = await find(held.row.uid);
    expect(row).toMatchObject({ processingState: 'queued', failedTries: 0, stage: '', leasedBy: null });
    const waiting = await database.dataSource.query('SELECT job_key FROM outbox_messages WHERE payload->>$1 = $2', [
      'uid',
      held.row.uid,
    ]);
    expect(waiting).toContainEqual({ job_key: `${held.row.uid}:1` });
  });

  it('stops a worker whose document is cancelled, and refuses to cancel what is at rest', async () => {
    const held = await claimed();
    const cancelled = await lifecycle.cancel(held.row.uid);
    expect(cancelled).toMatchObject({ processingState: 'failed', lastError: 'Indexing was cancelled.' });
    await expect(complete(held)).rejects.toThrow(ClaimLostError);
    await expect(lifecycle.cancel(held.row.uid)).rejects.toMatchObject({ code: 'not_cancellable' });
    expect(await find(held.row.uid)).toMatchObject({ processingState: 'failed' });
  });

  it('stops a worker whose document is trashed, and indexes again what is restored', async () => {
    const held = await claimed();
    const { uid } = held.row;
    const [trashed] = await lifecycle.trash(ownerId, [uid], 30);
    expect(trashed).toMatchObject({ processingState: 'stored', leaseExpiresAt: null });
    expect(trashed!.purgeAt!.getTime() - trashed!.deletedAt!.getTime()).toBe(30 * 86_400_000);
    await expect(complete(held)).rejects.toThrow(ClaimLostError);
    expect(await claim(uid)).toBeNull();
    expect(await lifecycle.trash(ownerId, [uid], 30)).toEqual([]);

    expect(await lifecycle.restore(ownerId + 1, uid)).toBeNull();
    await lifecycle.restore(ownerId, uid);
    expect(await find(uid)).toMatchObject({ processingState: 'queued', deletedAt: null, purgeAt: null });
    expect(await lifecycle.restore(ownerId, uid)).toBeNull();
  });

  it('restores what was never to be indexed as it was', async () => {
    const { document } = await documents.add({ train: false });
    await lifecycle.trash(ownerId, [document.uid], 30);
    const restored = await lifecycle.restore(ownerId, document.uid);
    expect(restored).toMatchObject({ processingState: 'untrained', deletedAt: null });
  });

  it('purges row and file, for the owner only', async () => {
    const { document } = await documents.add();
    const file = join(documents.folder, 'files', documentStorageKey(document.uid));
    expect(existsSync(file)).toBe(true);
    expect(await lifecycle.purge([document.uid], ownerId + 1)).toEqual([]);
    expect(await lifecycle.purge([document.uid], ownerId)).toEqual([document.uid]);
    expect(await find(document.uid)).toBeNull();
    expect(existsSync(file)).toBe(false);
    expect(await database.dataSource.query('SELECT * FROM loose_files')).toEqual([]);
  });

  describe('before whichever of its statements its worker dies', () => {
    const index = new ChunkIndex();
    const work = async (held: Claim<DocumentRecord>) => {
      const { uid: documentUid, filename } = held.row;
      await records.report(held, { stage: 'reading', percent: 10, pageNumber: 1, status: 'Reading page 1.' });
      const chunks = await chunkPages([{ number: 1, text: 'The meeting is on Tuesday.' }], { filename });
      await documents.app.get(DataSource).transaction(async (tx) => {
        await index.replace(tx, { documentUid, ownerId, generation: held.fence }, chunks);
        await index.keepOnly(tx, documentUid, held.fence);
        await records.complete(held, tx, 1);
      });
    };
    it('is indexed once', async () => {
      const mortal = new Mortal(documents.app.get(DataSource));
      let deaths = 0;
      for (let at = 0; ; at += 1) {
        const { document } = await documents.add();
        const { uid } = document;
        const died = await mortal.dies(at, () => perform(uid, work));
        for (let tries = 0; tries < 2; tries += 1) {
          await makeDue();
          await perform(uid, work);
        }
        const row = (await find(uid))!;
        const state = { processingState: 'completed', lastError: '', failedTries: 0, leasedBy: null };
        expect({ at, ...row }).toMatchObject({ at, ...state, leaseExpiresAt: null, percent: 100, stage: '' });
        expect([at, await generations(uid)]).toEqual([at, [{ generation: row.indexGeneration, chunks: 1 }]]);
        if (!died) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThanOrEqual(12);
    });

    it.each([
      ['fails', {}, { processingState: 'failed', lastError: 'It is broken.' }],
      [
        'keeps the index that it had where nobody waits',
        { queue_class: 2 },
        { processingState: 'completed', lastError: '', indexGeneration: 1, status: 'Indexed and ready for questions.' },
      ],
    ])('%s once', async (_name, { queue_class: queueClass = 0 }: { queue_class?: number }, state) => {
      const mortal = new Mortal(documents.app.get(DataSource));
      let deaths = 0;
      for (let at = 0; ; at += 1) {
        const { uid } = (await documents.add()).document;
        await perform(uid, work);
        await lifecycle.reindex(uid);
        await database.dataSource.query('UPDATE documents SET queue_class = $2 WHERE uid = $1', [uid, queueClass]);
        const died = await mortal.dies(at, () => perform(uid, refuse));
        await makeDue();
        await perform(uid, refuse);
        expect({ at, ...(await find(uid)) }).toMatchObject({ at, ...state, leasedBy: null, leaseExpiresAt: null });
        expect(await generations(uid)).toEqual([{ generation: 1, chunks: 1 }]);
        if (!died) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThanOrEqual(4);
    });
  });
});
