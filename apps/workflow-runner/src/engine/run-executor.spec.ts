import { setTimeout as pause } from 'node:timers/promises';
import { NotFoundError, SystemClock, UnavailableError } from '@app/common';
import {
  createPendingNodeState,
  type SideEffects,
  type Tool,
  ToolCatalogue,
  type ToolContext,
  ToolError,
  type ToolResult,
} from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';
import type { ExecutorOptions } from './executor-options.js';
import { InMemoryRunStore } from './in-memory-run-store.spec-support.js';
import { RunExecutor } from './run-executor.js';
import { stopwatch } from '../../../../test/support/timing.js';
import { inAll } from '../../../../test/support/long.js';

type Run = (params: Record<string, unknown>, context: ToolContext) => Promise<ToolResult> | ToolResult;

function tool(kind: string, run: Run, more: { sideEffects?: SideEffects; timeoutSeconds?: number } = {}): Tool {
  const base = toolCatalogue.find('set')!;
  return { ...base, kind, sideEffects: 'none', run, ...more };
}

function failingTool(kind: string, error: Error): Tool {
  return tool(kind, async () => {
    await pause(0);
    throw error;
  });
}

let store: InMemoryRunStore;
const logged: string[] = [];
const log = (message: string, fields?: Record<string, unknown>): void => {
  logged.push(`${message} ${JSON.stringify(fields)}`);
};

function createExecutor(tools: Tool[] = [], more: Partial<ExecutorOptions> = {}): RunExecutor {
  return new RunExecutor({
    store,
    catalogue: new ToolCatalogue([...toolCatalogue.list(), ...tools]),
    ports: {},
    logger: { log, warn: log, error: log },
    clock: new SystemClock(),
    workerId: 'worker',
    writeRetryMs: [1, 1],
    ...more,
  });
}

const node = (id: string, kind: string, more: Record<string, unknown> = {}) => ({ id, kind, ...more });

const diamond = {
  nodes: [
    node('start', 'manual_trigger', { next: ['a', 'b'] }),
    node('a', 'set', { params: { fields: { x: 1 } }, next: ['join'] }),
    node('b', 'set', { params: { fields: { x: { $ref: '_output.start.payload.x' } } }, next: ['join'] }),
    node('join', 'merge', { params: { values: [{ $ref: '_output.a.x' }, { $ref: '_output.b.x' }] } }),
  ],
};

beforeEach(() => {
  store = new InMemoryRunStore();
  logged.length = 0;
});

it('runs quick nodes with one claim and one write', async () => {
  store.add('r', diamond, { payload: { x: 2 } });
  await createExecutor([], { flushMs: 600_000 }).execute('r');
  expect(store.calls).toEqual(['claimRun', 'finishRun']);
  expect(store.get('r').status).toBe('COMPLETED');
  expect(store.get('r').nodes.get('join')!.output).toEqual({ value: [1, 2], count: 2 });
});

it('saves before a node with effects starts, and coalesces everything else', async () => {
  const saved: string[][] = [];
  const effect = tool(
    'effect',
    async (_params, { nodeId }) => {
      saved.push(Object.entries(store.statuses('r')).map(([id, status]) => `${id} ${status}`));
      expect(store.statuses('r')[nodeId]).toBe('RUNNING');
      await pause(1);
      return { output: null };
    },
    { sideEffects: 'external' },
  );
  store.add('r', {
    nodes: [
      node('s', 'manual_trigger', { next: ['e1', 'e2'] }),
      node('e1', 'effect', { next: ['z'] }),
      node('e2', 'effect'),
      node('z', 'set', { params: { fields: {} } }),
    ],
  });
  // No machine is so slow that the next write is due before these nodes have ended.
  await createExecutor([effect], { flushMs: 600_000 }).execute('r');
  expect(store.calls).toEqual(['claimRun', 'saveProgress', 'finishRun']);
  expect(saved[0]).toEqual(['s COMPLETED', 'e1 RUNNING', 'e2 RUNNING']);
});

it('shows progress of slow nodes while they work', async () => {
  store.add('r', { nodes: [node('slow', 'delay', { params: { seconds: 0.15 } })] });
  const execution = createExecutor().execute('r');
  await pause(100);
  expect(store.statuses('r')).toEqual({ slow: 'RUNNING' });
  await execution;
  expect(store.calls).toEqual(['claimRun', 'saveProgress', 'finishRun']);
});

