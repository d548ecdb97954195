import { parseDefinition, type ToolPorts } from '@app/workflow-definition';
import { toolCatalogue } from './index.js';
import { errorOf, outputOf, run, toolOf } from './testing/tool-harness.spec-support.js';

function languageModelIn(ports: ToolPorts): unknown {
  return toolCatalogue.toListing(ports).tools.find(({ kind }) => kind === 'language_model');
}

describe('catalogue', () => {
  it('describes every kind in the shape of the catalogue', () => {
    const { tools, categories, etag } = toolCatalogue.toListing({});
    expect(tools.length).toBeGreaterThanOrEqual(30);
    expect(etag).toMatch(/^"[\w-]+"$/);
    const keys = new Set(categories.map(({ key }) => key));
    for (const tool of tools) {
      expect(keys).toContain(tool.category);
      expect(Object.keys(tool)).toEqual([
        'kind',
        'name',
        'description',
        'category',
        'icon',
        'version',
        'deprecated',
        'is_entry',
        'is_branching',
        'is_batch_processor',
        'is_conversational',
        'side_effects',
        'timeout_seconds',
        'params',
        'outlets',
        'params_schema',
        'output_schema',
        'connections',
        'feature',
        'available',
        'unavailable_reason',
      ]);
      for (const param of tool.params) expect(param.label).not.toBe(param.name);
    }
  });

  it('shows params as form fields', () => {
    const { params } = toolOf('sort').toCatalogueEntry({});
    expect(params).toMatchObject([
      { name: 'items', type: 'array', required: true, accepts_ref: true },
      { name: 'field', type: 'string', required: false, default: '' },
      {
        name: 'direction',
        type: 'select',
        default: 'ascending',
        options: [
          { value: 'ascending', label: 'Ascending' },
          { value: 'descending', label: 'Descending' },
        ],
      },
      { name: 'ignore_case', type: 'boolean', default: false },
    ]);
  });

  it('names those that belong to something else that plans sell than workflows', () => {
    const named = toolCatalogue.toListing({}).tools.filter(({ feature }) => feature !== null);
    expect(Object.fromEntries(named.map((tool) => [tool.kind, tool.feature]))).toEqual({
      dashboard: 'dashboards',
      publish_artifact: 'dashboards',
    });
  });

  it('changes its tag with availability, and says why a tool is missing', () => {
    const llm = { generate: () => Promise.reject(new Error('not called')) };
    expect(languageModelIn({})).toMatchObject({
      available: false,
      unavailable_reason: 'No language model is configured.',
    });
    expect(languageModelIn({ llm })).toMatchObject({ available: true, unavailable_reason: null });
    expect(toolCatalogue.toListing({ llm }).etag).not.toBe(toolCatalogue.toListing({}).etag);
  });
});

describe('triggers', () => {
  it('hand on the payload', async () => {
    const payload = { name: 'Ada' };
    expect(await outputOf('manual_trigger', { inputs: { a: 1 } }, { payload })).toEqual({ a: 1, payload });
    expect(await outputOf('webhook_trigger', { sample: { x: 1 } })).toMatchObject({ payload: { x: 1 } });
    expect(await outputOf('webhook_trigger', { sample: { x: 1 } }, { payload })).toMatchObject({ payload });
    expect(await errorOf('webhook_trigger', { required_fields: ['id'] }, { payload })).toMatchObject({
      code: 'payload_incomplete',
      retryable: false,
    });
  });
});

