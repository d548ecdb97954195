import { parseDefinition } from '@app/workflow-definition';
import { toolCatalogue } from './index.js';
import { errorOf, run } from './testing/tool-harness.spec-support.js';

const node = (id: string, kind: string, params: Record<string, unknown>, next: string[] = []) => ({
  id,
  kind,
  name: id,
  params,
  next,
});

/** A list that is sorted, and a text about it. */
function warningsOf(template: string): string[] {
  const { errors, warnings } = parseDefinition(
    {
      nodes: [
        node('start', 'manual_trigger', { inputs: { orders: [] } }, ['sorted']),
        node('sorted', 'sort', { items: { $ref: '_output.start.orders' } }, ['text']),
        node('text', 'template', { template }),
      ],
    },
    toolCatalogue,
  );
  expect(errors).toEqual([]);
  return warnings.map(({ code, nodeId, path, message }) => `${code} ${nodeId} ${path}: ${message}`);
}

const codes = (definition: unknown) =>
  parseDefinition(definition, toolCatalogue).warnings.map(({ code, path }) => `${code} ${path}`);

describe('what people in a hurry write', () => {
  it.each([
    'Of {{_output.sorted.count}}: {{_output.sorted.items.0.id}} {{ _output.sorted }}',
    // What comes out of a trigger is known only in a run, what a handled failure leaves is there for every kind.
    '{{_output.start.anything}} {{_output.sorted.error.message}} {{_webhook_payload.x}}',
    // Placeholders of somebody else's templates.
    'Dear {{name}}, {{#each rows}} {{user.city}} {{/each}} {{ }} {{{x}}}',
  ])('lets %j be', (template) => {
    expect(warningsOf(template)).toEqual([]);
  });

  it('warns of the item in the inputs of a loop around which there is none', () => {
    const body = (inputs: object) => ({
      nodes: [node('l', 'loop', { items: [1], body: { nodes: [node('x', 'no_op', { value: '{{_item}}' })] }, inputs })],
    });
    const expected = ['item_of_outer_loop nodes[0].params.inputs'];
    expect(codes(body({ n: { $ref: '_item.id' } }))).toEqual(expected);
    expect(codes(body({ n: 'no {{ _index }}' }))).toEqual(expected);
    expect(codes(body({ n: { $ref: '_webhook_payload.n' }, item: '_item' }))).toEqual([]);
    const workflow = { workflow_id: '00000000-0000-4000-8000-000000000000', inputs: { n: '{{_item.n}}' } };
    expect(codes({ nodes: [node('r', 'repeat', { initial: 1, ...workflow })] })).toEqual(expected);
    // Within a body, it is that of the loop around.
    const inner = node('in', 'loop', { items: [1], ...workflow });
    expect(codes({ nodes: [node('out', 'loop', { items: [1], body: { nodes: [inner] } })] })).toEqual([]);
  });

  it('warns of a field that no output of the kind has, with the one that is meant', () => {
    expect(warningsOf('{{_output.sorted.itms.0}}')).toEqual([
      'unknown_output_field text nodes[2].params.template: _output.sorted.itms.0 stays empty: sort gives items, count. Did you mean "items"?',
    ]);
  });

  it.each([
    '{{ $json.orders[0].id }}',
    '{{ $node["Sort"].json.id }}',
    '{{ $("Sort").item.json.id }}',
    '{{#sorted.items#}}',
    '{{output.sorted.items}}',
    '{{_ouput.sorted.items}}',
    '{{ sorted.items }}',
    '{{webhook_payload.id}}',
  ])('warns of %j, which stays text', (template) => {
    expect(warningsOf(`Of ${template}`)).toEqual([
      expect.stringMatching(
        /^not_a_reference text nodes\[2\]\.params\.template: .+ is no reference and stays as it is\./,
      ),
    ]);
  });

  it('names ten of them at most', () => {
    expect(warningsOf('{{ $json.a }}'.repeat(1_000))).toHaveLength(10);
  });
});

describe('what a kind says of values that do not fit', () => {
  it.each([
    ['date', { value: null }, 'value: Invalid input: expected string or number, received null'],
    ['edit_fields', { value: 'x' }, 'value: Invalid input: expected array or object, received string'],
    ['date', { value: 'x'.repeat(300) }, 'value: Too big: expected string to have <=200 characters'],
    ['number', {}, 'value: This field is required.'],
    ['spreadsheet_read', { file: '' }, 'file: This field may not be blank.'],
    ['sort', { items: null }, 'items: Invalid input: expected array, received null'],
  ])('%s of %j', async (kind, params, message) => {
    expect(await errorOf(kind, params)).toMatchObject({ code: 'invalid_params', message });
  });
});

describe('fields that no item has', () => {
  const items = [
    { id: 1, total: 5, city: { name: 'Oslo' } },
    { id: 2, total: 7 },
  ];
  const slip = 'No item has the field "totl". Did you mean "total"?';

  it.each([
    ['sort', { items, field: 'totl' }],
    ['filter', { items, field: 'totl', operator: 'greater_than', value: 1 }],
    ['deduplicate', { items, fields: ['id', 'totl'] }],
    ['aggregate', { items, operations: [{ operation: 'sum', field: 'totl' }] }],
    ['aggregate', { items, group_by: 'totl' }],
    ['summarise', { items, group_by: ['totl'], operations: [{ operation: 'count' }] }],
    ['edit_fields', { value: items, pick: ['id', 'totl'] }],
    ['edit_fields', { value: items[0], rename: { totl: 'sum' } }],
    ['join_lists', { left: items, right: [{ total: 5 }], left_key: 'totl', right_key: 'total' }],
    ['compare_lists', { before: items, after: items, keys: ['totl'] }],
  ])('are told of by %s (%j)', async (kind, params) => {
    expect(await run(kind, params)).toMatchObject({ warnings: [slip] });
  });

  it.each([
    // One item that has it is enough, even with nothing in it.
    ['sort', { items, field: 'city.name' }],
    ['sort', { items: [{ a: null }], field: 'a' }],
    ['sort', { items: [3, 1], field: '' }],
    ['sort', { items: [], field: 'totl' }],
    ['aggregate', { items, operations: [{ operation: 'count', field: 'totl' }] }],
    // That is what picking and renaming are for, in this order.
    ['edit_fields', { value: items, pick: ['id'], rename: { totl: 'sum' } }],
  ])('are nothing to %s (%j)', async (kind, params) => {
    expect(((await run(kind, params)) as { warnings?: string[] }).warnings ?? []).toEqual([]);
  });

  it('are what somebody asks for who filters by whether there is something', async () => {
    const result = await run('filter', { items, field: 'error', operator: 'is_not_empty' });
    expect(result).not.toHaveProperty('warnings');
  });
});

describe('dates that cannot be read', () => {
  it.each([
    [{ value: '31.12.2026', input_format: 'MM.dd.yyyy' }, '"31.12.2026" cannot be read as MM.dd.yyyy.'],
    [
      { value: '31.12.2026', input_format: 'DD.MM.YYYY' },
      '"31.12.2026" cannot be read as DD.MM.YYYY. Write days as dd and years as yyyy.',
    ],
    [{ value: 'tomorrow' }, '"tomorrow" cannot be read as a date.'],
  ])('are told with how they were to be read: %j', async (params, message) => {
    expect(await errorOf('date', params)).toMatchObject({ code: 'invalid_date', message });
  });
});
