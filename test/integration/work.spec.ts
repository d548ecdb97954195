import { setTimeout as sleep } from 'node:timers/promises';
import { defineWorkJob } from '@app/contracts';
import { instruments } from '@app/observability';
import { JobQueues, type JobWorkers, Outbox, type PeriodicTasks } from '@app/queues';
import {
  type Claim,
  ClaimLostError,
  defineWork,
  GiveUpError,
  isDue,
  LeaseKeeper,
  Performs,
  TryAgainError,
  WorkClaims,
  WorkPerformer,
  type WorkEnd,
  type WorkRules,
  WorkRunner,
} from '@app/work';
import { Logger } from '@nestjs/common';
import { type DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, type DocumentsApp, startDocuments } from '../support/documents.js';
import { Mortal } from '../support/mortal.js';
import { until } from '../support/until.js';
import { WORK_ROWS } from '../support/work-rows.js';

const ALL: readonly WorkRules[] = WORK_ROWS.map(({ work }) => work);

interface Parcel {
  id: number;
  note: string;
}

/** Work of the test's own, in two steps that each write an effect. */
const parcelWork = defineWork<Parcel>({
  work: 'export',
  job: defineWorkJob('pack-parcel', 'accounts'),
  table: 'test_parcels',
  key: { id: 'integer' },
  columns: 'w.id, w.note',
  when: 'NOT w.is_blocked',
  onClaim: 'claims = w.claims + 1',
  retry: { tries: 3, delaySeconds: (attempt) => 10 * attempt },
  onLetGo: 'let_go = w.let_go + 1',
  onRetry: `note = 'again'`,
  onGivenUp: `note = 'given up'`,
  async whenGivenUp({ id }, tx) {
    await tx.query(`INSERT INTO test_effects (parcel, step) VALUES ($1, 'returned')`, [id]);
  },
  ids: ({ id }) => ({ id }),
  ownerOf: () => null,
});

/** Parcels that may be bombs. */
const bombWork = defineWork<Parcel>({ ...parcelWork, aloneAfterLoss: true });

const unsuspected = { isSuspect: false, wasLostAlone: false };

const classOf = (isRush: boolean) => (isRush ? 'rush' : 'bulk');
const untilStopped = async (_claim: Claim<Parcel>, signal: AbortSignal) => {
  await sleep(60_000, null, { signal });
};
const refuse = () => Promise.reject(new GiveUpError('It is no parcel.', 'wrong_kind'));
const fails = () => Promise.reject(new TryAgainError('The shop is closed.'));

const counted = async (outcome: string) => {
  const { values } = await instruments.workEnded.get();
  return values.find(({ labels }) => labels.work === 'export' && labels.outcome === outcome)?.value ?? 0;
};