describe('flow', () => {
  const next = ['a', 'b', 'c'];
  it.each([
    [5, 'greater_than', '4', true],
    ['5', 'equals', 5, true],
    ['10', 'less_than', '9', false],
    ['abc', 'contains', 'b', true],
    [['x', 1], 'contains', '1', true],
    [null, 'equals', '', true],
    [null, 'less_than', 1, false],
    [{}, 'is_empty', null, true],
    ['yes', 'is_true', null, true],
    ['12345678901234567890', 'equals', '12345678901234567891', false],
    ['12345678901234567890', 'greater_than', '12345678901234567889', true],
    ['0e462097431906509019562988736854', 'equals', '0e830400451993494058024219903391', false],
    ['0x10', 'equals', '16', false],
    ['2026-03-01T10:00:00+01:00', 'less_than', '2026-03-01T09:30:00Z', true],
    ['2026-01-02', 'greater_than', '2026-01-01', true],
    ['2026-01-02', 'greater_than', '2026', true],
    ['abc', 'less_than', 'abd', true],
    ['n/a', 'greater_than', '100', false],
    ['n/a', 'greater_than', 100, false],
    ['1.000,50', 'less_than', '200', false],
    ['', 'less_than', '5', false],
    ['12', 'less_or_equal', 'many', false],
  ])('condition: %j %s %j is %j', async (left, operator, right, result) => {
    const params = { left, operator, right, if_true: ['a'], if_false: ['b'] };
    expect(await run('condition', params, { next })).toEqual({
      output: { result },
      chosen: result ? ['a', 'c'] : ['b', 'c'],
    });
  });

  it('switch takes the first case, all cases, or the default', async () => {
    const cases = [
      { operator: 'greater_than', value: 10, next: ['a'] },
      { operator: 'greater_than', value: 5, next: ['b'] },
    ];
    const params = { cases, default: ['c'] };
    expect(await run('switch', { ...params, value: 20 }, { next })).toMatchObject({ chosen: ['a'] });
    expect(await run('switch', { ...params, value: 20, mode: 'all' }, { next })).toMatchObject({ chosen: ['a', 'b'] });
    expect(await run('switch', { ...params, value: 1 }, { next })).toMatchObject({ chosen: ['c'] });
  });

  it('branches are checked against next at save', () => {
    const { errors } = parseDefinition(
      {
        nodes: [
          { id: 's', kind: 'condition', params: { if_true: ['t'], if_false: ['u'] }, next: ['t'] },
          { id: 't', kind: 'switch', params: { cases: [{ next: ['s'] }], default: [{ $ref: '_output.s' }] } },
        ],
      },
      toolCatalogue,
    );
    expect(errors.map(({ nodeId, path }) => [nodeId, path])).toEqual(
      expect.arrayContaining([
        ['s', 'nodes[0].params.if_false'],
        ['t', 'nodes[1].params.cases[0].next'],
        ['t', 'nodes[1].params.default'],
      ]),
    );
  });

  it('delay waits durably, sleeps when short, and goes on', async () => {
    const until = Date.parse('2026-01-31T12:00:05Z');
    expect(await run('delay', { seconds: '5' })).toEqual({ wait: { reason: 'timer', until, data: { until } } });
    expect(await outputOf('delay', { seconds: 0.5 })).toEqual({ until: '2026-01-31T12:00:00.500Z' });
    const resume = { reason: 'timer' as const, data: { until }, answer: null };
    expect(await outputOf('delay', { seconds: 5 }, { resume })).toEqual({ until: '2026-01-31T12:00:05.000Z' });
    expect(await outputOf('delay', { until: '2020-01-01T00:00:00+01:00' })).toEqual({
      until: '2019-12-31T23:00:00.000Z',
    });
    expect(await errorOf('delay', {})).toMatchObject({ code: 'invalid_params' });
  });

  it('merge leaves out what was skipped', async () => {
    const values = [null, { a: 1 }, { a: 2, b: 3 }];
    expect(await outputOf('merge', { values })).toEqual({ value: [{ a: 1 }, { a: 2, b: 3 }], count: 2 });
    expect(await outputOf('merge', { values, mode: 'combine' })).toEqual({ value: { a: 2, b: 3 }, count: 2 });
    expect(await outputOf('merge', { values, mode: 'first' })).toEqual({ value: { a: 1 }, count: 2 });
    expect(await outputOf('merge', { values: [[1], [2, 3]], mode: 'append' })).toEqual({ value: [1, 2, 3], count: 2 });
  });

  it('stop_with_error fails with its own code', async () => {
    expect(await errorOf('stop_with_error', { message: 'No.', code: 'too_late' })).toMatchObject({
      code: 'too_late',
      message: 'No.',
      retryable: true,
    });
  });
});

