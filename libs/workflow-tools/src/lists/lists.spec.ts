import { errorOf, outputOf, run } from '../testing/tool-harness.spec-support.js';

describe('split', () => {
  it('takes the entries of lists out of items, with fields of the item', async () => {
    const value = [
      { id: 1, customer: { name: 'Ada' }, order: { lines: [{ sku: 'a' }, { sku: 'b', id: 'own' }] } },
      { id: 2, order: { lines: 'single' } },
      { id: 3 },
    ];
    expect(await outputOf('split', { value, field: 'order.lines', keep: ['id', 'customer.name'] })).toEqual({
      items: [
        { id: 1, 'customer.name': 'Ada', sku: 'a' },
        { id: 'own', 'customer.name': 'Ada', sku: 'b' },
        { id: 2, 'customer.name': null, value: 'single' },
      ],
      count: 3,
    });
    expect(await outputOf('split', { value: { list: [1, 2] }, field: 'list' })).toMatchObject({ items: [1, 2] });
    expect(await outputOf('split', { value: [1, 2] })).toMatchObject({ items: [1, 2] });
  });

  it('splits texts and makes portions', async () => {
    expect(await outputOf('split', { value: ' a, b,,c ', mode: 'text', separator: ',' })).toMatchObject({
      items: ['a', 'b', 'c'],
    });
    expect(await outputOf('split', { value: [1, 2, 3, 4, 5], mode: 'portions', size: 2 })).toMatchObject({
      items: [[1, 2], [3, 4], [5]],
    });
    expect(await errorOf('split', { value: 1, mode: 'text' })).toMatchObject({ code: 'invalid_params' });
    expect(await errorOf('split', { value: ','.repeat(5), mode: 'text', separator: '' })).toMatchObject({
      code: 'invalid_params',
    });
  });
});

describe('limit', () => {
  const items = [1, 2, 3, 4, 5];
  it.each([
    [{ count: 2 }, [1, 2]],
    [{ count: 2, skip: 1 }, [2, 3]],
    [{ count: 2, from: 'end' }, [4, 5]],
    [{ count: 2, skip: 1, from: 'end' }, [3, 4]],
    [{ count: 9, skip: 4, from: 'end' }, [1]],
    [{ count: 2, skip: 9, from: 'end' }, []],
    [{ count: 0 }, []],
  ])('%j', async (params, kept) => {
    expect(await outputOf('limit', { items, ...params })).toEqual({
      items: kept,
      count: kept.length,
      removed: 5 - kept.length,
    });
  });
});

