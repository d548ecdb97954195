import { parseDefinition } from '@app/workflow-definition';
import { toolCatalogue } from './index.js';
import { contextOf, toolOf } from './testing/tool-harness.spec-support.js';

type Json = Record<string, unknown>;

const node = (id: string, kind = 'no_op', more: Json = {}): Json => ({ id, kind, ...more });
const edge = (source: string, target: string, sourceHandle?: unknown, more: Json = {}): Json => ({
  id: `${source}-${target}`,
  source,
  target,
  ...(sourceHandle !== undefined && { sourceHandle, targetHandle: 'in' }),
  ...more,
});
const read = (nodes: Json[], edges: unknown[]) => parseDefinition({ nodes, edges }, toolCatalogue);
const found = (problems: { code: string; nodeId: string | null; path: string }[]) =>
  problems.map(({ code, nodeId, path }) => `${code} ${nodeId} ${path}`);

const condition = (more: Json = {}) =>
  node('if', 'condition', { params: { left: 1, operator: 'equals', right: 1 }, ...more });
const paramsOf = (graph: ReturnType<typeof read>['graph'], id = 'if') =>
  graph!.nodes.find((one) => one.id === id)!.params;

describe('a definition with edges only', () => {
  it.each([
    ['true', 'false'],
    ['TRUE', 'FALSE'],
    [true, false],
    ['if_true', 'if_false'],
    ['ifTrue', 'ifFalse'],
    ['yes', 'no'],
    ['then', 'else'],
    ['output-true', 'output-false'],
    ['if-true', 'if-false'],
    ['source_true', 'source_false'],
    ['true-handle', 'false-handle'],
    ['0', '1'],
    ['output_0', 'output_1'],
    ['outputs/main/0', 'outputs/main/1'],
  ])('takes the branches of a condition from %p and %p', (yes, no) => {
    const { graph, errors, warnings } = read(
      [condition(), node('y'), node('n')],
      [edge('if', 'y', yes), edge('if', 'n', no)],
    );
    expect([errors, warnings]).toEqual([[], []]);
    expect(paramsOf(graph)).toMatchObject({ if_true: ['y'], if_false: ['n'] });
    expect(graph!.entries).toEqual([0]);
    expect(graph!.next[0]).toEqual([1, 2]);
  });

  const cases = [{ value: 'invoice' }, { operator: 'contains', value: 'Beschwerde Ü', next: [] }];
  it.each([
    ['case-0', 'case-1', 'default'],
    ['case_0', 'case_1', 'else'],
    ['cases[0]', 'cases[1]', 'default'],
    ['cases.0.next', 'cases.1.next', 'fallback'],
    ['invoice', 'beschwerde ü', 'Otherwise'],
    ['0', '1', '2'],
    ['output0', 'output1', 'output2'],
  ])('takes the cases of a switch from %p, %p and %p', (first, second, rest) => {
    const { graph, errors, warnings } = read(
      [node('sw', 'switch', { params: { value: 'x', cases } }), node('a'), node('b'), node('c')],
      [edge('sw', 'a', first), edge('sw', 'b', second), edge('sw', 'c', rest)],
    );
    expect([errors, warnings]).toEqual([[], []]);
    expect(paramsOf(graph, 'sw')).toMatchObject({ cases: [{ next: ['a'] }, { next: ['b'] }], default: ['c'] });
  });

  it('reads numbers as the values of cases where all of them are values', () => {
    const numbered = { value: 1, cases: [{ value: 1 }, { value: 0 }] };
    const { graph } = read(
      [node('sw', 'switch', { params: numbered }), node('a'), node('b')],
      [edge('sw', 'a', '1'), edge('sw', 'b', '0')],
    );
    expect(paramsOf(graph, 'sw')).toMatchObject({ cases: [{ next: ['a'] }, { next: ['b'] }] });
  });

  it.each([
    [
      'classify',
      { text: 't', classes: [{ name: 'Spam' }, { name: 'Not spam' }] },
      ['spam', 'not-spam'],
      ['classes', 0, 'next'],
    ],
    ['approval', { message: 'ok?' }, ['approved', 'rejected'], ['if_approved']],
    ['ask', { question: 'q?', expires_in_seconds: 9 }, ['timeout', 'answer'], ['if_timeout']],
    [
      'form',
      { message: 'm', fields: [{ name: 'f' }], expires_in_seconds: 9 },
      ['if_timeout', 'default'],
      ['if_timeout'],
    ],
  ])('takes the ways out of %s', (kind, params, [first, second], place) => {
    const { graph, errors } = read(
      [node('it', kind, { params }), node('a'), node('b')],
      [edge('it', 'a', first), edge('it', 'b', second)],
    );
    expect(errors).toEqual([]);
    expect(place.reduce<unknown>((value, key) => (value as Json)[key], paramsOf(graph, 'it'))).toEqual(['a']);
    expect(graph!.next[0]).toEqual([1, 2]);
  });

  it.each(['error', 'on_error', 'error_next', 'failure', 'catch'])('takes what follows a failure from %p', (handle) => {
    const { graph, warnings } = read(
      [node('a', 'template', { params: { template: 'x' } }), node('b'), node('c')],
      [edge('a', 'b'), edge('a', 'c', handle)],
    );
    expect(warnings).toEqual([]);
    expect(graph!.nodes[0]).toMatchObject({ onError: 'branch', next: ['b'], errorNext: ['c'] });
    expect(graph!.entries).toEqual([0]);
  });

  it.each([
    [{ from: 'a', to: 'b' }],
    [{ source: { id: 'a', port: 'out' }, target: { id: 'b' } }],
    [{ data: { id: 'e', source: 'a', target: 'b' } }],
    [{ source_id: 'a', target_id: 'b' }],
    [{ source: 'a', target: 'b', sourceHandle: null }],
    [{ source: 'a', target: 'b', sourceHandle: 'a-source-right' }],
  ])('reads the edge %j', (one) => {
    const { graph, warnings } = read([node('a'), node('b')], [one]);
    expect(warnings).toEqual([]);
    expect(graph!.next).toEqual([[1], []]);
  });

  it('reads a label where no handle says which way it is', () => {
    const edges = [edge('if', 'y', undefined, { label: 'Yes' }), edge('if', 'n', null, { data: { label: 'no' } })];
    expect(paramsOf(read([condition(), node('y'), node('n')], edges).graph)).toMatchObject({
      if_true: ['y'],
      if_false: ['n'],
    });
  });

  it('is derived for the nodes without next alone where others have it; an empty next is one', () => {
    const nodes = [node('a', 'no_op', { next: ['b'] }), node('b'), node('c'), node('d', 'no_op', { next: [] })];
    const { graph, warnings } = read(nodes, [edge('a', 'b'), edge('b', 'c'), edge('d', 'c')]);
    expect(graph!.next).toEqual([[1], [2], [], []]);
    expect(found(warnings)).toEqual(['edge_not_followed d edges[2]']);
    expect(warnings[0]!.message).toContain('"d-c" from "d" to "c"');
    const blank = nodes.map((one) => ({ ...one, next: [] }));
    expect(read(blank, [edge('a', 'b'), edge('b', 'c')]).graph!.next).toEqual([[1], [2], [], []]);
  });

  it('is read in the bodies of loops too, at any depth', () => {
    const inner = {
      nodes: [condition(), node('y'), node('n')],
      edges: [edge('if', 'y', 'true'), edge('if', 'n', 'nope')],
    };
    const loop = (body: unknown) => node('loop', 'loop', { params: { items: [1], body } });
    const { errors } = read([loop({ nodes: [loop(inner)] })], []);
    expect(found(errors)).toEqual([
      'unknown_outlet loop nodes[0].params.body.nodes[0].params.body.edges[1].sourceHandle',
    ]);
  });

  it('is refused where a line leaves a choice at an unknown way out, and told of where it leads nowhere', () => {
    const nodes = [condition(), node('y'), node('n')];
    const wrong = read(nodes, [edge('if', 'y', 'true'), edge('if', 'n', 'maybe')]);
    expect(found(wrong.errors)).toEqual(['unknown_outlet if edges[1].sourceHandle']);
    expect(wrong.errors[0]!.message).toContain('if_true, if_false, next, error');
    const strange = [
      edge('if', 'y', 'true'),
      edge('if', 'gone', 'false'),
      edge('gone', 'n'),
      7,
      { source: 'if' },
      null,
    ];
    expect(found(read(nodes, strange).warnings)).toEqual([
      'edge_unknown_node if edges[1].target',
      'edge_unknown_node n edges[2].source',
      'invalid_edge null edges[3]',
      'invalid_edge null edges[4]',
      'invalid_edge null edges[5]',
    ]);
    expect(found(read(nodes, [edge('if', 'y'), edge('if', 'n')]).warnings)).toEqual([
      'next_without_outlet if nodes[0].next',
    ]);
    expect(found(read([node('a'), node('b')], [edge('a', 'b'), edge('b', 'a')]).errors)).toEqual([
      'cycle a nodes[0].next',
    ]);
  });

  it.each(['a', 'b', 'success', 'default', '2', 'case-0', 'right-2'])(
    'takes no %p for a way out of a condition',
    (handle) => {
      const { errors } = read([condition(), node('y')], [edge('if', 'y', handle)]);
      expect(found(errors)).toEqual(['unknown_outlet if edges[0].sourceHandle']);
      expect(read([node('a'), node('b')], [edge('a', 'b', handle)]).errors).toEqual([]);
    },
  );

  it('still runs where it was saved before edges were read', () => {
    const json = { nodes: [condition(), node('n')], edges: [edge('if', 'n', 'maybe')] };
    expect(parseDefinition(json, undefined, toolCatalogue).graph).not.toBeNull();
  });

  it('survives what nobody would draw', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ id: `e${index}`, source: 'a', target: `x${index}` }));
    expect(read([node('a')], many).warnings).toHaveLength(101);
    const odd = JSON.parse(
      '[{"__proto__": {"source": "a"}, "target": "b"}, {"source": "__proto__", "target": "constructor"}]',
    ) as [];
    expect(read([node('a'), node('constructor')], odd).warnings).toHaveLength(2);
    expect(read([node('constructor'), node('toString')], [edge('constructor', 'toString')]).graph!.next).toEqual([
      [1],
      [],
    ]);
  });
});

