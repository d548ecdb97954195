import { JOBS } from '@app/contracts';
import { type Claim, GiveUpError, leaseOf, TryAgainError, WorkClaims, WorkPerformer, type WorkRules } from '@app/work';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, type DocumentsApp, startDocuments } from '../support/documents.js';
import { stride } from '../support/long.js';
import { Mortal } from '../support/mortal.js';
import { WORK_ROWS } from '../support/work-rows.js';

const refuse = () => Promise.reject(new GiveUpError('It is broken.', 'broken'));

const whereKey = ({ key, lane }: WorkRules) =>
  (lane ? [lane.column] : Object.keys(key)).map((column, at) => `${column}::text = $${at + 1}`).join(' AND ');

/** Each kind of work, on a row of its table, dies before whichever of the statements that libs/work makes for it. */
describe('background work whose worker dies', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let mortal: Mortal;
  let claims: WorkClaims;
  let performer: WorkPerformer;
  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T[]>(text, values);
  beforeAll(async () => {
    database = await createTestDatabase();
    await sql('CREATE TABLE test_effects (key text NOT NULL)');
    documents = await startDocuments(database, await createUserRow(database), { env: { SWEEP_SECONDS: '600' } });
    claims = documents.app.get(WorkClaims);
    performer = documents.app.get(WorkPerformer);
    mortal = new Mortal(documents.app.get(DataSource));
  });
  afterAll(async () => {
    await documents.close();
    await database.drop();
  });

  /** As after a while: leases are over, and what waits for its time is due. */
  async function makeDue(work: WorkRules, key: string[]): Promise<void> {
    const { leasedUntil, nextAttempt } = leaseOf(work);
    await sql(
      `UPDATE ${work.table} SET ${leasedUntil} = CASE WHEN ${leasedUntil} IS NOT NULL THEN now() - interval '1 second' END,
         ${nextAttempt} = CASE WHEN ${nextAttempt} IS NOT NULL THEN now() END WHERE ${whereKey(work)}`,
      key,
    );
    await claims.showLost(work);
  }

  const kinds = WORK_ROWS.map((rows) => [rows.work.work, rows] as const);

  it('is each kind that has a job', () => {
    const asked = { key: ['1'], fence: 0 };
    const jobs = JOBS.filter(({ payload }) => payload.safeParse(asked).success).map(({ name }) => name);
    expect(WORK_ROWS.map(({ work }) => work.job.name).toSorted()).toEqual(jobs.toSorted());
  });

  /**
   * In `npm test` each kind dies before every third of its statements, from another first one than its neighbours: whatever
   * statement libs/work makes, a third of the kinds die before it. Those with rules that few others have die before each.
   */
  const places = kinds.map(([name, rows], place) => {
    const step = rows.work.lane || rows.work.onLost ? 1 : stride(3);
    return [name, { ...rows, step, from: place % step }] as const;
  });

  describe.each(places)('%s', (_name, { work, done, add, step, from }) => {
    const effectOf = (key: readonly string[]) => [work.work, ...key].join(':');
    const finish = async (claim: Claim) => {
      await documents.app.get(DataSource).transaction(async (tx) => {
        await tx.query('INSERT INTO test_effects (key) VALUES ($1)', [effectOf(claim.lane ?? claim.key)]);
        await claims.finish(claim, done === undefined ? {} : { set: () => done }, tx);
      });
    };

    /** A lane goes on at once with what is due again. */
    let hasFailed = false;
    const failOnce = (claim: Claim) => {
      if (hasFailed) return finish(claim);
      hasFailed = true;
      return Promise.reject(new TryAgainError('Not yet.'));
    };

    it.each([
      ['is done once', finish, finish, { effects: 1, error: '' }],
      ['is tried again and done once', failOnce, finish, { effects: 1, error: '' }],
      ['is given up once', refuse, refuse, { effects: 0, error: 'It is broken.' }],
    ])('%s', async (_way, first, then, { effects, error }) => {
      let deaths = 0;
      for (let at = from; ; at += step) {
        const key = await add(database);
        hasFailed = false;
        const died = await mortal.dies(at, () => performer.perform(work, key, first));
        for (let round = 0; round < 3; round += 1) {
          await makeDue(work, key);
          await performer.perform(work, key, then);
        }
        const { leasedUntil, leaseOwner, lastError, free } = leaseOf(work);
        const [row] = await sql<object>(
          `SELECT nullif(${leasedUntil} > ${free === 'NULL' ? "'-infinity'" : 'now()'}, false) AS until, ${leaseOwner} AS owner,
             ${lastError ?? `'${error}'`} AS error,
             (SELECT count(*)::int FROM test_effects e WHERE e.key = $${key.length + 1}) AS effects
           FROM ${work.table} WHERE ${whereKey(work)}`,
          [...key, effectOf(key)],
        );
        expect({ at, ...row }).toEqual({ at, until: null, owner: null, error, effects });
        await makeDue(work, key);
        expect(await claims.claim(work, key)).toBeNull();
        if (!died) break;
        deaths += 1;
      }
      expect(from + deaths * step).toBeGreaterThanOrEqual(4);
    });
  });
});
