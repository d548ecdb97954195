import { setTimeout as pause } from 'node:timers/promises';
import { SystemClock } from '@app/common';
import {
  type SideEffects,
  type Tool,
  ToolCatalogue,
  type ToolContext,
  ToolError,
  type ToolResult,
} from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';
import type { ExecutorOptions, QuestionEvent } from './executor-options.js';
import { InMemoryRunStore } from './in-memory-run-store.spec-support.js';
import { RunExecutor } from './run-executor.js';

type Run = (params: Record<string, unknown>, context: ToolContext) => Promise<ToolResult> | ToolResult;

function tool(kind: string, run: Run, more: { sideEffects?: SideEffects; timeoutSeconds?: number } = {}): Tool {
  return { ...toolCatalogue.find('set')!, kind, sideEffects: 'none', run, ...more };
}

let store: InMemoryRunStore;
let now: number;
let questions: QuestionEvent[];

function createExecutor(tools: Tool[] = [], more: Partial<ExecutorOptions> = {}): RunExecutor {
  return new RunExecutor({
    store,
    catalogue: new ToolCatalogue([...toolCatalogue.list(), ...tools]),
    ports: {},
    logger: { log: () => undefined, warn: () => undefined, error: () => undefined },
    clock: { now: () => now, date: () => new Date(now) },
    workerId: 'worker',
    onQuestion: (question) => questions.push(question),
    ...more,
  });
}

/** Works on whatever is due until nothing is. */
async function work(executor: RunExecutor): Promise<void> {
  for (let ids = store.due(now); ids.length > 0; ids = store.due(now)) {
    await Promise.all(ids.map((id) => executor.execute(id)));
  }
}

const takenBranches = (runId: string) =>
  ['yes', 'no', 'late', 'both'].filter((id) => stateOf(runId, id).status === 'COMPLETED').join();

const node = (id: string, kind: string, more: Record<string, unknown> = {}) => ({ id, kind, ...more });
const stateOf = (runId: string, nodeId: string) => store.get(runId).nodes.get(nodeId)!;
const say = (template: string) => ({ nodes: [node('say', 'template', { params: { template } })] });

const batchOf = (items: unknown[], params: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  nodes: [
    node('list', 'set', { params: { fields: { items, tail: { $ref: '_webhook_payload.tail' } } }, next: ['b'] }),
    node('b', 'batch', {
      params: {
        items: { $ref: '_output.list.items' },
        kind: 'template',
        params: { template: '{{_index}} {{_item.name}} {{_output.list.tail}}' },
        ...params,
      },
      ...more,
    }),
  ],
});

const callingWorkflow = (params: Record<string, unknown> = {}) => ({
  nodes: [
    node('s', 'sub_workflow', {
      params: { workflow_id: '6ba7b810-9dad-41d1-80b4-00c04fd430c8', inputs: { who: 'Ada' }, ...params },
      next: ['z'],
    }),
    node('z', 'template', { params: { template: '{{_output.s.result.text}}!' } }),
  ],
});

const answer = (value: unknown) => ({
  value,
  message: '',
  attachedFiles: [],
  answeredBy: { id: 1, username: 'ada' },
  answeredAt: 'now',
});
const knowWorkflow = (definition: unknown) => store.workflows.set('6ba7b810-9dad-41d1-80b4-00c04fd430c8', definition);

const sendAnswer = (runId: string, nodeId: string, waitId: string, value: unknown) =>
  store.get(runId).signals.push({ nodeId, waitId, value: answer(value), consumed: false });

beforeEach(() => {
  store = new InMemoryRunStore();
  now = new SystemClock().now();
  questions = [];
});

