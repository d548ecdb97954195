import { randomUUID } from 'node:crypto';
import { dropOldMonths, foldTotals, monthOf, readMonths, readOwnMonths } from '@app/entities';
import { runsOfMonth, tokensOfMonth } from '@app/entitlements';
import { UsageLedger } from '@app/models';
import { CountedRuns1766000005401 } from '../../libs/entities/src/migrations/1766000005401-counted-runs.js';
import { CountedTokens1766000005402 } from '../../libs/entities/src/migrations/1766000005402-counted-tokens.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { seededRandom } from '../support/hostile-values.js';
import { rounds } from '../support/long.js';
import { createUser } from '../support/workflows.js';

/** The bar is 10,000; `npm test` goes through a part of them. */
const RUNS = rounds(10_000, 1_200);
const WORKERS = 8;
const WORKFLOWS = 25;

const months = (back: number) => {
  const now = new Date();
  return monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 15)));
};

/** Runs are counted by the database functions that end them: see docs/contract/usage.md. */
describe('counters of use', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  const sql = <T = { id: number }[]>(text: string, values: unknown[] = []) =>
    database.dataSource.query<T>(text, values);

  const createOrganization = async (personal = false) => {
    const [row] = await sql('INSERT INTO organizations (name, personal) VALUES ($1, $2) RETURNING id', ['o', personal]);
    return row!.id;
  };
  const join = (user: number, organization: number | null) =>
    sql('UPDATE users SET organization_id = $2 WHERE id = $1', [user, organization]);
  const createFlow = async (owner: number) => {
    const id = randomUUID();
    await sql('INSERT INTO workflows (id, owner_id, name) VALUES ($1, $2, $3)', [id, owner, 'w']);
    return id;
  };
  /** Runs under way beside each other. */
  const begin = async (workflow: string, count: number, first = 1) => {
    const rows = await sql<{ id: string }[]>(
      `INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, is_concurrent, save_outputs, fence,
         lease_owner, lease_expires_at, started_at)
       SELECT gen_random_uuid(), $1, $3 + n, 1, 'RUNNING', 'manual', true, false, 1, 'w', now() + interval '1 minute', now()
       FROM generate_series(1, $2::int) n RETURNING id`,
      [workflow, count, first],
    );
    return rows.map(({ id }) => id);
  };
  const end = async (run: string, status = 'COMPLETED') => {
    const [row] = await sql<{ accepted: boolean }[]>(
      `SELECT accepted FROM workflow_finish_run($1, 1, $2, NULL, '[]', NULL, gen_random_uuid(), NULL, 20, '{}')`,
      [run, status],
    );
    return row!.accepted;
  };
  const endTogether = async (runs: readonly { run: string; workflow: string }[]) => {
    const ends = runs.map((one) => ({ ...one, fence: 1, worker: 'w', nextRun: randomUUID(), nodes: [] }));
    const rows = await sql<{ run_id: string; accepted: boolean }[]>(
      'SELECT run_id, accepted FROM workflow_finish_runs($1::json, $2, 20)',
      [JSON.stringify(ends), ends.map(({ workflow }) => workflow)],
    );
    return rows.filter(({ accepted }) => accepted).map(({ run_id }) => run_id);
  };
  const ofUser = (userId: number) => runsOfMonth(database.dataSource, { type: 'user', userId });
  const ofOrganization = (organizationId: number) =>
    runsOfMonth(database.dataSource, { type: 'organization', organizationId });

  it(`are exact after ${RUNS} runs that complete at once, while people move and everything is deleted`, async () => {
    const organizations = [await createOrganization(), await createOrganization()];
    const alone = await createOrganization(true);
    const users = await Promise.all(Array.from({ length: 6 }, () => createUser(database.dataSource)));
    for (const [at, user] of users.entries()) await join(user, [...organizations, alone, null][at % 4]!);
    const owners = new Map<string, number>();
    for (let at = 0; at < WORKFLOWS; at += 1) {
      const owner = users[at % users.length]!;
      owners.set(await createFlow(owner), owner);
    }
    const todo: { run: string; workflow: string }[] = [];
    for (const workflow of owners.keys())
      for (const run of await begin(workflow, RUNS / WORKFLOWS)) todo.push({ run, workflow });
    // Runs of all workflows mixed, each at the door twice.
    const random = seededRandom(19);
    const mixed = todo
      .map((one) => [random(), one] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, one]) => one);
    const completed = new Map<number, number>();
    const count = (workflow: string) => {
      const owner = owners.get(workflow)!;
      completed.set(owner, (completed.get(owner) ?? 0) + 1);
    };
    const worker = async (at: number) => {
      const next = seededRandom(at + 1);
      const together = new Map<string, { run: string; workflow: string }>();
      const flush = async () => {
        const ended = await endTogether([...together.values()]);
        // A workflow that somebody else holds is left out.
        for (const { run, workflow } of together.values()) if (ended.includes(run) || (await end(run))) count(workflow);
        together.clear();
      };
      for (let place = at; place < mixed.length; place += WORKERS) {
        const one = mixed[place]!;
        const does = next();
        if (does < 0.05) await end(one.run, does < 0.02 ? 'FAILED' : 'STOPPED');
        else if (does < 0.1)
          // Killed before it was committed: done again by somebody else.
          await database.dataSource
            .transaction(async (tx) => {
              await tx.query(
                `UPDATE workflow_runs SET status = 'COMPLETED', finished_at = now(), lease_owner = NULL,
                lease_expires_at = NULL WHERE id = $1`,
                [one.run],
              );
              throw new RangeError('killed');
            })
            .catch((error: unknown) => {
              if (!(error instanceof RangeError)) throw error;
            });
        if (does >= 0.05 && does < 0.5) {
          const answers = await Promise.all([end(one.run), end(one.run)]);
          if (answers.some((accepted) => accepted)) count(one.workflow);
        } else if (does >= 0.5) {
          if (together.has(one.workflow) || together.size === 5) await flush();
          together.set(one.workflow, one);
        }
        if (next() < 0.02)
          await join(users[Math.floor(next() * users.length)]!, organizations[Math.floor(next() * 2)]!);
        if (next() < 0.02) await foldTotals(database.dataSource);
        // Retention, while others end.
        if (next() < 0.02)
          await sql(`DELETE FROM workflow_runs WHERE id IN (SELECT id FROM workflow_runs WHERE finished_at IS NOT NULL
            ORDER BY finished_at LIMIT 50 FOR UPDATE SKIP LOCKED)`);
      }
      await flush();
    };
    await Promise.all(Array.from({ length: WORKERS }, (_, at) => worker(at)));

    const check = async () => {
      for (const user of users) expect(await ofUser(user)).toBe(completed.get(user) ?? 0);
      for (const organizationId of organizations) {
        const keys = users.map((id) => `u${id}`);
        const asMembers = await readMonths(database.dataSource, {
          kind: 'workflow_runs',
          keys,
          month: monthOf(),
          organizationId,
        });
        expect(await ofOrganization(organizationId)).toBe([...asMembers.values()].reduce((sum, one) => sum + one, 0));
      }
    };
    expect([...completed.values()].reduce((sum, one) => sum + one, 0)).toBeGreaterThan(RUNS * 0.9);
    await check();
    await sql('DELETE FROM workflow_runs');
    await sql('DELETE FROM workflows');
    await foldTotals(database.dataSource);
    await check();
    expect(await ofOrganization(alone)).toBe(0);

    // An account takes its own along; what it used of the organisation's stays used.
    const before = await Promise.all(organizations.map(ofOrganization));
    const [gone] = users;
    await sql('DELETE FROM users WHERE id = $1', [gone]);
    expect(await readOwnMonths(database.dataSource, gone!)).toEqual([]);
    expect(await Promise.all(organizations.map(ofOrganization))).toEqual(before);
  });

  it('leave out runs that other runs called, and count one that completes after its month in the month it ends in', async () => {
    const user = await createUser(database.dataSource);
    const workflow = await createFlow(user);
    const [parent, child] = await begin(workflow, 2);
    await sql(`UPDATE workflow_runs SET parent_run_id = $2, parent_node_id = 'n', parent_key = 'k' WHERE id = $1`, [
      child,
      parent,
    ]);
    await end(child!);
    expect(await ofUser(user)).toBe(0);
    await end(parent!);
    expect(await ofUser(user)).toBe(1);
    const [old] = await begin(workflow, 1, 10);
    await sql(
      `UPDATE workflow_runs SET status = 'COMPLETED', finished_at = '2026-01-31T23:59:59.9Z', lease_owner = NULL,
      lease_expires_at = NULL WHERE id = $1`,
      [old],
    );
    expect(await runsOfMonth(database.dataSource, { type: 'user', userId: user }, '2026-01')).toBe(1);
    expect(await ofUser(user)).toBe(1);
  });

  it('have the tokens of the ledger, once each, for the organisation of that moment', async () => {
    const [user, organizationId] = [await createUser(database.dataSource), await createOrganization()];
    const ledger = new UsageLedger(database.dataSource, 'USD');
    const use = (promptTokens: number) =>
      ledger.record({
        context: { userId: user, purpose: 'chat' },
        modelId: 1,
        model: 'm',
        usage: { promptTokens, completionTokens: 1 },
        durationMs: 1,
        outcome: 'completed',
        errorCode: null,
      });
    use(99);
    await ledger.flush();
    await join(user, organizationId);
    // A batch whose first writing was not heard of.
    const query = jest.spyOn(database.dataSource, 'query').mockImplementationOnce(async (text, values) => {
      query.mockRestore();
      await database.dataSource.query(text, values);
      throw new Error('The connection is gone.');
    });
    use(9);
    use(0);
    await ledger.flush();
    await ledger.flush();
    const of = (pool: Parameters<typeof tokensOfMonth>[1]) => tokensOfMonth(database.dataSource, pool);
    expect(await of({ type: 'user', userId: user })).toBe(111);
    expect(await of({ type: 'organization', organizationId })).toBe(11);
    await sql('DELETE FROM model_usage WHERE user_id = $1', [user]);
    await sql('DELETE FROM users WHERE id = $1', [user]);
    expect(await of({ type: 'organization', organizationId })).toBe(11);
    expect(await of({ type: 'user', userId: user })).toBe(0);
  });

  it('begin with what the month has had before they were there', async () => {
    const [user, organizationId] = [await createUser(database.dataSource), await createOrganization()];
    await join(user, organizationId);
    const workflow = await createFlow(user);
    const [first, second, failed, old] = await begin(workflow, 4);
    const runner = database.dataSource.createQueryRunner();
    const steps = [new CountedRuns1766000005401(), new CountedTokens1766000005402()];
    try {
      for (const step of steps) await step.down(runner);
      for (const run of [first, second, old]) await end(run!);
      await end(failed!, 'FAILED');
      await sql(`UPDATE workflow_runs SET finished_at = finished_at - interval '40 days' WHERE id = $1`, [old]);
      await sql(
        `INSERT INTO model_usage (id, user_id, purpose, model_id, model, prompt_tokens, completion_tokens, currency, duration_ms, outcome, created_at)
         VALUES (gen_random_uuid(), $1, '', 1, 'm', 40, 2, 'USD', 1, 'completed', now()),
           (gen_random_uuid(), $1, '', 1, 'm', 40, 2, 'USD', 1, 'completed', now() - interval '40 days')`,
        [user],
      );
      expect(await ofUser(user)).toBe(0);
      for (const step of steps) await step.up(runner);
    } finally {
      await runner.release();
    }
    expect([await ofUser(user), await ofOrganization(organizationId)]).toEqual([2, 2]);
    expect(await tokensOfMonth(database.dataSource, { type: 'organization', organizationId })).toBe(42);
    const [another] = await begin(workflow, 1, 20);
    await end(another!);
    expect([await ofUser(user), await ofOrganization(organizationId)]).toEqual([3, 3]);
  });

  it('are kept for 24 months', async () => {
    await sql(
      `INSERT INTO kept_total_changes (kind, key, part, change)
       SELECT 'workflow_runs', 'u1000000', part, 5 FROM unnest($1::text[]) part`,
      [[months(25), `${months(25)}/o1`, months(24), months(0)]],
    );
    await foldTotals(database.dataSource);
    await dropOldMonths(database.dataSource);
    const left = await readOwnMonths(database.dataSource, 1_000_000);
    expect(left.map(({ month }) => month)).toEqual([months(0), months(24)]);
  });
});
