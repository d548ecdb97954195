import { setTimeout as sleep } from 'node:timers/promises';
import { AgentsPlatform } from '../support/agents-platform.js';
import { FollowedRun, RUN_ENDS } from '../support/followed-run.js';
import { freePort } from '../support/free-port.js';
import type { HttpClient } from '../support/http-client.js';
import { FULL, LONG } from '../support/long.js';
import { OddServer } from '../support/mcp-odd-server.js';
import type { AppName, RunningApp } from '../support/platform.js';
import { until } from '../support/until.js';

/** The figures with `npm run test:chaos` and `npm run test:long`; a short seed of the same kind in `npm test`. */
const full = LONG || FULL;
const [KILLS, RUNS, JOBS, OWNERS] = full ? [20, 200, 40, 10] : [2, 6, 2, 1];
/** Of all kills. */
const LASTS_MS = full ? 90_000 : 4000;

const AGENT = '/microservices/dedicated-agent/';
const TEXT = Array.from({ length: full ? 60 : 20 }, (_, at) => `word${at} `).join('');
const FINAL = ['completed', 'failed', 'cancelled'];

interface Run {
  id: string;
  status: string;
  origin: string;
  job_id: string | null;
}

jest.setTimeout(full ? 900_000 : 120_000);

describe('runs and jobs of dedicated agents while api and runner are killed', () => {
  let agents: AgentsPlatform;
  let tools: OddServer;
  let owners: HttpClient[];
  /** How often each call happened outside, by what it was told. */
  const effects = new Map<string, number>();
  const asked: FollowedRun[] = [];
  let port: number;
  const over = new AbortController();

  beforeAll(async () => {
    tools = await OddServer.start();
    tools.tools = [
      {
        name: 'bump',
        description: 'Counts once more.',
        inputSchema: { type: 'object', properties: { note: { type: 'string' } } },
        run: async ({ input }) => {
          const note = String(input.note);
          effects.set(note, (effects.get(note) ?? 0) + 1);
          await sleep(150);
          return { content: [{ type: 'text', text: 'counted' }] };
        },
      },
    ];
    port = await freePort();
    agents = await AgentsPlatform.start([], { MCP_HOSTS: tools.host, API_PORT: String(port) });
    agents.llm.answers(
      ({ question, results }) => {
        const [, kind = '', name = ''] = /(one|two|none) effects?: (\S+)/.exec(question) ?? [];
        const wanted = { none: 0, one: 1, two: 2 }[kind] ?? 0;
        if (results.length >= wanted) return { text: TEXT };
        const note = `${name}-${results.length}`;
        return { text: 'I count.', calls: [{ name: 'counter__bump', arguments: { note } }] };
      },
      { slowly: true },
    );
    running.api = await start('api');
    running['workflow-runner'] = await start('workflow-runner');
    owners = [];
    for (let at = 0; at < OWNERS; at += 1) {
      const owner = await agents.owner();
      const server = await owner.post<{ id: number }>('/mcp-servers/servers/', { label: 'Counter', url: tools.url });
      await owner.post(`/mcp-servers/servers/${server.id}/test/`, {});
      owners.push(owner);
    }
  });
  afterAll(async () => {
    over.abort();
    await agents?.stop();
    await tools?.stop();
  });

  type Killed = Exclude<AppName, 'indexer'>;
  const running = {} as Record<Killed, Pick<RunningApp, 'kill'>>;
  const start = (name: Killed) => agents.platform.start(name);
  const sql = <T>(text: string, values: unknown[] = []) => agents.platform.database.dataSource.query<T[]>(text, values);

  /** Until it is taken: an api that was killed may have taken it. */
  async function insist(client: HttpClient, path: string, body: object, key?: string): Promise<Response> {
    while (!over.signal.aborted) {
      try {
        const response = await fetch(client.baseUrl + path, {
          method: 'POST',
          headers: {
            authorization: `Token ${client.token}`,
            'content-type': 'application/json',
            ...(key && { 'idempotency-key': key }),
          },
          body: JSON.stringify(body),
        });
        if (response.status === 500) throw new Error(`${path}: 500 ${await response.text()}`);
        if (response.status < 500 && response.status !== 429) return response;
        await response.text();
      } catch (error) {
        if (error instanceof Error && error.message.includes(': 500 ')) throw error;
      }
      await sleep(100);
    }
    throw new Error('The test is over.');
  }

  /** Somebody who says yes to everything, soon. */
  async function approveAll(): Promise<void> {
    while (!over.signal.aborted) {
      for (const owner of owners) {
        try {
          const page = `${AGENT}runs/?status=waiting_for_approval`;
          const { results } = await owner.get<{ results: Run[] }>(page);
          await Promise.all(
            results.map(({ id }) => owner.send('POST', `${AGENT}runs/${id}/approval/`, { choice: 'once' })),
          );
        } catch {
          // The api is away.
        }
      }
      await sleep(300);
    }
  }

  /** The n-th run begins once its share of the kills has happened, so that each kill finds some at work. */
  async function askFor(at: number, kills: () => number): Promise<void> {
    await until(() => kills() >= Math.floor((at * KILLS) / RUNS) - 1 || over.signal.aborted, 600_000);
    const owner = owners[at % OWNERS]!;
    const kind = ['one effect', 'none effect', 'two effects', 'one effect'][at % 4];
    const response = await insist(owner, `${AGENT}runs/`, { input: `${kind}: run${at}` }, `key-${at}`);
    expect(response.status).toBe(200);
    const { id } = (await response.json()) as Run;
    const run = new FollowedRun(owner, id);
    asked.push(run);
    if (at % 10 === 5) {
      await sleep(Math.random() * 1500);
      await insist(owner, `${AGENT}runs/${id}/stop/`, {});
    }
    await run.ended;
  }

  async function addJobs(): Promise<void> {
    const now = Date.now();
    for (let at = 0; at < JOBS; at += 1) {
      const moment = new Date(now + 1000 + (at * LASTS_MS) / JOBS).toISOString();
      await owners[at % OWNERS]!.post(`${AGENT}jobs/`, {
        name: `job ${at}`,
        prompt: `one effect: job${at}`,
        schedule: { kind: 'once', run_at: moment },
      });
    }
  }

  it('each end once, act at most once, and are told without gaps', async () => {
    await addJobs();
    let kills = 0;
    let hits = 0;
    const approving = approveAll();
    const all = Promise.all(
      Array.from({ length: Math.min(RUNS, OWNERS * 4) }, async (_, lane, lanes = Math.min(RUNS, OWNERS * 4)) => {
        for (let at = lane; at < RUNS; at += lanes) await askFor(at, () => kills);
      }),
    );
    await until(async () => (await sql(`SELECT FROM dedicated_agent_events LIMIT 1`)).length > 0);
    const names: Killed[] = ['workflow-runner', 'api'];
    for (; kills < KILLS; kills += 1) {
      await sleep(Math.random() * 2 * (LASTS_MS / KILLS - 3000 > 0 ? LASTS_MS / KILLS - 3000 : 500));
      const [row] = await sql<{ live: number }>(
        'SELECT count(*)::int AS live FROM dedicated_agent_runs WHERE finished_at IS NULL',
      );
      hits += row!.live > 0 ? 1 : 0;
      const name = names[kills % 2]!;
      await running[name].kill('SIGKILL');
      // In a short run none is killed again, and none needs to be a process; the api keeps its port.
      if (full) running[name] = await start(name);
      else await agents.platform.host(name);
    }
    await all;
    await until(
      async () =>
        (await sql(`SELECT FROM dedicated_agent_jobs WHERE state = 'scheduled' LIMIT 1`)).length === 0 &&
        (await sql('SELECT FROM dedicated_agent_runs WHERE finished_at IS NULL LIMIT 1')).length === 0,
      120_000,
    );
    over.abort();
    await approving;

    const runs = await sql<{ id: string; status: string; origin: string; input: string; ends: number; last: string }>(
      `SELECT r.id, r.status, r.origin, r.input, (SELECT count(*)::int FROM dedicated_agent_events e
           WHERE e.run_id = r.id AND e.event = ANY($1)) AS ends,
         (SELECT e.event FROM dedicated_agent_events e WHERE e.run_id = r.id ORDER BY e.seq DESC LIMIT 1) AS last
       FROM dedicated_agent_runs r`,
      [RUN_ENDS],
    );
    expect(runs).toHaveLength(RUNS + JOBS);
    expect(new Set(runs.map(({ input }) => input)).size).toBe(RUNS + JOBS);
    for (const run of runs) {
      expect(FINAL).toContain(run.status);
      expect(run).toMatchObject({ ends: 1, last: `run.${run.status}` });
    }
    const twice = [...effects].filter(([, count]) => count > 1);
    expect(twice).toEqual([]);

    let cuts = 0;
    for (const run of asked) {
      cuts += run.cuts;
      expect(run.events.map(({ id }) => Number(id))).toEqual(run.events.map((_, at) => at + 1));
      expect(run.events.filter(({ event }) => RUN_ENDS.includes(event))).toHaveLength(1);
      expect(await run.replayed()).toEqual(run.events);
      const end = run.events.at(-1)!;
      if (end.event !== 'run.completed') continue;
      const text = run.events.map(({ event, data }) => (event === 'message.delta' ? data.delta : '')).join('');
      expect(end.data.output).toBe(text);
      const words = text.split(/\s+/).filter((word) => /^word\d+$/.test(word));
      expect(words).toEqual(TEXT.trim().split(' '));
    }

    const executions = await sql<{ jobId: string; slots: number; status: string; run: string; last: string }>(
      `SELECT j.id AS "jobId", count(*)::int AS slots, min(e.status) AS status, min(r.status) AS run,
         min(j.last_status) AS last
       FROM dedicated_agent_jobs j LEFT JOIN dedicated_agent_executions e ON e.job_id = j.id
       LEFT JOIN dedicated_agent_runs r ON r.id = e.run_id GROUP BY j.id`,
    );
    expect(executions).toHaveLength(JOBS);
    for (const { slots, status, run, last } of executions) {
      expect({ slots, status }).toEqual({ slots: 1, status: run === 'completed' ? 'ok' : 'error' });
      expect(last).toBe(status);
    }
    const ended = Object.entries(Object.groupBy(runs, ({ status }) => status)).map(
      ([status, of]) => `${status} ${of!.length}`,
    );
    process.stdout.write(
      `chaos: ${RUNS} runs and ${JOBS} jobs, ${KILLS} kills (${hits} with runs at work), ${cuts} readers cut off; ` +
        `${ended.join(', ')}; ${effects.size} effects, none twice\n`,
    );
    expect(hits).toBeGreaterThan(KILLS / 2);
  });
});
