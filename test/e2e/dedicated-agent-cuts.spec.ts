import { AgentsPlatform } from '../support/agents-platform.js';
import { ChatSocket } from '../support/chat-socket.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { EventStream, type ServerEvent } from '../support/event-stream.js';
import type { HttpClient } from '../support/http-client.js';
import { AGENT, ENDS, HermesPlatform, RUNS } from '../support/hermes/hermes-platform.js';
import type { Step } from '../support/hermes/hermes-server.js';
import { rounds } from '../support/long.js';
import { until } from '../support/until.js';

const CUTS = rounds(100, 8);
const WORDS = Array.from({ length: 60 }, (_, at) => `Wörter${at} ✓ `);
const TEXT = WORDS.join('');

/** A platform of either gateway whose runs use a tool, and then talk for some seconds. */
interface Talking {
  agents: AgentsPlatform;
  user: HttpClient;
  stop(): Promise<void>;
}

async function embedded(): Promise<Talking> {
  const agents = await AgentsPlatform.start(['api', 'workflow-runner']);
  agents.llm.answers(
    ({ results }) =>
      results.length === 0
        ? { calls: [{ name: 'code', arguments: { code: 'return items[0];', items: [1] } }] }
        : { text: TEXT },
    { slowly: true },
  );
  return { agents, user: await agents.owner(), stop: () => agents.stop() };
}

async function hermes(): Promise<Talking> {
  const platform = await HermesPlatform.start('G3');
  const words = WORDS.flatMap((delta): Step[] => [{ event: 'message.delta', delta }, 15]);
  platform.server.scripts = [
    [
      { event: 'tool.started', tool: 'code', preview: 'p' },
      { event: 'tool.completed', tool: 'code', duration: 0.1, error: false },
      ...words,
      { event: 'run.completed', output: TEXT },
    ],
  ];
  return { agents: platform.agents, user: platform.user, stop: () => platform.stop() };
}

const randomBytes = (most: number) => () => 1 + Math.floor(Math.random() * most);

describe.each([
  ['embedded', embedded],
  ['hermes', hermes],
])('streams that are cut at any byte, of the gateway %s', (name, start) => {
  let talking: Talking;
  let proxy: CuttingProxy;
  beforeAll(async () => {
    talking = await start();
    proxy = await new CuttingProxy(new URL(talking.agents.platform.baseUrl)).listen();
  });
  afterAll(async () => {
    await proxy?.stop();
    await talking?.stop();
  });

  async function readThroughCuts(id: string): Promise<ServerEvent[]> {
    const events: ServerEvent[] = [];
    while (!ENDS.includes(events.at(-1)?.event ?? '')) {
      const stream = new EventStream(`${proxy.url}${RUNS}${id}/events/`, talking.user, events.at(-1)?.id ?? undefined);
      await stream.ended.catch(() => null);
      events.push(...stream.events);
    }
    return events;
  }

  it('tell every event once and in order to whoever comes back with the last id', async () => {
    proxy.cuts = 0;
    let runs = 0;
    while (proxy.cuts < CUTS) {
      runs += 1;
      const { id } = await talking.user.post<{ id: string }>(RUNS, { input: 'Talk.' });
      proxy.bytes = randomBytes(4000);
      const read = await readThroughCuts(id);
      const whole = new EventStream(`${talking.agents.platform.baseUrl}${RUNS}${id}/events/`, talking.user);
      await whole.ended;
      expect(read).toEqual(whole.events);
      expect(read.map(({ id: seq }) => Number(seq))).toEqual(read.map((_, at) => at + 1));
      const text = read.map(({ event, data }) => (event === 'message.delta' ? String(data.delta) : '')).join('');
      expect(text.trim()).toBe(TEXT.trim());
      // The same of a run that has ended.
      expect(await readThroughCuts(id)).toEqual(read);
    }
    process.stdout.write(`${name}: ${proxy.cuts} cuts of streams of events, ${runs} runs, nothing lost or doubled\n`);
  });

  it('tell everything once to a socket that comes back with its place', async () => {
    const { agent_id: agentId } = await talking.user.get<{ agent_id: string }>(`${AGENT}activity/`);
    proxy.cuts = 0;
    let runs = 0;
    while (proxy.cuts < CUTS) {
      runs += 1;
      const { run_id: id } = await talking.user.post<{ run_id: string }>(`${AGENT}chat/stream`, { message: 'Talk.' });
      proxy.bytes = randomBytes(9000);
      let [seq, tools] = [0, 0];
      let texts: ReadonlyMap<string, string> = new Map();
      for (let isOver = false; !isOver;) {
        const socket = new ChatSocket(proxy.url, '', {
          client: talking.user,
          channel: `/ws/dedicated-agent/${agentId}/`,
          query: `&turn_id=${id}&last_seq=${seq}`,
          texts,
        });
        let isClosed = false;
        void socket.closed.then(() => (isClosed = true));
        await until(() => isClosed || socket.answers(id).length > 0);
        socket.cut();
        // What comes behind the last place comes again.
        const last = socket.frames.findLastIndex(({ data }) => data?.turn_id === id && (data.seq ?? 0) > seq);
        const kept = socket.frames.slice(0, last + 1).map(({ data }) => data);
        tools += kept.filter((data) => data?.event_type === 'stage:tool_finished').length;
        seq = Math.max(seq, socket.lastSeq(id));
        texts = socket.placed;
        const [answer] = socket.answers(id);
        if (!answer) continue;
        isOver = true;
        expect(answer).toMatchObject({ status: 'completed', message: texts.get(id) });
      }
      expect(texts.get(id)!.trim()).toBe(TEXT.trim());
      expect(tools).toBe(1);
    }
    process.stdout.write(`${name}: ${proxy.cuts} cuts of sockets, ${runs} runs, nothing lost or doubled\n`);
  });
});

describe('the stream of a gateway that is cut at any byte', () => {
  let platform: HermesPlatform;
  beforeAll(async () => {
    platform = await HermesPlatform.start('G3');
  });
  afterAll(() => platform?.stop());

  it('is told whole, once and in order', async () => {
    const { server } = platform;
    const words = WORDS.slice(0, 20);
    const text = words.join('');
    server.scripts = [
      [
        { event: 'tool.started', tool: 'code', preview: 'p' },
        { event: 'tool.completed', tool: 'code', duration: 0.1, error: false },
        ...words.map((delta): Step => ({ event: 'message.delta', delta })),
        { event: 'run.completed', output: text },
      ],
    ];
    const whole = await platform.create();
    await platform.ended(whole.id);
    const expected = (await platform.logOf(whole.id)).map(({ event, data }) => [event, data]);
    let runs = 0;
    while (server.cuts < CUTS) {
      for (let cut = 0; cut < 4; cut += 1)
        server.fail(/events$/, { kind: 'cut', at: 1 + Math.floor(Math.random() * 2500) });
      const batch = await Promise.all(Array.from({ length: 5 }, () => platform.create()));
      for (const { id } of batch) {
        expect(await platform.ended(id)).toMatchObject({ status: 'completed', output: text });
        expect((await platform.logOf(id)).map(({ event, data }) => [event, data])).toEqual(expected);
        runs += 1;
      }
    }
    process.stdout.write(`hermes: ${server.cuts} cuts of the gateway, ${runs} runs, nothing lost or doubled\n`);
  });
});