const branching = (more: Json = {}) => [condition({ next: ['y', 'n'], ...more }), node('y'), node('n'), node('z')];

describe('a definition with next and edges', () => {
  const both = [edge('if', 'y', 'true'), edge('if', 'n', 'false')];

  it('takes the ways out that are drawn where the params name none', () => {
    const { graph, warnings } = read(branching(), both);
    expect(warnings).toEqual([]);
    expect(paramsOf(graph)).toMatchObject({ if_true: ['y'], if_false: ['n'] });
  });

  it('holds to next and params, and names node and edge where they differ', () => {
    const params = { left: 1, if_true: ['n'], if_false: ['y'] };
    const { graph, warnings } = read(branching({ params }), [...both.slice(0, 1), edge('if', 'z')]);
    expect(paramsOf(graph)).toMatchObject(params);
    expect(graph!.next[0]).toEqual([1, 2]);
    expect(found(warnings)).toEqual([
      'edge_outlet_mismatch if edges[0]',
      'edge_not_followed if edges[1]',
      'next_without_edge if nodes[0].next',
    ]);
    for (const { message } of warnings.slice(0, 2)) expect(message).toMatch(/The edge "if-[yz]" from "if"/);
  });

  it('says nothing where they agree, or where a line is drawn for wait_for or without edges', () => {
    const waiting = node('z', 'no_op', { requires: { wait_for: ['y'] } });
    const agreed = [condition({ next: ['y'], params: { left: 1, if_true: ['y'] } }), node('y'), waiting];
    expect(read(agreed, [edge('if', 'y', 'true'), { ...edge('y', 'z'), type: 'wait' }]).warnings).toEqual([]);
    const held = agreed.map((one) => (one.id === 'y' ? { ...one, next: [] } : one));
    expect(read(held, [edge('if', 'y', 'true'), edge('y', 'z')]).warnings).toEqual([]);
    expect(read(branching({ params: { left: 1, if_true: ['y'], if_false: ['n'] } }), []).warnings).toEqual([]);
  });

  it('never changes the definition that it reads', () => {
    const definition = Object.freeze({
      nodes: branching().map((one) => Object.freeze(one)),
      edges: Object.freeze(both),
    });
    const before = JSON.stringify(definition);
    parseDefinition(definition, toolCatalogue);
    expect(JSON.stringify(definition)).toBe(before);
  });
});

