import { type GatewayRunRef, HermesGateway } from '@app/dedicated-agent';
import {
  type ContractStep,
  follow,
  type GatewayHarness,
  itIsAGateway,
  shapeOf,
  taskOf,
  textOf,
} from '../support/gateway-contract.js';
import { type Generation, HermesServer, type Hostility, type Step } from '../support/hermes/hermes-server.js';
import { rounds } from '../support/long.js';
import { until } from '../support/until.js';

const USAGE = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };

function toScript(steps: readonly ContractStep[]): Step[] {
  return steps.flatMap((step, at): Step[] => {
    if ('say' in step) return [{ event: 'message.delta', delta: step.say }];
    if ('tool' in step)
      return [
        { event: 'tool.started', tool: step.tool, preview: 'p' },
        { event: 'tool.completed', tool: step.tool, duration: 0.1, error: false },
      ];
    if ('ask' in step) return [{ event: 'approval.request', request_id: `ask-${at}`, command: step.ask }];
    if ('pause' in step) return [step.pause];
    if ('done' in step) return [{ event: 'run.completed', output: step.done, usage: USAGE }];
    return [{ event: 'run.failed', error: step.fail }];
  });
}

const gatewayOf = (server: HermesServer, given = {}) =>
  new HermesGateway({
    baseUrl: server.url,
    apiKey: server.key,
    profile: '{agent_id}',
    timeoutSeconds: 5,
    pollMs: 10,
    ...given,
  });

async function begin(server: HermesServer, gateway: HermesGateway, script: Step[]): Promise<GatewayRunRef> {
  server.scripts = [script];
  const task = taskOf();
  return { ...task, gatewayRunId: await gateway.start(task) };
}