describe('data', () => {
  it('reads JSON and CSV, and says when it cannot', async () => {
    expect(await outputOf('parse_json', { text: '```json\n{"a":[1]}\n```' })).toEqual({ value: { a: [1] } });
    expect(await errorOf('parse_json', { text: '{' })).toMatchObject({ code: 'invalid_json' });
    expect(await outputOf('parse_csv', { text: '\uFEFFa,b,a\n1,"x,y",3\n\n2\n' })).toEqual({
      columns: ['a', 'b', 'a_2'],
      items: [
        { a: '1', b: 'x,y', a_2: '3' },
        { a: '2', b: '', a_2: '' },
      ],
      count: 2,
    });
    expect(await errorOf('parse_csv', { text: 'a,b\n"x' })).toMatchObject({ code: 'invalid_csv' });
  });

  it('computes dates', async () => {
    expect(await outputOf('date', { add: 1, unit: 'months', timezone: 'Asia/Tokyo' })).toEqual({
      iso: '2026-02-28T12:00:00.000Z',
      timestamp: Date.parse('2026-02-28T12:00:00Z'),
      date: '2026-02-28',
      time: '21:00:00',
      weekday: 'Saturday',
      text: '2026-02-28T21:00:00.000+09:00',
      difference: null,
    });
    expect(await outputOf('date', { value: '2026-01-10', compare_with: '2026-01-08' })).toMatchObject({
      difference: 2,
    });
    expect(await errorOf('date', { value: 'soon' })).toMatchObject({ code: 'invalid_date' });
    expect(await errorOf('date', { timezone: 'Mars/Base' })).toMatchObject({ code: 'invalid_timezone' });
  });

  it('evaluates expressions', async () => {
    const input = { items: [{ price: 2 }, { price: 3 }] };
    expect(await outputOf('expression', { expression: '$sum(items.price)', input })).toEqual({ result: 5 });
    expect(await outputOf('expression', { expression: 'items[price > 2]', input })).toEqual({ result: { price: 3 } });
    expect(await outputOf('expression', { expression: 'nothing' })).toEqual({ result: null });
    expect(await outputOf('expression', { expression: '$pad("a", 3, "#")' })).toEqual({ result: 'a##' });
    expect(await outputOf('expression', { expression: '$pad("😀a", -4, "-+")' })).toEqual({ result: '-+😀a' });
    expect(await outputOf('expression', { expression: '$base64encode("é")' })).toEqual({ result: '6Q==' });
  });

  it.each([
    ['(', 'invalid_expression'],
    ['$eval("1")', 'invalid_expression'],
    ['$error("no")', 'expression_failed'],
    ['function($x) { $x }', 'expression_failed'],
    ['$sum', 'expression_failed'],
    ['$base64encode("日本")', 'expression_failed'],
    ['($f := function($n) { 1 + $f($n + 1) }; $f(0))', 'expression_too_expensive'],
    ['$pad("a", 2000000000)', 'expression_too_expensive'],
    ['$sum([1..9999999])', 'expression_too_expensive'],
    [
      '($d := function($s, $n) { $n = 0 ? $s : $d($s & $s, $n - 1) }; $length($d("aaaaaaaa", 40)))',
      'expression_too_expensive',
    ],
  ])('refuses %s', async (expression, code) => {
    expect(await errorOf('expression', { expression })).toMatchObject({
      code,
      retryable: code !== 'invalid_expression',
    });
  });

  it('cannot reach the process or a prototype', async () => {
    const output = await outputOf('expression', {
      expression: '$ ~> |$|{"__proto__": {"polluted": true}}|',
      input: { a: 1 },
    });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(output).toBeDefined();
    expect(await outputOf('expression', { expression: 'constructor.constructor', input: {} })).toEqual({
      result: null,
    });
  });
});

