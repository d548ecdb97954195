import { newId } from '@app/common';
import { indexDocumentJob } from '@app/contracts';
import { findDocumentByUid, IndexingRecords, indexingWork } from '@app/documents';
import { type JobMessage, Outbox, Relay } from '@app/queues';
import { ClaimLostError, WorkClaims } from '@app/work';
import { z } from 'zod';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, startDocuments, type DocumentsApp } from '../support/documents.js';

const LOST = 'The worker that read this file stopped unexpectedly.';

/** During an update indexers of the release before, with these statements, claim, renew and sweep beside those of this one. */
describe('an indexer of the release before', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let claims: WorkClaims;
  beforeAll(async () => {
    database = await createTestDatabase();
    documents = await startDocuments(database, await createUserRow(database));
    claims = documents.app.get(WorkClaims);
  });
  afterAll(async () => {
    await documents.close();
    await database.drop();
  });

  const sql = async <T>(query: string, values: unknown[]) =>
    (await database.dataSource.query<[T[], number]>(query, values))[0];
  const former = {
    async claim(uid: string): Promise<number | undefined> {
      const [row] = await sql<{ fence: number }>(
        `UPDATE documents d SET processing_state = 'processing', updated_at = now(), stage = 'reading', percent = 0,
           leased_by = 'former', page_number = 0, fence = d.fence + 1, processing_started_at = now(), not_before = NULL,
           lease_expires_at = now() + interval '30 seconds'
         WHERE d.uid = $1 AND d.processing_state = 'queued' AND d.deleted_at IS NULL RETURNING d.fence`,
        [uid],
      );
      return row?.fence;
    },
    renew: (uid: string, fence: number) =>
      sql(
        `UPDATE documents SET lease_expires_at = now() + interval '30 seconds'
         WHERE uid = $1 AND fence = $2 AND processing_state = 'processing' AND deleted_at IS NULL RETURNING 1`,
        [uid, fence],
      ),
    complete: (uid: string, fence: number) =>
      sql(
        `UPDATE documents SET processing_state = 'completed', leased_by = NULL, lease_expires_at = NULL, not_before = NULL,
           index_generation = fence, last_error = '' WHERE uid = $1 AND fence = $2 AND processing_state = 'processing' RETURNING 1`,
        [uid, fence],
      ),
    takeBackLost: (uid: string) =>
      sql(
        `UPDATE documents SET processing_state = 'queued', leased_by = NULL, lease_expires_at = NULL, last_error = $2,
           attempt = attempt + 1, rung_at = now(), not_before = now() + interval '2 seconds'
         WHERE uid = $1 AND processing_state = 'processing' AND lease_expires_at < now() RETURNING 1`,
        [uid, LOST],
      ),
  };
  const add = async () => (await documents.add()).document.uid;
  const claim = (uid: string) => claims.claim(indexingWork, [uid]);
  const expire = (uid: string) =>
    sql(`UPDATE documents SET lease_expires_at = now() - interval '1 second' WHERE uid = $1 RETURNING 1`, [uid]);

  it('and one of this release never work on the same document', async () => {
    const [theirs, ours] = [await add(), await add()];
    const fence = (await former.claim(theirs))!;
    expect(await claim(theirs)).toBeNull();
    await claims.showLost(indexingWork);
    expect(await former.renew(theirs, fence)).toHaveLength(1);
    const held = (await claim(ours))!;
    expect(await former.claim(ours)).toBeUndefined();
    await expire(ours);
    expect(await claims.renew([held])).toEqual([]);
    expect(await former.takeBackLost(ours)).toHaveLength(0);
    for (let round = 0; round < 10; round += 1) {
      const uid = await add();
      const both = await Promise.all([former.claim(uid), claim(uid)]);
      expect(both.filter(Boolean)).toHaveLength(1);
    }
  });

  it('loses its document to one of this release, and writes nothing more', async () => {
    const uid = await add();
    const fence = (await former.claim(uid))!;
    await expire(uid);
    await claims.showLost(indexingWork);
    expect(await findDocumentByUid(database.dataSource, uid)).toMatchObject({ processingState: 'queued' });
    expect(await former.renew(uid, fence)).toHaveLength(0);
    const held = (await claim(uid))!;
    expect(held).toMatchObject({ fence: fence + 1, isSuspect: true, attempt: 1 });
    expect(await former.complete(uid, fence)).toHaveLength(0);
    await documents.app
      .get(WorkClaims)
      .postpone(held, { afterSeconds: 0, reason: 'It could not be read.', isTry: true });
    expect(await former.complete(uid, (await former.claim(uid))!)).toHaveLength(1);
  });

  it.each([
    ['sweeps', (uid: string) => former.takeBackLost(uid)],
    ['finds among those that wait', () => claims.showLost(indexingWork)],
  ])('takes over what one of this release has lost, which it %s', async (_name, sweep) => {
    const uid = await add();
    const late = (await claim(uid))!;
    await expire(uid);
    await sweep(uid);
    const fence = (await former.claim(uid))!;
    expect(fence).toBe(late.fence + 1);
    await expect(claims.hold(late)).rejects.toThrow(ClaimLostError);
    const completed = database.dataSource.transaction((tx) => documents.app.get(IndexingRecords).complete(late, tx, 1));
    await expect(completed).rejects.toThrow(ClaimLostError);
    expect(await former.complete(uid, fence)).toHaveLength(1);
  });

  it('leaves jobs of its api that any process of this release delivers', async () => {
    const [delivered, refused] = [await add(), await add()];
    for (const uid of [delivered, refused]) {
      const wait = `UPDATE documents SET processing_state = 'pending_publish', queued_at = NULL WHERE uid = $1 RETURNING 1`;
      await sql(wait, [uid]);
      await database.dataSource.query(
        `INSERT INTO outbox_messages (job, queue, job_key, payload, available_at)
         VALUES ('index-document', 'indexing', $1, $2, now())`,
        [`${uid}:0`, { uid, attempt: 0 }],
      );
      if (uid === delivered) {
        await documents.app.get(Relay).deliverDue();
        expect(await findDocumentByUid(database.dataSource, uid)).toMatchObject({ processingState: 'queued' });
      }
    }
    const [message] = await database.dataSource.query<[JobMessage & { id: string }]>(
      `SELECT id, job, queue, job_key AS "jobKey", payload, request_id AS "requestId" FROM outbox_messages
       WHERE payload->>'uid' = $1`,
      [refused],
    );
    const refusal = { attempts: 1, firstTriedAt: new Date(), error: 'away' };
    expect(await documents.app.get(Outbox).refused(message, refusal)).toBe('retry');
    expect(await findDocumentByUid(database.dataSource, refused)).toMatchObject({
      lastError: expect.stringContaining('queue could not be reached') as string,
    });
  });

  it('adds jobs that this one reads, and reads its jobs', async () => {
    const uid = newId();
    const heard = z.object({ uid: z.uuid(), attempt: z.int().nonnegative() });
    const job = indexDocumentJob.payload.parse({ uid, attempt: 2 });
    expect(job).toMatchObject({ key: [uid], fence: 2 });
    expect(indexDocumentJob.key(job)).toBe(`${uid}:2`);
    expect(heard.parse(indexDocumentJob.payload.parse({ key: [uid], fence: 3 }))).toEqual({ uid, attempt: 3 });
    expect(indexDocumentJob.payload.safeParse({ key: [] }).success).toBe(false);
  });
});
