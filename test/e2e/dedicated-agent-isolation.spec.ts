import { AgentsPlatform } from '../support/agents-platform.js';
import type { ChatSocket } from '../support/chat-socket.js';
import { AGENT, type Answer, AgentOwner } from '../support/isolated-agents.js';
import { rounds } from '../support/long.js';
import { until } from '../support/until.js';

/** The figure of the issue with `npm run test:long`. */
const CALLS = rounds(10_000, 240);
const LANES = 4;
const TEXT = Array.from({ length: 20 }, (_, at) => `word${at} `).join('');
const ACTIONS = ['pause', 'resume', 'run'];

jest.setTimeout(rounds(1_800_000, 120_000));

interface Call {
  name: string;
  /** What an api says to whoever names what belongs to somebody else. */
  foreign: number | number[];
  /** Never of one's own: it would undo what has to stay. */
  foreignOnly?: true;
  make(caller: AgentOwner, of: AgentOwner): Promise<Answer>;
}

let state = 11;
const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
/** Of those at work, or what has ended; of somebody else also what waits for them. */
const runOf = (caller: AgentOwner, of: AgentOwner) => {
  const { waitingRun, endedRun } = of.still;
  return caller === of
    ? oneOf([endedRun, ...of.runs.slice(-5)].filter((id) => id !== waitingRun))
    : oneOf([waitingRun, endedRun, ...of.runs.slice(-5)]);
};
const jobOf = (caller: AgentOwner, of: AgentOwner) =>
  caller === of
    ? (oneOf(of.jobs.filter((id) => id !== of.still.job)) ?? '-')
    : oneOf([of.still.job, ...of.jobs.slice(-3)]);

async function keeping(list: string[], asked: Promise<Answer>, field = 'id'): Promise<Answer> {
  const answer = await asked;
  const { [field]: id } = (answer.status < 300 ? JSON.parse(answer.body) : {}) as Record<string, string>;
  if (id !== undefined && !list.includes(id)) list.push(id);
  return answer;
}