describe('batch', () => {
  it('applies a kind to every item, with references to the item that keep to the definition', async () => {
    store.add('r', batchOf([{ name: 'Ada' }, { name: 'Grace' }]), { payload: { tail: '{{_item}}' } });
    await createExecutor().execute('r');
    // What an output spells is mere text: only the definition refers to items.
    const results = [{ text: '0 Ada {{_item}}' }, { text: '1 Grace {{_item}}' }];
    const output = { results, count: 2, failed: 0, errors: [] };
    expect(stateOf('r', 'b')).toMatchObject({ status: 'COMPLETED', output, batchTotal: 2, batchCompleted: 2 });
  });

  it('outlasts a database that is away for a moment', async () => {
    store.add('r', batchOf([{ name: 'Ada' }]), { payload: { tail: '' } });
    for (const call of ['loadItems', 'saveItems'] as const) {
      const real = store[call].bind(store) as () => Promise<never>;
      jest.spyOn(store, call).mockRejectedValueOnce(new Error('Connection terminated')).mockImplementation(real);
    }
    await createExecutor([], { writeRetryMs: [1] }).execute('r');
    expect(stateOf('r', 'b')).toMatchObject({ status: 'COMPLETED', attempt: 1, output: { count: 1 } });
  });

  it('hands on items with their types', async () => {
    const seen: unknown[] = [];
    const keep = tool('keep', ({ value }) => ({ output: seen.push(value) }));
    store.add('r', batchOf([1, null, [true], { a: 'b' }], { kind: 'keep', params: { value: { $ref: '_item' } } }));
    await createExecutor([keep]).execute('r');
    expect(seen).toEqual([1, null, [true], { a: 'b' }]);
  });

  it('works through 10,000 items with few writes, never more at once than allowed', async () => {
    let atWork = 0;
    let most = 0;
    const slow = tool('slow', async (_params, { idempotencyKey }) => {
      most = Math.max(most, (atWork += 1));
      await new Promise((resolve) => setImmediate(resolve));
      atWork -= 1;
      return { output: idempotencyKey };
    });
    const items = Array.from({ length: 10_000 }, (_, index) => index);
    store.add('r', batchOf(items, { kind: 'slow', params: {}, concurrency: 7 }));
    await createExecutor([slow], { clock: new SystemClock() }).execute('r');
    expect(most).toBe(7);
    const { batchTotal, batchCompleted } = stateOf('r', 'b');
    expect({ batchTotal, batchCompleted }).toEqual({ batchTotal: 10_000, batchCompleted: 10_000 });
    const { results } = store.outputOf('r', 'b') as { results: string[] };
    expect(results[9_999]).toBe('r:b:9999');
    expect(store.calls.filter((call) => call === 'saveItems').length).toBeLessThan(100);
  });

  const picky = tool('picky', ({ value }) => {
    if (value === 2) throw new ToolError('two', 'Not two.');
    return { output: value };
  });
  const pickyParams = { kind: 'picky', params: { value: { $ref: '_item' } }, concurrency: 1 };

  it('fails with the first item that fails, or collects what failed', async () => {
    store.add('fail', batchOf([1, 2, 3, 2], pickyParams));
    store.add('collect', batchOf([1, 2, 3, 2], { ...pickyParams, item_failures: 'collect' }));
    await work(createExecutor([picky]));
    const error = { code: 'item_failed', message: 'Item 2 failed (two): Not two.' };
    expect(stateOf('fail', 'b')).toMatchObject({ status: 'FAILED', error, batchTotal: 4, batchCompleted: 2 });
    expect(stateOf('collect', 'b').output).toEqual({
      results: [1, null, 3, null],
      count: 4,
      failed: 2,
      errors: [1, 3].map((index) => ({ index, code: 'two', message: 'Not two.' })),
    });
  });

  it('tries only what failed again', async () => {
    const calls: number[] = [];
    const flaky = tool('flaky', ({ value }) => {
      calls.push(value as number);
      if (value === 2 && calls.filter((call) => call === 2).length < 3) throw new ToolError('busy', 'Busy.');
      return { output: value };
    });
    const retry = { retry: { max_attempts: 3, backoff_seconds: 0 } };
    store.add('r', batchOf([1, 2, 3], { ...pickyParams, kind: 'flaky', item_failures: 'fail' }, retry));
    await createExecutor([flaky], { clock: new SystemClock() }).execute('r');
    expect(stateOf('r', 'b')).toMatchObject({ status: 'COMPLETED', attempt: 3, output: { results: [1, 2, 3] } });
    expect(calls).toEqual([1, 2, 2, 2, 3]);
  });

  it('goes on with the unfinished items after its worker was lost, and runs no effect twice', async () => {
    const calls = new Map<string, number>();
    let isStuck = true;
    const pay = tool(
      'pay',
      async (_params, { idempotencyKey }) => {
        calls.set(idempotencyKey, (calls.get(idempotencyKey) ?? 0) + 1);
        if (isStuck && idempotencyKey.endsWith(':4')) await new Promise(() => undefined);
        return { output: idempotencyKey };
      },
      { sideEffects: 'external' },
    );
    store.add(
      'r',
      batchOf([0, 1, 2, 3, 4, 5, 6], { kind: 'pay', params: {}, concurrency: 1, item_failures: 'collect' }),
    );
    const lost = createExecutor([pay], { flushMs: 5 });
    void lost.execute('r');
    await pause(150);
    lost.abandon('r');
    store.expireLeases();
    isStuck = false;
    await createExecutor([pay]).execute('r');
    expect([...calls.values()]).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(stateOf('r', 'b').output).toMatchObject({
      results: ['r:b:0', 'r:b:1', 'r:b:2', 'r:b:3', null, 'r:b:5', 'r:b:6'],
      errors: [{ index: 4, code: 'worker_lost' }],
    });
  });

  it('fills in secrets item by item and keeps them out of what is written', async () => {
    const seen: unknown[] = [];
    const call = tool('call', ({ header }) => {
      seen.push(header);
      if (seen.length === 2) throw new ToolError('refused', `Not with ${String(header)}.`, false);
      return { output: { echo: header } };
    });
    const params = { header: 'Bearer {{_secret.key}} for {{_item}}' };
    store.add('r', batchOf(['a', 'b'], { kind: 'call', params, item_failures: 'collect', concurrency: 1 }));
    const secrets = { open: () => Promise.resolve({ values: new Map([['key', 'hunter2secret']]), hosts: null }) };
    await createExecutor([call], { secrets }).execute('r');
    expect(seen).toEqual(['Bearer hunter2secret for a', 'Bearer hunter2secret for b']);
    expect(stateOf('r', 'b').output).toMatchObject({
      results: [{ echo: 'Bearer *** for a' }, null],
      errors: [{ message: 'Not with Bearer *** for b.' }],
    });
    expect(JSON.stringify([...store.get('r').items.get('b')!.values()])).not.toContain('hunter2');
  });

  it.each([
    ['batch', { items: [], kind: 'template' }],
    ['ask', { question: 'Hm?' }],
  ])('does not apply %s, which cannot be a part', async (kind, params) => {
    store.add('r', batchOf([1], { kind, params }));
    await createExecutor().execute('r');
    expect(stateOf('r', 'b').error).toMatchObject({ code: 'item_failed' });
  });
});

