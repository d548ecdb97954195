import { importN8n, parseDefinition } from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';

type Json = Record<string, unknown>;
const node = (name: string, type: string, typeVersion: number, parameters: Json = {}, extra: Json = {}) => ({
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [0, 0],
  parameters,
  ...extra,
});
const to = (name: string, index = 0) => [{ node: name, type: 'main', index }];
const START = node('Start', 'manualTrigger', 1);
const LIST = node('List', 'code', 2, { jsCode: 'return [];' });
const HOOK = node('Hook', 'webhook', 2);

function read(nodes: Json[], connections: Json) {
  const { jsonSpec, report } = importN8n({ nodes, connections }, 'json', toolCatalogue);
  expect(parseDefinition(jsonSpec, toolCatalogue).errors).toEqual([]);
  const find = (id: string) => jsonSpec.nodes.find((one) => one.id === id);
  const place = (['mapped', 'approximated', 'unmapped'] as const).find((each) =>
    report[each].some(({ name }) => name === 'It'),
  )!;
  const { notes, kind } = report[place].find(({ name }) => name === 'It')!;
  return { place, notes, kind, find, params: find('it')!.params, schedules: report.schedules };
}

/** A node behind a list of items, or behind the one item of a webhook. */
const behindList = (it: Json) => read([START, LIST, it], { Start: { main: [to('List')] }, List: { main: [to('It')] } });
const behindOne = (it: Json) => read([HOOK, it], { Hook: { main: [to('It')] } });

const format = (more: Json) =>
  behindOne(node('It', 'dateTime', 2, { operation: 'formatDate', date: '2026-01-05', ...more }));

const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
  ...args: string[]
) => (items: unknown, params: unknown) => Promise<unknown>;
/** What the script of a node makes of items. */
const runScript = (params: Json, items: unknown) =>
  new AsyncFunction('items', 'params', String(params.code))(items, {});

const ITEMS = [
  { s: 'Banana', n: 3, ok: false, d: '2026-01-05T10:00:00+02:00', list: ['A'] },
  { s: 'apple', n: 10, ok: true, d: '2026-01-05T09:00:00Z', list: ['b'] },
];
const compared = (left: string, type: string, operation: string, right: unknown = '', caseSensitive = true): Json => ({
  conditions: {
    options: { caseSensitive },
    combinator: 'and',
    conditions: [{ leftValue: `={{ $json.${left} }}`, rightValue: right, operator: { type, operation } }],
  },
});
const first = (type: string, condition: Json): Json => ({ conditions: { [type]: [condition] } });

const ifOf = (typeVersion: number, parameters: Json) => behindOne(node('It', 'if', typeVersion, parameters)).params;
const mergedByPlace = (options: Json) =>
  read(
    [
      START,
      LIST,
      { ...LIST, name: 'Other' },
      node('It', 'merge', 3, { mode: 'combine', combineBy: 'combineByPosition', options }),
    ],
    {
      Start: { main: [[...to('List'), ...to('Other')]] },
      List: { main: [to('It')] },
      Other: { main: [to('It', 1)] },
    },
  );
const clashing = (resolveClash: string): Json => ({ options: { clashHandling: { values: { resolveClash } } } });
const ui = (name: string, value: string): Json => ({ parameter: [{ name, value }] });

