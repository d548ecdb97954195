import { AgentsPlatform } from '../support/agents-platform.js';
import { FollowedRun } from '../support/followed-run.js';
import type { HttpClient } from '../support/http-client.js';
import { testServers } from '../support/servers.js';
import { switchedPort } from '../support/switched-port.js';
import { until } from '../support/until.js';

const AGENT = '/microservices/dedicated-agent/';
const TEXT = Array.from({ length: 60 }, (_, at) => `word${at} `).join('');

describe('a dedicated agent while Redis is away', () => {
  let agents: AgentsPlatform;
  let redis: Awaited<ReturnType<typeof switchedPort>>;
  let user: HttpClient;

  beforeAll(async () => {
    redis = await switchedPort(new URL(testServers().redisUrl));
    agents = await AgentsPlatform.start(['api', 'workflow-runner'], { REDIS_URL: redis.url });
    user = await agents.owner();
  });
  afterAll(async () => {
    await agents?.stop();
    await redis.stop();
  });

  const statusOf = async (id: string) => (await user.get<{ status: string }>(`${AGENT}runs/${id}/`)).status;

  it('does several runs at a time, tells of them, asks, stops, fires jobs, and goes on once it is back', async () => {
    agents.llm.answers(
      ({ question, results }) =>
        question.includes('ask') && results.length === 0
          ? { calls: [{ name: 'send_email', arguments: { to: 'a@mail.example', subject: 'S', text: 'T' } }] }
          : { text: question.includes('long') ? TEXT.repeat(20) : TEXT },
      { slowly: true },
    );
    await redis.away();
    const begin = async (input: string) =>
      new FollowedRun(user, (await user.post<{ id: string }>(`${AGENT}runs/`, { input })).id);
    // One that lasts holds up none of the others.
    const long = await begin('Tell me a long story.');
    const asked = await begin('ask first');
    const told = await Promise.all([begin('Tell me.'), begin('Tell me more.'), begin('Tell me all.')]);
    const job = await user.post<{ id: string }>(`${AGENT}jobs/`, {
      name: 'J',
      prompt: 'Tell me.',
      schedule: { kind: 'once', run_at: new Date(Date.now() + 1000).toISOString() },
    });
    await until(async () => (await statusOf(asked.id)) === 'waiting_for_approval', 60_000);
    await user.post(`${AGENT}runs/${asked.id}/approval/`, { choice: 'deny' });
    for (const run of [...told, asked]) {
      await run.ended;
      expect(run.events.map(({ id }) => Number(id))).toEqual(run.events.map((_, at) => at + 1));
      expect(run.events.at(-1)!.event).toBe('run.completed');
    }
    await until(
      async () => (await user.get<{ state: string }>(`${AGENT}jobs/${job.id}/`)).state === 'completed',
      60_000,
    );
    expect(['running', 'waiting_for_approval']).toContain(await statusOf(long.id));
    await user.post(`${AGENT}runs/${long.id}/stop/`, {});
    await long.ended;
    expect(await statusOf(long.id)).toBe('cancelled');

    await redis.back();
    const after = await begin('Tell me.');
    await after.ended;
    expect(after.events.at(-1)!.event).toBe('run.completed');
  });
});