const CALLS_OF: readonly Call[] = [
  {
    name: 'list runs',
    foreign: 200,
    make: (caller) => caller.call('GET', `runs/?page_size=20&status=${oneOf(['running', 'completed'])}`),
  },
  { name: 'get a run', foreign: 404, make: (caller, of) => caller.call('GET', `runs/${runOf(caller, of)}/`) },
  {
    name: 'its events',
    foreign: 404,
    make: (caller, of) =>
      caller.call(
        'GET',
        `runs/${caller === of ? of.still.endedRun : runOf(caller, of)}/events/?after=${Math.floor(random() * 4)}`,
      ),
  },
  {
    name: 'answer',
    foreign: 404,
    make: (caller, of) =>
      caller.call('POST', `runs/${runOf(caller, of)}/approval/`, {
        choice: oneOf(['once', 'always', 'deny']),
        request_id: of.still.requestId,
        all: true,
      }),
  },
  { name: 'stop', foreign: 404, make: (caller, of) => caller.call('POST', `runs/${runOf(caller, of)}/stop/`, {}) },
  {
    name: 'steer',
    foreign: 404,
    make: (caller, of) => caller.call('POST', `runs/${runOf(caller, of)}/steer/`, { message: caller.canary }),
  },
  {
    name: 'another action',
    foreign: [400, 404],
    make: (caller, of) => caller.call('POST', `runs/${runOf(caller, of)}/erase/`, {}),
  },
  // Both use the same keys: each has its own run.
  {
    name: 'begin a run',
    foreign: [200, 409, 429],
    make: (caller) =>
      keeping(
        caller.runs,
        caller.call('POST', 'runs/', { input: `tell ${caller.canary}` }, `key-${Math.floor(random() * 500)}`),
      ),
  },
  {
    name: 'begin a run with a file',
    foreign: [404, 429],
    make: (caller, of) =>
      keeping(caller.runs, caller.call('POST', 'runs/', { input: `tell ${caller.canary}`, file_uids: [of.file] })),
  },
  { name: 'list jobs', foreign: 200, make: (caller) => caller.call('GET', 'jobs/?include_disabled=true') },
  { name: 'get a job', foreign: 404, make: (caller, of) => caller.call('GET', `jobs/${jobOf(caller, of)}/`) },
  {
    name: 'change a job',
    foreign: 404,
    make: (caller, of) =>
      caller.call('PATCH', `jobs/${jobOf(caller, of)}/`, { prompt: `tell ${caller.canary}`, enabled: random() < 0.5 }),
  },
  { name: 'delete a job', foreign: 404, make: (caller, of) => caller.call('DELETE', `jobs/${jobOf(caller, of)}/`) },
  {
    name: 'act on a job',
    foreign: 404,
    make: (caller, of) => caller.call('POST', `jobs/${jobOf(caller, of)}/${oneOf(ACTIONS)}/`, {}),
  },
  {
    name: 'executions',
    foreign: 404,
    make: (caller, of) => caller.call('GET', `jobs/${jobOf(caller, of)}/executions/`),
  },
  {
    name: 'make a job',
    foreign: [201, 409],
    make: (caller) =>
      keeping(
        caller.jobs,
        caller.call('POST', 'jobs/', {
          name: caller.canary,
          prompt: `tell ${caller.canary}`,
          schedule: oneOf(['every 1m', 'daily at 9', 'in 1m']),
        }),
      ),
  },
  { name: 'messages', foreign: 200, make: (caller) => caller.call('GET', 'messages/?limit=50') },
  { name: 'activity', foreign: 200, make: (caller) => caller.call('GET', 'activity/?limit=50') },
  { name: 'grants', foreign: 200, make: (caller) => caller.call('GET', 'grants/') },
  {
    name: 'revoke a grant',
    foreign: 404,
    foreignOnly: true,
    make: (caller, of) => caller.call('DELETE', `grants/${of.grant}/`),
  },
  {
    name: 'say',
    foreign: [403, 409, 429],
    make: (caller, of) =>
      keeping(
        caller.runs,
        caller.call('POST', 'chat/stream', { message: `tell ${caller.canary}`, chat_session_id: of.still.session }),
        'run_id',
      ),
  },
  {
    name: 'say with a file',
    foreign: [404, 409, 429],
    make: (caller, of) =>
      keeping(
        caller.runs,
        caller.call('POST', 'chat/stream', { message: `tell ${caller.canary}`, attached_files: [{ uid: of.file }] }),
        'run_id',
      ),
  },
  {
    name: 'ask',
    foreign: [200, 409, 429, 504],
    make: (caller) => caller.call('POST', 'chat/?timeout=1', { message: `tell ${caller.canary}` }),
  },
  {
    name: 'resume an agent',
    foreign: 403,
    make: (caller, of) => caller.call('POST', 'resume/', oneOf([{ user_id: of.userId }, { agent_id: of.agentId }, {}])),
  },
  {
    name: 'the turn of a run',
    foreign: 404,
    foreignOnly: true,
    make: (caller, of) =>
      caller.call('GET', `/microservices/chat-turns/${runOf(caller, of)}/${oneOf(['', 'events/', 'trace/'])}`),
  },
  {
    name: 'an id that is none',
    foreign: 404,
    make: (caller) => caller.call('GET', `${oneOf(['runs', 'jobs'])}/${oneOf(['1', "x'--", '%00', 'null'])}/`),
  },
];