describe('lists', () => {
  const items = [
    { city: 'Rome', price: 3 },
    { city: 'Oslo', price: '10' },
    { city: 'Rome', price: null },
  ];
  it('filters, sorts and removes duplicates', async () => {
    expect(await outputOf('filter', { items, field: 'price', operator: 'greater_than', value: '3' })).toEqual({
      items: [items[1]],
      count: 1,
      removed: 2,
    });
    expect(await outputOf('sort', { items, field: 'price', direction: 'descending' })).toMatchObject({
      items: [items[1], items[0], items[2]],
    });
    expect(await outputOf('deduplicate', { items, fields: ['city'] })).toMatchObject({ count: 2, removed: 1 });
    expect(
      await outputOf('deduplicate', {
        items: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      }),
    ).toMatchObject({ count: 1 });
  });

  it('aggregates over all and per group', async () => {
    const operations = [
      { operation: 'sum', field: 'price', as: 'total' },
      { operation: 'max', field: 'price' },
      { operation: 'count' },
    ];
    expect(await outputOf('aggregate', { items, group_by: 'city', operations })).toEqual({
      result: { total: 13, max_price: '10', count: 3 },
      groups: [
        { key: 'Rome', total: 3, max_price: 3, count: 2 },
        { key: 'Oslo', total: 10, max_price: '10', count: 1 },
      ],
      count: 3,
    });
  });
});

describe('platform', () => {
  const passage = { documentUid: 'd', filename: 'a.pdf', page: 2, text: 't', score: 1 };
  const shown = { document_uid: 'd', filename: 'a.pdf', page: 2, text: 't', score: 1 };

  it('search and ask work on behalf of the viewer', async () => {
    const calls: unknown[] = [];
    const documents = {
      search: (...args: unknown[]) => Promise.resolve((calls.push(args.slice(0, 3)), [passage])),
      ask: (...args: unknown[]) =>
        Promise.resolve((calls.push(args.slice(0, 3)), { answer: 'Yes.', sources: [passage], model: 'quoting' })),
    };
    const params = { folder: 'laws', limit: '3' };
    expect(await outputOf('semantic_search', { query: 'q', ...params }, { documents })).toEqual({
      items: [shown],
      count: 1,
    });
    expect(await outputOf('ask_documents', { question: 'q', document_uids: ['d'] }, { documents })).toEqual({
      answer: 'Yes.',
      sources: [shown],
      model: 'quoting',
    });
    expect(calls).toEqual([
      [{ userId: 1 }, 'q', { folder: 'laws', limit: 3 }],
      [{ userId: 1 }, 'q', { documentUids: ['d'], limit: 8 }],
    ]);
    expect(await errorOf('semantic_search', { query: 'q' })).toMatchObject({ code: 'documents_not_configured' });
  });

  it('the language model gets the key of run and node', async () => {
    const keys: string[] = [];
    const llm = {
      generate: (_viewer: unknown, { prompt }: { prompt: string }, { idempotencyKey }: { idempotencyKey: string }) => {
        keys.push(idempotencyKey);
        return Promise.resolve({ text: prompt.toUpperCase(), model: 'm', promptTokens: 1, completionTokens: 2 });
      },
    };
    expect(await outputOf('language_model', { prompt: 'hi' }, { llm })).toEqual({
      text: 'HI',
      object: null,
      model: 'm',
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    });
    expect(keys).toEqual(['run:node']);
    expect(await errorOf('language_model', { prompt: 'hi' })).toMatchObject({ code: 'model_not_configured' });
  });
});
