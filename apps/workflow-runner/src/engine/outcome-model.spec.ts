import {
  type NodeState,
  type SideEffects,
  type Tool,
  ToolCatalogue,
  ToolError,
  type ToolResult,
} from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';
import { rounds } from '../../../../test/support/long.js';
import { InMemoryRunStore } from './in-memory-run-store.spec-support.js';
import { OutcomeModel, type Outcome, type Planned } from './outcome-model.spec-support.js';
import { createRandom, pick, planWorkflow } from './planned-workflow.spec-support.js';
import { RunExecutor } from './run-executor.js';

/**
 * Random workflows with batches, loops, sub-workflows, questions and delays of days, carried out by the executor itself
 * over workers that die at random await points, against what the rules say that they come to. A difference names its
 * seed; `ATRIUM_MODEL_SEED=<seed> ATRIUM_MODEL_RUNS=1` plays it again.
 */
const runs = Number(process.env.ATRIUM_MODEL_RUNS ?? rounds(400, 400, 150));
const firstSeed = Number(process.env.ATRIUM_MODEL_SEED ?? 1);
const workflowIds = ['6ba7b810-9dad-41d1-80b4-00c04fd430c8', '6ba7b811-9dad-41d1-80b4-00c04fd430c8'];

const seen = new Map<string, number>();
const count = (event: string): void => void seen.set(event, (seen.get(event) ?? 0) + 1);

/** One worker's life: dies, that is never goes on, at a random await point. */
class Mortality {
  isDead = false;
  private die: () => void = () => undefined;
  readonly death = new Promise<'died'>((resolve) => (this.die = () => resolve('died')));

  constructor(
    private readonly random: () => number,
    private readonly rate: number,
  ) {}

  async pass(): Promise<void> {
    if (!this.isDead && this.random() < this.rate) {
      this.isDead = true;
      this.die();
    }
    if (this.isDead) await new Promise(() => undefined);
  }
}

class MortalStore extends InMemoryRunStore {
  constructor(
    world: InMemoryRunStore,
    private readonly mortality: Mortality,
  ) {
    super(world.runs);
    for (const [id, definition] of world.workflows) this.workflows.set(id, definition);
  }

  protected override enter(): Promise<void> {
    return this.mortality.pass();
  }

  protected override leave(): Promise<void> {
    return this.mortality.pass();
  }
}

class World {
  readonly store = new InMemoryRunStore();
  /** Calls by idempotency key, of those that may run again, and of those that may not. */
  readonly calls = new Map<string, number>();
  readonly payments = new Map<string, number>();
  now = 1_000_000;
}

function fail(): never {
  throw new ToolError('scripted', 'On purpose.', false);
}

function createTools(world: World, mortality: Mortality): Tool[] {
  const base = toolCatalogue.find('set')!;
  const create = (kind: string, sideEffects: SideEffects, run: Tool['run'], isBranching = false): Tool => ({
    ...base,
    kind,
    sideEffects,
    isBranching,
    run,
  });
  const act = async (key: string, book: Map<string, number>, output: unknown): Promise<ToolResult> => {
    await mortality.pass();
    book.set(key, (book.get(key) ?? 0) + 1);
    await mortality.pass();
    return { output };
  };
  const part = create('part', 'external', async ({ kind, index, fails }, { idempotencyKey }) => {
    if ((index as number) % 3 === fails) fail();
    const output = { value: index };
    if (kind === 'value') return { output };
    return act(idempotencyKey, kind === 'pay' ? world.payments : world.calls, output);
  });
  return [
    create('value', 'none', ({ fails }, { nodeId }) => (fails ? fail() : { output: { value: nodeId } })),
    create('effect', 'idempotent', ({ fails }, { nodeId, idempotencyKey }) =>
      fails ? fail() : act(idempotencyKey, world.calls, { value: nodeId }),
    ),
    create('pay', 'external', (_params, { nodeId, idempotencyKey }) =>
      act(idempotencyKey, world.payments, { value: nodeId }),
    ),
    create(
      'choose',
      'none',
      ({ chosen }, { nodeId }) => ({ output: { value: nodeId }, chosen: chosen as string[] }),
      true,
    ),
    {
      ...part,
      sideEffectsOf: ({ kind }) =>
        ({ value: 'none', effect: 'idempotent', pay: 'external' })[kind as string] as SideEffects,
    },
  ];
}

function createExecutor(world: World, mortality: Mortality): RunExecutor {
  return new RunExecutor({
    store: new MortalStore(world.store, mortality),
    catalogue: new ToolCatalogue([...toolCatalogue.list(), ...createTools(world, mortality)]),
    ports: {},
    logger: { log: () => undefined, warn: () => undefined, error: () => undefined },
    clock: { now: () => world.now, date: () => new Date(world.now) },
    workerId: 'worker',
    heartbeatMs: 60_000,
    flushMs: 0,
    shortWaitMs: 0,
  });
}

/** Answers one of the questions that somebody answers; a second answer, a moment later, must change nothing. */
function answerOne(world: World, random: () => number): boolean {
  const open = [...world.store.runs].flatMap(([runId, run]) =>
    run.status !== 'RUNNING'
      ? []
      : [...run.nodes.values()].flatMap(({ nodeId, status, waiting }) => {
          const isAnswered = run.signals.some((signal) => signal.nodeId === nodeId && signal.waitId === waiting?.id);
          const message = waiting?.question?.message ?? 'nobody';
          return status === 'WAITING' && message !== 'nobody' && !isAnswered
            ? [{ run, runId, nodeId, waiting, message }]
            : [];
        }),
  );
  if (open.length === 0) return false;
  const { run, nodeId, waiting, message } = pick(random, open);
  const answer = {
    value: message,
    message,
    attachedFiles: [],
    answeredBy: { id: 1, username: 'u' },
    answeredAt: 'now',
  };
  run.signals.push({ nodeId, waitId: waiting!.id!, value: answer, consumed: false });
  count('answer');
  return true;
}

