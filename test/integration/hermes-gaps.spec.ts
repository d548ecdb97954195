import { type GatewayRunRef, HermesGateway } from '@app/dedicated-agent';
import { follow, shapeOf, taskOf, textOf } from '../support/gateway-contract.js';
import { HermesServer, type Step } from '../support/hermes/hermes-server.js';
import { until } from '../support/until.js';

const tool = (name: string): Step[] => [
  { event: 'tool.started', tool: name, preview: 'p' },
  { event: 'tool.completed', tool: name, duration: 0.1, error: false },
];
const ask = (more: object): Step => ({ event: 'approval.request', command: 'rm x', ...more });
const namesOf = (log: readonly { event: string }[]) => log.map(({ event }) => event);

describe('a gateway of hermes that numbers its events', () => {
  let server: HermesServer;
  let gateway: HermesGateway;
  beforeEach(async () => {
    server = await new HermesServer('G3').listen();
    gateway = new HermesGateway({
      baseUrl: server.url,
      apiKey: server.key,
      profile: '{agent_id}',
      timeoutSeconds: 5,
      pollMs: 10,
    });
  });
  afterEach(() => server.stop());

  async function begin(...script: Step[]): Promise<GatewayRunRef> {
    server.scripts = [script];
    const task = taskOf();
    return { ...task, gatewayRunId: await gateway.start(task) };
  }

  it.each([1, 3, 6])('loses no use of a tool when its stream is refused %i times', async (times) => {
    const run = await begin(...tool('search'), 300, ...tool('write'), { event: 'run.completed', output: 'Done.' });
    for (let time = 0; time < times; time += 1) server.fail(/events$/, { kind: 'html' });
    const log = await follow(gateway, run);
    expect(namesOf(log).filter((name) => name.startsWith('tool.'))).toHaveLength(4);
    expect(namesOf(log).filter((name) => name.startsWith('run.'))).toEqual(['run.completed']);
  });

  it('passes over an event that cannot be read, and counts it', async () => {
    const run = await begin(
      ...tool('search'),
      { event: 'reasoning.available', text: 'x'.repeat(5_000_000) },
      ...tool('write'),
      { event: 'run.completed', output: 'Done.' },
    );
    const log = await follow(gateway, run);
    expect(namesOf(log)).toEqual(['tool.started', 'tool.completed', 'tool.started', 'tool.completed', 'run.completed']);
    expect(log.map(({ data }) => data.missed)).toEqual([undefined, undefined, 1, undefined, undefined]);
  });

  it('counts what its journal has lost, and asks what became of the question that waited', async () => {
    server.journal = 5;
    const run = await begin(
      { event: 'approval.request', request_id: 'q1', command: 'rm x' },
      ...Array.from({ length: 20 }, (_, at) => ({ event: 'message.delta', delta: `${at} ` })),
      { event: 'approval.request', request_id: 'q2', command: 'rm y' },
      { event: 'run.completed', output: 'All of it.', usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } },
    );
    const ending = new AbortController();
    let after: string | null = null;
    for await (const event of gateway.events(run, { after: null, signal: ending.signal })) {
      after = event.cursor;
      ending.abort();
    }
    await gateway.answer(run, { choice: 'once', requestId: 'q1', all: false });
    await until(async () => (await gateway.find(run))?.status === 'waiting_for_approval');
    await gateway.answer(run, { choice: 'deny', requestId: 'q2', all: false });
    await until(async () => (await gateway.find(run))?.status === 'completed');
    const rest = [];
    for await (const event of gateway.events(run, { after, signal: new AbortController().signal })) rest.push(event);
    // The answer to the first question is gone, and so is most of the text.
    expect(rest[0]).toMatchObject({ event: 'approval.responded', data: { request_id: 'q1', choice: null } });
    expect(rest[1]!.data.missed).toBe(19);
    expect(namesOf(rest).filter((name) => name === 'approval.request')).toHaveLength(1);
    expect(rest.at(-1)).toMatchObject({ event: 'run.completed', data: { output: 'All of it.' } });
  });

  it('asks what waits behind a gap once', async () => {
    server.journal = 3;
    const run = await begin(
      { event: 'message.delta', delta: 'a' },
      100,
      ...Array.from({ length: 9 }, () => ({ event: 'message.delta', delta: 'b' })),
      { event: 'approval.request', request_id: 'q1', command: 'rm x' },
      { event: 'run.completed', output: 'Done.' },
    );
    await until(async () => (await gateway.find(run))?.status === 'waiting_for_approval');
    const following = follow(gateway, run);
    await until(() => server.calls.some((call) => call.endsWith('/events')));
    await until(() => server.calls.filter((call) => /GET .*\/run_\w+$/.test(call)).length > 1);
    await gateway.answer(run, { choice: 'once', requestId: 'q1', all: false });
    const log = await following;
    expect(namesOf(log).filter((name) => name.startsWith('approval.'))).toEqual([
      'approval.request',
      'approval.responded',
    ]);
    expect(log.filter(({ data }) => data.missed !== undefined).map(({ data }) => data.missed)).toEqual([8]);
  });

  it('offers what may be chosen, and no more where it was denied by its own rules', async () => {
    const run = await begin(
      ask({ request_id: 'a' }),
      ask({ request_id: 'b', allow_permanent: false }),
      ask({ request_id: 'c', allow_session: false }),
      ask({ request_id: 'd', smart_denied: true, choices: ['once', 'session', 'always', 'deny'] }),
      ask({ request_id: 'e', choices: ['once', 'deny', 'rm -r /'] }),
      { event: 'run.completed', output: '' },
    );
    const offered: unknown[] = [];
    for await (const { event, data } of gateway.events(run, { after: null, signal: new AbortController().signal }))
      if (event === 'approval.request') {
        offered.push([data.request_id, data.choices, data.allow_permanent]);
        await gateway.answer(run, { choice: 'once', requestId: data.request_id as string, all: false });
      }
    expect(offered).toEqual([
      ['a', ['once', 'session', 'always', 'deny'], true],
      ['b', ['once', 'session', 'deny'], false],
      ['c', ['once', 'deny'], false],
      ['d', ['once', 'deny'], false],
      ['e', ['once', 'deny'], true],
    ]);
  });

  it('tells what a run has used where its end does not say so', async () => {
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    const run = await begin({ event: 'message.delta', delta: 'a' }, { event: 'run.failed', error: 'x' });
    server.runs.get(run.gatewayRunId)!.usage = usage;
    await until(async () => (await gateway.find(run))?.status === 'failed');
    server.runs.get(run.gatewayRunId)!.usage = usage;
    expect((await follow(gateway, run)).at(-1)).toMatchObject({ event: 'run.failed', data: { error: 'x', usage } });
  });

  it('tells the same whoever follows it, and whatever it adds', async () => {
    const run = await begin(
      { event: 'unheard.of', text: 'x' },
      { event: 'message.delta', delta: 'a\0b' },
      { event: 'message.delta', delta: 7 },
      { event: 'message.delta', delta: 'foreign', run_id: 'run_of_somebody_else' },
      { event: 'message.delta', delta: 'c', run_id: undefined },
      { event: 'run.completed', output: 'a\0bc' },
    );
    const log = await follow(gateway, run);
    expect(textOf(log)).toBe('a\0bc');
    expect(shapeOf(await follow(gateway, run))).toEqual(shapeOf(log));
    expect(log.every(({ data }) => data.missed === undefined)).toBe(true);
  });
});