it('bounds how many nodes of a run work at once', async () => {
  let atWork = 0;
  let most = 0;
  const busy = tool('busy', async () => {
    most = Math.max(most, ++atWork);
    await pause(2);
    atWork -= 1;
    return { output: null };
  });
  const ids = Array.from({ length: 20 }, (_, index) => `n${index}`);
  store.add('r', { nodes: ids.map((id) => node(id, 'busy')) });
  await createExecutor([busy], { concurrentNodes: 3 }).execute('r');
  expect(most).toBe(3);
  expect(store.get('r').status).toBe('COMPLETED');
});

describe('failures', () => {
  it.each([
    ['a tool error', new ToolError('own_code', 'Own words.'), { code: 'own_code', message: 'Own words.' }],
    ['a domain error', new NotFoundError('No such document.'), { code: 'not_found', message: 'No such document.' }],
    ['a transient error', new UnavailableError('Down.'), { code: 'unavailable', message: 'Down.' }],
    [
      'anything else',
      new Error('password=hunter2 at /srv/x.ts'),
      { code: 'tool_error', message: 'The node failed unexpectedly.' },
    ],
  ])('shows %s with a code and words for people', async (_name, error, expected) => {
    store.add('r', { nodes: [node('n', 'failing')] });
    await createExecutor([failingTool('failing', error)]).execute('r');
    expect(store.get('r')).toMatchObject({ status: 'FAILED', error: { nodeId: 'n', ...expected } });
    expect(store.get('r').nodes.get('n')).toMatchObject({ status: 'FAILED', error: expected });
  });

  it('tries transient ones again, and gives up on the others at once', async () => {
    const retry = { max_attempts: 3, backoff_seconds: 0.01 };
    const down = failingTool('down', new UnavailableError('Down.'));
    const gone = failingTool('gone', new NotFoundError('Gone.'));
    store.add('r', { nodes: [node('down', 'down', { retry }), node('gone', 'gone', { retry })] });
    await createExecutor([down, gone]).execute('r');
    expect(store.get('r').nodes.get('down')).toMatchObject({ status: 'FAILED', attempt: 3 });
    expect(store.get('r').nodes.get('gone')).toMatchObject({ status: 'FAILED', attempt: 1 });
  });

  it('ends a node that takes too long, and tells its tool', async () => {
    let isAborted = false;
    const stuck = tool('stuck', (_params, { signal }) => {
      return new Promise((_done, broken) => {
        signal.addEventListener('abort', () => {
          isAborted = true;
          broken(signal.reason as Error);
        });
      });
    });
    store.add('r', { nodes: [node('n', 'stuck', { timeout_seconds: 0.02 })] });
    await createExecutor([stuck]).execute('r');
    await pause(0);
    expect(store.get('r').error).toMatchObject({ code: 'timeout' });
    expect(isAborted).toBe(true);
    // That it breaks off then is what it was told.
    expect(logged.filter((line) => line.includes('unexpectedly'))).toEqual([]);
  });

  it.each([
    ['output_too_large', () => ({ output: ['x'.repeat(11_000_000), 'x'.repeat(11_000_000)] })],
    [
      'output_too_large',
      () => ({ output: Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], 'x') }),
    ],
    ['invalid_output', () => ({ output: circle() })],
    ['invalid_output', () => ({ output: 1n })],
  ])('refuses an output: %s', async (code, run) => {
    store.add('r', { nodes: [node('n', 'odd')] });
    await createExecutor([tool('odd', run)]).execute('r');
    expect(store.get('r').error).toMatchObject({ code });
  });

  inAll('refuses outputs that are too large together', async () => {
    const ids = Array.from({ length: 10 }, (_, n) => `n${n}`);
    store.add('r', { nodes: ids.map((id, n) => node(id, 'large', { next: ids.slice(n + 1, n + 2) })) });
    await createExecutor([tool('large', () => ({ output: 'x'.repeat(19_000_000) }))]).execute('r');
    const { nodes, error } = store.get('r');
    expect(error).toMatchObject({ nodeId: 'n7', code: 'output_too_large' });
    expect(nodes.get('n6')!.status).toBe('COMPLETED');
  });

  it('adds up what a node uses of language models over its tries', async () => {
    let tries = 0;
    const run = (): ToolResult => {
      tries += 1;
      return { output: tries, usage: { tokens: 5, spend: 0.5 } };
    };
    const restored = { ...createPendingNodeState('n'), status: 'RUNNING' as const, attempt: 1 };
    const nodes = new Map([['n', { ...restored, usage: { tokens: 2, spend: 0 } }]]);
    store.add('r', { nodes: [node('n', 'model')] }, { nodes });
    await createExecutor([tool('model', run)]).execute('r');
    expect(store.get('r').nodes.get('n')).toMatchObject({ output: 1, usage: { tokens: 7, spend: 0.5 } });
  });

  it('counts what failed tries and failed parts have used, each once', async () => {
    const failure = new ToolError('model_error', 'No.', true, { usage: { tokens: 5, spend: 0.5 } });
    const retry = { max_attempts: 2, backoff_seconds: 0 };
    store.add('r', {
      nodes: [
        node('n', 'model', { retry }),
        node('b', 'batch', { params: { items: [1], kind: 'model', params: {} }, retry: { ...retry, max_attempts: 1 } }),
      ],
    });
    await createExecutor([tool('model', () => Promise.reject(failure))]).execute('r');
    const { nodes } = store.get('r');
    expect(nodes.get('n')).toMatchObject({ status: 'FAILED', attempt: 2, usage: { tokens: 10, spend: 1 } });
    expect(nodes.get('b')).toMatchObject({ status: 'FAILED', usage: { tokens: 5, spend: 0.5 } });
  });

  it('fails runs whose definition or kinds are gone', async () => {
    store.add('bad', { nodes: [node('a', 'set', { next: ['a'] })] });
    store.add('old', { nodes: [node('a', 'no_longer_there')] });
    const executor = createExecutor();
    await executor.execute('bad');
    await executor.execute('old');
    expect(store.get('bad')).toMatchObject({ status: 'FAILED', error: { code: 'invalid_definition' } });
    expect(store.get('old')).toMatchObject({ status: 'FAILED', error: { code: 'unknown_kind' } });
  });
});