describe.each<Generation>(['G1', 'G2', 'G3'])('a gateway of hermes, %s', (generation) => {
  let server: HermesServer;
  beforeEach(async () => {
    server = await new HermesServer(generation).listen();
  });
  afterEach(() => server.stop());

  itIsAGateway(async (): Promise<GatewayHarness> => {
    const own = await new HermesServer(generation).listen();
    const gateway = gatewayOf(own);
    return {
      gateway,
      begin: (steps) => begin(own, gateway, toScript(steps)),
      prepare: (steps) => {
        own.scripts = [toScript(steps)];
        return Promise.resolve(taskOf());
      },
      keepsEvents: generation === 'G3',
      isIdempotent: generation !== 'G1',
      takesWords: generation !== 'G1',
      close: () => own.stop(),
    };
  });

  it('loses nothing that can be kept when its stream is cut at any byte, and tells nothing twice', async () => {
    const gateway = gatewayOf(server);
    const script = toScript([
      { say: 'Grüße, ' },
      { tool: 'search' },
      { say: 'Da ist ' },
      { say: 'es: ✓' },
      { done: 'Da ist es: ✓' },
    ]);
    const whole = shapeOf(await follow(gateway, await begin(server, gateway, script)));
    for (let round = 0; round < rounds(100, 30, 10); round += 1) {
      const run = await begin(server, gateway, script);
      for (let cut = 0; cut < 3; cut += 1) server.fail(/events$/, { kind: 'cut', at: Math.floor(Math.random() * 900) });
      const log = await follow(gateway, run);
      if (generation === 'G3') expect(shapeOf(log)).toEqual(whole);
      else {
        expect(log.filter(({ event }) => event.startsWith('run.'))).toHaveLength(1);
        expect(log.at(-1)).toMatchObject({ event: 'run.completed', data: { output: 'Da ist es: ✓', usage: USAGE } });
        // What came before the last use of a tool may be gone; the answer is told once, and whole.
        expect(['Da ist es: ✓', 'Grüße, Da ist es: ✓']).toContain(textOf(log));
      }
      server.forgive();
    }
    expect(server.cuts).toBeGreaterThan(rounds(100, 30, 10) / 2);
  });

  it.each<Hostility>([
    { kind: 'html' },
    { kind: 'nothing' },
    { kind: 'half frame' },
    { kind: 'huge' },
    { kind: 'drip' },
    { kind: 'redirect' },
    { kind: 'wrong type' },
    { kind: 'status', status: 502, body: {} },
  ])('comes to the end of a run whose stream is %j', async (hostility) => {
    const gateway = gatewayOf(server, { silenceMs: 300 });
    const run = await begin(server, gateway, toScript([{ say: 'Good.' }, { done: 'Good.' }]));
    server.fail(/events$/, hostility);
    const log = await follow(gateway, run);
    expect(textOf(log)).toBe('Good.');
    expect(log.at(-1)).toMatchObject({ event: 'run.completed', data: { output: 'Good.' } });
  });

  it.each<Hostility>([{ kind: 'html' }, { kind: 'nothing' }, { kind: 'huge' }, { kind: 'drip' }, { kind: 'redirect' }])(
    'counts as away where it answers questions about a run with %j',
    async (hostility) => {
      const gateway = gatewayOf(server, { timeoutSeconds: 1 });
      const run = await begin(server, gateway, toScript([{ done: 'Good.' }]));
      server.fail(/GET \/v1\/runs\/\w+$/, hostility);
      await expect(gateway.find(run)).rejects.toMatchObject({ name: 'GatewayUnreachableError' });
      await expect(gateway.find(run)).resolves.toMatchObject({ status: 'completed' });
    },
  );

  it('never begins twice when nobody heard of the beginning', async () => {
    const gateway = gatewayOf(server);
    server.scripts = [toScript([{ done: 'Once.' }])];
    const task = taskOf();
    server.fail(/POST \/v1\/runs$/, { kind: 'lost' });
    if (generation === 'G1') {
      await expect(gateway.start(task)).rejects.toMatchObject({ status: 409, code: 'start_unclear' });
      await expect(gateway.start({ ...task, mayHaveBegun: true })).rejects.toMatchObject({ code: 'start_unclear' });
    } else {
      await expect(gateway.start(task)).rejects.toMatchObject({ name: 'GatewayUnreachableError' });
      expect(await gateway.start({ ...task, mayHaveBegun: true })).toBe([...server.runs.keys()][0]);
    }
    expect(server.started).toHaveLength(1);
  });

  it('ends what a restart has taken', async () => {
    const gateway = gatewayOf(server);
    const run = await begin(server, gateway, toScript([{ say: 'I begin' }, { pause: 60_000 }]));
    const following = follow(gateway, run);
    await until(() => server.calls.some((call) => call.endsWith('/events')));
    server.restart();
    const log = await following;
    expect(log.filter(({ event }) => event.startsWith('run.')).map(({ event }) => event)).toEqual(['run.failed']);
    if (generation === 'G1') expect(log.at(-1)!.data.code).toBe('gateway_lost');
  });

  it('says what the gateway refuses', async () => {
    const gateway = gatewayOf(server);
    server.mostRuns = 0;
    await expect(gateway.start(taskOf())).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    server.mostRuns = 10;
    server.isDraining = true;
    await expect(gateway.start(taskOf())).rejects.toMatchObject({ name: 'GatewayUnreachableError' });
    server.isDraining = false;
    server.fail(/POST \/v1\/runs$/, { kind: 'status', status: 413, body: { error: { message: 'Large' } } });
    await expect(gateway.start(taskOf())).rejects.toMatchObject({ status: 400, code: 'body_too_large' });
    const foreign = gatewayOf(server, { apiKey: 'another-key-of-no-use' });
    await expect(foreign.start(taskOf())).rejects.toMatchObject({ name: 'GatewayUnreachableError' });
    const run = await begin(server, gateway, toScript([{ pause: 60_000 }]));
    if (generation === 'G1')
      await expect(gateway.steer(run, 'Left.')).rejects.toMatchObject({ status: 409, code: 'not_supported' });
    else await gateway.steer(run, 'Left.');
    expect(server.steered).toEqual(generation === 'G1' ? [] : ['Left.']);
  });

  it('keeps the agents of people apart', async () => {
    const gateway = gatewayOf(server);
    const run = await begin(server, gateway, toScript([{ done: 'Mine.' }]));
    expect(server.started[0]!.profile).toBe(run.agentId);
    expect(await gateway.find({ ...run, agentId: taskOf().agentId })).toBeNull();
  });

  it('asks its question again where only its state tells of it', async () => {
    const gateway = gatewayOf(server);
    const run = await begin(server, gateway, toScript([{ ask: 'rm x' }, { done: 'Gone.' }]));
    const log: string[] = [];
    for await (const { event, data } of gateway.events(run, {
      after: '[null,1,true,0,0,null]',
      signal: new AbortController().signal,
    })) {
      log.push(event);
      if (event === 'approval.request')
        await gateway.answer(run, { choice: 'once', requestId: data.request_id as string, all: false });
    }
    expect(log).toEqual(['approval.request', 'approval.responded', 'message.delta', 'run.completed']);
  });
});