describe('loop', () => {
  const loop = (params: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
    nodes: [
      node('l', 'loop', { params, next: ['z'], ...more }),
      node('z', 'set', { params: { fields: { r: { $ref: '_output.l.results' } } } }),
    ],
  });
  const items = ['a', 'b', 'c', 'd', 'e'];

  it.each([1, 3])('runs its body for every item and keeps the order, %d at a time', async (concurrency) => {
    const body = say('{{_webhook_payload.greeting}} {{_item}} {{_index}}');
    store.add('r', loop({ items, body, inputs: { greeting: 'Hi' }, concurrency }));
    await work(createExecutor());
    expect(stateOf('r', 'l')).toMatchObject({ status: 'COMPLETED', attempt: 1, batchTotal: 5, batchCompleted: 5 });
    expect(stateOf('r', 'z').output).toEqual({ r: items.map((item, index) => ({ text: `Hi ${item} ${index}` })) });
    expect(store.get('r').signals.every(({ consumed }) => consumed)).toBe(true);
  });

  it('starts no more at once than allowed, and one after the other by default', async () => {
    store.add('r', loop({ items, body: say('x') }));
    await createExecutor().execute('r');
    expect(store.due(now)).toEqual(['r/l/body:0.0']);
    store.add('s', loop({ items, body: say('x'), concurrency: 3 }));
    await createExecutor().execute('s');
    expect(store.due(now).filter((id) => id.startsWith('s/'))).toHaveLength(3);
  });

  it('goes through nothing at all', async () => {
    store.add('r', loop({ items: [], body: say('x') }));
    await work(createExecutor());
    expect(stateOf('r', 'z').output).toEqual({ r: [] });
  });

  const failing = {
    nodes: [
      node('c', 'condition', {
        params: { left: { $ref: '_item' }, right: 'c', if_true: ['x'], if_false: ['ok'] },
        next: ['x', 'ok'],
      }),
      node('x', 'stop_with_error', { params: { message: 'No c.', code: 'no_c' } }),
      node('ok', 'template', { params: { template: '{{_item}}' } }),
    ],
  };

  it('fails with the first item that fails and stops the others', async () => {
    store.add('r', loop({ items: ['c', ...items], body: failing, concurrency: 2 }));
    await work(createExecutor());
    const error = { code: 'item_failed', message: 'Item 1 failed (no_c): No c.' };
    expect(stateOf('r', 'l')).toMatchObject({ status: 'FAILED', error });
    expect(store.get('r').status).toBe('FAILED');
  });

  it('collects failures', async () => {
    store.add('r', loop({ items, body: failing, item_failures: 'collect' }));
    await work(createExecutor());
    expect(stateOf('r', 'l').output).toEqual({
      results: [{ text: 'a' }, { text: 'b' }, null, { text: 'd' }, { text: 'e' }],
      count: 5,
      failed: 1,
      errors: [{ index: 2, code: 'no_c', message: 'No c.' }],
    });
  });

  it('runs only what was not done when it is tried again', async () => {
    let isDown = true;
    const calls: string[] = [];
    const flaky = tool('flaky', ({ value }) => {
      calls.push(value as string);
      if (value === 'd' && isDown) throw new ToolError('down', 'Down.');
      return { output: value };
    });
    const body = { nodes: [node('f', 'flaky', { params: { value: { $ref: '_item' } } })] };
    store.add('r', loop({ items, body }, { retry: { max_attempts: 2, backoff_seconds: 3_600 } }));
    await work(createExecutor([flaky]));
    expect(stateOf('r', 'l')).toMatchObject({ status: 'WAITING', waiting: { reason: 'retry' } });
    isDown = false;
    now += 3_600_000;
    await work(createExecutor([flaky]));
    expect(stateOf('r', 'l').output).toMatchObject({ results: items });
    expect(calls.join('')).toBe('abcdde');
  });

  it('goes on with a body that waits for days', async () => {
    const wait = node('w', 'delay', { params: { seconds: 86_400 }, next: ['say'] });
    const body = { nodes: [wait, ...say('{{_item}}').nodes] };
    store.add('r', loop({ items: ['a', 'b'], body }));
    await work(createExecutor());
    expect(store.get('r')).toMatchObject({ status: 'RUNNING', leaseOwner: null });
    for (let day = 0; day < 2; day += 1) {
      now += 86_400_000;
      await work(createExecutor());
    }
    expect(stateOf('r', 'l').output).toMatchObject({ results: [{ text: 'a' }, { text: 'b' }] });
  });

  it('runs loops in loops', async () => {
    const inner = { nodes: [node('in', 'loop', { params: { items: { $ref: '_item' }, body: say('<{{_item}}>') } })] };
    store.add('r', loop({ items: [['a', 'b'], ['c']], body: inner }));
    await work(createExecutor());
    const { results } = stateOf('r', 'l').output as { results: { results: unknown[] }[] };
    expect(results.map((one) => one.results)).toEqual([[{ text: '<a>' }, { text: '<b>' }], [{ text: '<c>' }]]);
  });
});

