import { AgentsPlatform } from '../support/agents-platform.js';
import type { HttpClient } from '../support/http-client.js';
import { stride } from '../support/long.js';
import { until } from '../support/until.js';

const JOBS = '/microservices/dedicated-agent/jobs/';
const LOCK = 187_204;
/** Where a runner stands when it is killed: statements of the transaction that fires a job, and its commit. */
const PLACES = [
  ['at the run, before it is stored', 'BEFORE INSERT ON dedicated_agent_runs', ''],
  ['at the slot, behind the run', 'BEFORE INSERT ON dedicated_agent_executions', ''],
  ['at the next plan, behind both', 'BEFORE UPDATE OF next_run_at ON dedicated_agent_jobs', ''],
  [
    'at the commit, which goes on without it',
    'AFTER INSERT ON dedicated_agent_executions',
    'DEFERRABLE INITIALLY DEFERRED',
  ],
] as const;
/** In a short run only the last two, which matter most. */
const KILLED_AT = PLACES.filter((_, at) => at >= (stride(2) - 1) * 2);

jest.setTimeout(180_000);

describe('a runner that is killed while it fires a job', () => {
  let agents: AgentsPlatform;
  let user: HttpClient;
  beforeAll(async () => {
    agents = await AgentsPlatform.start(['api']);
    agents.llm.answers(({ question }) => ({ text: `Done: ${question}` }));
    user = await agents.owner();
  });
  afterAll(() => agents?.stop());

  const sql = <T>(text: string, values: unknown[] = []) => agents.platform.database.dataSource.query<T[]>(text, values);

  it.each(KILLED_AT)('%s leaves one slot and one run', async (place, event, deferred) => {
    const holder = agents.platform.database.dataSource.createQueryRunner();
    await holder.connect();
    await sql(
      `CREATE OR REPLACE FUNCTION test_hold() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${LOCK}); RETURN NEW; END $$`,
    );
    const table = event.split(' ').at(-1)!;
    await sql(
      `CREATE ${deferred ? 'CONSTRAINT ' : ''}TRIGGER test_hold ${event} ${deferred} FOR EACH ROW EXECUTE FUNCTION test_hold()`,
    );
    await holder.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const runner = await agents.platform.start('workflow-runner');
    try {
      const job = await user.post<{ id: string }>(JOBS, {
        name: place,
        prompt: place,
        schedule: { kind: 'once', run_at: new Date(Date.now() + 1000).toISOString() },
      });
      await until(
        async () =>
          (await sql(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`)).length >
          0,
      );
      await runner.kill('SIGKILL');
      // Nothing of it is to be seen, and the one that holds it up is gone.
      expect(await sql('SELECT FROM dedicated_agent_runs WHERE job_id = $1', [job.id])).toEqual([]);
      await holder.query('SELECT pg_advisory_unlock($1)', [LOCK]);
      await sql(`DROP TRIGGER test_hold ON ${table}`);
      const next = await agents.platform.host('workflow-runner');
      const stateOf = async () => (await user.get<{ state: string }>(`${JOBS}${job.id}/`)).state;
      await until(async () => (await stateOf()) === 'completed', 60_000);
      expect(await user.get(`${JOBS}${job.id}/`)).toMatchObject({ last_status: 'ok', repeat: { completed: 1 } });
      expect(await user.get(`${JOBS}${job.id}/executions/`)).toMatchObject({
        count: 1,
        results: [{ status: 'ok', late: false, missed: 0 }],
      });
      const runs = await sql<{ status: string; ends: number }>(
        `SELECT r.status, (SELECT count(*)::int FROM dedicated_agent_events e WHERE e.run_id = r.id AND e.event = 'run.completed') AS ends
         FROM dedicated_agent_runs r WHERE r.job_id = $1`,
        [job.id],
      );
      expect(runs).toEqual([{ status: 'completed', ends: 1 }]);
      expect(agents.llm.asked.filter(({ question }) => question.includes(place))).toHaveLength(1);
      await next.stop();
    } finally {
      await holder.release();
    }
  });
});
