import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { startAgentPlatform } from './agent-platform.mjs';
import { AtriumClient } from './client.mjs';
import { heading, say, shorten } from './print.mjs';

const AGENT = '/microservices/dedicated-agent/';
const ENDS = new Set(['run.completed', 'run.failed', 'run.cancelled']);

/**
 * The agent that is always on: a job, what it asks to be allowed, its events, and those again from a place.
 * @param {{ DATABASE_URL?: string, REDIS_URL?: string }} servers of the platform that runs
 */
export async function showAgent(servers) {
  heading('The dedicated agent, on a small platform of its own with a model by rote');
  if (!servers.DATABASE_URL || !servers.REDIS_URL) {
    say('Left out: it takes the database and the Redis of a platform that npm start has started on this machine.');
    return;
  }
  const platform = await startAgentPlatform(servers);
  try {
    const client = new AtriumClient(platform.baseUrl);
    const { dedicated_agent_status: status } = await client.signIn(platform.demo.username, platform.demo.password);
    say(`npm run admin -- agent grant ${platform.demo.username}: the agent is ${status}.`);
    await runJob(client);
  } finally {
    await platform.stop();
  }
}

async function runJob(client) {
  const job = await client.post(`${AGENT}jobs/`, {
    name: 'Weekly expenses',
    prompt: 'Add up 120, 75 and 40 euros, and mail the sum to office@larkspur.example.',
    schedule: 'weekdays at 9',
    timezone: 'Europe/Berlin',
  });
  say(`The job "${job.name}", ${job.schedule_display}, next on ${job.next_run_at}. Run it now:`);
  await client.post(`${AGENT}jobs/${job.id}/run/`, {});
  const run = await runOf(client, job.id);

  // The connection ends where a person is asked, and goes on behind the last event that came.
  const seen = await listen(client, run, null, ({ event }) => event === 'approval.request');
  const question = seen.at(-1).data;
  say(`? ${question.description}`);
  await client.post(`${AGENT}runs/${run}/approval/`, { choice: 'once', request_id: question.request_id });
  say('! once: allowed, for this one mail');
  const rest = await listen(client, run, seen.at(-1).id, ({ event }) => ENDS.has(event));

  const all = [...seen, ...rest];
  const middle = all[Math.floor(all.length / 2)].id;
  const replayed = await events(client, run, middle, ({ event }) => ENDS.has(event));
  const before = all.filter(({ id }) => id > middle);
  if (!isDeepStrictEqual(replayed, before)) throw new Error('The replay tells something else than the run did.');
  say(`Again with Last-Event-ID: ${middle}: events ${replayed[0].id} to ${replayed.at(-1).id}, word for word.`);

  const { messages } = await client.get(`${AGENT}messages/?limit=1`);
  const [{ job: told, message }] = messages;
  say(`In the console, from "${told.name}" (${told.status}): ${message}`);
}

async function runOf(client, jobId) {
  for (;;) {
    const { latest_execution: latest } = await client.get(`${AGENT}jobs/${jobId}/`);
    if (latest?.run_id) return latest.run_id;
    await sleep(100);
  }
}

async function listen(client, run, after, isLast) {
  return events(client, run, after, (event) => {
    print(event);
    return isLast(event);
  });
}

async function events(client, run, after, isLast) {
  const all = [];
  for await (const event of client.events(`${AGENT}runs/${run}/events/`, after)) {
    all.push(event);
    if (isLast(event)) break;
  }
  return all;
}

function print({ id, event, data }) {
  const said = data.delta ?? data.tool ?? data.choice ?? data.output ?? data.stage ?? data.event_type ?? '';
  const shown = typeof said === 'string' ? said : (said.name ?? data.event_type ?? '');
  say(`  ${String(id).padStart(3)} ${event.padEnd(18)} ${shorten(shown, 80)}`.trimEnd());
}