describe('what an export says, and leaves out because nobody has changed it', () => {
  it.each<[string, number, Json, string[]]>([
    ['removeDuplicates', 2, { options: { removeOtherFields: true, disableDotNotation: false } }, ['removeOtherFields']],
    [
      'renameKeys',
      1,
      {
        keys: { key: [{ currentKey: 'a', newKey: 'b' }] },
        additionalOptions: { regexReplacement: { replacements: [{ searchRegex: '^p' }] } },
      },
      ['regexReplacement'],
    ],
    [
      'aggregate',
      1,
      {
        fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'a' }] },
        options: { mergeLists: true, keepMissing: true, includeBinaries: true },
      },
      ['includeBinaries'],
    ],
    [
      'aggregate',
      1,
      { aggregate: 'aggregateAllItemData', include: 'specifiedFields', fieldsToInclude: '={{ $json.names }}' },
      ['all of its fields'],
    ],
    ['splitOut', 1, { fieldToSplitOut: 'a', options: { destinationFieldName: 'b' } }, []],
    ['filter', 2.2, { ...compared('s', 'string', 'equals', 'x'), options: { looseTypeValidation: true } }, []],
  ])('says which options of a %s %d do nothing: %j', (type, version, parameters, expected) => {
    expect(behindList(node('It', type, version, parameters)).notes).toEqual(
      expected.map((name) => expect.stringContaining(name)),
    );
  });

  it.each<[string, number, Json, string[]]>([
    ['compares texts as they are', 2, compared('s', 'string', 'equals', 'BANANA'), []],
    ['compares texts without their case', 2, compared('s', 'string', 'equals', 'BANANA', false), ['Banana']],
    ['finds parts without their case', 2, compared('s', 'string', 'contains', 'PP', false), ['apple']],
    ['finds entries without their case', 2, compared('list', 'array', 'contains', 'a', false), ['Banana']],
    ['reads the flags of a pattern', 2, compared('s', 'string', 'regex', '/^b/i'), ['Banana']],
    ['takes a pattern without them as it is', 2, compared('s', 'string', 'regex', '^b'), []],
    ['takes a pattern without its case', 2, compared('s', 'string', 'notRegex', '^b', false), ['apple']],
    ['compares points in time', 2, compared('d', 'dateTime', 'before', '2026-01-05T08:30:00Z'), ['Banana']],
    ['begins with false', 1, first('boolean', { value1: '={{ $json.ok }}' }), ['Banana']],
    ['begins with zero', 1, first('number', { value1: '={{ $json.n }}', operation: 'larger' }), ['Banana', 'apple']],
    ['begins with smaller', 1, first('number', { value1: '={{ $json.n }}', value2: 5 }), ['Banana']],
    [
      'begins with an empty text',
      1,
      first('string', { value1: '={{ $json.s }}', operation: 'notEqual' }),
      ['Banana', 'apple'],
    ],
    [
      'begins with after',
      1,
      first('dateTime', { value1: '={{ $json.d }}', value2: '2026-01-05T08:30:00Z' }),
      ['apple'],
    ],
  ])('a condition %s', async (_name, typeVersion, parameters, expected) => {
    const { params, place } = behindList(node('It', 'if', typeVersion, parameters));
    const [holding] = (await runScript(params, ITEMS)) as [{ s: string }[]];
    expect([place, holding.map(({ s }) => s)]).toEqual(['mapped', expected]);
  });

  it('asks a script where an operator of its own would compare something else', () => {
    expect(ifOf(2, compared('body.s', 'string', 'equals', 'x'))).toMatchObject({ operator: 'equals', right: 'x' });
    expect(ifOf(2, compared('body.s', 'string', 'equals', 'x', false))).toMatchObject({ operator: 'is_true' });
    expect(ifOf(2, compared('body.d', 'dateTime', 'after', '2026-01-05T09:00:00Z'))).toMatchObject({
      operator: 'is_true',
    });
    expect(ifOf(2, compared('body.d', 'dateTime', 'notEmpty'))).toMatchObject({ operator: 'is_not_empty' });
    expect(ifOf(1, first('boolean', { value1: '={{ $json.body.ok }}' }))).toMatchObject({
      operator: 'equals',
      right: false,
    });
    expect(ifOf(1, first('number', { value1: '={{ $json.body.n }}' }))).toMatchObject({
      operator: 'less_than',
      right: 0,
    });
  });

  it('reads the rules of the first Switch', async () => {
    const rules = { rules: [{ value2: 5 }, { value2: 100, output: 1 }, { value2: 1, operation: 'larger' }] };
    const { params } = behindList(node('It', 'switch', 1, { value1: '={{ $json.n }}', rules }));
    expect(await runScript(params, [{ n: 3 }, { n: 10 }, { n: 200 }])).toEqual([[{ n: 3 }, { n: 200 }], [{ n: 10 }]]);
    const second = behindList(
      node('It', 'switch', 2, { value1: '={{ $json.n }}', rules: { rules: [{}, { value2: 5 }] } }),
    );
    expect(await runScript(second.params, [{ n: 3 }])).toEqual([[], [{ n: 3 }]]);
  });

  const fields = { values: [{ name: 'x', stringValue: '1' }] };
  const assignments = { assignments: [{ name: 'x', type: 'string', value: '1' }] };
  it.each<[number, Json, Json]>([
    [1, { values: { string: [{ name: 'x', value: '1' }] } }, { a: 1, x: '1' }],
    [
      2,
      { values: { string: [{ name: 'x' }], number: [{ name: 'y' }], boolean: [{ name: 'z' }] } },
      { a: 1, x: '', y: 0, z: false },
    ],
    [2, { keepOnlySet: true, values: { string: [{ name: 'x', value: '1' }] } }, { x: '1' }],
    [1, {}, { a: 1 }],
    [3, { fields }, { a: 1, x: '1' }],
    [3.2, { fields, include: 'none' }, { x: '1' }],
    [3.2, { fields: { values: [{ name: 'x', type: 'booleanValue' }] } }, { a: 1, x: true }],
    [3.2, { mode: 'raw', jsonOutput: '{"x": 2}' }, { a: 1, x: 2 }],
    [3.4, { assignments }, { x: '1' }],
    [3.4, { assignments, includeOtherFields: true }, { a: 1, x: '1' }],
  ])('version %j of Set makes of %j', async (typeVersion, parameters, expected) => {
    const { params } = behindList(node('It', 'set', typeVersion, parameters));
    expect(await runScript(params, [{ a: 1 }])).toEqual([expected]);
  });

  it('reads what is put together as the type that its field has', async () => {
    const values: [string, string, string][] = [
      ['object', 'object', '={"a": {{ $json.a }}, "b": "}}"}'],
      ['array', 'array', '=[{{ $json.a }}, 2]'],
      ['number', 'number', '=1{{ $json.a }}'],
      ['boolean', 'boolean', '=true'],
      ['text', 'string', '=1{{ $json.a }}'],
      ['whole', 'object', '={{ $json }}'],
    ];
    const typedFields = { assignments: values.map(([name, type, value]) => ({ name, type, value })) };
    const expected = {
      object: { a: 7, b: '}}' },
      array: [7, 2],
      number: 17,
      boolean: true,
      text: '17',
      whole: { a: 7 },
    };
    const { params } = behindList(node('It', 'set', 3.4, { assignments: typedFields }));
    expect(await runScript(params, [{ a: 7 }])).toEqual([expected]);
    const one = behindOne(node('It', 'set', 3.4, { assignments: typedFields }));
    const computed = (await new AsyncFunction('items', 'params', String(one.find('it__values')!.params.code))(
      [{ a: 7 }],
      {},
    )) as object;
    expect(Object.values(computed)).toEqual([expected.object, expected.array, 17, true, expected.whole]);
  });

  describe('Edit Fields since its third version', () => {
    const assigned = (values: [name: string, type: string, value: unknown][], more: Json = {}): Json =>
      node('It', 'set', 3.4, {
        assignments: { assignments: values.map(([name, type, value]) => ({ name, type, value })) },
        ...more,
      });
    const ITEM = {
      qty: 4,
      price: '12.50',
      ok: 'true',
      json: '{"a":1}',
      list: '[1]',
      o: { p: 1, q: 2 },
      'x.y': 0,
      none: null,
    };
    const fromList = async (it: Json): Promise<unknown> =>
      ((await runScript(behindList(it).params, [ITEM])) as unknown[])[0];

    it.each<[string, string, unknown]>([
      ['string', 'qty', '4'],
      ['string', 'o', '{"p":1,"q":2}'],
      ['string', 'none', null],
      ['string', 'missing', null],
      ['number', 'price', 12.5],
      ['number', 'missing.deeper', null],
      ['boolean', 'ok', true],
      ['object', 'json', { a: 1 }],
      ['object', 'o', { p: 1, q: 2 }],
      ['array', 'list', [1]],
    ])('makes a %s of the value of an expression, %s: %j', async (type, field, expected) => {
      const it = assigned([['x', type, `={{ $json.${field} }}`]]);
      expect(await fromList(it)).toEqual({ x: expected });
      const one = behindOne(assigned([['x', type, `={{ $json.body.${field} }}`]]));
      expect(one.params).toEqual({ fields: { x: { $ref: '_output.it__values.result.v0' } } });
      expect(await runScript(one.find('it__values')!.params as Json, [{ body: ITEM }])).toEqual({ v0: expected });
    });

    it('fails where a value is of another type, unless its author wanted it as it is', async () => {
      const values: [string, string, unknown][] = [['x', 'number', '={{ $json.ok }}']];
      await expect(fromList(assigned(values))).rejects.toThrow('This is no number: "true"');
      const lenient = assigned(values, { options: { ignoreConversionErrors: true } });
      expect(await fromList(lenient)).toEqual({ x: 'true' });
      expect(behindList(lenient).notes).toEqual([]);
    });

    it.each<[Json, Json]>([
      [
        { include: 'selected', includeFields: 'qty, o.p, gone' },
        { qty: 4, p: 1, n: 1 },
      ],
      [
        { include: 'except', excludeFields: 'price,o.q,x.y, ok,json,list, none, gone.too' },
        { qty: 4, o: { p: 1 }, n: 1 },
      ],
      [
        { include: 'selected', includeFields: '={{ "q" + "ty" }}' },
        { qty: 4, n: 1 },
      ],
    ])('keeps the fields that are chosen: %j', async (more, expected) => {
      const it = assigned([['n', 'number', 1]], { includeOtherFields: true, ...more });
      expect(await fromList(it)).toEqual(expected);
      const { place, params } = behindOne(it);
      expect(place).toBe('mapped');
      expect(await runScript(params, [ITEM])).toEqual([expected]);
    });

    it('sets a field within a field beside the others there', async () => {
      const it = assigned(
        [
          ['o.r', 'number', 3],
          ['new.deep', 'string', 'd'],
        ],
        { includeOtherFields: true },
      );
      const expected = { ...ITEM, o: { p: 1, q: 2, r: 3 }, new: { deep: 'd' } };
      expect(await fromList(it)).toEqual(expected);
      expect(await runScript(behindOne(it).params, [ITEM])).toEqual([expected]);
    });
  });

  it('reads what a caller handed in before what other triggers start with', () => {
    const nodes = [
      START,
      node('Clock', 'scheduleTrigger', 1.2),
      HOOK,
      node('It', 'set', 3.4, { assignments: { assignments: [{ name: 'x', value: '={{ $json.body.x }}' }] } }),
    ];
    const { find } = read(nodes, {
      Start: { main: [to('It')] },
      Clock: { main: [to('It')] },
      Hook: { main: [to('It')] },
    });
    expect(find('it__input')!.params).toEqual({
      mode: 'first',
      values: [
        { body: { $ref: '_output.hook.payload' } },
        { timestamp: { $ref: '_output.clock.slot_time' } },
        { $ref: '_output.start' },
      ],
    });
  });

  it('hands on an item that says so where a node fails and its author wanted to go on', () => {
    const after = (it: Json) =>
      read([START, it, node('After', 'limit', 1)], { Start: { main: [to('It')] }, It: { main: [to('After')] } });
    const NOTE = 'When it fails, the item that goes on says only that it failed.';
    const list = after({ ...LIST, name: 'It', onError: 'continueRegularOutput' });
    expect(list).toMatchObject({ place: 'approximated', notes: [NOTE] });
    expect(list.find('it')).toMatchObject({ on_error: 'continue', next: ['it__or_failed'] });
    const said = { error: '“It” failed.' };
    expect(list.find('it__or_failed')).toMatchObject({
      kind: 'merge',
      params: { values: [{ $ref: '_output.it.result' }, [said]], mode: 'first' },
      next: ['after'],
    });
    expect(list.find('after')!.params.items).toEqual({ $ref: '_output.it__or_failed.value' });
    const call = after(node('It', 'httpRequest', 4.2, { url: 'https://a.example' }, { continueOnFail: true }));
    expect(call.find('it__or_failed')!.params).toEqual({
      values: [{ $ref: expect.stringMatching(/^_output\.it\./) }, said],
      mode: 'first',
    });
    // It only hands on what it gets.
    expect(
      after(node('It', 'noOp', 1, {}, { onError: 'continueRegularOutput' })).find('it__or_failed'),
    ).toBeUndefined();
    expect(after({ ...LIST, name: 'It', onError: 'stopWorkflow' }).find('it__or_failed')).toBeUndefined();
  });

  it('hands on an empty item where there is none, of what its author wanted to hand on something always', async () => {
    const always = { alwaysOutputData: true };
    const { find, notes } = read([START, { ...LIST, name: 'It', ...always }, node('After', 'limit', 1)], {
      Start: { main: [to('It')] },
      It: { main: [to('After')] },
    });
    expect(notes).toEqual([]);
    const { params } = find('it__or_empty')!;
    expect(params.items).toEqual({ $ref: '_output.it.result' });
    expect(find('after')!.params.items).toEqual({ $ref: '_output.it__or_empty.result' });
    expect(await runScript(params, [])).toEqual([{}]);
    expect(await runScript(params, [{ a: 1 }])).toEqual([{ a: 1 }]);
    const filter = node('It', 'filter', 2.2, compared('s', 'string', 'equals', 'x'), always);
    expect(behindList(filter).notes).toEqual([expect.stringContaining('none goes on')]);
  });

  it('puts items together by their places, with or without those that have no counterpart', async () => {
    const lists = [[{ a: 1 }, { a: 2 }], [{ b: 1 }]];
    const both = mergedByPlace({ includeUnpaired: true });
    expect(both.notes).toEqual([]);
    const run = (params: Json) => new AsyncFunction('items', 'params', String(params.code))([], { lists });
    expect(await run(both.params)).toEqual([{ a: 1, b: 1 }, { a: 2 }]);
    expect(await run(mergedByPlace({}).params)).toEqual([{ a: 1, b: 1 }]);
  });

  it('starts with none of its triggers that wait for failures or are switched off', () => {
    const nodes = [
      START,
      LIST,
      node('It', 'errorTrigger', 1),
      node('Alert', 'noOp', 1),
      node('Off', 'scheduleTrigger', 1.2, {}, { disabled: true }),
    ];
    const wires = { Start: { main: [to('List')] }, It: { main: [to('Alert')] }, Off: { main: [to('List')] } };
    expect(importN8n({ nodes, connections: wires }, 'json', toolCatalogue).jsonSpec.entry).toEqual(['start']);
    expect(read(nodes, wires)).toMatchObject({
      place: 'unmapped',
      notes: ['Nothing starts it here: what it leads to is not run.'],
    });
    const alone = importN8n({ nodes: [nodes[2], nodes[3]], connections: wires }, 'json', toolCatalogue);
    expect(alone.jsonSpec.entry).toEqual(['it']);
  });

  it('renames fields of fields', async () => {
    const key = [
      { currentKey: 'a.b', newKey: 'c' },
      { currentKey: 'd', newKey: 'e.f' },
      { currentKey: 'gone', newKey: 'g' },
    ];
    const { params } = behindList(node('It', 'renameKeys', 1, { keys: { key } }));
    const run = new AsyncFunction('items', 'params', String(params.code));
    expect(await run([{ a: { b: 1, x: 2 }, d: 3, h: 4 }], params.params)).toEqual([
      { a: { x: 2 }, c: 1, e: { f: 3 }, h: 4 },
    ]);
  });

  it('puts what Crypto makes beside the fields of the item', () => {
    const hash = node('It', 'crypto', 1, { type: 'SHA256', value: '={{ $json.s }}', dataPropertyName: 'h' });
    const last = node('Last', 'set', 3.4, {
      assignments: { assignments: [{ name: 'both', type: 'string', value: '={{ $json.s }} {{ $json.h }}' }] },
    });
    const connections = (first: string) => ({ [first]: { main: [to('It')] }, It: { main: [to('Last')] } });
    const one = read([HOOK, hash, last], connections('Hook'));
    // What a webhook hands on is known here, field by field.
    expect(one.find('last')!.params).toEqual({ fields: { both: ' {{_output.it.value}}' } });
    const listed = read([START, LIST, hash, last], { Start: { main: [to('List')] }, ...connections('List') });
    expect(listed.find('last')!.params).toMatchObject({ items: { $ref: '_output.it__items.result' } });
    expect(listed.place).toBe('mapped');
  });

  it('writes dates in a format of their author', () => {
    expect(format({}).params.format).toBe('MM/dd/yyyy');
    expect(format({ format: 'custom', customFormat: 'dd.MM.yyyy' }).params.format).toBe('dd.MM.yyyy');
    expect(format({ options: { includeInputFields: true } }).place).toBe('approximated');
  });

  it.each<[Json, unknown]>([
    [{}, '06/05/2026'],
    [{ toFormat: 'YYYY-MM-DD' }, '2026-06-05'],
    [{ custom: true, toFormat: 'dddd [the] Do MMMM YYYY, h:mm a' }, 'Friday the 5th June 2026, 2:07 pm'],
    [{ toFormat: 'dd DDDD LT ZZ' }, 'Fr 156 2:07 PM +0000'],
    [{ toFormat: 'YYYY-MM-DDTHH:mm:ss.SSSZ' }, '2026-06-05T14:07:09.000+00:00'],
    [{ toFormat: 'X', value: 1780668429 }, '1780668429'],
    [
      { value: '05.06.2026 um 7', options: { fromFormat: 'DD.MM.YYYY [um] H' }, toFormat: 'LLL' },
      'June 5, 2026 7:00 AM',
    ],
    [{ action: 'calculate', duration: 3 }, '2026-06-08T14:07:09.000Z'],
    [
      { action: 'calculate', operation: 'subtract', duration: '={{ $json.n }}', timeUnit: 'months' },
      '2026-04-05T14:07:09.000Z',
    ],
  ])('does what Date & Time of the first version did, in the letters of moment: %j', async (parameters, made) => {
    const item = { d: '2026-06-05T14:07:09Z', n: 2, kept: { a: 1 } };
    const old = behindList(node('It', 'dateTime', 1, { value: '={{ $json.d }}', ...parameters }));
    expect(old.kind).toBe('code');
    expect(await runScript(old.params, [item])).toEqual([{ ...item, data: made }]);
    const within = behindList(
      node('It', 'dateTime', 1, { value: '={{ $json.d }}', dataPropertyName: 'kept.b', ...parameters }),
    );
    expect(await runScript(within.params, [item])).toEqual([{ ...item, kept: { a: 1, b: made } }]);
  });

  it('says what it cannot do of Date & Time of the first version', async () => {
    const odd = behindOne(node('It', 'dateTime', 1, { value: '={{ $json.body.d }}', toFormat: 'gggg-ww' }));
    expect([odd.place, odd.notes]).toEqual(['unmapped', expect.arrayContaining([expect.stringContaining('A format')])]);
    const zoned = behindList(node('It', 'dateTime', 1, { value: 'soon', options: { toTimezone: 'Europe/Berlin' } }));
    expect(zoned.notes).toContainEqual(expect.stringContaining('toTimezone'));
    await expect(runScript(zoned.params, [{}])).rejects.toThrow('This is no date: soon');
  });

  it('reads XML with the names that n8n gives', async () => {
    const parsed = { order: { '@id': '7', line: ['kettle', { '@n': '2', '#text': 'cup' }] } };
    const named = async (options: Json) => {
      const all = behindOne(node('It', 'xml', 1, { options }));
      return runScript(all.find('it__fields')!.params, [{ value: parsed }]);
    };
    expect(await named({})).toEqual([{ order: { id: '7', line: ['kettle', { n: '2', _: 'cup' }] } }]);
    expect(await named({ mergeAttrs: false, explicitRoot: false, charkey: 't' })).toEqual([
      { $: { id: '7' }, line: ['kettle', { $: { n: '2' }, t: 'cup' }] },
    ]);
    expect(await named({ ignoreAttrs: true })).toEqual([{ order: { line: ['kettle', 'cup'] } }]);
  });

  it('writes each item as XML', async () => {
    const items = [
      { order: { $: { id: 7 }, line: ['kettle', { _: 'cup', $: { n: 2 } }] } },
      { a: 1, b: null },
      { a: 'x' },
    ];
    const all = behindList(node('It', 'xml', 1, { mode: 'jsonToxml', dataPropertyName: 'x' }));
    expect(all.find('it')!.params).toMatchObject({ kind: 'write_xml' });
    const values = (await runScript(all.find('it__values')!.params, items)) as Json[];
    expect(values.map(({ v0, v1 }) => [v1, v0])).toEqual([
      ['order', { '@id': 7, line: ['kettle', { '#text': 'cup', '@n': 2 }] }],
      ['root', { a: 1, b: null }],
      ['a', { '#text': 'x' }],
    ]);
    const { params } = all.find('it__fields')!;
    expect(await runScript(params, [{ text: '<a/>' }])).toEqual([{ x: '<a/>' }]);
    const own = behindList(node('It', 'xml', 1, { mode: 'jsonToxml', options: { rootName: 'all', headless: true } }));
    const [first] = (await runScript(own.find('it__values')!.params, [{ a: 'x' }])) as Json[];
    expect([first!.v1, first!.v0, own.notes]).toEqual(['all', { a: 'x' }, [expect.stringContaining('begins with')]]);
  });

  it.each<[number, Json, number]>([
    [1, {}, 3_600],
    [1, { unit: 'seconds' }, 1],
    [1.1, {}, 5],
    [1.1, { amount: 2 }, 2],
    [1.1, { amount: 2, unit: 'minutes' }, 120],
  ])('version %j of Wait with %j takes %j seconds', (typeVersion, parameters, seconds) => {
    expect(behindOne(node('It', 'wait', typeVersion, parameters)).params).toEqual({ seconds });
  });

  it('says which times no cron expression tells', () => {
    const interval = [
      { field: 'minutes' },
      { field: 'minutes', minutesInterval: 45 },
      { field: 'hours', hoursInterval: 5 },
      {},
      { field: 'cronExpression', expression: '*/10 * * * * *' },
      { field: 'cronExpression', expression: '0 30 9 * * 1-5' },
      { field: 'seconds' },
    ];
    const { schedules, notes } = read([node('It', 'scheduleTrigger', 1.2, { rule: { interval } })], {});
    expect(schedules).toEqual(['*/5 * * * *', '0 0 * * *', '30 9 * * 1-5']);
    expect(notes).toEqual([
      expect.stringContaining('cron */5 * * * *, cron 0 0 * * *, cron 30 9 * * 1-5'),
      expect.stringContaining('45'),
      expect.stringContaining('"hoursInterval":5'),
      expect.stringContaining('*/10'),
      expect.stringContaining('seconds'),
    ]);
  });

  it('puts values together with the separator of their author, and counts each of them once', () => {
    const values = [
      { aggregation: 'concatenate', field: 'a' },
      { aggregation: 'concatenate', field: 'b', separateBy: '\n' },
      { aggregation: 'concatenate', field: 'c', separateBy: 'other', customSeparator: ' & ' },
      { aggregation: 'countUnique', field: 'd' },
    ];
    const { params, place } = behindList(node('It', 'summarize', 1, { fieldsToSummarize: { values } }));
    expect([place, params.operations]).toEqual([
      'mapped',
      [
        { operation: 'join', field: 'a', as: 'concatenated_a', separator: ',' },
        { operation: 'join', field: 'b', as: 'concatenated_b', separator: '\n' },
        { operation: 'join', field: 'c', as: 'concatenated_c', separator: ' & ' },
        { operation: 'count_unique', field: 'd', as: 'unique_count_d' },
      ],
    ]);
    const grouped = behindList(
      node('It', 'summarize', 1, {
        fieldsToSummarize: { values },
        fieldsToSplitBy: 'x',
        options: { outputFormat: 'singleItem' },
      }),
    );
    expect(grouped.place).toBe('approximated');
  });

  it('sorts without a look at capitals', () => {
    const sortFieldsUi = { sortField: [{ fieldName: 's' }] };
    expect(behindList(node('It', 'sort', 1, { sortFieldsUi })).params).toMatchObject({ field: 's', ignore_case: true });
  });

  const OTHER = node('Other', 'code', 2, { jsCode: 'return [];' });
  const joined = (parameters: Json) =>
    read([START, LIST, OTHER, node('It', 'merge', 3, { mode: 'combine', fieldsToMatchString: 'id', ...parameters })], {
      Start: { main: [[...to('List'), ...to('Other')]] },
      List: { main: [to('It', 0)] },
      Other: { main: [to('It', 1)] },
    });
  const [list, other] = ['list', 'other'].map((id) => ({ $ref: `_output.${id}.result` }));
  it.each<[Json, Json]>([
    [{}, { left: list, right: other, mode: 'inner', prefer: 'joined' }],
    [clashing('preferInput1'), { left: list, right: other, mode: 'inner', prefer: 'items' }],
    [{ joinMode: 'enrichInput1' }, { left: list, right: other, mode: 'left', prefer: 'joined' }],
    [{ joinMode: 'enrichInput2' }, { left: other, right: list, mode: 'left', prefer: 'joined' }],
    [
      { joinMode: 'enrichInput2', ...clashing('preferInput2') },
      { left: other, right: list, mode: 'left', prefer: 'items' },
    ],
    [{ joinMode: 'keepEverything' }, { left: list, right: other, mode: 'full', prefer: 'joined' }],
    [
      { joinMode: 'keepNonMatches', outputDataFrom: 'input1' },
      { left: list, right: other, mode: 'unmatched' },
    ],
    [
      { joinMode: 'keepNonMatches', outputDataFrom: 'input2' },
      { left: other, right: list, mode: 'unmatched' },
    ],
  ])('joins two inputs by %j', (parameters, expected) => {
    const { params, place } = joined(parameters);
    expect([place, params]).toEqual(['mapped', expect.objectContaining(expected)]);
  });

  const LEFT = [
    { id: 1, x: 'a', n: null, o: { p: 1 } },
    { id: 2, x: 'b', n: 1, o: { p: 2 } },
    { id: 2, x: 'c', 'u.v': 1 },
    { x: 'no id' },
  ];
  const RIGHT = [
    { id: 2, x: 'B', n: '', o: { q: 3 } },
    { id: '2', x: 'text' },
    { id: 2, x: 'c', y: 'second' },
    { id: null, x: 'null' },
  ];
  const by = (names: string, more: Json = {}): Json => ({ fieldsToMatchString: names, ...more });
  const clash = (values: Json): Json => ({ options: { clashHandling: { values } } });
  it.each<[Json, Json[]]>([
    [by('id, x'), [{ id: 2, x: 'c', 'u.v': 1, y: 'second' }]],
    [
      { advanced: true, mergeByFields: { values: [{ field1: 'x', field2: 'y' }] }, joinMode: 'keepNonMatches' },
      [...LEFT.map((one) => ({ ...one, _source: 'input1' })), ...RIGHT.map((one) => ({ ...one, _source: 'input2' }))],
    ],
    [by('id', { outputDataFrom: 'input1' }), [LEFT[1]!, LEFT[2]!]],
    [by('id', { outputDataFrom: 'input2' }), [RIGHT[0]!, RIGHT[2]!]],
    [
      by('id', { options: { multipleMatches: 'first' } }),
      [
        { id: 2, x: 'B', n: '', o: { p: 2, q: 3 } },
        { id: 2, x: 'B', n: '', o: { q: 3 }, 'u.v': 1 },
      ],
    ],
    [
      by('id', { joinMode: 'enrichInput1', ...clash({ mergeMode: 'shallowMerge', overrideEmpty: true }) }),
      [
        { id: 2, x: 'B', n: 1, o: { q: 3 } },
        { id: 2, x: 'c', n: 1, o: { p: 2 }, y: 'second' },
        { id: 2, x: 'B', 'u.v': 1, n: '', o: { q: 3 } },
        { id: 2, x: 'c', 'u.v': 1, y: 'second' },
        LEFT[0]!,
        LEFT[3]!,
      ],
    ],
    [
      by('id,x', { joinMode: 'keepEverything', ...clash({ resolveClash: 'addSuffix' }) }),
      [
        { id_1: 2, x_1: 'c', 'u.v_1': 1, id_2: 2, x_2: 'c', y_2: 'second' },
        { id_1: 1, x_1: 'a', n_1: null, o_1: { p: 1 } },
        { id_1: 2, x_1: 'b', n_1: 1, o_1: { p: 2 } },
        { x_1: 'no id' },
        { id_2: 2, x_2: 'B', n_2: '', o_2: { q: 3 } },
        { id_2: '2', x_2: 'text' },
        { id_2: null, x_2: 'null' },
      ],
    ],
    [by('id', { outputDataFrom: 'input2', options: { fuzzyCompare: true } }), RIGHT.filter(({ id }) => id !== null)],
    [
      by('id', { joinMode: 'enrichInput2', options: { fuzzyCompare: true, multipleMatches: 'first' } }),
      [{ ...LEFT[1]!, n: 1, o: { q: 3, p: 2 } }, { ...RIGHT[0]!, ...LEFT[2]! }, ...RIGHT.slice(1)],
    ],
    [by('u.v', { outputDataFrom: 'input1', options: { disableDotNotation: true } }), []],
  ])('merges by fields as n8n does, whatever is chosen: %j', async (parameters, items) => {
    const { params, place, kind } = joined(parameters);
    expect([place, kind]).toEqual(['mapped', 'code']);
    expect(params.params).toEqual({ lists: [list, other] });
    const merged = await new AsyncFunction('items', 'params', String(params.code))([], { lists: [LEFT, RIGHT] });
    expect(merged).toEqual(items);
  });

  it.each<[string, Json, unknown]>([
    [
      'sort',
      { type: 'code', code: 'return b.json.n - a.json.n;' },
      [{ n: 10 }, { n: 3, tags: ['x', null] }, { tags: 'y' }],
    ],
    [
      'aggregate',
      { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'tags' }] }, options: { mergeLists: true } },
      { tags: ['x', 'y'] },
    ],
    [
      'aggregate',
      {
        fieldsToAggregate: {
          fieldToAggregate: [
            { fieldToAggregate: 'n', renameField: true, outputFieldName: 'numbers' },
            { fieldToAggregate: 'tags' },
          ],
        },
        options: { keepMissing: true },
      },
      { numbers: [3, 10, null], tags: [['x', null], null, 'y'] },
    ],
    [
      'aggregate',
      { aggregate: 'aggregateAllItemData', include: 'specifiedFields', fieldsToInclude: 'n, x' },
      { data: [{ n: 3 }, { n: 10 }] },
    ],
    [
      'aggregate',
      {
        aggregate: 'aggregateAllItemData',
        include: 'allFieldsExcept',
        fieldsToExclude: 'n',
        destinationFieldName: 'rows',
      },
      { rows: [{ tags: ['x', null] }, { tags: 'y' }] },
    ],
  ])('puts lists in order and together as their author chose: %s %j', async (type, parameters, expected) => {
    const { place, kind, params } = behindList(node('It', type, 1, parameters));
    expect([place, kind]).toEqual(['mapped', 'code']);
    const items = [{ n: 3, tags: ['x', null] }, { n: 10 }, { tags: 'y' }];
    expect(await runScript(params, items)).toEqual(expected);
  });

  it('shuffles', async () => {
    const items = Array.from({ length: 50 }, (_, id) => ({ id }));
    const { params } = behindList(node('It', 'sort', 1, { type: 'random' }));
    const shuffled = (await runScript(params, items)) as typeof items;
    expect(shuffled.toSorted((a, b) => a.id - b.id)).toEqual(items);
    expect(shuffled).not.toEqual(items);
  });

  const DATED = [
    { id: 1, d: '2026-03-28T23:30:00Z', n: 2 },
    { id: 2, d: '2026-12-31', n: 0 },
  ];
  const dated = async (parameters: Json, items: Json[] = DATED) => {
    const { kind, params } = behindList(node('It', 'dateTime', 2, parameters));
    return { kind, result: await runScript(params, items) };
  };
  it.each<[Json, unknown[]]>([
    [
      { operation: 'formatDate', date: '={{ $json.d }}', format: 'custom', customFormat: 'dd.MM.yyyy' },
      [{ formattedDate: '28.03.2026' }, { formattedDate: '31.12.2026' }],
    ],
    [{ operation: 'formatDate', date: '={{ $json.nothing }}' }, [{ formattedDate: null }, { formattedDate: null }]],
    [
      {
        operation: 'formatDate',
        date: '05/06/2026',
        format: 'yyyy-MM-dd',
        options: { fromFormat: 'dd/MM/yyyy', includeInputFields: true },
      },
      DATED.map((item) => ({ ...item, formattedDate: '2026-06-05' })),
    ],
    [
      { operation: 'addToDate', magnitude: '={{ $json.d }}', duration: '={{ $json.n }}', timeUnit: 'quarters' },
      [{ newDate: '2026-09-28T23:30:00.000Z' }, { newDate: '2026-12-31T00:00:00.000Z' }],
    ],
    [
      { operation: 'subtractFromDate', magnitude: '2026-03-31', duration: 1, timeUnit: 'months', outputFieldName: 'x' },
      [{ x: '2026-02-28T00:00:00.000Z' }, { x: '2026-02-28T00:00:00.000Z' }],
    ],
    [{ operation: 'extractDate', date: '={{ $json.d }}', part: 'week' }, [{ datePart: 13 }, { datePart: 53 }]],
    [
      { operation: 'roundDate', date: '={{ $json.d }}' },
      [{ roundedDate: '2026-03-01T00:00:00.000Z' }, { roundedDate: '2026-12-01T00:00:00.000Z' }],
    ],
    [
      { operation: 'roundDate', date: '={{ $json.d }}', mode: 'roundUp' },
      [{ roundedDate: '2026-04-01T00:00:00.000Z' }, { roundedDate: '2027-01-01T00:00:00.000Z' }],
    ],
    [
      {
        operation: 'getTimeBetweenDates',
        startDate: '2026-01-31',
        endDate: '={{ $json.d }}',
        units: ['hour', 'month', 'day'],
      },
      [{ timeDifference: { months: 1, days: 28, hours: 23.5 } }, { timeDifference: { months: 11, days: 0, hours: 0 } }],
    ],
    [
      { operation: 'getTimeBetweenDates', startDate: '={{ $json.d }}', endDate: 1767225600000 },
      [{ timeDifference: { days: -86.97916666666667 } }, { timeDifference: { days: -364 } }],
    ],
  ])('reckons with the date of each item: %j', async (parameters, result) => {
    expect(await dated(parameters)).toEqual({ kind: 'code', result });
  });

  it('fails of what is no date, and calls the part of one as n8n does', async () => {
    for (const x of ['soon', null, ''])
      await expect(dated({ operation: 'roundDate', date: '={{ $json.x }}' }, [{ x }])).rejects.toThrow('no date');
    const one = behindOne(node('It', 'dateTime', 2, { operation: 'extractDate', date: '2026-05-06' }));
    expect([one.place, one.kind]).toEqual(['approximated', 'code']);
    expect(one.notes).toEqual([expect.stringContaining('UTC')]);
    expect(await runScript(one.params, [{}])).toEqual([{ datePart: 5 }]);
  });

  it('hashes a value of each item', async () => {
    const { place, kind, params, find } = behindList(
      node('It', 'crypto', 1, { type: 'SHA256', value: '={{ $json.s }}', dataPropertyName: 'hash' }),
    );
    expect([place, kind, params.kind]).toEqual(['mapped', 'batch', 'crypto']);
    const { code, params: given } = find('it__items')!.params as { code: string; params: Json };
    expect(given).toEqual({ items: { $ref: '_output.list.result' } });
    expect(await new AsyncFunction('items', 'params', code)([{ value: 'h' }], { items: ITEMS })).toEqual([
      { ...ITEMS[0], hash: 'h' },
      { ...ITEMS[1], hash: null },
    ]);
  });

  it('gives the first item alone to what is executed once', () => {
    const request = node('It', 'httpRequest', 4.2, { url: '=https://x.example/{{ $json.id }}' }, { executeOnce: true });
    expect(behindList(request)).toMatchObject({
      place: 'mapped',
      kind: 'http_request',
      params: { url: 'https://x.example/{{_output.list.result[0].id}}' },
    });
    expect(behindList(node('It', 'noOp', 1, {}, { executeOnce: true })).place).toBe('mapped');
  });
});

