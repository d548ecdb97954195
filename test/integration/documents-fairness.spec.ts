import {
  BackgroundReindexing,
  BulkReindexing,
  DocumentLifecycle,
  findDocumentByUid,
  findQueuePositions,
  INDEX_PIPELINE_VERSION,
  IndexingRecords,
  indexingWork,
  MAX_TRIES,
  type QueueClass,
} from '@app/documents';
import { ClaimLostError, LeaseKeeper, WorkClaims, WorkPerformer } from '@app/work';
import { currentContext, newId, runInContext } from '@app/common';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, startDocuments, type DocumentsApp } from '../support/documents.js';
import { lockWaits } from '../support/lock-waits.js';
import { until } from '../support/until.js';

const asked = <T>(requestId: string, work: () => T) => runInContext({ requestId }, work);

describe('whose turn it is in the indexer', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let claims: WorkClaims;
  const owners: Record<'ann' | 'bob' | 'eve', number> = { ann: 0, bob: 0, eve: 0 };

  beforeAll(async () => {
    database = await createTestDatabase();
    owners.ann = await createUserRow(database);
    documents = await startDocuments(database, owners.ann);
    claims = documents.app.get(WorkClaims);
  });
  beforeEach(async () => {
    await database.dataSource.query('DELETE FROM documents');
    for (const name of ['ann', 'bob', 'eve'] as const) owners[name] = await createUserRow(database);
  });
  afterAll(async () => {
    await documents.close();
    await database.drop();
  });

  const sql = (query: string, values: unknown[] = []) => database.dataSource.query(query, values);
  const complete = (uids: readonly string[]) =>
    sql(
      `UPDATE documents SET processing_state = 'completed', index_generation = 1, lease_expires_at = NULL, leased_by = NULL
       WHERE uid = ANY ($1::uuid[])`,
      [uids],
    );
  const add = async (owner: keyof typeof owners, count = 1) => {
    const uids: string[] = [];
    for (let at = 0; at < count; at += 1)
      uids.push((await documents.add({ ownerId: owners[owner], filename: `${owner}.txt` })).document.uid);
    return uids;
  };
  /** Documents that were indexed before and are asked for in bulk. */
  const reembed = async (owner: keyof typeof owners, count: number) => {
    const uids = await add(owner, count);
    await complete(uids);
    await documents.app.get(BulkReindexing).start(owners[owner], { all: true });
    return uids;
  };
  const nameOf = (ownerId: number) => Object.entries(owners).find(([, id]) => id === ownerId)![0];
  const take = (classes: readonly string[] = indexingWork.classes!.order, wanted: string = newId()) =>
    claims.claimDue(indexingWork, [wanted], classes);
  const next = async () => {
    const claim = await take();
    return claim && { uid: claim.row.uid, owner: nameOf(claim.row.ownerId) };
  };
  const background = () => documents.app.get(BackgroundReindexing);
  const find = (uid: string) => findDocumentByUid(database.dataSource, uid);
  const indexed = async (owner: keyof typeof owners, count: number, version = 1, ocr = false) => {
    const uids = await add(owner, count);
    await complete(uids);
    await sql('UPDATE documents SET ocr = $2 WHERE uid = ANY ($1::uuid[])', [uids, ocr]);
    await sql(
      `INSERT INTO document_indexes (document_uid, owner_id, generation, chunk_count, term_count, pipeline_version, page_count)
       SELECT uid, owner_id, 1, 0, 0, $2, 7 FROM documents WHERE uid = ANY ($1::uuid[])`,
      [uids, version],
    );
    return uids;
  };
  const nextOf = async (...classes: QueueClass[]) => (await take(classes))?.row.uid;
  const positionsOf = (uids: readonly string[]) => findQueuePositions(database.dataSource, uids);
  /** Claimed and completed one after the other, as one worker does. */
  const order = async (count: number, look: (uid: string) => unknown = () => {}) => {
    const taken: { uid: string; owner: string }[] = [];
    const keeper = new LeaseKeeper(claims, { leaseSeconds: 30, heartbeatSeconds: 5 });
    await new WorkPerformer(claims, keeper).perform(indexingWork, [newId()], async (claim) => {
      const { uid, ownerId } = claim.row;
      taken.push({ uid, owner: nameOf(ownerId) });
      look(uid);
      await database.dataSource.transaction((tx) => documents.app.get(IndexingRecords).complete(claim, tx, 1));
      if (taken.length === count) keeper.stop();
    });
    return taken;
  };

  it('takes an upload before the re-embeddings of another, and of the same owner', async () => {
    await reembed('ann', 6);
    const [bobs] = await add('bob');
    const [anns] = await add('ann');
    expect(await positionsOf([bobs!, anns!])).toEqual(
      new Map([
        [bobs!, 1],
        [anns!, 2],
      ]),
    );
    const taken = await order(3);
    expect(
      taken
        .map(({ uid }) => uid)
        .slice(0, 2)
        .toSorted(),
    ).toEqual([bobs!, anns!].toSorted());
    expect(taken[2]!.owner).toBe('ann');
  });

  it('logs each under the request that asked for it, whatever job led to it', async () => {
    const [uploaded] = await asked('upload', () => add('ann'));
    const [again] = await asked('another upload', () => add('bob'));
    await complete([again!]);
    await asked('again', () => documents.app.get(DocumentLifecycle).reindex(again!));
    const told: [string, string | undefined][] = [];
    await asked('job', () => order(2, (uid) => told.push([uid, currentContext()?.requestId])));
    expect(new Map(told)).toEqual(
      new Map([
        [uploaded!, 'upload'],
        [again!, 'again'],
      ]),
    );
  });

  it('lets owners take turns, also where one worker has one slot', async () => {
    await add('ann', 4);
    await add('bob', 2);
    await add('eve', 1);
    const taken = await order(7);
    expect(taken.map(({ owner }) => owner)).toEqual(['ann', 'bob', 'eve', 'ann', 'bob', 'ann', 'ann']);
  });

  it('serves those first of whom the fewest are in work', async () => {
    await add('ann', 3);
    expect((await next())!.owner).toBe('ann');
    expect((await next())!.owner).toBe('ann');
    await add('bob', 2);
    expect((await next())!.owner).toBe('bob');
    expect((await next())!.owner).toBe('bob');
    expect((await next())!.owner).toBe('ann');
    expect(await next()).toBeNull();
  });

  it('tells positions in the order in which documents are taken', async () => {
    await reembed('ann', 9);
    await reembed('bob', 3);
    await add('eve', 9);
    await add('bob', 2);
    const waiting = await sql('SELECT uid FROM documents');
    const positions = await positionsOf((waiting as { uid: string }[]).map(({ uid }) => uid));
    expect([...positions.values()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 23 }, (_, at) => at + 1));
    const taken = await order(23);
    expect(taken.map(({ uid }) => positions.get(uid))).toEqual(Array.from({ length: 23 }, (_, at) => at + 1));
  });

  it('gives bulk work its share while uploads never pause', async () => {
    const bulk = new Set(await reembed('ann', 3));
    await add('bob', 30);
    const taken = await order(24);
    expect(taken.filter(({ uid }) => bulk.has(uid))).toHaveLength(3);
  });

  it('takes what the platform asks for by itself last, and nothing of a class that is not allowed', async () => {
    const [background] = await add('bob');
    await sql('UPDATE documents SET queue_class = 2 WHERE uid = $1', [background]);
    const [bulk] = await reembed('ann', 1);
    expect(await nextOf('interactive')).toBeUndefined();
    expect(await nextOf('interactive', 'bulk', 'background')).toBe(bulk);
    expect(await nextOf('interactive', 'bulk')).toBeUndefined();
    expect(await nextOf('interactive', 'background')).toBe(background);
  });

  it('leaves a failed try alone until its time, also for the jobs of others', async () => {
    const [uid] = await add('ann');
    const claim = await take();
    await claims.postpone(claim!, { afterSeconds: 2, reason: 'No luck.', isTry: true });
    expect(await next()).toBeNull();
    await sql(`UPDATE documents SET not_before = now() - interval '1 second' WHERE uid = $1`, [uid]);
    expect((await next())?.uid).toBe(uid);
  });

  it('gives each document to one of many workers that take jobs at once', async () => {
    await add('ann', 12);
    await add('bob', 4);
    const claimed = await Promise.all(Array.from({ length: 20 }, () => take()));
    const uids = claimed.filter((claim) => claim !== null).map(({ row }) => row.uid);
    expect(new Set(uids).size).toBe(uids.length);
    expect(uids).toHaveLength(16);
  });

  it('takes the document whose job is taken before it is written down', async () => {
    const [uid] = await add('ann');
    await sql(`UPDATE documents SET processing_state = 'pending_publish' WHERE uid = $1`, [uid]);
    expect(await take()).toBeNull();
    const claim = await take(['interactive'], uid!);
    expect(claim?.row).toMatchObject({ uid, processingState: 'processing', enqueueAttemptCount: 2 });
    expect(claim?.row.queuedAt).toBeInstanceOf(Date);
  });

  it('takes the document that is written down while its job looks for it', async () => {
    const [uid] = await add('ann');
    await sql(`UPDATE documents SET processing_state = 'pending_publish' WHERE uid = $1`, [uid]);
    const taken = await database.dataSource.transaction(async (tx) => {
      await tx.query(`UPDATE documents SET processing_state = 'queued', queued_at = now() WHERE uid = $1`, [uid]);
      const taking = take(['interactive'], uid!);
      await until(async () => (await lockWaits(database.dataSource)) > 0);
      return { taking };
    });
    expect((await taken.taking)?.row).toMatchObject({ uid, processingState: 'processing' });
  });

  it('finds the next of many owners with many documents by the index', async () => {
    await sql(
      `INSERT INTO documents (uid, owner_id, filename, path, kind, mime_type, size_bytes, sha256, storage_key,
         processing_state, queued_at, queue_class)
       SELECT gen_random_uuid(), $1, 'a', '', 'text', 'text/plain', 1, '', '', 'queued', now(), 1
       FROM generate_series(1, 5000)`,
      [owners.ann],
    );
    await sql('ANALYZE documents');
    const [uid] = await add('bob');
    expect((await next())?.uid).toBe(uid);
    expect((await findDocumentByUid(database.dataSource, uid!))?.processingState).toBe('processing');
    expect((await next())?.owner).toBe('ann');
  });

  it('counts a single document that is asked for again as one that somebody waits for', async () => {
    const [first] = await reembed('ann', 1);
    await reembed('bob', 1);
    await complete([first!]);
    await documents.app.get(DocumentLifecycle).reindex(first!);
    expect((await next())?.uid).toBe(first);
  });

  describe('with indexes of an older pipeline', () => {
    it('asks for a few at a time, once each, scans only where that is wanted, and behind everything', async () => {
      const old = await indexed('ann', 5);
      const [scan] = await indexed('bob', 1, 1, true);
      await indexed('bob', 2, INDEX_PIPELINE_VERSION);
      expect(await background().start('text', 2)).toBe(2);
      expect(await background().start('text', 2)).toBe(0);
      const [someone] = await add('eve');
      expect((await next())?.uid).toBe(someone);
      const first = await take();
      expect(old).toContain(first!.row.uid);
      expect(await background().progress()).toMatchObject({ current: 2, older: 6, older_scans: 1, under_way: 2 });
      await claims.giveUp(first!, 'The file is missing.');
      expect(await find(first!.row.uid)).toMatchObject({
        processingState: 'completed',
        status: 'Indexed and ready for questions.',
        lastError: '',
        indexGeneration: 1,
        pageNumber: 7,
        percent: 100,
      });
      expect(await background().start('text', 20)).toBe(3);
      expect(await background().start('text', 20)).toBe(0);
      expect((await find(scan!))?.processingState).toBe('completed');
      expect(await background().start('all', 20)).toBe(1);
    });

    it('says to their owners that they can be asked, and is no excuse for one that they ask for themselves', async () => {
      const [uid] = await indexed('ann', 1);
      await background().start('all', 20);
      const waiting = 'Ready for questions; waiting to be indexed again in the background.';
      expect(await find(uid!)).toMatchObject({ processingState: 'queued', status: waiting });
      let claim = await take();
      for (let tries = 1; tries < MAX_TRIES; tries += 1) {
        await claims.postpone(claim!, { afterSeconds: 0, reason: 'Lost.', isTry: true });
        expect(await find(uid!)).toMatchObject({ processingState: 'queued', status: waiting });
        claim = await claims.claim(indexingWork, [uid!]);
        expect(claim).toMatchObject({ attempt: tries + 1 });
      }
      await claims.giveUp(claim!, 'Lost.');
      expect(await find(uid!)).toMatchObject({ processingState: 'completed', failedTries: 0 });
      await expect(claims.giveUp(claim!, 'Lost.')).rejects.toThrow(ClaimLostError);
      await documents.app.get(DocumentLifecycle).reindex(uid!);
      expect(await find(uid!)).toMatchObject({ queueClass: 0, status: 'Waiting to be indexed.' });
      const own = await take();
      await claims.giveUp(own!, 'The file is missing.');
      expect(await find(uid!)).toMatchObject({ processingState: 'failed', lastError: 'The file is missing.' });
    });

    it('is completed again when indexing it again is cancelled, at rest, waiting and at work', async () => {
      const lifecycle = documents.app.get(DocumentLifecycle);
      const [uid] = await indexed('ann', 1);
      for (const work of [() => Promise.resolve(null), () => take()]) {
        await lifecycle.reindex(uid!);
        const claim = await work();
        expect(await lifecycle.cancel(uid!)).toMatchObject({
          processingState: 'completed',
          lastError: '',
          indexGeneration: 1,
          pageNumber: 7,
          percent: 100,
          leaseExpiresAt: null,
          completedAt: expect.any(Date) as Date,
        });
        if (claim) await expect(claims.hold(claim)).rejects.toThrow(ClaimLostError);
        expect(await next()).toBeNull();
      }
      await expect(lifecycle.cancel(uid!)).rejects.toMatchObject({ code: 'not_cancellable' });
      // An index of other bytes than the file has now is none of it.
      await sql(`UPDATE document_indexes SET content_sha256 = 'of the bytes before' WHERE document_uid = $1`, [uid]);
      await lifecycle.reindex(uid!);
      expect(await lifecycle.cancel(uid!)).toMatchObject({ processingState: 'failed' });
    });
  });
});
