import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ToolError } from '@app/workflows';
import { SandboxPool } from './sandbox-pool.js';
import { stopwatch } from '../../../../test/support/timing.js';

const ENTRY = resolve(__dirname, '../../../../libs/workflow-tools/dist/sandbox/worker.js');
const BAD_PATTERN = { operation: 'test', text: `${'a'.repeat(50)}b`, pattern: '(a+)+$', flags: '', limit: 1 };

describe('SandboxPool', () => {
  let pool: SandboxPool;
  beforeAll(() => {
    if (!existsSync(ENTRY)) throw new Error('Build first: these tests run the compiled program.');
    pool = new SandboxPool({ entry: ENTRY, processes: 2 });
  });
  afterAll(() => pool.close());

  function run(job: string, input: unknown, { user = 1, limitMs = 5_000, signal = new AbortController().signal } = {}) {
    return pool.run({ userId: user }, { job, input }, { signal, limitMs });
  }
  const code = (text: string, options: Parameters<typeof run>[2] = {}) =>
    run('code', { code: text, items: [1, 2], params: {}, limitMs: options.limitMs ?? 5_000 }, options);

  it('answers with the value, or with the code of the failure', async () => {
    expect(await code('return items.length')).toEqual({ ok: true, value: { result: 2, logs: [], warnings: [] } });
    expect(await run('expression', { expression: '$sum(items)', input: { items: [1, 2] } })).toEqual({
      ok: true,
      value: 3,
    });
    expect(await code('nothing()')).toMatchObject({ ok: false, code: 'code_failed' });
    expect(await run('nonsense', {})).toMatchObject({ ok: false, code: 'unknown_job' });
  });

  it('lets deep recursion end as an error of the code', async () => {
    expect(await code('const f = (n) => (n === 0 ? 0 : 1 + f(n - 1)); return f(3000)')).toMatchObject({ ok: true });
    expect(await code('const f = () => f(); f()')).toMatchObject({
      ok: false,
      code: 'code_failed',
      message: 'InternalError: stack overflow (line 1)',
    });
  });

  it('kills what blocks, while others work and this process is never held up', async () => {
    let longest = 0;
    let before = process.threadCpuUsage();
    const timer = setInterval(() => {
      const { user, system } = process.threadCpuUsage(before);
      longest = Math.max(longest, (user + system) / 1000);
      before = process.threadCpuUsage();
    }, 10);
    const blocked = run('regex', BAD_PATTERN, { limitMs: 300 }).catch((error: unknown) => error);
    const other = await code('return 1', { user: 2 });
    expect(other).toMatchObject({ ok: true });
    const error = await blocked;
    clearInterval(timer);
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ code: 'time_limit', retryable: true });
    expect(longest).toBeLessThan(1_000);
    expect(await code('return 1')).toMatchObject({ ok: true });
  });

  it('kills what a stopped run has at work, and forgets what waits', async () => {
    const controller = new AbortController();
    const options = { signal: controller.signal, limitMs: 60_000 };
    const jobs = [1, 2, 3].map(() => run('regex', BAD_PATTERN, options).catch((error: unknown) => error));
    setTimeout(() => controller.abort(), 300);
    const took = stopwatch();
    for (const error of await Promise.all(jobs)) expect(error).toMatchObject({ code: 'aborted' });
    expect(took()).toBeLessThan(5_000);
    await expect(run('regex', BAD_PATTERN, options)).rejects.toMatchObject({ code: 'aborted' });
  });

  it('serves another person while one has a hundred scripts waiting', async () => {
    const greedy = Array.from({ length: 100 }, () =>
      code('const t = Date.now(); while (Date.now() - t < 30);', { user: 1 }),
    );
    const took = stopwatch();
    await code('return 1', { user: 2 });
    expect(took()).toBeLessThan(1_500);
    await Promise.all(greedy);
  });

  it('survives code that eats memory', async () => {
    // The tests that ran in this process before have left theirs.
    const before = process.memoryUsage.rss();
    for (const text of ['"x".repeat(1e6) + a.length', 'new Array(1000).fill(a.length)', '{ a }']) {
      const answer = await code(`const a = []; for (;;) a.push(${text})`, { limitMs: 10_000 });
      expect(answer).toMatchObject({ ok: false, code: expect.stringMatching(/^(memory|time)_limit$/) as string });
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(600_000_000);
    expect(await code('return 1')).toMatchObject({ ok: true });
  });

  it('outlives input that exhausts the heap inside built-in code, which would abort a thread and all around it', async () => {
    const lists = `[${'[1],'.repeat(300_000)}[1]]`;
    const greedy = [
      run('expression', { expression: '[1..30].$split($$, "")', input: 'ab'.repeat(2_000_000) }),
      run('parse_csv', { text: 'a,'.repeat(2_000_000), delimiter: ',', hasHeader: false }),
      run('regex', { operation: 'split', text: 'ab'.repeat(8_000_000), pattern: 'b', flags: '', limit: 10_000 }),
      run('write_xml', { value: { a: JSON.parse(lists) as unknown }, root: 'r', pretty: true }),
    ];
    for (const outcome of await Promise.allSettled(greedy)) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'memory_limit' });
    }
    expect(await code('return 1')).toMatchObject({ ok: true });
  });

  it('has nothing of the process: no environment, no modules, no network', async () => {
    const names = ['process', 'require', 'fetch', 'setTimeout', 'WebAssembly', 'std', 'os', 'module'];
    const answer = await code(`return [${names.map((name) => `typeof ${name}`).join(', ')}]`);
    expect(answer).toMatchObject({ value: { result: names.map(() => 'undefined') } });
    expect(await code('return await import("node:fs")')).toMatchObject({ ok: false });
    expect(await code('return (() => {}).constructor("return typeof process")()')).toMatchObject({
      value: { result: 'undefined' },
    });
  });
});