function circle(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

describe('waiting', () => {
  it('gives a run back over a long wait, and goes on when it is due', async () => {
    store.add('r', {
      nodes: [
        node('w', 'delay', { params: { seconds: 3_600 }, next: ['z'] }),
        node('z', 'set', { params: { fields: {} } }),
      ],
    });
    let now = Date.now();
    const clock = { now: () => now, date: () => new Date(now) };
    await createExecutor([], { clock }).execute('r');
    expect(store.calls).toEqual(['claimRun', 'parkRun']);
    expect(store.get('r')).toMatchObject({ status: 'RUNNING', leaseOwner: null, wakeAt: now + 3_600_000 });
    expect(store.statuses('r')).toEqual({ w: 'WAITING' });
    now += 3_600_000;
    await createExecutor([], { clock }).execute('r');
    expect(store.get('r').status).toBe('COMPLETED');
    expect(store.get('r').nodes.get('w')).toMatchObject({ status: 'COMPLETED', attempt: 1 });
  });

  it('waits for a person without an end, and takes the answer', async () => {
    const question = tool('question', (_params, { resume }) =>
      resume ? { output: resume.answer } : { wait: { reason: 'input', data: { q: 1 } } },
    );
    store.add('r', { nodes: [node('q', 'question')] });
    await createExecutor([question]).execute('r');
    expect(store.get('r')).toMatchObject({ status: 'RUNNING', wakeAt: null });
    const state = store.get('r').nodes.get('q')!;
    state.waiting = { ...state.waiting!, answer: { value: 'yes' } };
    await createExecutor([question]).execute('r');
    expect(store.get('r').nodes.get('q')).toMatchObject({ status: 'COMPLETED', output: 'yes', waiting: null });
  });
});

describe('losing the run', () => {
  const slow = tool('slow', async (_params, { signal, sleep }) => {
    await sleep(5_000);
    return { output: signal.aborted };
  });

  it('notices a stop by the heartbeat, aborts, and writes nothing more', async () => {
    store.add('r', { nodes: [node('n', 'slow')] });
    const executor = createExecutor([slow], { heartbeatMs: 20 });
    const execution = executor.execute('r');
    await pause(30);
    store.stop('r');
    const took = stopwatch();
    await execution;
    expect(took()).toBeLessThan(500);
    expect(store.calls).not.toContain('finishRun');
    expect(executor.activeRuns).toBe(0);
  });

  it('notices a stop by a live message at once', async () => {
    store.add('r', { nodes: [node('n', 'slow')] });
    const executor = createExecutor([slow]);
    const execution = executor.execute('r');
    await pause(10);
    store.stop('r');
    executor.abandon('r');
    await execution;
    expect(store.calls).not.toContain('finishRun');
  });

  it('does not start an effect when another worker has taken over', async () => {
    let effects = 0;
    const effect = tool('effect', () => ({ output: (effects += 1) }), { sideEffects: 'external' });
    const takenOver = tool('taken_over', () => {
      store.get('r').fence += 1;
      return { output: null };
    });
    store.add('r', { nodes: [node('a', 'taken_over', { next: ['b'] }), node('b', 'effect')] });
    await createExecutor([takenOver, effect]).execute('r');
    expect(effects).toBe(0);
    expect(store.get('r').status).toBe('RUNNING');
  });

  it('outlives a database that is away for a moment', async () => {
    store.add('r', diamond);
    let failures = 2;
    jest.spyOn(store, 'finishRun').mockImplementation(function (this: InMemoryRunStore, ...args) {
      if (failures-- > 0) return Promise.reject(new Error('connection terminated'));
      return InMemoryRunStore.prototype.finishRun.apply(store, args);
    });
    await createExecutor().execute('r');
    expect(store.get('r').status).toBe('COMPLETED');
  });

  it('drains: starts nothing new, finishes what is at work, and gives the rest back', async () => {
    store.add('r', {
      nodes: [
        node('a', 'delay', { params: { seconds: 0.1 }, next: ['b'] }),
        node('b', 'set', { params: { fields: {} } }),
      ],
    });
    const executor = createExecutor();
    const execution = executor.execute('r');
    await pause(20);
    await executor.drain(2_000);
    await execution;
    expect(store.statuses('r')).toMatchObject({ a: 'COMPLETED' });
    expect(store.get('r')).toMatchObject({ status: 'RUNNING', leaseOwner: null });
    expect(store.get('r').wakeAt).not.toBeNull();
    await createExecutor().execute('r');
    expect(store.get('r').status).toBe('COMPLETED');
  });

  it('drains: drops what does not end within the grace', async () => {
    store.add('r', { nodes: [node('n', 'slow')] });
    const executor = createExecutor([slow]);
    const execution = executor.execute('r');
    await pause(10);
    const took = stopwatch();
    await executor.drain(30);
    await execution;
    expect(took()).toBeLessThan(1_000);
    expect(executor.activeRuns).toBe(0);
  });
});

it('goes on with the next request of the workflow', async () => {
  for (const id of ['r1', 'r2', 'r3']) store.add(id, diamond);
  store.queue.push('r2', 'r3');
  await createExecutor().execute('r1');
  expect([...store.runs.values()].map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
  expect(store.calls).toEqual(['claimRun', 'finishRun', 'finishRun', 'finishRun']);
});

it('runs a branch with the outputs of the run before', async () => {
  store.add('r', diamond, { payload: { x: 5 } });
  await createExecutor().execute('r');
  const { nodes } = store.get('r');
  const lent = new Map([...nodes].filter(([id]) => id === 'start' || id === 'a'));
  store.add('branch', diamond, { nodes: lent, onlyNodeIds: ['b', 'join'] });
  await createExecutor().execute('branch');
  expect(store.get('branch').nodes.get('join')!.output).toEqual({ value: [1, 5], count: 2 });
});

it('lets other runs work during a long stretch of quick nodes', async () => {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  const spin = tool('spin', () => {
    const until = performance.now() + 2;
    while (performance.now() < until);
    return { output: null };
  });
  const ids = Array.from({ length: 50 }, (_, index) => `n${index}`);
  store.add('r', { nodes: ids.map((id, index) => node(id, 'spin', { next: ids.slice(index + 1, index + 2) })) });
  await createExecutor([spin]).execute('r');
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(4);
});
