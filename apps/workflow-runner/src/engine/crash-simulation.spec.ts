import { SystemClock } from '@app/common';
import { type SideEffects, type Tool, ToolCatalogue, type ToolResult } from '@app/workflow-definition';
import type { RunStore } from '@app/workflows';
import { toolCatalogue } from '@app/workflow-tools';
import { InMemoryRunStore, type StoredRun } from './in-memory-run-store.spec-support.js';
import { RunExecutor } from './run-executor.js';

/**
 * docs/contract/reliability.md#figures (1), in miniature: the worker dies at every await point of a run in turn (and
 * again at a later one),
 * a new one takes over, and the outside world is asked what it saw. A failure names its point.
 */
const definition = {
  nodes: [
    { id: 'start', kind: 'manual_trigger', next: ['pure', 'mail', 'pay', 'slow'] },
    { id: 'pure', kind: 'set', params: { fields: { x: 1 } }, next: ['join'] },
    { id: 'slow', kind: 'slow', next: ['join'] },
    { id: 'mail', kind: 'idempotent_call', next: ['join', 'second'] },
    { id: 'second', kind: 'idempotent_call', next: ['join'], retry: { max_attempts: 2, backoff_seconds: 0 } },
    { id: 'pay', kind: 'external_call', on_error: 'continue', next: ['join'] },
    { id: 'join', kind: 'merge', params: { values: [{ $ref: '_output.pure.x' }, { $ref: '_output.pay.receipt' }] } },
  ],
};

/** Dies, that is never goes on, at the given await point. */
class Mortality {
  private point = 0;
  isDead = false;

  constructor(private readonly diesAt: number) {}

  async pass(): Promise<void> {
    if (this.isDead) await new Promise(() => undefined);
    this.point += 1;
    if (this.point === this.diesAt) {
      this.isDead = true;
      this.whenDead();
    }
    if (this.isDead) await new Promise(() => undefined);
  }

  private whenDead: () => void = () => undefined;
  readonly death = new Promise<void>((resolve) => (this.whenDead = resolve));
}

class MortalStore extends InMemoryRunStore {
  constructor(
    runs: Map<string, StoredRun>,
    private readonly mortality: Mortality,
  ) {
    super(runs);
  }

  protected override enter(): Promise<void> {
    return this.mortality.pass();
  }

  protected override leave(): Promise<void> {
    return this.mortality.pass();
  }
}

interface World {
  database: InMemoryRunStore;
  /** Calls per idempotency key. */
  calls: Map<string, number>;
  /** What the outside service has really done: it knows the keys. */
  effects: Map<string, number>;
}

function createTools(world: World, mortality: Mortality): Tool[] {
  const base = toolCatalogue.find('set')!;
  const create = (kind: string, sideEffects: SideEffects, run: (key: string) => Promise<ToolResult>): Tool => {
    // Soon over, so that the timers of the dead do not keep the test process alive.
    const timeoutSeconds = 0.2;
    return { ...base, kind, sideEffects, timeoutSeconds, run: (_params, { idempotencyKey }) => run(idempotencyKey) };
  };
  const call = async (key: string): Promise<ToolResult> => {
    await mortality.pass();
    world.calls.set(key, (world.calls.get(key) ?? 0) + 1);
    world.effects.set(key, 1);
    await mortality.pass();
    return { output: { receipt: key } };
  };
  return [
    create('idempotent_call', 'idempotent', call),
    create('external_call', 'external', call),
    create('slow', 'none', async () => {
      await mortality.pass();
      return { output: null };
    }),
  ];
}

function createExecutor(store: RunStore, tools: readonly Tool[], workerId: string): RunExecutor {
  return new RunExecutor({
    store,
    catalogue: new ToolCatalogue([...toolCatalogue.list(), ...tools]),
    ports: {},
    logger: { log: () => undefined, warn: () => undefined, error: () => undefined },
    clock: new SystemClock(),
    workerId,
    heartbeatMs: 60_000,
  });
}

/** One worker's life. @returns whether it died. */
async function live(world: World, diesAt: number): Promise<boolean> {
  const mortality = new Mortality(diesAt);
  const store = new MortalStore(world.database.runs, mortality);
  const executor = createExecutor(store, createTools(world, mortality), `worker ${diesAt}`);
  const end = await Promise.race([executor.execute('run').then(() => 'ended'), mortality.death.then(() => 'died')]);
  return end === 'died';
}

function createWorld(): World {
  const database = new InMemoryRunStore();
  database.add('run', definition);
  return { database, calls: new Map(), effects: new Map() };
}

async function simulate(deaths: readonly number[]): Promise<{ world: World; died: number }> {
  const world = createWorld();
  let died = 0;
  for (const diesAt of [...deaths, 0]) {
    if (!(await live(world, diesAt))) break;
    died += 1;
    world.database.expireLeases();
  }
  return { world, died };
}

function check({ world }: { world: World }): void {
  const run = world.database.get('run');
  expect(run.status).toBe('COMPLETED');
  const { pay, ...others } = world.database.statuses('run');
  expect(others).toEqual({
    start: 'COMPLETED',
    pure: 'COMPLETED',
    slow: 'COMPLETED',
    mail: 'COMPLETED',
    second: 'COMPLETED',
    join: 'COMPLETED',
  });
  // Called once at most, and never said to have worked when nobody knows.
  expect(world.calls.get('run:pay') ?? 0).toBeLessThanOrEqual(1);
  if (pay === 'COMPLETED') expect(world.calls.get('run:pay')).toBe(1);
  else expect(run.nodes.get('pay')!.error!.code).toBe('worker_lost');
  expect(run.nodes.get('join')!.output).toMatchObject({ value: pay === 'COMPLETED' ? [1, 'run:pay'] : [1] });
  expect([...world.effects.keys()].sort()).toEqual(expect.arrayContaining(['run:mail', 'run:second']));
  expect([...world.effects.values()].every((count) => count === 1)).toBe(true);
}

it('survives the death of its worker at every await point, and of the next one too', async () => {
  let points = 0;
  for (let first = 1; ; first += 1) {
    const once = await simulate([first]);
    if (once.died === 0) break;
    points += 1;
    check(once);
    for (let second = 1; ; second += 1) {
      const twice = await simulate([first, second]);
      try {
        check(twice);
      } catch (error) {
        throw new Error(`Deaths at ${first} and ${second}: ${String(error)}`, { cause: error });
      }
      if (twice.died < 2) break;
      points += 1;
    }
  }
  expect(points).toBeGreaterThan(100);
});

it('never lets a worker that only seemed dead write or act again', async () => {
  const world = createWorld();
  const immortal = new Mortality(0);
  const blocked = new Promise<void>((resolve) => setTimeout(resolve, 30));
  const late = async (): Promise<ToolResult> => {
    await blocked;
    return { output: 'late' };
  };
  const tools = createTools(world, immortal).map((tool) => (tool.kind === 'slow' ? { ...tool, run: late } : tool));
  const zombie = createExecutor(new MortalStore(world.database.runs, immortal), tools, 'zombie').execute('run');
  await new Promise((resolve) => setTimeout(resolve, 10));
  world.database.expireLeases();
  await live(world, 0);
  const { nodes } = world.database.get('run');
  const before = JSON.stringify([...nodes]);
  await zombie;
  expect(world.database.get('run').status).toBe('COMPLETED');
  expect(JSON.stringify([...nodes])).toBe(before);
  expect(world.calls.get('run:pay')).toBe(1);
});
