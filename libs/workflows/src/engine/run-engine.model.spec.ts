import { type NodeState, parseDefinition } from '@app/workflow-definition';
import { rounds } from '../../../../test/support/long.js';
import { createRandom, createRandomWorkflow, pick } from './random-workflow.spec-support.js';
import { ReferenceModel, type ModelNode, type ModelState } from './reference-model.spec-support.js';
import { RunEngine } from './run-engine.js';

/**
 * docs/contract/reliability.md#figures (6): random workflows with random faults, step by step against the reference.
 * A difference names its
 * seed; `ATRIUM_MODEL_SEED=<seed> ATRIUM_MODEL_RUNS=1` plays it again.
 */
const runs = Number(process.env.ATRIUM_MODEL_RUNS ?? rounds(2_000, 500, 200));
const firstSeed = Number(process.env.ATRIUM_MODEL_SEED ?? 1);

const sideEffects = { pure: 'none', branching: 'none', idempotent: 'idempotent', external: 'external' } as const;
const kindOf = (kind: string) => ({
  isBranching: kind === 'branching',
  sideEffects: sideEffects[kind as keyof typeof sideEffects],
});

interface StoredSignal {
  nodeId: string;
  waitId: string;
  value: unknown;
  consumed: boolean;
}

const seen = new Map<string, number>();
const count = (event: string): void => void seen.set(event, (seen.get(event) ?? 0) + 1);