describe('repeat', () => {
  const double = { nodes: [node('d', 'double', { params: { n: { $ref: '_item.result' } } })] };
  const doubling = tool('double', ({ n }) => ({ output: { result: Number(n) * 2 } }));
  const repeat = (params: Record<string, unknown>) => ({
    nodes: [node('w', 'repeat', { params: { body: double, ...params } })],
  });

  it('repeats until the condition holds', async () => {
    const growing = {
      nodes: [node('d', 'template', { params: { template: '{{_item.text}}x' } })],
    };
    store.add('r', repeat({ body: growing, initial: { text: '' }, path: 'text', operator: 'equals', value: 'xxx' }));
    await work(createExecutor());
    expect(stateOf('r', 'w').output).toEqual({ result: { text: 'xxx' }, rounds: 3, fulfilled: true });
  });

  it('gives up after the last round', async () => {
    store.add('fail', repeat({ initial: { result: 1 }, max_rounds: 3 }));
    store.add('go_on', repeat({ initial: { result: 1 }, max_rounds: 3, when_exhausted: 'continue' }));
    await work(createExecutor([doubling]));
    expect(stateOf('fail', 'w').error).toEqual({
      code: 'rounds_exhausted',
      message: 'The condition did not hold after 3 rounds.',
    });
    expect(stateOf('go_on', 'w').output).toEqual({ result: { result: 8 }, rounds: 3, fulfilled: false });
  });
});