describe('background work', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let claims: WorkClaims;
  let performer: WorkPerformer;
  const sql = <T = Record<string, unknown>>(text: string, values: unknown[] = []) =>
    database.dataSource.query<T[]>(text, values);

  beforeAll(async () => {
    database = await createTestDatabase();
    await sql(`CREATE TABLE test_parcels (
      id integer PRIMARY KEY, note text NOT NULL DEFAULT '', is_blocked boolean NOT NULL DEFAULT false,
      claims integer NOT NULL DEFAULT 0, is_rush boolean NOT NULL DEFAULT false,
      let_go integer NOT NULL DEFAULT 0, next_attempt_at timestamptz DEFAULT now(), attempts integer NOT NULL DEFAULT 0,
      fence integer NOT NULL DEFAULT 0, lease_owner text, leased_until timestamptz, last_error text NOT NULL DEFAULT '')`);
    await sql('CREATE TABLE test_effects (parcel integer NOT NULL, step text NOT NULL)');
    documents = await startDocuments(database, await createUserRow(database), { env: { SWEEP_SECONDS: '600' } });
    claims = documents.app.get(WorkClaims);
    performer = documents.app.get(WorkPerformer);
  });
  afterAll(async () => {
    await documents.close();
    await database.drop();
  });

  let last = 0;
  async function parcel(): Promise<string> {
    last += 1;
    await sql('INSERT INTO test_parcels (id) VALUES ($1)', [last]);
    return String(last);
  }
  const rowOf = async (id: string) => (await sql('SELECT * FROM test_parcels WHERE id = $1', [id]))[0]!;
  const effectsOf = async (id: string) =>
    (await sql<{ step: string }>('SELECT step FROM test_effects WHERE parcel = $1 ORDER BY step', [id])).map(
      ({ step }) => step,
    );
  /** What waits for its time is due, and leases are over. */
  const makeDue = (id: string) =>
    sql(
      `UPDATE test_parcels SET leased_until = now() - interval '1 s', next_attempt_at = now()
       WHERE id = $1 AND next_attempt_at IS NOT NULL`,
      [id],
    );

  /** A worker dies over it. @param isAlone nothing else was at work there */
  async function loseWorker(id: string, isAlone: boolean): Promise<void> {
    const claim = (await claims.claim(bombWork, [id]))!;
    if (isAlone) await claims.beginAlone(claim);
    await makeDue(id);
  }

  /** Each step in a transaction with the claim; the first is passed over where it was done before. */
  async function pack(claim: Claim<Parcel>): Promise<void> {
    const app = documents.app.get(DataSource);
    const { id, note } = claim.row;
    const write = 'INSERT INTO test_effects (parcel, step) VALUES ($1, $2)';
    if (note !== 'wrapped')
      await app.transaction(async (tx) => {
        await claims.hold(claim, tx, { set: (param) => `note = ${param('wrapped')}`, isProgress: true });
        await tx.query(write, [id, 'wrapped']);
      });
    await app.transaction(async (tx) => {
      await claims.finish(claim, { set: () => `note = 'sent'` }, tx);
      await tx.query(write, [id, 'sent']);
    });
  }

  it.each(ALL.map((work) => [work.work, work] as const))(
    'of the kind %s has statements that fit its table',
    async (_name, work) => {
      const values: Record<string, string> = { uuid: '00000000-0000-4000-8000-000000000000', integer: '0' };
      const key = Object.values(work.key).map((type) => values[type]!);
      const asked = work.lane ? [values[work.lane.type]!] : key;
      expect(await claims.claim({ ...work, ids: () => ({}), ownerOf: () => null }, asked)).toBeNull();
      const nobodys: Claim = { definition: work, key, fence: 1, leaseOwner: 'x', attempt: 1, row: {}, ...unsuspected };
      await expect(claims.hold(nobodys)).rejects.toThrow(ClaimLostError);
      expect(await claims.renew([nobodys])).toEqual([nobodys]);
      await expect(claims.finish(nobodys)).rejects.toThrow(ClaimLostError);
      await expect(claims.giveUp(nobodys, 'why')).rejects.toThrow(ClaimLostError);
      const { onRetry } = work;
      const later = { afterSeconds: 1, reason: '', isTry: true, ...(onRetry && { set: () => onRetry }) };
      await expect(claims.postpone(nobodys, later)).rejects.toThrow(ClaimLostError);
      await claims.showLost(work);
      expect(await claims.listForgotten([work])).toEqual([]);
      // A table that is older has an index for what its `isOpen` says.
      if (work.lease) return;
      const indexes = await sql('SELECT 1 FROM pg_indexes WHERE tablename = $1 AND indexdef LIKE $2', [
        work.table,
        '%(next_attempt_at) WHERE (next_attempt_at IS NOT NULL)%',
      ]);
      expect(indexes).toHaveLength(1);
    },
  );

  it('is done once, before whichever of its statements its worker dies', async () => {
    const mortal = new Mortal(documents.app.get(DataSource));
    let deaths = 0;
    for (let at = 0; ; at += 1) {
      const id = await parcel();
      const died = await mortal.dies(at, () => performer.perform(parcelWork, [id], pack));
      for (let tries = 0; tries < 2; tries += 1) {
        await makeDue(id);
        await performer.perform(parcelWork, [id], pack);
      }
      expect([at, await effectsOf(id)]).toEqual([at, ['sent', 'wrapped']]);
      expect(await rowOf(id)).toMatchObject({
        note: 'sent',
        next_attempt_at: null,
        lease_owner: null,
        leased_until: null,
        attempts: 0,
        last_error: '',
      });
      if (!died) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThanOrEqual(8);
  });

  it('is given up once, with all that this writes, before whichever of its statements its worker dies', async () => {
    const mortal = new Mortal(documents.app.get(DataSource));
    let deaths = 0;
    for (let at = 0; ; at += 1) {
      const id = await parcel();
      const died = await mortal.dies(at, () => performer.perform(parcelWork, [id], refuse));
      await makeDue(id);
      await performer.perform(parcelWork, [id], refuse);
      expect([at, await effectsOf(id)]).toEqual([at, ['returned']]);
      expect(await rowOf(id)).toMatchObject({
        note: 'given up',
        next_attempt_at: null,
        last_error: 'It is no parcel.',
      });
      if (!died) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThanOrEqual(4);
  });

  it('is done once by many who hear of it at once', async () => {
    const id = await parcel();
    const done = await Promise.all(Array.from({ length: 12 }, () => performer.perform(parcelWork, [id], pack)));
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await effectsOf(id)).toEqual(['sent', 'wrapped']);
    expect(await rowOf(id)).toMatchObject({ claims: 1, fence: 1 });
  });

  it('is done in turn where its kind says whose that is, whichever job is taken', async () => {
    const ids = [await parcel(), await parcel(), await parcel()];
    const done: string[] = [];
    const backwards = {
      ...parcelWork,
      next: async (db: DataSource, except: readonly (readonly string[])[]) => {
        const [row] = await db.query<{ id: string }[]>(
          `SELECT w.id::text AS id FROM test_parcels w WHERE ${isDue('w')} AND w.id::text = ANY($1)
             AND w.id::text <> ALL ($2) ORDER BY w.id DESC LIMIT 1`,
          [ids, except.flat()],
        );
        return row ? [row.id] : null;
      },
    };
    const take = () =>
      performer.perform(backwards, [ids[0]!], async (claim) => {
        done.push(claim.key[0]!);
        await pack(claim);
      });
    // Whoever was slower takes the next one.
    expect(await Promise.all([take(), take()])).toEqual([true, true]);
    expect(done.toSorted()).toEqual(ids.slice(1));
    expect(await take()).toBe(true);
    expect(await take()).toBe(false);
    expect(done[2]).toBe(ids[0]);
  });

  it('is lost to whoever takes it over, even where the fence is handed out twice', async () => {
    const id = await parcel();
    const late = (await claims.claim(parcelWork, [id]))!;
    await makeDue(id);
    const next = (await claims.claim(parcelWork, [id]))!;
    expect(next).toMatchObject({ fence: 2, attempt: 2 });
    // As a standby does that never heard of the first claim.
    await sql('UPDATE test_parcels SET fence = 1 WHERE id = $1', [id]);
    await expect(pack(late)).rejects.toThrow(ClaimLostError);
    expect(await claims.renew([late])).toEqual([late]);
    await expect(claims.giveUp(late, 'x')).rejects.toThrow(ClaimLostError);
    expect(await effectsOf(id)).toEqual([]);
    await pack({ ...next, fence: 1 });
  });

  it('is tried again later and later, and then given up with its reason', async () => {
    const id = await parcel();
    for (const wait of [10, 20]) {
      await performer.perform(parcelWork, [id], fails);
      const row = await rowOf(id);
      expect(row).toMatchObject({
        last_error: 'The shop is closed.',
        note: 'again',
        let_go: wait / 10,
        lease_owner: null,
      });
      expect((row.next_attempt_at as Date).getTime() - Date.now()).toBeGreaterThan((wait - 5) * 1000);
      expect(await performer.perform(parcelWork, [id], fails)).toBe(false);
      await makeDue(id);
    }
    await performer.perform(parcelWork, [id], fails);
    expect(await rowOf(id)).toMatchObject({
      last_error: 'The shop is closed. It was tried 3 times.',
      note: 'given up',
      next_attempt_at: null,
    });
  });

  it('spends no try on what is no fault of its own, and counts anew once it gets on', async () => {
    const id = await parcel();
    for (let n = 0; n < 5; n += 1) {
      await performer.perform(parcelWork, [id], () =>
        Promise.reject(new TryAgainError('', { afterSeconds: 0, isTry: false })),
      );
      expect(await rowOf(id)).toMatchObject({ attempts: 0, fence: n + 1 });
    }
    for (let n = 0; n < 5; n += 1) {
      await makeDue(id);
      await performer.perform(parcelWork, [id], async (claim) => {
        await claims.hold(claim, undefined, { isProgress: true });
        throw new TryAgainError('Later.');
      });
      expect(await rowOf(id)).toMatchObject({ attempts: 0, note: 'again' });
    }
  });

  it('is given up at once where no try would change it, and when its workers are lost again and again', async () => {
    const id = await parcel();
    await performer.perform(parcelWork, [id], refuse);
    expect(await rowOf(id)).toMatchObject({ last_error: 'It is no parcel.', note: 'given up', next_attempt_at: null });
    const deadly = await parcel();
    for (let n = 0; n < 3; n += 1) {
      expect(await claims.claim(parcelWork, [deadly])).not.toBeNull();
      await makeDue(deadly);
    }
    await performer.perform(parcelWork, [deadly], pack);
    expect(await rowOf(deadly)).toMatchObject({ last_error: 'The worker stopped unexpectedly.', note: 'given up' });
    expect(await effectsOf(deadly)).toEqual(['returned']);
  });

  it('keeps what an unforeseen error said, for its next try', async () => {
    const id = await parcel();
    await performer.perform(parcelWork, [id], () => Promise.reject(new Error('disk on fire')));
    expect(await rowOf(id)).toMatchObject({ last_error: 'disk on fire', attempts: 1 });
  });

  it('tells operators of no fault that comes of its row being gone', async () => {
    const told = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    try {
      const gone = await parcel();
      await performer.perform(parcelWork, [gone], async () => {
        await sql('DELETE FROM test_parcels WHERE id = $1', [gone]);
        throw new Error('violates foreign key constraint');
      });
      expect(told).not.toHaveBeenCalled();
      await performer.perform(parcelWork, [await parcel()], () => Promise.reject(new Error('disk on fire')));
      expect(told).toHaveBeenCalledTimes(1);
    } finally {
      told.mockRestore();
    }
  });

  it('is let go of whatever characters its reason has', async () => {
    const id = await parcel();
    await performer.perform(parcelWork, [id], () => Promise.reject(new TryAgainError('They said \0.')));
    expect(await rowOf(id)).toMatchObject({ last_error: 'They said .', attempts: 1, lease_owner: null });
  });

  it('goes on at once where somebody wanted something else of it meanwhile', async () => {
    const id = await parcel();
    await performer.perform(parcelWork, [id], async () => {
      await sql('UPDATE test_parcels SET attempts = 0, next_attempt_at = now() WHERE id = $1', [id]);
      throw new TryAgainError('Too late.', { afterSeconds: 3600 });
    });
    expect(await performer.perform(parcelWork, [id], pack)).toBe(true);
  });

  it('rests while it may not be done, and its worker hears of it', async () => {
    const id = await parcel();
    const claim = (await claims.claim(parcelWork, [id]))!;
    await sql('UPDATE test_parcels SET is_blocked = true WHERE id = $1', [id]);
    expect(await claims.renew([claim])).toEqual([claim]);
    await expect(pack(claim)).rejects.toThrow(ClaimLostError);
    await makeDue(id);
    expect(await performer.perform(parcelWork, [id], pack)).toBe(false);
    await sql(
      `UPDATE test_parcels SET is_blocked = false, next_attempt_at = now() - interval '1 minute' WHERE id = $1`,
      [id],
    );
    expect(await claims.listForgotten([parcelWork])).toContainEqual({ definition: parcelWork, key: [id], fence: 1 });
    expect(await performer.perform(parcelWork, [id], pack)).toBe(true);
    expect(await claims.listForgotten([parcelWork])).not.toContainEqual(expect.objectContaining({ key: [id] }));
  });

  it('shows that its worker is lost where its kind says how, and a late worker has lost it', async () => {
    const openWork = defineWork<Parcel>({
      ...parcelWork,
      workerLost: "The packer's gone.",
      onLost: { of: 'w.claims > 0', set: `note = 'waits'` },
    });
    const id = await parcel();
    const late = (await claims.claim(openWork, [id]))!;
    await claims.showLost(openWork);
    expect(await rowOf(id)).toMatchObject({ note: '', last_error: '' });
    await makeDue(id);
    await claims.showLost(openWork);
    expect(await rowOf(id)).toMatchObject({ note: 'waits', leased_until: null, last_error: "The packer's gone." });
    await expect(pack(late)).rejects.toThrow(ClaimLostError);
    await expect(claims.postpone(late, { afterSeconds: 0, reason: '', isTry: false })).rejects.toThrow(ClaimLostError);
    expect(await performer.perform(openWork, [id], pack)).toBe(true);
  });

  it('says what its kind says when its tries are spent', async () => {
    const onceWork = defineWork<Parcel>({
      ...parcelWork,
      retry: { tries: 1, delaySeconds: () => 0 },
      workerLost: 'The packer is gone.',
      triesSpent: 'Packed once.',
    });
    const [id, deadly] = [await parcel(), await parcel()];
    await performer.perform(onceWork, [id], fails);
    expect(await rowOf(id)).toMatchObject({ last_error: 'The shop is closed. Packed once.' });
    await claims.claim(onceWork, [deadly]);
    await makeDue(deadly);
    await performer.perform(onceWork, [deadly], pack);
    expect(await rowOf(deadly)).toMatchObject({ last_error: 'The packer is gone. Packed once.', note: 'given up' });
  });

  describe('in classes', () => {
    let ids: string[];
    /** Of the parcels of one test, by class and age. */
    const postWork = defineWork<Parcel & { isRush: boolean }>({
      ...parcelWork,
      columns: 'w.id, w.note, w.is_rush AS "isRush"',
      ids: ({ id }) => ({ id }),
      ownerOf: () => null,
      classes: { order: ['rush', 'bulk'], keptFor: 'rush', of: ({ isRush }) => classOf(isRush) },
      next: async (db, except, classes) => {
        const [row] = await db.query<{ id: string }[]>(
          `SELECT w.id::text AS id FROM test_parcels w WHERE ${isDue('w')} AND w.id::text = ANY($1) AND w.id::text <> ALL ($2)
             AND w.is_rush = ANY ($3) ORDER BY w.is_rush DESC, w.id LIMIT 1`,
          [ids, except.flat(), [true, false].filter((isRush) => classes.includes(classOf(isRush)))],
        );
        return row ? [row.id] : null;
      },
    });

    it('is found by a job that is faster than the note that it was added, once', async () => {
      ids = [await parcel()];
      await sql('UPDATE test_parcels SET next_attempt_at = NULL WHERE id = $1', [ids[0]]);
      const notes: string[] = [];
      const notedWork = defineWork({
        ...postWork,
        onEarlyJob: async (db: DataSource, [id]: readonly string[]) => {
          notes.push(id!);
          await db.query(`UPDATE test_parcels SET next_attempt_at = now() WHERE id = $1 AND note = ''`, [id]);
        },
      });
      expect(await performer.perform(notedWork, [ids[0]!], pack)).toBe(true);
      expect(await effectsOf(ids[0]!)).toEqual(['sent', 'wrapped']);
      expect(notes).toEqual([ids[0], ids[0]]);
    });

    it('leaves its job to another process when its own stops', async () => {
      ids = [await parcel()];
      const keeper = new LeaseKeeper(claims, { heartbeatSeconds: 1, leaseSeconds: 20 });
      keeper.stop();
      expect(await new WorkPerformer(claims, keeper).perform(postWork, [ids[0]!], pack)).toBe(false);
      expect(await rowOf(ids[0]!)).toMatchObject({ fence: 0, let_go: 0 });
      const jobs = await sql('SELECT 1 FROM outbox_messages WHERE job = $1 AND job_key = $2', [
        postWork.job.name,
        `${ids[0]}:0`,
      ]);
      expect(jobs).toHaveLength(1);
    });

    it('leaves a place to what somebody waits for, and goes on with what found none', async () => {
      const two = new WorkPerformer(
        claims,
        new LeaseKeeper(claims, { heartbeatSeconds: 1, leaseSeconds: 20 }),
        () => 2,
      );
      ids = [await parcel(), await parcel(), await parcel()];
      const [first, second, rush] = ids as [string, string, string];
      await sql('UPDATE test_parcels SET is_rush = true, next_attempt_at = NULL WHERE id = $1', [rush]);
      const order: string[] = [];
      const ends = new Map(ids.map((id) => [id, Promise.withResolvers<void>()]));
      const take = () =>
        two.perform(postWork, [first], async (claim) => {
          const id = claim.key[0]!;
          order.push(id);
          await ends.get(id)!.promise;
          await pack(claim);
        });
      const working = take();
      await until(() => order.length === 1);
      expect(await take()).toBe(false);
      await sql('UPDATE test_parcels SET next_attempt_at = now() WHERE id = $1', [rush]);
      ends.get(rush)!.resolve();
      expect(await take()).toBe(true);
      expect(order).toEqual([first, rush]);
      ends.get(first)!.resolve();
      ends.get(second)!.resolve();
      expect(await working).toBe(true);
      expect(order).toEqual([first, rush, second]);
    });

    it('is done once, before whichever of its statements its worker dies', async () => {
      const mortal = new Mortal(documents.app.get(DataSource));
      let deaths = 0;
      for (let at = 0; ; at += 1) {
        ids = [await parcel(), await parcel()];
        const died = await mortal.dies(at, () => performer.perform(postWork, [ids[0]!], pack));
        for (let tries = 0; tries < 2; tries += 1) {
          for (const id of ids) await makeDue(id);
          await performer.perform(postWork, [ids[0]!], pack);
        }
        for (const id of ids) expect([at, await effectsOf(id)]).toEqual([at, ['sent', 'wrapped']]);
        if (!died) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThanOrEqual(16);
    });
  });

  it('goes on without the queue with as many at a time as its kind says, and with what came meanwhile', async () => {
    const ids = [await parcel(), await parcel(), await parcel(), await parcel()];
    const many = { ...parcelWork, when: `w.id = ANY('{${ids.join(',')}}')`, atOnceWithoutQueue: 2 };
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    class Desk {
      @Performs(many)
      async wait(claim: Claim<Parcel>): Promise<void> {
        const [id] = claim.key as [string];
        begun.push(id);
        await new Promise<void>((end) => ends.set(id, end));
        await pack(claim);
      }
    }
    const nest = {
      discovery: { getProviders: () => [{ instance: new Desk() }] } as unknown as DiscoveryService,
      scanner: new MetadataScanner(),
      reflector: new Reflector(),
    };
    const { app } = documents;
    const jobQueues = app.get(JobQueues);
    const away = jest.spyOn(jobQueues, 'add').mockRejectedValue(new Error('away'));
    const keeper = new LeaseKeeper(claims, { heartbeatSeconds: 1, leaseSeconds: 20 });
    const workers = { handle: () => undefined } as unknown as JobWorkers;
    const tasks = { every: () => undefined } as unknown as PeriodicTasks;
    const performer = new WorkPerformer(claims, keeper);
    const runner = new WorkRunner(1, claims, keeper, performer, workers, app.get(Outbox), jobQueues, tasks, nest);
    runner.onModuleInit();
    const due = `UPDATE test_parcels SET next_attempt_at = now() - $2 * interval '1 minute' WHERE id = ANY($1)`;
    const later = `UPDATE test_parcels SET next_attempt_at = NULL WHERE id = $1`;
    try {
      await sql(due, [ids, 2]);
      await sql(later, [ids[3]]);
      await runner.sweep();
      await until(() => begun.length === 2);
      // A sweep finds the third again, and what is due since, while both places are taken.
      await sql(due, [[ids[3]], 1]);
      await runner.sweep();
      expect(begun).toHaveLength(2);
      for (let ended = 0; ended < 4; ended += 1) {
        await until(() => begun.length >= Math.min(4, ended + 2));
        expect(begun.length - ended).toBeLessThanOrEqual(2);
        ends.get(begun[ended]!)!();
      }
      for (const id of ids) await until(async () => (await effectsOf(id)).includes('sent'));
      expect(begun.toSorted()).toEqual(ids.toSorted());
    } finally {
      await runner.onModuleDestroy();
      away.mockRestore();
    }
  });

  it('goes on without the queue, where a long piece holds up its own kind alone', async () => {
    const [long, short] = [await parcel(), await parcel()];
    const kinds = {
      long: { ...parcelWork, when: `w.id = '${long}'` },
      short: { ...parcelWork, when: `w.id = '${short}'` },
    };
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    class Desk {
      @Performs(kinds.long)
      async slow(claim: Claim<Parcel>): Promise<void> {
        await ended;
        await pack(claim);
      }

      @Performs(kinds.short)
      quick(claim: Claim<Parcel>): Promise<void> {
        return pack(claim);
      }
    }
    const nest = {
      discovery: { getProviders: () => [{ instance: new Desk() }] } as unknown as DiscoveryService,
      scanner: new MetadataScanner(),
      reflector: new Reflector(),
    };
    const { app } = documents;
    const jobQueues = app.get(JobQueues);
    jest.spyOn(jobQueues, 'add').mockRejectedValue(new Error('away'));
    const keeper = new LeaseKeeper(claims, { heartbeatSeconds: 1, leaseSeconds: 20 });
    const workers = { handle: () => undefined } as unknown as JobWorkers;
    const tasks = { every: () => undefined } as unknown as PeriodicTasks;
    const performer = new WorkPerformer(claims, keeper);
    const runner = new WorkRunner(1, claims, keeper, performer, workers, app.get(Outbox), jobQueues, tasks, nest);
    runner.onModuleInit();
    await sql(`UPDATE test_parcels SET next_attempt_at = now() - interval '1 minute' WHERE id = ANY($1)`, [
      [long, short],
    ]);
    try {
      await runner.sweep();
      await until(async () => (await effectsOf(short)).includes('sent'));
      const another = `UPDATE test_parcels SET note = '', next_attempt_at = now() - interval '1 minute' WHERE id = $1`;
      await sql(another, [short]);
      await runner.sweep();
      await until(async () => (await effectsOf(short)).length === 4);
      expect(await effectsOf(long)).toEqual([]);
      end();
      await until(async () => (await effectsOf(long)).includes('sent'));
      await runner.onModuleDestroy();
    } finally {
      jest.restoreAllMocks();
    }
  });

  const letter = async (id: number) => (await sql('SELECT * FROM test_letters WHERE id = $1', [id]))[0]!;
  const send = (claim: Claim) => claims.finish(claim, { set: () => `state = 'sent'` });

  describe('in lanes, on a table with other names', () => {
    const letterWork = defineWork<{ id: number; conveyor: number }>({
      work: 'export',
      job: defineWorkJob('send-letter', 'accounts'),
      table: 'test_letters',
      key: { id: 'integer' },
      lane: { column: 'conveyor', type: 'integer', order: `w.state = 'new', w.id` },
      lease: {
        fence: 'turn',
        attempts: 'tries',
        leasedUntil: 'held_until',
        nextAttempt: 'wake_at',
        lastError: null,
        dueAt: `CASE w.state WHEN 'new' THEN w.made_at WHEN 'open' THEN coalesce(w.wake_at, w.made_at)
          WHEN 'asked' THEN w.wake_at END`,
        free: 'now()',
      },
      columns: 'w.id, w.conveyor',
      when: `(w.state <> 'new' OR NOT EXISTS (SELECT 1 FROM test_letters o WHERE o.conveyor = w.conveyor
        AND (o.state IN ('open', 'asked') OR o.state = 'new' AND o.id < w.id)))`,
      onClaim: `state = 'open', wake_at = NULL`,
      retry: { tries: 3, delaySeconds: () => 0 },
      oneSuspectAtATime: true,
      onGivenUp: `state = 'lost'`,
      ids: ({ id }) => ({ id }),
      ownerOf: () => null,
    });
    let conveyor = 0;
    const letters = async (count: number): Promise<number[]> => {
      conveyor += 1;
      const rows = await sql<{ id: number }>(
        'INSERT INTO test_letters (conveyor) SELECT $1 FROM generate_series(1, $2) RETURNING id',
        [conveyor, count],
      );
      return rows.map(({ id }) => id);
    };
    const take = (lane = conveyor) => claims.claim(letterWork, [String(lane)]);
    const loseLetter = async (id: number) => {
      expect(await take()).toMatchObject({ key: [String(id)], lane: [String(conveyor)] });
      await sql(`UPDATE test_letters SET held_until = now() - interval '1 s' WHERE id = $1`, [id]);
    };

    beforeAll(async () => {
      await sql(`CREATE TABLE test_letters (
        id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY, conveyor integer NOT NULL, state text NOT NULL DEFAULT 'new',
        made_at timestamptz NOT NULL DEFAULT now(), wake_at timestamptz, turn integer NOT NULL DEFAULT 0,
        tries integer NOT NULL DEFAULT 0, lease_owner text, held_until timestamptz)`);
      await sql(`CREATE UNIQUE INDEX test_letters_one ON test_letters (conveyor) WHERE state IN ('open', 'asked')`);
    });

    it('leaves its lane to another process when its own stops', async () => {
      const ids = await letters(2);
      const keeper = new LeaseKeeper(claims, { heartbeatSeconds: 1, leaseSeconds: 20 });
      const performer = new WorkPerformer(claims, keeper);
      const sendAndStop = async (claim: Claim) => {
        await send(claim);
        keeper.stop();
      };
      expect(await performer.perform(letterWork, [String(conveyor)], sendAndStop)).toBe(true);
      expect(await Promise.all(ids.map(letter))).toMatchObject([{ state: 'sent' }, { state: 'new', turn: 0 }]);
      const passedOn = `SELECT 1 FROM outbox_messages WHERE job = 'send-letter' AND job_key = $1`;
      expect(await sql(passedOn, [`${conveyor}:0`])).toHaveLength(1);
    });

    it('is done one after the other, by many who hear of it at once, whichever job', async () => {
      const ids = await letters(6);
      const order: number[] = [];
      let atWork = 0;
      const perform = () =>
        performer.perform(letterWork, [String(conveyor)], async (claim) => {
          expect(++atWork).toBe(1);
          order.push(claim.row.id);
          await sleep(5);
          atWork -= 1;
          await send(claim);
        });
      // Somebody who comes while a row ends may find none: then whoever ended it goes on.
      await Promise.all(Array.from({ length: 8 }, perform));
      expect(order).toEqual(ids);
    });

    it('waits without a lease, keeps its lane waiting, and goes on when its time has come', async () => {
      const [first, second] = (await letters(2)) as [number, number];
      const claim = (await take())!;
      const inAnHour = { set: () => `state = 'asked'`, nextAttempt: () => `now() + interval '1 hour'` };
      const jobs = async () => (await sql(`SELECT 1 FROM outbox_messages WHERE job = 'send-letter'`)).length;
      const before = await jobs();
      await claims.finish(claim, inAnHour);
      expect(await jobs()).toBe(before);
      expect(await letter(first)).toMatchObject({ lease_owner: null, tries: 0, turn: 1 });
      await expect(send(claim)).rejects.toThrow(ClaimLostError);
      expect(await take()).toBeNull();
      await sql(`UPDATE test_letters SET wake_at = now() - interval '1 minute' WHERE id = $1`, [first]);
      expect(await claims.listForgotten([letterWork])).toContainEqual({
        definition: letterWork,
        key: [String(conveyor)],
        fence: 1,
      });
      await send((await take())!);
      expect(await take()).toMatchObject({ key: [String(second)] });
    });

    it('is counted as ended only where it has ended', async () => {
      await letters(2);
      const ends: (WorkEnd | null)[] = [{ outcome: 'failed', code: 'bent' }, null];
      const before = [await counted('failed'), await counted('completed')] as const;
      await performer.perform(letterWork, [String(conveyor)], async (claim) => {
        await send(claim);
        return ends.shift()!;
      });
      expect(ends).toEqual([]);
      expect([await counted('failed'), await counted('completed')]).toEqual([before[0] + 1, before[1]]);
    });

    it('is handed back with its lane, and given up when its workers are lost again and again', async () => {
      const [id, next] = (await letters(2)) as [number, number];
      const claim = (await take())!;
      await claims.postpone(claim, { afterSeconds: 0, reason: '', isTry: false });
      expect(await letter(id)).toMatchObject({ state: 'open', lease_owner: null, tries: 0 });
      const [job] = await sql<{ payload: object }>(
        `SELECT payload FROM outbox_messages WHERE job = 'send-letter' ORDER BY id DESC LIMIT 1`,
      );
      expect(job?.payload ?? { key: [String(conveyor)] }).toMatchObject({ key: [String(conveyor)] });
      for (let lost = 0; lost < 3; lost += 1) await loseLetter(id);
      const done: number[] = [];
      await performer.perform(letterWork, [String(conveyor)], async (held) => {
        done.push(held.row.id);
        await send(held);
      });
      expect(await letter(id)).toMatchObject({ state: 'lost' });
      expect(done).toEqual([next]);
    });

    it('is taken up one suspect at a time, beside what is under no suspicion', async () => {
      const [first] = (await letters(1)) as [number];
      const lanes = [conveyor];
      await loseLetter(first);
      const [second] = (await letters(1)) as [number];
      lanes.push(conveyor);
      await loseLetter(second);
      const [fresh] = (await letters(1)) as [number];
      const order: number[] = [];
      const ends = new Map([first, second, fresh].map((id) => [id, Promise.withResolvers<void>()]));
      const perform = (lane: number) =>
        performer.perform(letterWork, [String(lane)], async (claim) => {
          order.push(claim.row.id);
          await ends.get(claim.row.id)!.promise;
          await send(claim);
        });
      const working = perform(lanes[0]!);
      await until(() => order.length === 1);
      expect(await perform(lanes[1]!)).toBe(false);
      ends.get(fresh)!.resolve();
      expect(await perform(conveyor)).toBe(true);
      ends.get(first)!.resolve();
      ends.get(second)!.resolve();
      await working;
      expect(await perform(lanes[1]!)).toBe(true);
      expect(order).toEqual([first, fresh, second]);
    });
  });

  describe('that may take its process down', () => {
    it('is done once, alone, before whichever of its statements its worker dies', async () => {
      const mortal = new Mortal(documents.app.get(DataSource));
      let deaths = 0;
      for (let at = 0; ; at += 1) {
        const id = await parcel();
        await loseWorker(id, false);
        const died = await mortal.dies(at, () => performer.perform(bombWork, [id], pack));
        for (let tries = 0; tries < 2; tries += 1) {
          await makeDue(id);
          await performer.perform(bombWork, [id], pack);
        }
        expect([at, await effectsOf(id)]).toEqual([at, ['sent', 'wrapped']]);
        expect(await rowOf(id)).toMatchObject({ note: 'sent', lease_owner: null, attempts: 0, last_error: '' });
        if (!died) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThanOrEqual(9);
    });

    it('waits for its neighbours once a worker was lost over it, and others wait for its end', async () => {
      const [neighbour, suspect, next] = [await parcel(), await parcel(), await parcel()];
      await loseWorker(suspect, false);
      const order: string[] = [];
      const ends = new Map([neighbour, suspect, next].map((id) => [id, Promise.withResolvers<void>()]));
      const take = (id: string) =>
        performer.perform(bombWork, [id], async (claim) => {
          order.push(id);
          await ends.get(id)!.promise;
          await pack(claim);
        });
      const done = [take(neighbour)];
      await until(() => order.length === 1);
      done.push(take(suspect), take(next));
      await until(async () => (await rowOf(suspect)).fence === 2);
      expect(await rowOf(suspect)).toMatchObject({ attempts: 1, last_error: 'The worker stopped unexpectedly.' });
      ends.get(neighbour)!.resolve();
      await until(() => order.length === 2);
      expect((await rowOf(suspect)).lease_owner).toMatch(/\/alone$/);
      expect((await rowOf(next)).fence).toBe(0);
      ends.get(suspect)!.resolve();
      ends.get(next)!.resolve();
      expect(await Promise.all(done)).toEqual([true, true, true]);
      expect(order).toEqual([neighbour, suspect, next]);
    });

    it('is not counted where a neighbour may have done it, however often', async () => {
      const id = await parcel();
      for (let n = 0; n < 2; n += 1) {
        await performer.perform(bombWork, [id], fails);
        await makeDue(id);
      }
      for (let n = 0; n < 5; n += 1) await loseWorker(id, false);
      expect(await performer.perform(bombWork, [id], pack)).toBe(true);
      expect(await rowOf(id)).toMatchObject({ note: 'sent' });
    });

    it('is given up when it was alone with all the workers that were lost but the first', async () => {
      const [id, tried] = [await parcel(), await parcel()];
      await loseWorker(id, false);
      for (let n = 0; n < 2; n += 1) await loseWorker(id, true);
      await performer.perform(bombWork, [id], pack);
      expect(await rowOf(id)).toMatchObject({ note: 'given up', last_error: 'The worker stopped unexpectedly.' });
      expect(await effectsOf(id)).toEqual(['returned']);
      await loseWorker(tried, false);
      await loseWorker(tried, true);
      await performer.perform(bombWork, [tried], pack);
      expect(await rowOf(tried)).toMatchObject({ note: 'sent' });
    });

    it('stays a suspect when its process stops before it was tried', async () => {
      const keeper = new LeaseKeeper(claims, { heartbeatSeconds: 1, leaseSeconds: 20 });
      const stopping = new WorkPerformer(claims, keeper);
      const [neighbour, id] = [await parcel(), await parcel()];
      await loseWorker(id, false);
      const works = [stopping.perform(bombWork, [neighbour], untilStopped)];
      await until(async () => (await rowOf(neighbour)).lease_owner !== null);
      works.push(stopping.perform(bombWork, [id], pack));
      await until(async () => (await rowOf(id)).fence === 2);
      keeper.stop();
      await Promise.all(works);
      expect(await rowOf(id)).toMatchObject({ lease_owner: null, attempts: 0 });
      const claim = await claims.claim(bombWork, [id]);
      expect(claim).toMatchObject({ isSuspect: true, attempt: 1 });
      await claims.finish(claim!, { set: () => `note = 'sent'` });
      expect(await rowOf(id)).toMatchObject({ last_error: '' });
    });
  });

  describe('with a heartbeat', () => {
    const settings = { heartbeatSeconds: 0.05, leaseSeconds: 20 };

    it('keeps its lease, also while its own transaction holds the row', async () => {
      const keeper = new LeaseKeeper(claims, settings);
      const [id, other] = [await parcel(), await parcel()];
      const [held, beside] = [(await claims.claim(parcelWork, [id]))!, (await claims.claim(parcelWork, [other]))!];
      const kept = [held, beside].map((claim) => keeper.keep(claim));
      const before = (await rowOf(other)).leased_until as Date;
      await documents.app.get(DataSource).transaction(async (tx) => {
        await claims.hold(held, tx);
        await until(async () => ((await rowOf(other)).leased_until as Date) > before);
      });
      expect(kept.map(({ signal }) => signal.aborted)).toEqual([false, false]);
      await sql('UPDATE test_parcels SET fence = fence + 1 WHERE id = $1', [id]);
      await until(async () => kept[0]!.signal.aborted);
      expect(kept[0]!.signal.reason).toBeInstanceOf(ClaimLostError);
      expect(kept[1]!.signal.aborted).toBe(false);
      for (const one of kept) await keeper.letGo(one);
    });

    it('is handed back without a spent try when its process stops', async () => {
      const keeper = new LeaseKeeper(claims, settings);
      const id = await parcel();
      const waiting = new WorkPerformer(claims, keeper).perform(parcelWork, [id], async (_claim, signal) => {
        await sleep(60_000, null, { signal });
      });
      await until(async () => (await rowOf(id)).lease_owner !== null);
      keeper.stop();
      await waiting;
      expect(await rowOf(id)).toMatchObject({ lease_owner: null, attempts: 0, last_error: '', let_go: 1, note: '' });
      expect(await new WorkPerformer(claims, keeper).perform(parcelWork, [id], pack)).toBe(true);
      expect(await effectsOf(id)).toEqual([]);
    });
  });
});
