import { once } from 'node:events';
import { type DocumentRecord, findDocumentByUid, IndexingRecords, indexingWork } from '@app/documents';
import { type Claim, LeaseKeeper, WorkClaims, WorkPerformer } from '@app/work';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, startDocuments, type DocumentsApp } from '../support/documents.js';
import { until } from '../support/until.js';

const AT_ONCE = 4;
const MOST_DEATHS = 8;

describe('documents that take their indexer down', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let claims: WorkClaims;
  beforeAll(async () => {
    database = await createTestDatabase();
    const ownerId = await createUserRow(database);
    documents = await startDocuments(database, ownerId);
    claims = documents.app.get(WorkClaims);
  });
  afterAll(async () => {
    await documents.app.close();
    await database.drop();
  });

  const sql = <T>(query: string, values: unknown[] = []) => database.dataSource.query<T>(query, values);
  const rowOf = async (uid: string) => (await findDocumentByUid(database.dataSource, uid))!;

  /** An indexer whose process dies with all that it has at work as soon as the culprit is read. */
  function startIndexer(culprit: string) {
    const atWork = new Set<string>();
    const seen: string[][] = [];
    const { promise: died, resolve: die } = Promise.withResolvers<void>();
    let isDead = false;
    const index = async (claim: Claim<DocumentRecord>, signal: AbortSignal) => {
      const { uid } = claim.row;
      atWork.add(uid);
      seen.push([...atWork]);
      // Neighbours are at work as well when it happens.
      if (uid === culprit) setTimeout(die, 50);
      else if (![...atWork].includes(culprit)) await new Promise((done) => setTimeout(done, 100));
      signal.throwIfAborted();
      if (uid === culprit || atWork.has(culprit) || isDead) await once(signal, 'abort');
      signal.throwIfAborted();
      await database.dataSource.transaction((tx) => documents.app.get(IndexingRecords).complete(claim, tx, 1));
      atWork.delete(uid);
    };
    const keeper = new LeaseKeeper(claims, { leaseSeconds: 3_600, heartbeatSeconds: 600 });
    const performer = new WorkPerformer(claims, keeper, () => AT_ONCE);
    const perform = (uid: string) => performer.perform(indexingWork, [uid], index);
    const kill = () => {
      isDead = true;
      keeper.stop();
    };
    return { perform, died, seen, kill };
  }

  it.each([
    ['one beside others', 4],
    ['one that is alone from the beginning', 1],
  ])('fail after three tries, and nobody else with them: %s', async (_name, count) => {
    const uids: string[] = [];
    for (let n = 0; n < count; n += 1) uids.push((await documents.add()).document.uid);
    const culprit = uids[count >> 1]!;
    await until(async () => (await Promise.all(uids.map(rowOf))).every((row) => row.processingState === 'queued'));
    let deaths = 0;
    const unfinished = async () =>
      (await Promise.all(uids.map(rowOf))).filter(({ processingState: s }) => s !== 'completed' && s !== 'failed');
    while ((await unfinished()).length > 0 && deaths < MOST_DEATHS) {
      const indexer = startIndexer(culprit);
      const works = uids.map((uid) => indexer.perform(uid).catch(() => undefined));
      const isDead = await Promise.race([indexer.died.then(() => true), Promise.all(works).then(() => false)]);
      if (isDead) {
        deaths += 1;
        // Who is at work beside a suspect would be suspected for it.
        for (const together of indexer.seen) if (deaths > 1) expect(together).toHaveLength(1);
        await sql(
          `UPDATE documents SET lease_expires_at = now() - interval '1 second' WHERE processing_state = 'processing'`,
        );
        await claims.showLost(indexingWork);
      }
      indexer.kill();
      await Promise.all(works);
    }
    expect(deaths).toBe(3);
    for (const uid of uids) {
      const { processingState, failedTries, lastError } = await rowOf(uid);
      expect({ uid, processingState, failedTries, lastError }).toEqual(
        uid === culprit
          ? {
              uid,
              processingState: 'failed',
              failedTries: 3,
              lastError: 'The worker that read this file stopped unexpectedly. Indexing was tried 3 times.',
            }
          : { uid, processingState: 'completed', failedTries: 0, lastError: '' },
      );
    }
  });
});