describe('two people with dedicated agents', () => {
  let agents: AgentsPlatform;
  let people: AgentOwner[];
  const foreign: string[] = [];
  const statuses = new Map<string, number>();

  beforeAll(async () => {
    agents = await AgentsPlatform.start(['api', 'workflow-runner']);
    agents.llm.answers(
      ({ question, results }) => {
        const [canary = ''] = /canary-\w+/.exec(question) ?? [];
        if (!question.includes('ask ') || results.length > 0) return { text: `${canary} ${TEXT}` };
        return {
          calls: [{ name: 'send_email', arguments: { to: `${canary}@mail.example`, subject: 'S', text: 'T' } }],
        };
      },
      { slowly: true },
    );
    people = [await AgentOwner.create(agents), await AgentOwner.create(agents)];
  });
  afterAll(async () => {
    for (const { socket } of people ?? []) socket.cut();
    await agents?.stop();
  });

  function look(name: string, caller: AgentOwner, shown: string, said: string): void {
    for (const other of people)
      if (other !== caller)
        for (const secret of other.secrets(said))
          if (shown.includes(secret)) foreign.push(`${name}: ${secret} in ${shown.slice(0, 300)}`);
  }

  function lookAtModel(): void {
    for (const { request } of agents.llm.asked.splice(0)) {
      const told = JSON.stringify(request.messages);
      if (people.filter(({ canary }) => told.includes(canary)).length > 1) foreign.push(`model: ${told.slice(0, 300)}`);
    }
  }

  async function lookAtSockets(): Promise<void> {
    const [caller, of] = random() < 0.5 ? [people[0]!, people[1]!] : [people[1]!, people[0]!];
    const refused = caller.listen(of);
    if ((await refused.closed) !== 404) foreign.push('a socket of somebody else is open');
    const own: ChatSocket = caller.listen(caller, `&turn_id=${of.runs.at(-1)}&last_seq=0`);
    await own.opened;
    own.say({ type: 'resume', turn_id: of.still.waitingRun, last_seq: 0 });
    caller.socket.say({ type: 'resume', turn_id: of.runs.at(-2), last_seq: 0 });
    await caller.call('GET', 'messages/');
    look('socket', caller, JSON.stringify(own.frames), '');
    own.cut();
    for (const person of people) look('socket', person, JSON.stringify(person.socket.frames.splice(0)), '');
  }

  async function callOnce(): Promise<void> {
    const caller = oneOf(people);
    const call = oneOf(CALLS_OF);
    const of = call.foreignOnly || random() < 0.65 ? people.find((one) => one !== caller)! : caller;
    const sent: string[] = [];
    const spied = Object.assign(Object.create(caller) as AgentOwner, {
      call: async (method: string, path: string, body?: unknown, key?: string) => {
        sent.push(path, JSON.stringify(body ?? ''));
        return AgentOwner.prototype.call.call(caller, method, path, body, key);
      },
    });
    const { status, body } = await call.make(spied, of === caller ? spied : of);
    const key = `${call.name} ${of === caller ? 'own' : 'foreign'} ${status}`;
    statuses.set(key, (statuses.get(key) ?? 0) + 1);
    look(call.name, caller, body, sent.join(' '));
    const allowed = of === caller ? status < 500 || status === 504 : [call.foreign].flat().includes(status);
    if (!allowed) foreign.push(`${key}: ${body.slice(0, 300)}`);
  }

  it('neither see nor change anything of each other, while their runs are at work', async () => {
    const before = await Promise.all(people.map((person) => person.snapshot()));
    let made = 0;
    const lane = async () => {
      while (made < CALLS) {
        made += 1;
        await callOnce();
        if (made % 60 === 0) await lookAtSockets();
        if (made % 200 === 0) lookAtModel();
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    await lookAtSockets();
    lookAtModel();
    expect(foreign).toEqual([]);
    expect(await Promise.all(people.map((person) => person.snapshot()))).toEqual(before);
    const events = await agents.platform.database.dataSource.query<{ agentId: string; text: string }[]>(
      `SELECT r.agent_id AS "agentId", string_agg(e.data::text, ' ' ORDER BY e.seq) AS text
       FROM dedicated_agent_events e JOIN dedicated_agent_runs r ON r.id = e.run_id GROUP BY r.id`,
    );
    for (const person of people)
      for (const { agentId, text } of events) if (agentId !== person.agentId) expect(text).not.toContain(person.canary);
    const counted = [...statuses].toSorted().map(([key, count]) => `${key} ${count}`);
    process.stdout.write(
      `isolation: ${made} calls, ${events.length} runs, nothing foreign\n${CALLS > 1000 ? `${counted.join('\n')}\n` : ''}`,
    );

    // Whoever stops everything stops what is theirs.
    const [first, second] = people as [AgentOwner, AgentOwner];
    const kept = await second.snapshot();
    expect((await first.call('POST', 'kill/', {})).status).toBe(200);
    await until(async () => (await first.call('GET', `runs/${first.still.waitingRun}/`)).body.includes('"cancelled"'));
    expect(await second.snapshot()).toEqual(kept);
    expect((await second.call('POST', 'resume/', { agent_id: first.agentId })).status).toBe(403);
    expect(JSON.parse((await first.call('GET', 'activity/')).body)).toMatchObject({ status: 'paused' });
    expect((await second.call('GET', `${AGENT}runs/`)).status).toBe(200);
  });
});