function play(seed: number): void {
  const random = createRandom(seed);
  const { nodes, entry } = createRandomWorkflow(random);
  let only: string[] | null = null;
  const { graph, errors } = parseDefinition({ nodes, entry });
  if (!graph) throw new Error(`The generator made a definition with errors: ${JSON.stringify(errors)}`);
  const entries = graph.entries.map((index) => graph.nodes[index]!.id);
  let model = new ReferenceModel(nodes, entries);
  let now = 1_000;
  const saved = new Map<string, NodeState>();
  /** The table workflow_signals: what stands there survives every crash, and the first one wins. */
  const signals: StoredSignal[] = [];
  let children = 0;
  let savedModel = structuredClone(model.states);
  let engine = new RunEngine(graph, [], { kindOf, now });
  model.settle();

  const isNever = random() < 0.3;
  const crashRate = isNever ? 0 : random() * 0.1;
  const failureRate = random() * 0.5;
  const waitRate = random() * 0.2;
  const ids = nodes.map(({ id }) => id);
  const running = (): string[] => ids.filter((id) => model.states[id]!.status === 'RUNNING');

  const compare = (): void => {
    const expected = ids.map((id) => describeModel(id, model.states[id]!));
    const states = engine.states();
    const byId = new Map(states.map((state) => [state.nodeId, state]));
    const actual = ids.map((id) => describeEngine(byId.get(id)!));
    // expect() is slow, and nearly always there is nothing to say.
    if (actual.join() !== expected.join()) expect(actual).toEqual(expected);
    const status = engine.status === 'PENDING' ? 'RUNNING' : engine.status;
    if (status !== model.runStatus()) expect(status).toBe(model.runStatus());
  };
  const save = (): void => {
    for (const { consumed, ...state } of engine.takeDirty()) {
      saved.set(state.nodeId, structuredClone(state));
      for (const signal of signals)
        if (signal.nodeId === state.nodeId && consumed?.includes(signal.waitId)) signal.consumed = true;
    }
    savedModel = structuredClone(model.states);
  };
  const send = (nodeId: string, waitId: string, value: unknown): void => {
    if (signals.some((signal) => signal.nodeId === nodeId && signal.waitId === waitId)) return;
    signals.push({ nodeId, waitId, value, consumed: false });
  };
  /** As after a claim, a notification or a heartbeat: everything that no written state has taken in, known or not. */
  const deliver = (): void => {
    for (const { nodeId, waitId, value, consumed } of signals) {
      if (consumed || (only && !only.includes(nodeId))) continue;
      engine.signal(nodeId, waitId, value);
      model.signal(nodeId, waitId, value);
    }
  };
  /** The deadline and an answer may have come at the same moment; the table says which was first. */
  const closeExpired = (): void => {
    const expired = engine.takeExpired();
    if (expired.length > 0 || model.overdue(now).length > 0)
      expect(expired.map(({ nodeId }) => nodeId).sort()).toEqual(model.overdue(now).sort());
    for (const { nodeId, waitId } of expired) {
      const answer = signals.find((signal) => signal.nodeId === nodeId && signal.waitId === waitId);
      count(answer && !answer.consumed ? 'answer beats deadline' : 'deadline');
      if (!answer) signals.push({ nodeId, waitId, value: null, consumed: true });
      const value = answer && !answer.consumed ? answer.value : null;
      engine.signal(nodeId, waitId, value);
      model.signal(nodeId, waitId, value);
    }
  };
  const start = (): void => {
    engine.wake(now);
    closeExpired();
    const startable = model.startable(now);
    const limit = random() < 0.5 ? Number.POSITIVE_INFINITY : 1 + Math.floor(random() * 3);
    const tasks = engine.takeReady(now, limit);
    if (tasks.length !== Math.min(limit, startable.length)) expect(tasks.map(({ node }) => node.id)).toEqual(startable);
    for (const { node, params, resume, failures } of tasks) {
      const { answer, failures: failed } = model.states[node.id]!;
      if ((resume?.answer ?? null) !== answer || failures !== failed)
        expect([node.id, resume, failures]).toEqual([node.id, { answer }, failed]);
      if (!startable.includes(node.id)) expect(startable).toContain(node.id);
      const reference = (node.params.$ as { $ref: string } | undefined)?.$ref.split('.')[1];
      const source = reference === undefined ? undefined : model.states[reference];
      const value = source?.status === 'COMPLETED' ? reference : null;
      if (reference !== undefined && params.$ !== value) expect(params).toEqual({ $: value });
      model.start(node.id);
    }
  };
  const waitFor = (id: string, reason: 'timer' | 'input' | 'child'): void => {
    const until = reason === 'timer' || random() < 0.5 ? now + Math.floor(random() * 3_000) : null;
    // A loop waits for several runs at once; what it started may have ended before it waits.
    const keys = Array.from({ length: 1 + Math.floor(random() * 3) }, () => `child ${(children += 1)}`);
    for (const key of reason === 'child' ? keys : []) if (random() < 0.3) send(id, key, `end of ${key}`);
    if (random() < 0.3) deliver();
    count(`wait ${reason}`);
    expect(
      engine.wait(id, {
        reason,
        ...(until !== null && { until }),
        ...(reason === 'child' && { children: keys }),
      }),
    ).toBe(true);
    model.wait(id, reason, until, reason === 'child' ? keys : []);
  };
  const finishOne = (): void => {
    const id = pick(random, running());
    const { kind, next } = nodes.find((node) => node.id === id)!;
    const choice = random();
    if (choice < failureRate) {
      const retryable = random() < 0.8;
      count('failed');
      expect(engine.fail(id, { code: 'broken', message: 'Broken.', retryable }, now)).toBe(true);
      model.fail(id, 'broken', retryable, now);
    } else if (choice < failureRate + waitRate) {
      waitFor(id, pick(random, ['timer', 'input', 'child'] as const));
    } else {
      const chosen = kind === 'branching' ? next.filter(() => random() < 0.5) : undefined;
      expect(engine.complete(id, { output: { value: id }, ...(chosen && { chosen }) }, now)).toBe(true);
      model.end(id, 'COMPLETED', { chosen });
    }
  };
  const crash = (): void => {
    count('crash');
    const restored = [...saved.values()].map((state) => structuredClone(state));
    engine = new RunEngine(graph, restored, { kindOf, now, only });
    model = new ReferenceModel(nodes, entries, only);
    model.states = structuredClone(savedModel);
    model.loseWorker();
    for (const state of Object.values(model.states)) state.early = [];
    deliver();
  };
  /** Somebody answers, or a child run ends: at first only the table knows. */
  const sendOne = (): boolean => {
    const open = ids.filter((id) => awaitsSignal(model.states[id]!));
    if (open.length === 0) return false;
    const id = pick(random, open);
    const waitId = pick(random, model.states[id]!.awaited);
    send(id, waitId, `answer to ${waitId}`);
    if (random() < 0.6) deliver();
    return true;
  };

  const playToTheEnd = (): void => {
    compare();
    for (let step = 0; model.runStatus() === 'RUNNING'; step += 1) {
      if (step > 20_000) throw new Error('The run does not come to an end.');
      const choice = random();
      if (choice < crashRate && step < 2_000) crash();
      else if (choice < crashRate + 0.15) save();
      else if (choice < crashRate + 0.153) {
        count('stop');
        engine.stop(now);
        model.stop();
      } else if (choice < 0.5 && (model.startable(now).length > 0 || engine.hasReady)) start();
      else if (running().length > 0) finishOne();
      else if (random() < 0.5 || !sendOne()) {
        if (model.startable(now).length > 0 || model.overdue(now).length > 0) start();
        else if (random() < 0.5) deliver();
        else now += Math.ceil(random() * 2_000);
      }
      compare();
    }
    expect(engine.hasReady).toBe(false);
    expect(engine.nextWakeAt()).toBeNull();
    // What would stay would ask for the run for ever.
    if (engine.status === 'STOPPED') return;
    deliver();
    save();
    const left = signals.filter(({ nodeId, consumed }) => !consumed && (!only || only.includes(nodeId)));
    if (left.length > 0) expect(left).toEqual([]);
  };
  playToTheEnd();
  if (random() < 0.5) {
    const first = pick(random, ids);
    only = random() < 0.3 ? [first] : withDescendants(first, nodes);
    count('branch');
    save();
    model = new ReferenceModel(nodes, entries, only);
    for (const id of ids) if (!only.includes(id)) model.states[id] = structuredClone(savedModel[id]!);
    for (const id of only) saved.delete(id);
    // Another run, with signals of its own.
    signals.length = 0;
    savedModel = structuredClone(model.states);
    engine = new RunEngine(graph, [...saved.values()], { kindOf, now, only });
    model.settle();
    playToTheEnd();
  }
  for (const id of ids) count(model.states[id]!.status);
  count(`run ${engine.status}`);
}

