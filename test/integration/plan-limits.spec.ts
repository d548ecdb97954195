import { randomUUID } from 'node:crypto';
import { Gates, PlanCatalog } from '@app/entitlements';
import { SourceSyncs } from '@app/documents';
import { Outbox, SoleTasks } from '@app/queues';
import { WorkClaims } from '@app/work';
import { AuthoringTurns, RunRetention } from '@app/workflows';
import type { TestingModule } from '@nestjs/testing';
import { SourceSweeps } from '../../apps/indexer/src/importing/source-sweeps.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { subscribe, unsubscribe } from '../support/subscriptions.js';
import { createUser, startWorkflows } from '../support/workflows.js';

const begin = (at: AuthoringTurns, userId: number) => {
  const id = randomUUID();
  return at.begin({ id, userId, workflowId: null, conversationId: null, prompt: 'x' }).then(() => id);
};

describe('limits of a plan', () => {
  let database: TestDatabase;
  let modules: TestingModule[];
  beforeAll(async () => {
    database = await createTestDatabase();
    const settings = { BILLING: 'test', FEATURE_GATE: 'true', WORKFLOW_HISTORY_DAYS: '90' };
    modules = [await startWorkflows(database.url, settings), await startWorkflows(database.url, settings)];
  });
  afterAll(async () => {
    await Promise.all(modules.map((module) => module.close()));
    await database.drop();
  });

  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T>(text, values);
  const user = () => createUser(database.dataSource);
  async function organizationOf(members: number[]): Promise<number> {
    const [{ id }] = await sql<[{ id: number }]>(`INSERT INTO organizations (name) VALUES ('Shared') RETURNING id`);
    await sql('UPDATE users SET organization_id = $1 WHERE id = ANY($2::int[])', [id, members]);
    return id;
  }

  const sweep = () => modules[0]!.get(RunRetention).sweep();
  const turns = () =>
    modules.map((module) => new AuthoringTurns(database.dataSource, module.get(SoleTasks), module.get(Gates)));

  describe('on how long runs are kept', () => {
    const AGES = [100, 60, 20, 8, 6, 1];
    /** A workflow with a run of each age in days. */
    async function workflowOf(ownerId: number): Promise<string> {
      const id = randomUUID();
      await sql('INSERT INTO workflows (id, owner_id, name) VALUES ($1, $2, $3)', [id, ownerId, 'w']);
      for (const [index, days] of AGES.entries())
        await sql(
          `INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, finished_at)
           VALUES (gen_random_uuid(), $1, $2, 1, 'COMPLETED', 'manual', now() - $3 * interval '1 day')`,
          [id, index + 1, days],
        );
      await sql(
        `UPDATE workflows SET current_run_version = $2, current_run_id = (SELECT id FROM workflow_runs WHERE workflow_id = $1 AND version = $2)
         WHERE id = $1`,
        [id, AGES.length],
      );
      return id;
    }
    const agesOf = async (workflowId: string) => {
      const rows = await sql<{ version: number }[]>(
        'SELECT version FROM workflow_runs WHERE workflow_id = $1 ORDER BY version',
        [workflowId],
      );
      return rows.map(({ version }) => AGES[version - 1]);
    };

    it('is the smaller of the plan and the deployment', async () => {
      const [free, starter, enterprise, member] = [await user(), await user(), await user(), await user()];
      await subscribe(modules[0]!, { userId: starter });
      await subscribe(modules[0]!, {
        userId: enterprise,
        organizationId: await organizationOf([enterprise, member]),
        plan: 'enterprise',
      });
      const ids = await Promise.all([free, starter, enterprise, member].map(workflowOf));
      await sweep();
      expect(await Promise.all(ids.map(agesOf))).toEqual([
        [6, 1],
        [20, 8, 6, 1],
        [60, 20, 8, 6, 1],
        [60, 20, 8, 6, 1],
      ]);
    });

    it('keeps what a plan keeps that was bought a moment ago, whatever is remembered', async () => {
      const userId = await user();
      const id = await workflowOf(userId);
      const sold = modules[0]!.get(PlanCatalog).find('starter');
      await modules[0]!.get(Gates).missingOf(userId);
      // Without a push: this process remembers the free tier.
      await sql(
        `INSERT INTO subscriptions (id, owner_user_id, status, plan_code, plan, billing_period, seats, processor)
         VALUES (gen_random_uuid(), $1, 'active', 'starter', $2, 'monthly', 1, 'test')`,
        [userId, JSON.stringify(sold)],
      );
      await sweep();
      expect(await agesOf(id)).toEqual([20, 8, 6, 1]);
      await unsubscribe(modules[0]!, { userId });
      await sweep();
      expect(await agesOf(id)).toEqual([6, 1]);
    });
  });

  it('on sources: those that are due are passed over with a reason, and go on with the plan', async () => {
    const [module] = modules as [TestingModule];
    const userId = await user();
    const id = randomUUID();
    await sql(
      `INSERT INTO external_sources (id, owner_id, type, name, config, schedule_minutes, next_sync_at)
       VALUES ($1, $2, 'folder', 'F', '{}', 15, now())`,
      [id, userId],
    );
    const syncs = new SourceSyncs(database.dataSource, module.get(Outbox), module.get(WorkClaims));
    const nothing = {} as never;
    const sweeps = new SourceSweeps(nothing, nothing, syncs, nothing, module.get(Gates));
    const read = async () =>
      (
        await sql<object[]>(
          'SELECT state, last_error, next_sync_at > now() AS later FROM external_sources WHERE id = $1',
          [id],
        )
      )[0];
    await sweeps.requestDue();
    expect(await read()).toEqual({
      state: 'idle',
      last_error: expect.stringContaining('does not include connected sources'),
      later: true,
    });
    await subscribe(module, { userId });
    await sql('UPDATE external_sources SET next_sync_at = now() WHERE id = $1', [id]);
    await sweeps.requestDue();
    expect(await read()).toEqual({ state: 'syncing', last_error: '', later: true });
  });

  describe('on builds at once', () => {
    it('are exactly as many of 40 as the pool of an organisation has room for', async () => {
      const members = [await user(), await user(), await user()];
      const organizationId = await organizationOf(members);
      await subscribe(modules[0]!, {
        userId: members[0]!,
        organizationId,
        plan: 'pro',
        limits: { liveBuildSessions: 4 },
      });
      const [one, other] = turns() as [AuthoringTurns, AuthoringTurns];
      const tries = await Promise.allSettled(
        Array.from({ length: 40 }, (_, n) => begin(n % 2 ? one : other, members[n % members.length]!)),
      );
      const begun = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(begun).toHaveLength(4);
      for (const one of tries)
        if (one.status === 'rejected')
          expect(one.reason).toMatchObject({ code: 'build_limit_reached', extra: { limit: 4 } });
      // One that is done makes room, and one whose process has gone.
      await sql(`UPDATE workflow_authoring_turns SET status = 'completed' WHERE id = $1`, [begun[0]]);
      await sql(`UPDATE workflow_authoring_turns SET heartbeat_at = now() - interval '1 minute' WHERE id = $1`, [
        begun[1],
      ]);
      await begin(one, members[1]!);
      await begin(one, members[2]!);
      await expect(begin(one, members[0]!)).rejects.toMatchObject({ code: 'build_limit_reached' });
    });

    it('are none where the plan has none, and three of a person where it has no limit', async () => {
      const [one] = turns() as [AuthoringTurns];
      const userId = await user();
      await subscribe(modules[0]!, { userId, limits: { liveBuildSessions: 0 } });
      await expect(begin(one, userId)).rejects.toMatchObject({ message: expect.stringContaining('does not include') });
      await subscribe(modules[0]!, { userId, limits: { liveBuildSessions: null } });
      for (let n = 0; n < 3; n += 1) await begin(one, userId);
      await expect(begin(one, userId)).rejects.toMatchObject({ code: 'throttled' });
    });
  });
});
