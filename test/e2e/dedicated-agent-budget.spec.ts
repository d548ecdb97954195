import { newId } from '@app/common';
import { AgentsPlatform } from '../support/agents-platform.js';
import type { HttpClient } from '../support/http-client.js';
import type { Asked, ScriptedAnswer } from '../support/scripted-llm.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Run {
  id: string;
  status: string;
  output: string | null;
  error: { code: string; detail: string } | null;
}

interface Scope {
  caps: Record<string, number | null>;
  limits: Record<string, number | null>;
  effective: Record<string, number | null>;
  spent: { cost: number; tokens: number } | null;
  reserved: { cost: number; tokens: number } | null;
  exhausted: boolean;
  resets_at: string | null;
}

type Budget = { currency: string; unpriced_calls: number } & Record<'run' | 'job' | 'day' | 'month', Scope>;

const AGENT = '/microservices/dedicated-agent/';
const RUNS = `${AGENT}runs/`;
const BUDGET = `${AGENT}budget/`;
const ENDS = ['completed', 'failed', 'cancelled'];
/** Of an answer, which costs 0.9; the most that one can cost is 1. */
const USED = { prompt_tokens: 3000, completion_tokens: 900 };
const CODE = { name: 'code', arguments: { code: 'return 1;', items: [] } };

/** Works for so many steps, then answers. */
const working =
  (steps: number) =>
  ({ results }: Asked): ScriptedAnswer =>
    results.length < steps
      ? { text: `Step ${results.length + 1}.`, calls: [CODE], usage: USED }
      : { text: 'Done.', usage: USED };

const act = async (from: HttpClient, method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown) => {
  const response = await from.send(method, path, body);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const ended = async (from: HttpClient, id: string): Promise<Run> => {
  let run = await from.get<Run>(`${RUNS}${id}/`);
  await until(async () => ENDS.includes((run = await from.get<Run>(`${RUNS}${id}/`)).status));
  return run;
};
const begin = (from: HttpClient, input = 'Work.') => from.post<Run>(RUNS, { input });
const budget = (from: HttpClient) => from.get<Budget>(BUDGET);
const firstOfNextMonth = () => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();
};