const outletsOf = (kind: string) => toolCatalogue.toListing({}).tools.find((tool) => tool.kind === kind)!.outlets;

describe('outlets and params', () => {
  it('are shown for every kind, with what stands in a definition', () => {
    expect(outletsOf('switch')).toEqual([
      { param: 'next', place: 'node', label: 'Always', many: false, handle: 'next' },
      { param: 'cases[].next', place: 'params', label: 'Case', many: true, handle: 'cases[{index}]' },
      { param: 'default', place: 'params', label: 'Otherwise', many: false, handle: 'default' },
      { param: 'error_next', place: 'node', label: 'When it fails', many: false, handle: 'error' },
    ]);
    for (const tool of toolCatalogue.toListing({}).tools) {
      expect([tool.kind, tool.outlets[0]!.param, tool.outlets.at(-1)!.param]).toEqual([
        tool.kind,
        'next',
        'error_next',
      ]);
      expect([tool.kind, tool.outlets.length > 2]).toEqual([tool.kind, tool.is_branching]);
      const known = new Set(tool.outlets.map(({ param }) => param));
      // A list of node ids is an outlet, wherever it stands.
      for (const { name, type, accepts_ref: refers } of tool.params)
        if (type === 'array' && !refers) expect([...known, 'tools']).toContain(name);
      for (const { param, place } of tool.outlets)
        if (place === 'params') expect(tool.params.map(({ name }) => name)).toContain(param.replace(/\[.*/, ''));
    }
  });

  it('follow a next that no outlet names whatever is chosen, at every kind that chooses', async () => {
    const context = contextOf({ next: ['a', 'b', 'rest'] });
    const cases = [{ value: 1, next: ['a'] }];
    const chosenBy = async (kind: string, params: Json) => {
      const result = await toolOf(kind).run(params, context);
      return 'chosen' in result ? result.chosen : null;
    };
    expect(await chosenBy('switch', { value: 1, cases, default: ['b'] })).toEqual(['a', 'rest']);
    expect(await chosenBy('switch', { value: 2, cases, default: ['b'] })).toEqual(['b', 'rest']);
    expect(await chosenBy('condition', { left: true, operator: 'is_true', if_true: ['a'], if_false: ['b'] })).toEqual([
      'a',
      'rest',
    ]);
    // One that a case names is not followed besides, and what is named but not next is nowhere.
    expect(await chosenBy('switch', { value: 2, cases: [...cases, { value: 3, next: ['gone'] }] })).toEqual([
      'b',
      'rest',
    ]);
  });

  it('warns of next nodes that no outlet names, at every kind that chooses', () => {
    const choosing = [
      ['condition', {}],
      ['switch', { cases: [{ value: 1 }] }],
      ['classify', { text: 't', classes: [{ name: 'a' }, { name: 'b' }] }],
      ['approval', { message: 'm' }],
    ] as const;
    for (const [kind, params] of choosing) {
      const { warnings } = read([node('it', kind, { params, next: ['x'] }), node('x')], []);
      expect([kind, found(warnings)]).toEqual([kind, ['next_without_outlet it nodes[0].next']]);
    }
  });

  it.each([
    ['template', { template: 'x', templat: 1 }, 'params.templat', '"template"'],
    ['http_request', { url: 'https://x.example', header: {} }, 'params.header', '"headers"'],
    ['condition', { left: 1, ifTrue: [] }, 'params.ifTrue', '"if_true"'],
    ['switch', { cases: [{ vlaue: 1, next: [] }] }, 'params.cases[0].vlaue', '"value"'],
    [
      'batch',
      { items: [], kind: 'template', params: { template: 'x', tmplate: 1 } },
      'params.params.tmplate',
      '"template"',
    ],
    ['template', { template: 'x', zzz: 1 }, 'params.zzz', null],
  ])('warns of unknown params of %s', (kind, params, path, meant) => {
    const { errors, warnings } = read([node('it', kind, { params })], []);
    expect(errors).toEqual([]);
    expect(found(warnings)).toEqual([`unknown_param it nodes[0].${path}`]);
    if (meant === null) expect(warnings[0]!.message).not.toContain('Did you mean');
    else expect(warnings[0]!.message).toContain(`Did you mean ${meant}?`);
  });
});
