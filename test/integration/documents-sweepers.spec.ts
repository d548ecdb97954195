import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DocumentLifecycle, findDocumentByUid, indexingWork, transition, UnpublishedDocuments } from '@app/documents';
import { LooseFiles } from '@app/entitlements';
import { FileStorage } from '@app/integrations';
import { Relay } from '@app/queues';
import { ClaimLostError, WorkClaims } from '@app/work';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, startDocuments, type DocumentsApp } from '../support/documents.js';
import { until } from '../support/until.js';

const NO_REDIS = { REDIS_URL: 'redis://127.0.0.1:1' };

describe('sweepers of the document store', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let ownerId: number;
  let unpublished: UnpublishedDocuments;
  let claims: WorkClaims;
  const others: DocumentsApp[] = [];
  const databases: TestDatabase[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    ownerId = await createUserRow(database);
    documents = await startDocuments(database, ownerId);
    unpublished = documents.app.get(UnpublishedDocuments);
    claims = documents.app.get(WorkClaims);
  });
  afterAll(async () => {
    for (const app of [...others, documents]) await app.close();
    for (const one of [database, ...databases]) await one.drop();
  });

  /** Where nobody but it delivers: the relay of an app whose queue is there comes by each second. */
  async function cutOff() {
    const own = await createTestDatabase();
    databases.push(own);
    const owner = await createUserRow(own);
    const away = await startDocuments(own, owner, { env: NO_REDIS });
    others.push(away);
    const ask = (query: string, values: unknown[] = []) => own.dataSource.query(query, values);
    return { own, owner, away, ask };
  }

  const sql = (query: string, values: unknown[] = []) => database.dataSource.query(query, values);
  const find = (uid: string) => findDocumentByUid(database.dataSource, uid);

  it('gives the document of a lost worker back to the queue, and only then', async () => {
    const { uid } = (await documents.add()).document;
    const late = (await claims.claim(indexingWork, [uid]))!;
    await claims.showLost(indexingWork);
    await claims.hold(late);
    await sql(`UPDATE documents SET lease_expires_at = now() - interval '1 second' WHERE uid = $1`, [uid]);
    await Promise.all([claims.showLost(indexingWork), claims.showLost(indexingWork)]);
    expect(await find(uid)).toMatchObject({
      processingState: 'queued',
      stage: '',
      leaseExpiresAt: null,
      lastError: 'The worker that read this file stopped unexpectedly.',
    });
    await expect(claims.hold(late)).rejects.toThrow(ClaimLostError);
    // Whether it was this one that took the worker down nobody knows yet.
    expect(await claims.claim(indexingWork, [uid])).toMatchObject({ isSuspect: true, attempt: 1, fence: 2 });
  });

  it('asks again for a document whose job was lost', async () => {
    const { uid } = (await documents.add()).document;
    const forgotten = { definition: indexingWork, key: [uid], fence: 0 };
    expect(await claims.listForgotten([indexingWork])).not.toContainEqual(forgotten);
    await sql(`UPDATE documents SET queued_at = now() - interval '21 seconds' WHERE uid = $1`, [uid]);
    expect(await claims.listForgotten([indexingWork])).toContainEqual(forgotten);
  });

  it('publishes what nobody will publish, in whichever state it was left', async () => {
    const stored = await documents.add();
    await transition(documents.app.get(DataSource), [stored.document.uid], 'withdraw');
    const waiting = await documents.add({ train: false });
    await sql(`UPDATE documents SET processing_state = 'pending_publish' WHERE uid = $1`, [waiting.document.uid]);
    expect(await unpublished.publishForgotten()).toBe(0);
    // Delivered messages leave the outbox a moment later, and a document with one is not forgotten.
    await until(async () => (await sql('SELECT 1 FROM outbox_messages')).length === 0);
    await sql(`UPDATE documents SET rung_at = now() - interval '2 minutes' WHERE processing_state <> 'completed'`);
    expect(await unpublished.publishForgotten()).toBe(2);
    expect(await find(stored.document.uid)).toMatchObject({ processingState: 'queued' });
    expect(await find(waiting.document.uid)).toMatchObject({ processingState: 'queued' });
  });

  it('keeps documents while the queue is away, gives up after a day, and comes back by itself', async () => {
    const { own, owner, away, ask } = await cutOff();
    const seen = (uid: string) => findDocumentByUid(own.dataSource, uid);
    const { document, delivery } = await away.add();
    expect(delivery).toEqual({ pending: true, error: expect.any(String) });
    expect(document).toMatchObject({ processingState: 'pending_publish', enqueueAttemptCount: 1 });
    expect(document.lastError).toContain('queue could not be reached');

    const due = `UPDATE outbox_messages SET available_at = now() WHERE payload->>'uid' = $1`;
    await ask(due, [document.uid]);
    await away.app.get(Relay).deliverDue();
    expect(await seen(document.uid)).toMatchObject({ processingState: 'pending_publish', enqueueAttemptCount: 2 });

    await ask(`UPDATE outbox_messages SET created_at = now() - interval '25 hours', available_at = now()`);
    await away.app.get(Relay).deliverDue();
    expect(await seen(document.uid)).toMatchObject({ processingState: 'publish_failed' });
    expect(await ask(`SELECT 1 FROM outbox_messages WHERE payload->>'uid' = $1`, [document.uid])).toEqual([]);

    const back = await startDocuments(own, owner);
    others.push(back);
    const retries = back.app.get(UnpublishedDocuments);
    expect(await retries.retryPublishing()).toBe(0);
    await ask(`UPDATE documents SET rung_at = now() - interval '61 minutes' WHERE uid = $1`, [document.uid]);
    expect(await retries.retryPublishing()).toBe(1);
    expect(await seen(document.uid)).toMatchObject({ processingState: 'queued', lastError: '' });
  });

  it('delivers what was uploaded while the queue was away', async () => {
    const away = await startDocuments(database, ownerId, { env: NO_REDIS });
    others.push(away);
    const { document } = await away.add();
    await sql('UPDATE outbox_messages SET available_at = now()');
    await documents.app.get(Relay).deliverDue();
    expect(await find(document.uid)).toMatchObject({ processingState: 'queued', lastError: '' });
  });

  it('stops offering a document that nobody wants indexed any more', async () => {
    const { own, away, ask } = await cutOff();
    const { document } = await away.add();
    await away.app.get(DocumentLifecycle).cancel(document.uid);
    await ask('UPDATE outbox_messages SET available_at = now()');
    await away.app.get(Relay).deliverDue();
    expect(await ask(`SELECT 1 FROM outbox_messages WHERE payload->>'uid' = $1`, [document.uid])).toEqual([]);
    expect(await findDocumentByUid(own.dataSource, document.uid)).toMatchObject({ processingState: 'failed' });
  });

  it('empties the trash in time', async () => {
    const lifecycle = documents.app.get(DocumentLifecycle);
    const old = await documents.add();
    const fresh = await documents.add();
    await lifecycle.trash(ownerId, [old.document.uid, fresh.document.uid], 30);
    await sql(`UPDATE documents SET purge_at = now() - interval '1 second' WHERE uid = $1`, [old.document.uid]);
    expect(await lifecycle.purgeDue(10)).toBe(1);
    expect(await find(old.document.uid)).toBeNull();
    expect(await find(fresh.document.uid)).not.toBeNull();
    expect(existsSync(join(documents.folder, 'files', old.document.storageKey))).toBe(false);
  });

  it('removes the file of an upload that never got its row, but not before its time', async () => {
    const looseFiles = documents.app.get(LooseFiles);
    const source = join(documents.folder, 'source');
    await writeFile(source, 'bytes');
    await looseFiles.announce('documents/aa/orphan');
    await documents.app.get(FileStorage).put('documents/aa/orphan', { path: source });
    expect(await looseFiles.removeDue()).toBe(0);
    await sql('UPDATE loose_files SET removable_at = now()');
    expect(await looseFiles.removeDue()).toBe(1);
    expect(existsSync(join(documents.folder, 'files/documents/aa/orphan'))).toBe(false);
    await database.dataSource.transaction(async (tx) =>
      expect(await looseFiles.adopt('documents/aa/orphan', tx)).toBe(false),
    );
  });
});
