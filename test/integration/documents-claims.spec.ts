import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  ClaimLostError,
  DocumentClaims,
  DocumentLifecycle,
  documentStorageKey,
  findDocumentByUid,
  MAX_TRIES,
  type DocumentClaim,
} from '@app/documents';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, startDocuments, type DocumentsApp } from '../support/documents.js';

describe('claims on documents', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let ownerId: number;
  let claims: DocumentClaims;
  let lifecycle: DocumentLifecycle;
  beforeAll(async () => {
    database = await createTestDatabase();
    ownerId = await createUserRow(database);
    documents = await startDocuments(database, ownerId);
    claims = documents.app.get(DocumentClaims);
    lifecycle = documents.app.get(DocumentLifecycle);
  });
  afterAll(async () => {
    await documents.close();
    await database.drop();
  });

  const find = (uid: string) => findDocumentByUid(documents.app.get(DataSource), uid);
  const complete = (claim: DocumentClaim, pages = 1) =>
    documents.app.get(DataSource).transaction((tx) => claim.complete(tx, pages));
  const claimed = async () => {
    const { document } = await documents.add();
    const claim = await claims.claim(document.uid, 'worker', 30);
    if (!claim) throw new Error('not claimed');
    return claim;
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
    const tries = await Promise.all(
      Array.from({ length: 8 }, (_, index) => claims.claim(document.uid, `worker ${index}`, 30)),
    );
    expect(tries.filter((claim) => claim !== null)).toHaveLength(1);
    expect(await find(document.uid)).toMatchObject({ processingState: 'processing', fence: 1 });
  });

  it('claims a document whose job was taken before it was written down', async () => {
    const { document } = await documents.add({ train: false });
    await documents.app
      .get(DataSource)
      .query(`UPDATE documents SET processing_state = 'pending_publish' WHERE uid = $1`, [document.uid]);
    const claim = await claims.claim(document.uid, 'worker', 30);
    expect(claim?.document).toMatchObject({ processingState: 'processing', enqueueAttemptCount: 1 });
    expect(claim?.document.queuedAt).toBeInstanceOf(Date);
  });

  it('completes once, with the generation of the claim', async () => {
    const claim = await claimed();
    await claim.renew({ stage: 'reading', percent: 10, pageNumber: 2, status: 'Reading page 2.' });
    expect(await find(claim.document.uid)).toMatchObject({ pageNumber: 2, status: 'Reading page 2.' });
    await complete(claim, 3);
    expect(await find(claim.document.uid)).toMatchObject({
      processingState: 'completed',
      pageNumber: 3,
      indexGeneration: claim.fence,
      leasedBy: null,
      leaseExpiresAt: null,
    });
    await expect(complete(claim)).rejects.toThrow(ClaimLostError);
  });

  it('takes every right to write from a worker that was given up', async () => {
    const late = await claimed();
    expect(await claims.endTry(late.document, 'Lost.')).toBe('queued');
    const next = await claims.claim(late.document.uid, 'next', 30);
    expect(next?.fence).toBe(late.fence + 1);
    await expect(late.renew()).rejects.toThrow(ClaimLostError);
    await expect(complete(late)).rejects.toThrow(ClaimLostError);
    expect(await claims.fail(late, 'Broken.')).toBe(false);
    expect(await claims.endTry(late.document, 'Lost.')).toBe('lost');
    expect(await claims.handBack(late)).toBe(false);
    expect(await find(late.document.uid)).toMatchObject({ processingState: 'processing', fence: next?.fence });
  });

  it('fails after the last try, with the reason', async () => {
    const { document } = await documents.add();
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const claim = await claims.claim(document.uid, 'worker', 30);
      expect(await claims.endTry(claim!.document, 'No luck.')).toBe(attempt < MAX_TRIES ? 'queued' : 'failed');
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
    const claim = await claimed();
    expect(await claims.handBack(claim)).toBe(true);
    const row = await find(claim.document.uid);
    expect(row).toMatchObject({ processingState: 'queued', failedTries: 0, attempt: 1 });
    const waiting = await database.dataSource.query('SELECT job_key FROM outbox_messages WHERE payload->>$1 = $2', [
      'uid',
      claim.document.uid,
    ]);
    expect(waiting).toContainEqual({ job_key: `${claim.document.uid}:1` });
  });

  it('stops a worker whose document is cancelled, and refuses to cancel what is at rest', async () => {
    const claim = await claimed();
    const cancelled = await lifecycle.cancel(claim.document.uid);
    expect(cancelled).toMatchObject({ processingState: 'failed', lastError: 'Indexing was cancelled.' });
    await expect(complete(claim)).rejects.toThrow(ClaimLostError);
    await expect(lifecycle.cancel(claim.document.uid)).rejects.toMatchObject({ code: 'not_cancellable' });
    expect(await find(claim.document.uid)).toMatchObject({ processingState: 'failed' });
  });

  it('stops a worker whose document is trashed, and indexes again what is restored', async () => {
    const claim = await claimed();
    const { uid } = claim.document;
    const [trashed] = await lifecycle.trash(ownerId, [uid], 30);
    expect(trashed).toMatchObject({ processingState: 'stored', leaseExpiresAt: null });
    expect(trashed!.purgeAt!.getTime() - trashed!.deletedAt!.getTime()).toBe(30 * 86_400_000);
    await expect(complete(claim)).rejects.toThrow(ClaimLostError);
    expect(await claims.claim(uid, 'worker', 30)).toBeNull();
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
});
