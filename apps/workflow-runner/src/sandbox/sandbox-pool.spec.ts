import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ToolError } from '@app/workflow-definition';
import { SandboxPool } from './sandbox-pool.js';
import { stopwatch } from '../../../../test/support/timing.js';

const ENTRY = resolve(__dirname, '../../../../libs/workflow-tools/dist/sandbox/worker.js');
const BAD_PATTERN = { operation: 'test', text: `${'a'.repeat(50)}b`, pattern: '(a+)+$', flags: '', limit: 1 };

describe('SandboxPool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-pool-'));
  let pool: SandboxPool;
  beforeAll(() => {
    if (!existsSync(ENTRY)) throw new Error('Build first: these tests run the compiled program.');
    pool = new SandboxPool({ entry: ENTRY, processes: 2, folder });
  });
  afterAll(async () => {
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  });

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
    // Each has a process already, however long its start takes.
    await Promise.all([1, 2].map((user) => code('return 1', { user, limitMs: 60_000 })));
    let done = 0;
    const greedy = Array.from({ length: 100 }, async () => {
      await code('const t = Date.now(); while (Date.now() - t < 5);', { user: 1, limitMs: 60_000 });
      done += 1;
    });
    await code('return 1', { user: 2, limitMs: 60_000 });
    expect(done).toBeLessThan(50);
    await Promise.all(greedy);
    expect(done).toBe(100);
  });

  it('serves another run of a person while one has fifty scripts waiting', async () => {
    const ended: string[] = [];
    const script = async (runId: string): Promise<void> => {
      const input = { code: 'return 1', items: [], params: {}, limitMs: 5_000 };
      const limits = { signal: new AbortController().signal, limitMs: 5_000 };
      await pool.run({ userId: 1, runId }, { job: 'code', input }, limits);
      ended.push(runId);
    };
    const large = Array.from({ length: 50 }, () => script('large'));
    await Promise.all([...large, script('small')]);
    expect(ended.indexOf('small')).toBeLessThan(3);
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
      // On a slow machine the time is over before the memory is.
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: expect.stringMatching(/^(memory|time)_limit$/) as string });
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

/** Does what a parser that was taken over would do. */
const TAKEN_OVER = `
import { createRequire } from 'node:module';
globalThis.require = createRequire(import.meta.url);
process.on('message', async ({ input }) => {
  const value = {};
  for (const [name, code] of Object.entries(input))
    try { value[name] = String(await new Function('return (async () => {' + code + '})()')()); }
    catch (error) { value[name] = error.code ?? error.message; }
  process.send({ type: 'answer', answer: { ok: true, value }, residentBytes: 0 });
});
process.on('disconnect', () => process.exit());
`;

const read = (path: string) => `return require('node:fs').readFileSync(${JSON.stringify(path)}, 'utf8')`;

describe('what a process of the sandbox sees', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-seen-'));
  const entry = join(folder, 'taken-over.mjs');
  const [own, others, base] = ['own.json', 'others.json', 'base'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  let pool: SandboxPool;
  beforeAll(() => {
    mkdirSync(base);
    writeFileSync(entry, TAKEN_OVER);
    writeFileSync(own, 'its own');
    writeFileSync(others, 'of others');
    pool = new SandboxPool({ entry, processes: 2, folder: base });
  });
  afterAll(async () => {
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is what it was lent for this job, and no place to keep anything', async () => {
    const options = { signal: new AbortController().signal, limitMs: 10_000 };
    let lent = '';
    const first = await pool.run(
      { userId: 1 },
      (files) => {
        lent = files.lend(own);
        return {
          job: 'any',
          input: {
            own: read(lent),
            others: read(others),
            environment: read(`/proc/${process.pid}/environ`),
            passwords: read('/etc/passwd'),
            list: `return require('node:fs').readdirSync(${JSON.stringify(base)})`,
            write: `require('node:fs').writeFileSync(${JSON.stringify(join(base, 'kept'))}, 'x')`,
            link: `require('node:fs').symlinkSync(${JSON.stringify(others)}, ${JSON.stringify(`${files.resultPath}.link`)})`,
            linkAmongLent: `require('node:fs').symlinkSync(${JSON.stringify(others)}, ${JSON.stringify(`${lent}.link`)})`,
            network: `await fetch('http://127.0.0.1:9/')`,
            processes: `require('node:child_process').execFileSync('/bin/true')`,
            result: `require('node:fs').writeFileSync(${JSON.stringify(files.resultPath)}, 'made')`,
          },
        };
      },
      options,
    );
    if (!first.ok) throw new Error(first.message);
    const { own: seen, result, network, ...refused } = first.value as Record<string, string>;
    expect([seen, result]).toEqual(['its own', 'undefined']);
    expect(network).not.toBe('[object Response]');
    expect(new Set(Object.values(refused))).toEqual(new Set(['ERR_ACCESS_DENIED']));
    expect(readFileSync(first.file!, 'utf8')).toBe('made');

    // The same process, and what the job before it had is gone.
    const input = { lent: read(lent), made: read(first.file!) };
    const second = await pool.run({ userId: 1 }, () => ({ job: 'any', input }), options);
    expect(second).toEqual({ ok: true, value: { lent: 'ENOENT', made: 'ERR_ACCESS_DENIED' } });
  });
});