function nextWake({ store }: World): number {
  const times = [...store.runs.values()].flatMap(({ status, wakeAt }) =>
    status === 'RUNNING' && wakeAt ? [wakeAt] : [],
  );
  if (times.length === 0) throw new Error('Nothing is due, and nothing will be.');
  return Math.min(...times);
}

async function playOut(world: World, random: () => number): Promise<void> {
  const deathRate = random() < 0.3 ? 0 : random() * 0.06;
  const stopsAt = random() < 0.1 ? Math.floor(random() * 12) : -1;
  for (let step = 0; step < 5_000; step += 1) {
    const root = world.store.get('r');
    if (root.status !== 'PENDING' && root.status !== 'RUNNING') return;
    if (step === stopsAt) {
      count('stop');
      world.store.stop('r');
      return;
    }
    const due = world.store.due(world.now);
    if (due.length === 0) {
      if (!answerOne(world, random)) world.now = nextWake(world) + Math.floor(random() * 1_000);
      continue;
    }
    const runId = pick(random, due);
    const mortality = new Mortality(random, step < 300 ? deathRate : 0);
    const executor = createExecutor(world, mortality);
    const end = await Promise.race([executor.execute(runId).then(() => 'ended' as const), mortality.death]);
    if (end === 'ended') continue;
    count('death');
    executor.abandon(runId);
    // What the sweeper makes of a lease that has run out.
    const lost = world.store.get(runId);
    if (lost.leaseOwner !== null) Object.assign(lost, { leaseOwner: null, wakeAt: world.now });
  }
  throw new Error('The run does not come to an end.');
}

/** What of a state the plan says. */
function shown({ status, output, error }: Pick<NodeState, 'status' | 'output' | 'error'>, kind: string): unknown {
  return { status, output: status === 'COMPLETED' ? plain(kind, output) : null, code: error?.code ?? null };
}

function plain(kind: string, output: unknown): unknown {
  switch (kind) {
    case 'delay':
      return 'until';
    case 'ask':
      return (output as { answer: unknown }).answer;
    case 'batch':
    case 'loop': {
      const { results, errors } = output as { results: unknown[]; errors: { index: number }[] };
      return { results, failed: errors.map(({ index }) => index) };
    }
    case 'sub_workflow':
      return (output as { result: unknown }).result;
    default:
      return output;
  }
}

/** Outputs of bodies hold what tools really gave out, so the plan is brought to the same form first. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    const { results, errors, answer, until, result, run_id: runId } = inner as Record<string, unknown>;
    if (Array.isArray(results) && Array.isArray(errors))
      return { failed: (errors as { index: number }[]).map(({ index }) => index), results };
    if (answer !== undefined && 'timed_out' in inner) return answer;
    if (until !== undefined) return 'until';
    if (runId !== undefined) return result ?? null;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a.localeCompare(b)));
  });
}

async function play(seed: number): Promise<void> {
  const random = createRandom(seed);
  const world = new World();
  const workflows = new Map(workflowIds.map((id): [string, Planned] => [id, planWorkflow(random, [], 1)]));
  for (const [id, definition] of workflows) world.store.workflows.set(id, definition);
  const definition = planWorkflow(random, workflowIds);
  world.store.add('r', definition);
  await playOut(world, random);

  const root = world.store.get('r');
  const lostItem = (runId: string, nodeId: string, index: number): boolean =>
    world.store.runs.get(runId)?.items.get(nodeId)?.get(index)?.status === 'LOST';
  const model = new OutcomeModel(workflows, (runId, nodeId, index) => {
    if (index !== undefined) return lostItem(runId, nodeId, index);
    return world.store.runs.get(runId)?.nodes.get(nodeId)?.error?.code === 'worker_lost';
  });
  const expected = model.run(definition, 'r');
  for (const node of definition.nodes) {
    const state = root.nodes.get(node.id);
    const planned: Outcome = expected.nodes.get(node.id)!;
    // After a stop only what had ended can be held against the plan.
    if (root.status === 'STOPPED' && (!state || !['COMPLETED', 'FAILED'].includes(state.status))) continue;
    count(`${node.kind} ${planned.status}`);
    const actual = state ?? { status: 'SKIPPED' as const, output: null, error: null };
    const wanted = {
      status: planned.status,
      output: planned.output,
      error: planned.code ? { code: planned.code, message: '' } : null,
    };
    const [a, b] = [shown(actual, node.kind), shown({ ...wanted }, 'plan')].map(comparable);
    if (a !== b) expect({ node: node.id, kind: node.kind, is: a }).toEqual({ node: node.id, kind: node.kind, is: b });
  }
  if (root.status !== 'STOPPED') expect(root.status).toBe(expected.status);
  for (const [key, times] of world.payments) if (times > 1) expect([key, times]).toEqual([key, 1]);
  const active = [...world.store.runs.values()].filter(({ status }) => status === 'PENDING' || status === 'RUNNING');
  if (active.length > 0) expect(active.map(({ status }) => status)).toEqual([]);
}

it(`comes to what the rules say in ${runs} random runs from seed ${firstSeed}`, async () => {
  for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) {
    try {
      await play(seed);
    } catch (error) {
      throw new Error(`Seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
  if (runs < 400) return;
  for (const event of ['death', 'answer', 'stop', 'loop COMPLETED', 'loop FAILED', 'batch COMPLETED', 'batch FAILED'])
    expect([event, seen.get(event) ?? 0]).not.toEqual([event, 0]);
}, 3_600_000);