describe('edit_fields', () => {
  it('picks, removes, renames and adds', async () => {
    const item = { id: 1, name: 'Ada', address: { city: 'Rome' }, extra: true };
    expect(
      await outputOf('edit_fields', {
        value: [item, 'text'],
        pick: ['id', 'address.city', 'nothing'],
        rename: { 'address.city': 'city' },
        add: { id: 2, source: 'x' },
      }),
    ).toEqual({
      value: [{ id: 2, city: 'Rome', nothing: null, source: 'x' }, 'text'],
      items: [{ id: 2, city: 'Rome', nothing: null, source: 'x' }, 'text'],
      count: 2,
    });
    expect(await outputOf('edit_fields', { value: item, remove: ['extra', 'address'] })).toMatchObject({
      value: { id: 1, name: 'Ada' },
      items: [],
    });
  });

  it('removes and renames what stands within a field, or within the entries of a list', async () => {
    const value = [
      { user: { name: 'Ada', password: 'x' }, 'a.b': 1, a: { b: 2 }, lines: [{ sku: 's', cost: 1 }, 5, { cost: 2 }] },
      { user: null, lines: [] },
    ];
    const remove = ['user.password', 'a.b', 'lines.cost', 'lines[1]'];
    expect(await run('edit_fields', { value, remove, rename: { 'user.name': 'name' } })).toEqual({
      output: {
        value: [
          { user: {}, a: { b: 2 }, lines: [{ sku: 's' }, 5, {}], name: 'Ada' },
          { user: null, lines: [] },
        ],
        items: expect.any(Array),
        count: 2,
      },
      warnings: [],
    });
    expect(value[0]!.user).toEqual({ name: 'Ada', password: 'x' });
    expect(
      await outputOf('edit_fields', {
        value: value[0],
        remove: ['lines[0].cost', 'user.name'],
        pick: ['lines', 'user'],
      }),
    ).toMatchObject({ value: { lines: [{ sku: 's' }, 5, { cost: 2 }], user: { password: 'x' } } });
  });

  it('tells of a field to remove that no item has', async () => {
    const value = [{ name: 'Ada', secret: 'x' }];
    expect(await run('edit_fields', { value, remove: ['secrt', 'name'] })).toMatchObject({
      output: { items: [{ secret: 'x' }] },
      warnings: ['No item has the field "secrt". Did you mean "secret"?'],
    });
  });

  it('keeps a field called __proto__ a field', async () => {
    const value = JSON.parse('{"a": 1}') as object;
    const { value: edited } = (await outputOf('edit_fields', { value, rename: { a: '__proto__' } })) as {
      value: object;
    };
    expect(Object.hasOwn(edited, '__proto__')).toBe(true);
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});

it('renames a field to the name of another one, which it replaces, whichever came first', async () => {
  const value = [
    { a: 1, b: 2, c: 3 },
    { b: 2, a: 1 },
    { b: 2, c: 3 },
  ];
  expect(await outputOf('edit_fields', { value, rename: { a: 'b' } })).toMatchObject({
    items: [{ b: 1, c: 3 }, { b: 1 }, { b: 2, c: 3 }],
  });
  expect(await outputOf('edit_fields', { value: { a: 1, b: 2 }, rename: { a: 'b', b: 'a' } })).toMatchObject({
    value: { a: 2, b: 1 },
  });
});

describe('sums', () => {
  it.each([
    [Array.from({ length: 10 }, () => 0.1), 1, 0.1, 0.1],
    [[0.1, '0.2'], 0.3, 0.15, 0.15],
    [['1.005', 2.01, '-0.005', '+1e2'], 103.01, 25.7525, 1.5075],
    [[1e21, 1e-7, -1e21], 1e-7, 1e-7 / 3, 1e-7],
    [[5e-324, 1.5, -1.5, '.5', '2.'], 2.5, 0.5, 0.5],
    [['9007199254740993', 1, 1], '9007199254740995', 9007199254740996 / 3, 1],
  ])('of %j are what they are on paper', async (items, sum, average, median) => {
    const operations = ['sum', 'average', 'median'].map((operation) => ({ operation }));
    expect(await outputOf('aggregate', { items, operations })).toMatchObject({ result: { sum, average, median } });
  });

  it('tell of what they leave out', async () => {
    const items = [{ shop: 'a', price: '12,90' }, { shop: 'a', price: '7.10' }, { price: '' }, {}];
    const operations = [
      { operation: 'sum', field: 'price' },
      { operation: 'max', field: 'shop' },
      { operation: 'count' },
    ];
    const warnings = ['The field "price" has 1 of 2 values that are no numbers, like "12,90": they are left out.'];
    expect(await run('summarise', { items, group_by: ['shop'], operations })).toMatchObject({ warnings });
    expect(await run('aggregate', { items, operations })).toMatchObject({ warnings });
    expect(await run('aggregate', { items: [1, '2'], operations: [{ operation: 'sum' }] })).toMatchObject({
      warnings: [],
    });
  });
});

it('gives each of two columns of one name a name of its own', async () => {
  const operations = [
    { operation: 'count' },
    { operation: 'sum', field: 'n', as: 'total' },
    { operation: 'max', field: 'n', as: 'total' },
    { operation: 'min', field: 'n', as: 'key' },
  ];
  const items = [
    { count: 'a', n: 1 },
    { count: 'a', n: 2 },
  ];
  expect(await outputOf('summarise', { items, group_by: ['count'], operations })).toMatchObject({
    items: [{ count: 'a', count_2: 2, total: 3, total_2: 2, key: 1 }],
  });
  expect(await outputOf('aggregate', { items, group_by: 'count', operations })).toMatchObject({
    result: { count: 2, total: 3, total_2: 2, key_2: 1 },
    groups: [{ key: 'a', count: 2, total: 3, total_2: 2, key_2: 1 }],
  });
});

describe('points in time', () => {
  const [seven, eight, nine] = ['2026-01-01T09:00:00+02:00', '2026-01-01T08:00:00Z', '2026-01-01T04:00:00.000-05:00'];

  it('are put in order by when they are', async () => {
    expect(await outputOf('sort', { items: [nine, eight, seven] })).toMatchObject({ items: [seven, eight, nine] });
    expect(await outputOf('sort', { items: [nine, 'x', seven] })).toMatchObject({ items: [nine, seven, 'x'] });
    const operations = ['min', 'max'].map((operation) => ({ operation }));
    const items = [nine, seven, eight];
    expect(await outputOf('aggregate', { items, operations })).toMatchObject({ result: { min: seven, max: nine } });
  });

  it('are equal however they are written, to the last digit', async () => {
    const value = '2026-01-01T09:00:00.000000Z';
    const items = [nine, '2026-01-01 09:00Z', '2026-01-01T09:00:00.000001Z', '2026-01-01', seven];
    expect(await outputOf('filter', { items, value })).toMatchObject({ items: items.slice(0, 2) });
    const join = { left: [{ at: nine }], right: items.map((at) => ({ at })), left_key: 'at', mode: 'inner' };
    expect(await outputOf('join_lists', join)).toMatchObject({ count: 2 });
  });
});

describe('summarise', () => {
  it('makes a row per group', async () => {
    const items = [
      { city: 'Rome', year: 2026, price: 3, tag: 'a' },
      { city: 'Rome', year: '2026', price: '5', tag: 'b' },
      { city: 'Rome', year: 2025, price: 1, tag: 'a' },
      { city: 'Oslo', price: null, tag: 'a' },
    ];
    const operations = [
      { operation: 'average', field: 'price', as: 'average' },
      { operation: 'median', field: 'price' },
      { operation: 'unique', field: 'tag', as: 'tags' },
      { operation: 'count_unique', field: 'tag' },
      { operation: 'join', field: 'tag', as: 'joined', separator: '/' },
    ];
    expect(await outputOf('summarise', { items, group_by: ['city', 'year'], operations })).toEqual({
      items: [
        { city: 'Rome', year: 2026, average: 4, median_price: 4, tags: ['a', 'b'], count_unique_tag: 2, joined: 'a/b' },
        { city: 'Rome', year: 2025, average: 1, median_price: 1, tags: ['a'], count_unique_tag: 1, joined: 'a' },
        { city: 'Oslo', year: null, average: null, median_price: null, tags: ['a'], count_unique_tag: 1, joined: 'a' },
      ],
      count: 3,
    });
  });
});

describe('sort', () => {
  it('tells capitals from small letters, unless it is to ignore them', async () => {
    const items = ['b', 'C', 'a', 'B', 10, 9];
    expect(await outputOf('sort', { items })).toMatchObject({ items: [9, 10, 'B', 'C', 'a', 'b'] });
    expect(await outputOf('sort', { items, ignore_case: true })).toMatchObject({ items: [9, 10, 'a', 'b', 'B', 'C'] });
    const down = { items, ignore_case: true, direction: 'descending' };
    expect(await outputOf('sort', down)).toMatchObject({ items: ['C', 'b', 'B', 'a', 10, 9] });
  });
});

describe('mixed values', () => {
  it.each([[[10, 9, '1a']], [['1a', 10, 9]], [[9, '1a', 10]]])('have one order, however %j come', async (items) => {
    expect(await outputOf('sort', { items })).toMatchObject({ items: [9, 10, '1a'] });
    const operations = ['min', 'max'].map((operation) => ({ operation }));
    expect(await outputOf('aggregate', { items, operations })).toMatchObject({ result: { min: 9, max: 10 } });
  });

  it('tells ids of 64 bits apart', async () => {
    const [a, b] = ['1234567890123456789', '1234567890123456788'];
    expect(await outputOf('sort', { items: [a, b] })).toMatchObject({ items: [b, a] });
    expect(await outputOf('filter', { items: [a, b], value: a })).toMatchObject({ items: [a] });
    const join = { left: [{ id: a }], right: [{ id: b }], left_key: 'id' };
    expect(await outputOf('join_lists', join)).toMatchObject({ matched: 0 });
    expect(await outputOf('join_lists', { ...join, right: [{ id: a }] })).toMatchObject({ matched: 1 });
  });
});

describe('join_lists', () => {
  it('puts empty cells of two tables together with nothing', async () => {
    const join = {
      left: [{ id: '' }, { id: '1' }],
      right: [
        { id: '', x: 1 },
        { id: 1, x: 2 },
      ],
      left_key: 'id',
    };
    expect(await outputOf('join_lists', join)).toEqual({
      items: [{ id: '' }, { id: '1', x: 2 }],
      count: 2,
      matched: 1,
    });
    expect(await outputOf('join_lists', { ...join, mode: 'full' })).toMatchObject({ count: 3 });
  });

  it('puts items without the field together with nothing', async () => {
    const params = { left: [{ n: 1 }, { id: null }], right: [{ id: null, x: 1 }, { x: 2 }], left_key: 'id' };
    expect(await outputOf('join_lists', params)).toEqual({ items: [{ n: 1 }, { id: null }], count: 2, matched: 0 });
    expect(await outputOf('join_lists', { ...params, mode: 'full' })).toMatchObject({ count: 4, matched: 0 });
  });

  const left = [
    { id: 1, name: 'Ada' },
    { id: '2', name: 'Bob' },
    { id: 3, name: 'Cy' },
  ];
  const right = [
    { customer: '1', total: 20, name: 'order' },
    { customer: 1, total: 30 },
    { customer: 2, total: 5 },
    { customer: 9, total: 1 },
  ];
  const join = (mode: string, more = {}) =>
    outputOf('join_lists', { left, right, left_key: 'id', right_key: 'customer', mode, ...more });

  it('has every kind of join', async () => {
    expect(await join('inner')).toEqual({
      items: [
        { id: 1, name: 'Ada', customer: '1', total: 20 },
        { id: 1, name: 'Ada', customer: 1, total: 30 },
        { id: '2', name: 'Bob', customer: 2, total: 5 },
      ],
      count: 3,
      matched: 2,
    });
    expect(await join('left')).toMatchObject({ count: 4, items: [{}, {}, {}, { id: 3, name: 'Cy' }] });
    expect(await join('full')).toMatchObject({ count: 5, items: [{}, {}, {}, {}, { customer: 9, total: 1 }] });
    expect(await join('unmatched')).toEqual({ items: [{ id: 3, name: 'Cy' }], count: 1, matched: 2 });
    expect(await join('inner', { prefix: 'order_' })).toMatchObject({
      items: [{ name: 'Ada', order_name: 'order' }, {}, {}],
    });
    expect(await join('inner', { prefer: 'joined' })).toMatchObject({
      items: [{ name: 'order' }, { name: 'Ada' }, { name: 'Bob' }],
    });
  });

  it('bounds a product of many with many', async () => {
    const many = Array.from({ length: 400 }, () => ({ k: 1 }));
    expect(await errorOf('join_lists', { left: many, right: many, left_key: 'k' })).toMatchObject({
      code: 'too_many_items',
    });
  });
});

describe('compare_lists', () => {
  it('tells what was added, removed and changed', async () => {
    const before = [
      { sku: 'a', price: 1, 'dotted.name': 1 },
      { sku: 'b', price: 2 },
      { sku: 'c', price: 3, tags: { x: 1, y: 2 } },
    ];
    const after = [
      { sku: 'c', price: '3', tags: { y: 2, x: 1 } },
      { sku: 'a', price: 2, 'dotted.name': 2 },
      { sku: 'd', price: 4 },
    ];
    expect(await outputOf('compare_lists', { before, after, keys: ['sku'] })).toEqual({
      added: [after[2]],
      removed: [before[1]],
      changed: [{ before: before[0], after: after[1], fields: ['price', 'dotted.name'] }],
      unchanged: 1,
    });
    expect(await outputOf('compare_lists', { before, after, keys: ['sku'], fields: ['tags.x'] })).toMatchObject({
      changed: [],
      unchanged: 2,
    });
  });
});