describe('sub-workflow', () => {
  it('runs another workflow and goes on with its result', async () => {
    knowWorkflow(say('Hi {{_webhook_payload.who}}'));
    store.add('r', callingWorkflow());
    await work(createExecutor());
    expect(stateOf('r', 'z').output).toMatchObject({ text: 'Hi Ada!' });
    expect(stateOf('r', 's')).toMatchObject({ attempt: 1, output: { run_id: 'r/s/0' } });
  });

  it('says why it failed', async () => {
    knowWorkflow({ nodes: [node('bad', 'stop_with_error', { params: { message: 'No.', code: 'nope' } })] });
    store.add('r', callingWorkflow());
    await work(createExecutor());
    expect(stateOf('r', 's').error).toEqual({ code: 'child_failed', message: 'Run 1 failed at node bad (nope): No.' });
  });

  it('fails where there is no such workflow', async () => {
    store.add('r', callingWorkflow());
    await work(createExecutor());
    expect(stateOf('r', 's').error).toMatchObject({ code: 'workflow_not_found' });
  });

  it('is stopped when it takes too long', async () => {
    knowWorkflow({ nodes: [node('w', 'delay', { params: { seconds: 86_400 } })] });
    store.add('r', callingWorkflow({ max_seconds: 60 }));
    await work(createExecutor());
    now += 60_000;
    await work(createExecutor());
    expect(stateOf('r', 's').error).toMatchObject({ code: 'timeout' });
    expect(store.get('r/s/0').status).toBe('STOPPED');
  });

  it('is started anew when its failure is tried again', async () => {
    knowWorkflow({ nodes: [node('bad', 'stop_with_error', { params: { message: 'No.' } })] });
    const definition = callingWorkflow();
    Object.assign(definition.nodes[0]!, { retry: { max_attempts: 2, backoff_seconds: 60 } });
    store.add('r', definition);
    await work(createExecutor());
    knowWorkflow(say('Now'));
    now += 60_000;
    await work(createExecutor());
    expect(stateOf('r', 'z').output).toMatchObject({ text: 'Now!' });
    expect([...store.runs.keys()]).toEqual(['r', 'r/s/0', 'r/s/1']);
  });
});

describe('questions', () => {
  const approval = {
    nodes: [
      node('q', 'approval', {
        params: {
          message: 'Pay?',
          if_approved: ['yes'],
          if_rejected: ['no'],
          if_timeout: ['late'],
          expires_in_seconds: 60,
        },
        next: ['yes', 'no', 'late', 'both'],
      }),
      ...['yes', 'no', 'late', 'both'].map((id) => node(id, 'set', { params: { fields: {} } })),
    ],
  };

  it.each([
    ['approved', { approved: true, comment: '' }, 'yes,both'],
    ['rejected', { approved: false, comment: 'Too much.' }, 'no,both'],
    ['unanswered', null, 'late'],
  ])('goes on as the answer says: %s', async (_name, value, expected) => {
    store.add('r', approval);
    await work(createExecutor());
    expect(questions).toMatchObject([
      { nodeId: 'q', questionId: '1', expiresAt: now + 60_000, question: { kind: 'approval', message: 'Pay?' } },
    ]);
    if (value) sendAnswer('r', 'q', '1', value);
    else now += 60_000;
    await work(createExecutor());
    expect(store.get('r').status).toBe('COMPLETED');
    expect(takenBranches('r')).toBe(expected);
    expect(stateOf('r', 'q').output).toMatchObject(value ?? { approved: false, timed_out: true });
  });

  it('takes the answer that came before the deadline was closed', async () => {
    store.add('r', approval);
    await work(createExecutor());
    now += 60_000;
    sendAnswer('r', 'q', '1', { approved: true, comment: '' });
    await work(createExecutor());
    expect(takenBranches('r')).toBe('yes,both');
  });

  it('takes an answer while other nodes hold the run', async () => {
    store.add('r', {
      nodes: [...approval.nodes, node('busy', 'delay', { params: { seconds: 0.4 } })],
    });
    const executor = createExecutor([], { clock: new SystemClock(), heartbeatMs: 30 });
    const execution = executor.execute('r');
    await pause(120);
    expect(questions).toHaveLength(1);
    sendAnswer('r', 'q', '1', { approved: true, comment: '' });
    await pause(120);
    expect(store.statuses('r')).toMatchObject({ q: 'COMPLETED', yes: 'COMPLETED', busy: 'RUNNING' });
    await execution;
    expect(store.get('r').status).toBe('COMPLETED');
  });

  it('asks again under a new id when the node is tried again', async () => {
    const asking = toolCatalogue.find('ask')!;
    const impatient = {
      ...asking,
      kind: 'impatient',
      run: (params: Record<string, unknown>, context: ToolContext) => {
        if (context.resume) throw new ToolError('again', 'Again.');
        return asking.run(params, context);
      },
    };
    store.add('r', {
      nodes: [
        node('q', 'impatient', { params: { question: 'City?' }, retry: { max_attempts: 2, backoff_seconds: 60 } }),
      ],
    });
    await work(createExecutor([impatient]));
    sendAnswer('r', 'q', '1', 'Zurich');
    await work(createExecutor([impatient]));
    now += 60_000;
    await work(createExecutor([impatient]));
    expect(questions.map(({ questionId }) => questionId)).toEqual(['1', '2']);
  });
});