describe('the budget of a dedicated agent', () => {
  let agents: AgentsPlatform;

  beforeAll(async () => {
    const model = { max_output_tokens: 1000, price: { input: 0, output: 1000, currency: 'EUR' } };
    agents = await AgentsPlatform.start(['api', 'workflow-runner'], {}, model);
  });
  afterAll(() => agents?.stop());

  const sql = <T>(statement: string, values: unknown[]) =>
    agents.platform.database.dataSource.query<T>(statement, values);
  const eventsOf = (id: string) =>
    sql<{ event: string; data: Record<string, unknown> }[]>(
      'SELECT event, data FROM dedicated_agent_events WHERE run_id = $1 ORDER BY seq',
      [id],
    );
  it('ends a run at its cap with what it had, refuses the next one, and lets others be', async () => {
    const user = await agents.owner();
    const other = await agents.owner();
    agents.llm.answers(working(9));
    expect((await act(user, 'PUT', BUDGET, { month: { soft_cost: 1.5, hard_cost: 3.5 } })).status).toBe(200);

    const run = await ended(user, (await begin(user)).id);
    // Three calls of 0.9; a fourth could have cost 1.
    expect(run).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
    expect(run.error!.detail).toContain('2.70 of 3.50 EUR');
    expect(run.error!.detail).toContain(firstOfNextMonth());
    expect(run.output).toBe('Step 1.\n\nStep 2.\n\nStep 3.');
    expect(agents.llm.asked).toHaveLength(3);
    for (const { request } of agents.llm.asked)
      expect(request.max_tokens ?? request.max_completion_tokens).toBeLessThanOrEqual(1000);
    const events = await eventsOf(run.id);
    const last = events.at(-1)!;
    expect(last).toMatchObject({ event: 'run.failed', data: { code: 'budget_exceeded', output: run.output } });
    expect(last.data.done).toEqual([1, 2, 3].map(() => ({ tool: 'code', preview: expect.any(String), error: false })));
    const told = events.filter(({ data }) => data.event_type === 'stage:budget');
    expect(told.map(({ data }) => data.event)).toEqual([
      {
        scope: 'month',
        spent: { cost: expect.closeTo(1.8), tokens: 7800 },
        soft: { cost: 1.5, tokens: null },
        hard: { cost: 3.5, tokens: null },
      },
    ]);

    const left = await budget(user);
    expect(left.month).toMatchObject({
      spent: { cost: expect.closeTo(2.7), tokens: 11_700 },
      reserved: { cost: 0, tokens: 0 },
      exhausted: true,
      resets_at: firstOfNextMonth(),
    });
    expect(left.day.spent!.cost).toBeCloseTo(2.7);
    const before = await sql<[{ count: number }]>('SELECT count(*)::int AS count FROM dedicated_agent_runs', []);
    const refusal = {
      status: 409,
      body: { code: 'budget_exceeded', scope: 'month', resets_at: firstOfNextMonth(), detail: expect.any(String) },
    };
    expect(await act(user, 'POST', RUNS, { input: 'More.' })).toEqual(refusal);
    expect(await act(user, 'POST', `${AGENT}chat/stream`, { message: 'More.' })).toEqual(refusal);
    expect(await act(user, 'POST', `${AGENT}chat/`, { message: 'More.' })).toEqual(refusal);
    expect(await sql('SELECT count(*)::int AS count FROM dedicated_agent_runs', [])).toEqual(before);
    expect(await sql('SELECT FROM chat_sessions WHERE kind = $1', ['dedicated-agent'])).toEqual([]);

    agents.llm.answers(working(1));
    expect(await ended(other, (await begin(other)).id)).toMatchObject({ status: 'completed' });

    type Activity = { spend: { spend: number; soft_budget: number }; activity: { tool_name: string }[] };
    let activity = await user.get<Activity>(`${AGENT}activity/`);
    // The ledger is written a moment later.
    await until(async () => (activity = await user.get<Activity>(`${AGENT}activity/`)).spend.spend > 2.6);
    expect(activity.spend).toEqual({ spend: expect.closeTo(2.7), soft_budget: 1.5 });
    expect(activity.activity.filter(({ tool_name: name }) => name === 'budget.soft_cap')).toHaveLength(1);

    // A higher cap opens it again at once.
    await act(user, 'PUT', BUDGET, { month: { hard_cost: 100 } });
    expect((await budget(user)).month.exhausted).toBe(false);
    expect(await ended(user, (await begin(user)).id)).toMatchObject({ status: 'completed' });
  });

  inAll('spends no more than its cap, however many runs there are at once', async () => {
    const user = await agents.owner();
    agents.llm.answers(working(2), { slowly: true });
    await act(user, 'PUT', BUDGET, { day: { hard_cost: 8 } });
    let highest = 0;
    const over = new AbortController();
    const watch = (async () => {
      while (!over.signal.aborted) {
        const { day } = await budget(user);
        highest = Math.max(highest, day.spent!.cost + day.reserved!.cost);
      }
    })();
    const runs = await Promise.all(Array.from({ length: 10 }, (_, at) => begin(user, `Work ${at}.`)));
    const done = await Promise.all(runs.map(({ id }) => ended(user, id)));
    over.abort();
    await watch;
    expect(highest).toBeGreaterThan(7);
    expect(highest).toBeLessThanOrEqual(8 + 1e-6);
    const { day } = await budget(user);
    // As many calls as fit, and none more: eight of 0.9 leave 0.8.
    expect(day.spent!.cost).toBeCloseTo(7.2);
    expect(day.reserved).toEqual({ cost: 0, tokens: 0 });
    expect(agents.llm.asked).toHaveLength(8);
    for (const { status, error } of done)
      if (status === 'failed') expect(error!.code).toBe('budget_exceeded');
      else expect(status).toBe('completed');
    expect(done.filter(({ status }) => status === 'failed').length).toBeGreaterThan(0);
    const inLedger = async () => {
      const [{ spent }] = await sql<[{ spent: number }]>(
        'SELECT coalesce(sum(cost), 0)::float8 AS spent FROM model_usage WHERE turn_id = ANY ($1)',
        [runs.map(({ id }) => id)],
      );
      return spent;
    };
    await until(async () => (await inLedger()) > 7.1);
    expect(await inLedger()).toBeCloseTo(7.2);
  });

  it('counts tokens where there are caps of them, for one run alone too', async () => {
    const user = await agents.owner();
    agents.llm.answers(({ results }) => ({
      ...working(9)({ results } as Asked),
      usage: { prompt_tokens: 40_000, completion_tokens: 100 },
    }));
    await act(user, 'PUT', BUDGET, { run: { hard_tokens: 100_000 } });
    const run = await ended(user, (await begin(user)).id);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
    expect(run.error!.detail).toContain('this run');
    const { length: calls } = agents.llm.asked;
    expect(calls).toBeGreaterThan(1);
    expect(calls * 40_100).toBeLessThanOrEqual(100_000 + 40_100);
    // The next run has a budget of its own.
    agents.llm.answers(working(1));
    expect(await ended(user, (await begin(user)).id)).toMatchObject({ status: 'completed' });
    expect((await budget(user)).run).toMatchObject({ spent: null, resets_at: null, exhausted: false });
  });

  it('lets others begin where one call was too large for what is left', async () => {
    const user = await agents.owner();
    agents.llm.answers(working(1));
    await act(user, 'PUT', BUDGET, { day: { hard_tokens: 40_000 } });
    expect(await ended(user, (await begin(user)).id)).toMatchObject({ status: 'completed' });
    const large = await ended(user, (await begin(user, 'word '.repeat(18_000))).id);
    expect(large).toMatchObject({ status: 'failed', error: { code: 'budget_exceeded' } });
    expect(large.error!.detail).toMatch(/\d+ of 40000 tokens are used, and the next call may take \d{5}/);
    expect((await budget(user)).day).toMatchObject({ exhausted: false });
    expect(await ended(user, (await begin(user)).id)).toMatchObject({ status: 'completed' });
  });

  inAll('skips a job whose budget is used up, tells its owner once, and lets other jobs run', async () => {
    const user = await agents.owner();
    await sql(`UPDATE users SET email_verified = true WHERE username = $1`, [user.username]);
    agents.llm.answers(working(9));
    const job = await user.post<{ id: string; budget: object }>(`${AGENT}jobs/`, {
      name: 'Dear',
      prompt: 'Work.',
      schedule: 'every 2h',
      notify: 'mail',
      budget: { hard_cost: 1.5 },
    });
    expect(job.budget).toEqual({ soft_cost: null, hard_cost: 1.5, soft_tokens: null, hard_tokens: null });
    type Executions = { results: { status: string; error: string | null }[] };
    const executions = async (id: string) => (await user.get<Executions>(`${AGENT}jobs/${id}/executions/`)).results;
    const fire = async (id: string, count: number) => {
      await sql('UPDATE dedicated_agent_jobs SET next_run_at = now(), due_at = now() WHERE id = $1', [id]);
      await until(async () => {
        const found = await executions(id);
        return found.length === count && found.every(({ status }) => status !== 'running');
      });
    };
    await fire(job.id, 1);
    expect(await executions(job.id)).toMatchObject([{ status: 'error', error: expect.stringContaining('this job') }]);
    await fire(job.id, 2);
    await fire(job.id, 3);
    const found = await executions(job.id);
    expect(found.map(({ status }) => status)).toEqual(['skipped', 'skipped', 'error']);
    expect(found[0]!.error).toContain('0.90 of 1.50 EUR');
    expect(await act(user, 'POST', `${AGENT}jobs/${job.id}/run/`)).toMatchObject({
      status: 409,
      body: { code: 'budget_exceeded', scope: 'job', resets_at: firstOfNextMonth() },
    });
    const mails = await sql<unknown[]>(
      `SELECT FROM outgoing_messages m JOIN users u ON u.id = m.user_id
       WHERE u.username = $1 AND m.template = 'agent-job-failed'`,
      [user.username],
    );
    // Of the run that failed, and of the first time that was skipped.
    expect(mails).toHaveLength(2);

    agents.llm.answers(working(0));
    const cheap = await user.post<{ id: string }>(`${AGENT}jobs/`, {
      name: 'C',
      prompt: 'Work.',
      schedule: 'every 2h',
    });
    await fire(cheap.id, 1);
    expect(await executions(cheap.id)).toMatchObject([{ status: 'ok' }]);
    const changed = await act(user, 'PATCH', `${AGENT}jobs/${job.id}/`, { budget: null });
    expect(changed.body.budget).toBeNull();
    await fire(job.id, 4);
    expect((await executions(job.id))[0]).toMatchObject({ status: 'ok' });
  });

  it('lets its owner go below the operator, never above', async () => {
    const user = await agents.owner();
    const run = async (...set: string[]) => agents.admin.run(['agent', 'budget', user.username, ...set]);
    expect((await run('--set', 'month.hard_cost=50', 'run.hard_tokens=2000000')).code).toBe(0);
    expect((await run('--set', 'month.hard_cost=-1')).code).not.toBe(0);
    expect((await run('--set', 'year.hard_cost=1')).code).not.toBe(0);
    expect((await run('--set', 'day.soft_cost=9', 'day.hard_cost=8')).code).not.toBe(0);
    const { month } = await budget(user);
    expect(month).toMatchObject({
      caps: { hard_cost: null },
      limits: { hard_cost: 50, soft_cost: 40 },
      effective: { hard_cost: 50, soft_cost: 40 },
    });
    const above = await act(user, 'PUT', BUDGET, { month: { hard_cost: 51 } });
    expect(above).toMatchObject({ status: 400, body: { 'month.hard_cost': [expect.stringContaining('50')] } });
    const below = await act(user, 'PUT', BUDGET, { month: { hard_cost: 20 } });
    expect(below.body).toMatchObject({
      month: { effective: { hard_cost: 20, soft_cost: 20 }, limits: { hard_cost: 50 } },
    });
    expect((await run('--set', 'month.hard_cost=0')).code).toBe(0);
    expect((await budget(user)).month).toMatchObject({ limits: { hard_cost: null }, effective: { hard_cost: 20 } });
    expect((await run('--set', 'month.hard_cost=default')).code).toBe(0);
    await until(async () => {
      const told = await sql<unknown[]>(
        `SELECT FROM audit_events e JOIN users u ON u.id = e.subject_id WHERE u.username = $1 AND e.action = 'agent.budget_changed'`,
        [user.username],
      );
      return told.length === 4;
    });
  });

  it.each([
    ['a negative cap', { month: { hard_cost: -1 } }],
    ['nothing at all to spend', { month: { hard_cost: 0 } }],
    ['no number', { month: { hard_cost: 'NaN' } }],
    ['no end', { month: { hard_cost: '1e999' } }],
    ['a text', { month: { hard_cost: 'lots' } }],
    ['a list', { month: [1] }],
    ['a number in place of caps', { month: 5 }],
    ['a truth', { day: { hard_tokens: true } }],
    ['an object', { day: { hard_cost: { $gt: 0 } } }],
    ['soft above hard', { day: { soft_cost: 2, hard_cost: 1 } }],
    ['soft tokens above hard', { day: { soft_tokens: 2, hard_tokens: 1 } }],
    ['more money than there is', { day: { hard_cost: 1e300 } }],
    ['more tokens than there are', { day: { hard_tokens: 1e18 } }],
    ['a part of a token', { run: { hard_tokens: 1.5 } }],
    ['a misspelt cap, which would be none', { month: { hard_cots: 5 } }],
    ['an answer, which has the caps elsewhere', { month: { caps: { hard_cost: 5 } } }],
  ])('refuses %s, for the agent and for a job', async (_, body) => {
    const user = await agents.owner();
    const refused = await act(user, 'PUT', BUDGET, body);
    expect(refused.status).toBe(400);
    expect(Object.keys(refused.body)[0]).toMatch(/^(run|job|day|month)/);
    const job = { name: 'J', prompt: 'P', schedule: 'every 2h', budget: Object.values(body)[0] };
    const asJob = await act(user, 'POST', `${AGENT}jobs/`, job);
    expect(asJob.status).toBe(400);
    expect(Object.keys(asJob.body)[0]).toMatch(/^budget/);
    expect((await budget(user)).month.caps.hard_cost).toBeNull();
  });

  it('refuses a misspelt scope, which would take the caps of all', async () => {
    const user = await agents.owner();
    await act(user, 'PUT', BUDGET, { month: { hard_cost: 20 } });
    const refused = await act(user, 'PUT', BUDGET, { months: { hard_cost: 30 }, day: null, ['__proto__']: {} });
    expect(refused).toMatchObject({ status: 400, body: { months: ['There is no such field.'] } });
    expect((await budget(user)).month.caps.hard_cost).toBe(20);
  });

  it('is nothing to those without an agent, and one’s own alone', async () => {
    const user = await agents.owner();
    await act(user, 'PUT', BUDGET, { day: { hard_cost: 3 } });
    const stranger = await agents.owner();
    expect((await budget(stranger)).day.caps.hard_cost).toBeNull();
    await act(stranger, 'PUT', BUDGET, { day: { hard_cost: 4 } });
    expect((await budget(user)).day.caps.hard_cost).toBe(3);
    expect((await act(user, 'PUT', BUDGET, {})).body).toMatchObject({ day: { caps: { hard_cost: null } } });
    await agents.agent('revoke', user);
    expect(await act(user, 'GET', BUDGET)).toMatchObject({ status: 404, body: { code: 'agent_not_found' } });
    expect(await act(user, 'PUT', BUDGET, {})).toMatchObject({ status: 404, body: { code: 'agent_not_found' } });
    expect((await agents.admin.run(['agent', 'budget', newId()])).code).not.toBe(0);
  });
});