function awaitsSignal({ status, isAnswered, awaited }: ModelState): boolean {
  return status === 'WAITING' && !isAnswered && awaited.length > 0;
}

function withDescendants(first: string, nodes: readonly ModelNode[]): string[] {
  const found = [first];
  for (const id of found) {
    const { next, error_next: errorNext, on_error: onError } = nodes.find((node) => node.id === id)!;
    for (const target of onError === 'branch' ? [...next, ...errorNext] : next) {
      if (!found.includes(target)) found.push(target);
    }
  }
  return found;
}

function describeModel(id: string, state: ModelState): string {
  const status = state.status === 'LOST' ? 'RUNNING' : state.status;
  return format(id, status, state.attempt, state.reason, state.until, state.errorCode);
}

function describeEngine({ nodeId, status, attempt, waiting, error }: NodeState): string {
  return format(nodeId, status, attempt, waiting?.reason ?? null, waiting?.until ?? null, error?.code ?? null);
}

function format(
  id: string,
  status: string,
  attempt: number,
  reason: string | null,
  until: number | null,
  code: string | null,
): string {
  const wait = status === 'WAITING' ? `${reason} ${until}` : '';
  return `${id} ${status} ${attempt} ${wait}${status === 'FAILED' ? code : ''}`;
}

it(`behaves like the reference in ${runs} random runs from seed ${firstSeed}`, () => {
  for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) {
    try {
      play(seed);
    } catch (error) {
      throw new Error(`Seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
  if (runs < 500) return;
  const expected = ['COMPLETED', 'FAILED', 'SKIPPED', 'STOPPED', 'run COMPLETED', 'run FAILED', 'run STOPPED', 'crash'];
  for (const event of [
    ...expected,
    'branch',
    'wait timer',
    'wait input',
    'wait child',
    'deadline',
    'answer beats deadline',
  ])
    expect([event, seen.get(event) ?? 0]).not.toEqual([event, 0]);
}, 3_600_000);