describe('requests of every version', () => {
  const request = (typeVersion: number, parameters: Json) =>
    behindOne(node('It', 'httpRequest', typeVersion, { url: 'https://x.example/', ...parameters }));

  it.each<[number, Json, Json]>([
    [
      4.2,
      {
        method: 'POST',
        sendQuery: true,
        specifyQuery: 'json',
        jsonQuery: '{"q": 1}',
        sendHeaders: true,
        specifyHeaders: 'json',
        jsonHeaders: '{"X-A": "a"}',
        sendBody: true,
        contentType: 'form-urlencoded',
        specifyBody: 'string',
        body: 'a=1&b=2',
        options: { redirect: { redirect: { followRedirects: false } } },
      },
      {
        method: 'POST',
        query: { q: 1 },
        headers: { 'X-A': 'a' },
        body_kind: 'text',
        body: 'a=1&b=2',
        content_type: 'application/x-www-form-urlencoded',
        follow_redirects: false,
      },
    ],
    [
      2,
      {
        method: 'POST',
        queryParametersUi: ui('q', '1'),
        headerParametersUi: ui('X-A', 'a'),
        bodyParametersUi: ui('b', '=x{{ $json.body.n }}'),
        responseFormat: 'string',
        options: { followRedirect: false },
      },
      {
        method: 'POST',
        query: { q: '1' },
        headers: { 'X-A': 'a' },
        body_kind: 'json',
        body: { b: 'x{{_output.hook.payload.n}}' },
        response: 'text',
        follow_redirects: false,
      },
    ],
    [
      1,
      {
        requestMethod: 'PUT',
        jsonParameters: true,
        queryParametersJson: '{"q": "1"}',
        headerParametersJson: '{"X-A": "a"}',
        bodyParametersJson: '{"b": 2}',
      },
      { method: 'PUT', query: { q: '1' }, headers: { 'X-A': 'a' }, body_kind: 'json', body: { b: 2 } },
    ],
    [
      1,
      { requestMethod: 'POST', bodyParametersUi: ui('b', '2'), options: { bodyContentType: 'form-urlencoded' } },
      { method: 'POST', body_kind: 'form', body: { b: '2' } },
    ],
    [
      1,
      {
        requestMethod: 'POST',
        jsonParameters: true,
        bodyParametersJson: 'plain',
        options: { bodyContentType: 'raw', bodyContentCustomMimeType: 'text/x' },
      },
      { method: 'POST', body_kind: 'text', body: 'plain', content_type: 'text/x' },
    ],
    [1, { bodyParametersUi: ui('b', '2') }, { method: 'GET' }],
  ])('version %j sends all of %j', (typeVersion, parameters, expected) => {
    const { place, params } = request(typeVersion, parameters);
    expect([place, params]).toEqual(['mapped', { url: 'https://x.example/', ...expected }]);
  });

  it('fills in what headers as JSON compute, for each item of a list', async () => {
    const parameters = { sendHeaders: true, specifyHeaders: 'json', jsonHeaders: '={"X-A": "{{ $json.s }}"}' };
    const one = request(4.2, parameters);
    expect(one.params.headers).toEqual({ $ref: '_output.it__values.result.v0' });
    const each = behindList(node('It', 'httpRequest', 4.2, { url: 'https://x.example/', ...parameters }));
    expect(each.params).toMatchObject({
      items: { $ref: '_output.it__values.result' },
      params: { headers: { $ref: '_item.v0' } },
    });
    expect(await runScript(each.find('it__values')!.params, ITEMS)).toMatchObject([
      { v0: { 'X-A': 'Banana' } },
      { v0: { 'X-A': 'apple' } },
    ]);
    expect(request(4.2, { ...parameters, jsonHeaders: '{no' }).notes).toEqual([
      expect.stringContaining('set them anew'),
    ]);
  });
});
