import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentGateway,
  type GatewayEvent,
  type GatewayRunRef,
  type GatewayTask,
  GatewayUnreachableError,
} from '@app/dedicated-agent';
import { until } from './until.js';

/** What a run is to do, in the words of no gateway. */
export type ContractStep =
  | { say: string }
  | { tool: string }
  | { ask: string }
  | { pause: number }
  | { done: string }
  | { fail: string };

export interface GatewayHarness {
  gateway: AgentGateway;
  /** Has the next run do so, and begins it. */
  begin(steps: readonly ContractStep[]): Promise<GatewayRunRef>;
  /** The same, as a task: what a second call of `start` is given. */
  prepare(steps: readonly ContractStep[]): Promise<GatewayTask>;
  /** Whether events can be read again behind any place. */
  keepsEvents: boolean;
  /** Whether the same task is one run, however often it is begun. */
  isIdempotent: boolean;
  /** Whether it takes words to a run at work. */
  takesWords: boolean;
  close(): Promise<void>;
}

const ENDS = ['run.completed', 'run.failed', 'run.cancelled'];

export const taskOf = (given: Partial<GatewayTask> = {}): GatewayTask => ({
  runId: randomUUID(),
  agentId: randomUUID(),
  userId: 1,
  input: 'Do it.',
  instructions: '',
  model: '',
  sessionId: null,
  attachedFiles: [],
  ...given,
});

/** The log that a follower would write: it goes on behind the last place, however often the gateway breaks off. */
export async function follow(gateway: AgentGateway, run: GatewayRunRef, most = 500): Promise<GatewayEvent[]> {
  const log: GatewayEvent[] = [];
  let after: string | null = null;
  for (let tries = 0; tries < most; tries += 1)
    try {
      for await (const event of gateway.events(run, { after, signal: new AbortController().signal })) {
        log.push(event);
        after = event.cursor ?? after;
        if (ENDS.includes(event.event)) return log;
      }
      await sleep(5);
    } catch (error) {
      if (!(error instanceof GatewayUnreachableError)) throw error;
      await sleep(5);
    }
  throw new Error(`No end after ${most} tries: ${log.map(({ event }) => event).join(', ')}`);
}

export const textOf = (log: readonly GatewayEvent[]): string =>
  log
    .filter(({ event }) => event === 'message.delta')
    .map(({ data }) => data.delta)
    .join('');

/** Where one piece of text ends and the next begins is nobody's promise. */
export function mergedShapeOf(log: readonly GatewayEvent[]): unknown[] {
  const merged: { event: string; data: Record<string, unknown> }[] = [];
  for (const { event, data } of log) {
    const last = merged.at(-1);
    if (event === 'message.delta' && last?.event === event)
      last.data = { delta: `${String(last.data.delta)}${String(data.delta)}` };
    else merged.push({ event, data });
  }
  return merged.map(({ event, data }) => [event, data]);
}

export const shapeOf = (log: readonly GatewayEvent[]): unknown[] => log.map(({ event, data }) => [event, data]);

