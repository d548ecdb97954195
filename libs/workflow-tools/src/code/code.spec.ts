import { parseDefinition } from '@app/workflow-definition';
import { toolCatalogue } from '../index.js';
import { errorOf, outputOf, run, toolOf } from '../testing/tool-harness.spec-support.js';

describe('code', () => {
  it('gets items and params, and returns JSON', async () => {
    const code =
      'const sum = items.reduce((all, { n }) => all + n, 0);\nreturn { sum: await Promise.resolve(sum), ...params };';
    expect(await outputOf('code', { code, items: [{ n: 1 }, { n: 2 }], params: { a: [null] } })).toEqual({
      result: { sum: 3, a: [null] },
      logs: [],
    });
    expect(await outputOf('code', { code: 'items.length;' })).toEqual({ result: null, logs: [] });
  });

  it('returns what is in sets, maps and errors, which JSON does not know', async () => {
    const code =
      'console.log(new Set([1])); return [new Set(["a", [1]]), new Map([[7, new Set()], ["b", 1]]), new TypeError("no")];';
    expect(await outputOf('code', { code })).toEqual({
      result: [['a', [1]], { 7: [], b: 1 }, { name: 'TypeError', message: 'no' }],
      logs: ['[1]'],
    });
  });

  it.each([['items.length;'], ['return;'], ['[1].map((n) => n);']])('says that %s hands nothing on', async (code) => {
    const warning = 'The code returned nothing, so the result is null. Say what to hand on with return.';
    expect(await run('code', { code })).toEqual({ output: { result: null, logs: [] }, warnings: [warning] });
    expect(await run('code', { code: 'return null' })).toMatchObject({ warnings: [] });
  });

  it('cuts a line that is logged between two characters', async () => {
    const { logs } = (await outputOf('code', { code: 'console.log("a" + "😀".repeat(900)); return 1;' })) as {
      logs: string[];
    };
    expect([logs[0]!.length, logs[0]!.isWellFormed()]).toEqual([999, true]);
    const thrown = await errorOf('code', { code: 'throw "😀".repeat(900)' });
    expect(thrown.message.isWellFormed()).toBe(true);
    const odd = await errorOf('code', { code: 'throw "a" + "😀".repeat(900)' });
    expect(odd.message.isWellFormed()).toBe(true);
  });

  it('keeps what is logged, up to a bound', async () => {
    const code =
      'for (let i = 0; i < 500; i += 1) console.log(i, { i }); console.error("careful", new Error("e")); return 1;';
    const result = await run('code', { code });
    expect(result).toMatchObject({ warnings: ['careful Error: e'] });
    const { logs } = (result as { output: { logs: string[] } }).output;
    expect(logs).toHaveLength(100);
    expect(logs[1]).toBe('1 {"i":1}');
  });

  it.each([
    ['const a = 1;\n\nnothing();', 'code_failed', "ReferenceError: 'nothing' is not defined (line 3)"],
    ['throw new TypeError("no")', 'code_failed', 'TypeError: no (line 1)'],
    ['await Promise.reject({ a: 1 })', 'code_failed', 'Thrown: {"a":1}'],
    ['await new Promise(() => {})', 'code_failed', /awaits something that never comes/],
    ['return 10n', 'code_failed', /BigInt/],
    ['const a = {}; a.a = a; return a;', 'code_failed', /circular/],
    ['return () => 1', 'code_failed', /cannot be written as JSON/],
    ['let a = ;', 'invalid_code', /SyntaxError: .*\(line 1\)/],
    ['return "x".repeat(5e6)', 'output_too_large', /4000000/],
    ['return "x".repeat(3e8)', 'memory_limit', /64 MB/],
    ['for (;;);', 'time_limit', 'The code took longer than 0.3 seconds.'],
    ['for (;;) { try { for (;;); } catch {} }', 'time_limit', /0.3/],
    ['const f = async () => { await null; return f(); }; await f();', 'time_limit', /0.3/],
    ['/(a+)+$/.test("a".repeat(50) + "b")', 'time_limit', /0.3/],
  ])('fails with words: %s', async (code, expected, message) => {
    const error = await errorOf('code', { code, time_limit_seconds: 0.3 });
    expect(error).toMatchObject({ code: expected, retryable: expected !== 'invalid_code' });
    expect(error.message).toMatch(
      typeof message === 'string' ? new RegExp(`^${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`) : message,
    );
    expect(await outputOf('code', { code: 'return 1' })).toMatchObject({ result: 1 });
  });

  it('cannot break out of its function, its output or its prototype', async () => {
    expect(await outputOf('code', { code: 'return 1;\n}); (() => { globalThis.leak = 2; ' })).toMatchObject({
      result: null,
    });
    expect(await outputOf('code', { code: 'return typeof leak;' })).toMatchObject({ result: 'undefined' });
    const hostile = 'JSON.stringify = () => "{}"; Array.prototype.toJSON = () => 7; console.log("x"); return { a: 1 };';
    expect(await outputOf('code', { code: hostile })).toEqual({ result: { a: 1 }, logs: ['x'] });
    const params = JSON.parse('{"__proto__": {"polluted": true}}') as Record<string, unknown>;
    await outputOf('code', { code: 'Object.prototype.polluted = 1; return params;', params });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('is checked for typing errors when the workflow is saved', () => {
    const { errors } = parseDefinition(
      { nodes: [{ id: 'a', kind: 'code', params: { code: 'const x = 1;\nreturn x +;' } }] },
      toolCatalogue,
    );
    expect(errors).toMatchObject([
      { path: 'nodes[0].params.code', message: expect.stringMatching(/line 2/) as string },
    ]);
    expect(toolOf('expression').checkParams({ expression: '$sum(' }, [])).toMatchObject([
      { path: 'params.expression' },
    ]);
  });
});