/** What every gateway keeps to. */
export function itIsAGateway(make: () => Promise<GatewayHarness>): void {
  let harness: GatewayHarness;
  beforeEach(async () => {
    harness = await make();
  });
  afterEach(() => harness.close());

  it('tells a run in order, and its end once, as the last', async () => {
    const run = await harness.begin([{ tool: 'search' }, { say: 'It is ' }, { say: 'done.' }, { done: 'It is done.' }]);
    const log = await follow(harness.gateway, run);
    expect(log.map(({ event }) => event).filter((event) => event.startsWith('tool.'))).toEqual([
      'tool.started',
      'tool.completed',
    ]);
    expect(textOf(log)).toBe('It is done.');
    expect(log.filter(({ event }) => ENDS.includes(event))).toHaveLength(1);
    expect(log.at(-1)).toMatchObject({ event: 'run.completed', data: { output: 'It is done.' } });
    expect(await harness.gateway.find(run)).toMatchObject({ status: 'completed', output: 'It is done.' });
  });

  it('tells why a run failed', async () => {
    const run = await harness.begin([{ fail: 'The model is away.' }]);
    const log = await follow(harness.gateway, run);
    expect(log.at(-1)).toMatchObject({ event: 'run.failed', data: { error: expect.any(String) as string } });
    expect((await harness.gateway.find(run))?.status).toBe('failed');
  });

  it('goes on behind each place, where events are kept', async () => {
    const run = await harness.begin([{ tool: 'search' }, { say: 'one ' }, { say: 'two' }, { done: 'one two' }]);
    const log = await follow(harness.gateway, run);
    if (!harness.keepsEvents) return;
    for (const [at, { cursor }] of log.slice(0, -1).entries()) {
      const rest: GatewayEvent[] = [];
      for await (const event of harness.gateway.events(run, { after: cursor, signal: new AbortController().signal }))
        rest.push(event);
      expect(mergedShapeOf(rest)).toEqual(mergedShapeOf(log.slice(at + 1)));
    }
  });

  it('begins the same task once', async () => {
    const task = await harness.prepare([{ done: 'Once.' }]);
    if (!harness.isIdempotent) return;
    const begun = await Promise.all([harness.gateway.start(task), harness.gateway.start(task)]);
    const again = await harness.gateway.start({ ...task, mayHaveBegun: true });
    expect(new Set([...begun, again]).size).toBe(1);
    const log = await follow(harness.gateway, { ...task, gatewayRunId: again });
    expect(log.at(-1)!.data.output).toBe('Once.');
    expect(await harness.gateway.start(task)).toBe(again);
  });

  it('waits for the answer to its question, and takes it once', async () => {
    const run = await harness.begin([{ ask: 'rm -r /tmp/x' }, { done: 'Gone.' }]);
    const following = follow(harness.gateway, run);
    await until(async () => (await harness.gateway.find(run))?.status === 'waiting_for_approval');
    expect(await harness.gateway.answer(run, { choice: 'once', requestId: null, all: false })).toBe(1);
    const log = await following;
    const names = log.map(({ event }) => event).filter((event) => event.startsWith('approval.'));
    expect(names).toEqual(['approval.request', 'approval.responded']);
    expect(log.find(({ event }) => event === 'approval.request')!.data).toMatchObject({
      request_id: expect.any(String) as string,
      choices: expect.arrayContaining(['once', 'deny']) as string[],
    });
    await expect(harness.gateway.answer(run, { choice: 'once', requestId: null, all: false })).rejects.toMatchObject({
      name: 'GatewayRefusedError',
      status: 409,
    });
  });

  it.each(['once', 'session', 'always', 'deny'] as const)('takes the answer %s, and goes on', async (choice) => {
    const run = await harness.begin([{ ask: 'rm -r /tmp/x' }, { done: 'Gone on.' }]);
    const following = follow(harness.gateway, run);
    await until(async () => (await harness.gateway.find(run))?.status === 'waiting_for_approval');
    await expect(
      harness.gateway.answer({ ...run, gatewayRunId: randomUUID() }, { choice, requestId: null, all: false }),
    ).rejects.toMatchObject({ name: 'GatewayRefusedError' });
    const answers = Array.from({ length: 5 }, () =>
      harness.gateway.answer(run, { choice, requestId: null, all: false }).catch((error: Error) => error.name),
    );
    const told = await Promise.all(answers);
    expect(told.toSorted()).toEqual([1, ...Array.from({ length: 4 }, () => 'GatewayRefusedError')]);
    const log = await following;
    expect(log.find(({ event }) => event === 'approval.responded')!.data).toMatchObject({ choice, resolved: 1 });
    expect(log.at(-1)).toMatchObject({ event: 'run.completed', data: { output: 'Gone on.' } });
  });

  it('takes words to a run at work where it can, and none after its end', async () => {
    const run = await harness.begin([
      { say: 'I begin.' },
      { pause: 500 },
      { say: ' Done.' },
      { done: 'I begin. Done.' },
    ]);
    const following = follow(harness.gateway, run);
    await until(async () => (await harness.gateway.find(run))?.status === 'running');
    const said = harness.gateway.steer(run, 'Be short.');
    if (harness.takesWords) await said;
    else await expect(said).rejects.toMatchObject({ name: 'GatewayRefusedError', status: 409 });
    const log = await following;
    expect(log.filter(({ event }) => event === 'run.steered')).toHaveLength(harness.takesWords ? 1 : 0);
    expect(log.at(-1)!.event).toBe('run.completed');
    await expect(harness.gateway.steer(run, 'Too late.')).rejects.toMatchObject({ status: 409 });
  });

  it('tells nothing more of a run that has ended, whatever it is asked to do', async () => {
    const run = await harness.begin([{ say: 'Done.' }, { done: 'Done.' }]);
    await follow(harness.gateway, run);
    await harness.gateway.stop(run).catch((error: Error) => expect(error.name).toBe('GatewayRefusedError'));
    await expect(harness.gateway.answer(run, { choice: 'deny', requestId: null, all: false })).rejects.toMatchObject({
      name: 'GatewayRefusedError',
    });
    expect(await harness.gateway.find(run)).toMatchObject({ status: 'completed', output: 'Done.' });
    const again = await follow(harness.gateway, run).catch(() => []);
    expect(again.filter(({ event }) => ENDS.includes(event)).length).toBeLessThanOrEqual(1);
  });

  it('stops, and tells so once', async () => {
    const run = await harness.begin([{ say: 'I begin.' }, { pause: 60_000 }, { done: 'never' }]);
    const following = follow(harness.gateway, run);
    await until(async () => (await harness.gateway.find(run))?.status === 'running');
    await harness.gateway.stop(run);
    const log = await following;
    expect(log.filter(({ event }) => ENDS.includes(event)).map(({ event }) => event)).toEqual(['run.cancelled']);
  });

  it('lets go at once when nobody follows any more, and knows no run that it was not given', async () => {
    const run = await harness.begin([{ say: 'I begin.' }, { pause: 60_000 }]);
    const ending = new AbortController();
    const seen: string[] = [];
    for await (const { event } of harness.gateway.events(run, { after: null, signal: ending.signal })) {
      seen.push(event);
      if (event === 'message.delta') ending.abort();
    }
    expect(seen).toContain('message.delta');
    await harness.gateway.stop(run);
    expect(await harness.gateway.find({ ...run, gatewayRunId: randomUUID() })).toBeNull();
  });
}
