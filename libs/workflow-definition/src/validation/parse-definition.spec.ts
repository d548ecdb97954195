import { z } from 'zod';
import { defineKind } from '../tools/define-tool.js';
import { param } from '../tools/param.js';
import { ToolCatalogue } from '../tools/tool-catalogue.js';
import { warnAboutKinds } from './kind-warnings.js';
import { parseDefinition } from './parse-definition.js';
import { cpuStopwatch } from '../../../../test/support/timing.js';

const echo = defineKind({
  kind: 'echo',
  version: '1.0.0',
  title: 'Echo',
  description: 'Says it again.',
  category: { key: 'test', label: 'Test' },
  icon: 'x',
  sideEffects: 'none',
  keepsParams: false,
  timeoutSeconds: 1,
  params: z.object({
    text: param(z.string(), { label: 'Text' }),
    times: param(z.int().min(1).default(1), { label: 'Times' }),
    nested: param(z.object({ list: z.array(z.number()) }).optional(), { label: 'Nested' }),
    fixed: param(z.string().default(''), { label: 'Fixed', acceptsRef: false }),
  }),
  output: z.unknown(),
  run: ({ text }) => ({ output: text }),
});
const catalogue = new ToolCatalogue([echo]);

const codes = (json: unknown, tools?: ToolCatalogue): string[] =>
  parseDefinition(json, tools).errors.map(({ code, path }) => `${code} ${path}`);
const node = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id,
  kind: 'echo',
  ...more,
});

describe('shape', () => {
  it.each([
    [null, 'not_an_object '],
    [[], 'not_an_object '],
    ['{}', 'not_an_object '],
    [{}, 'nodes_not_a_list nodes'],
    [{ nodes: {} }, 'nodes_not_a_list nodes'],
    [{ nodes: [1] }, 'invalid_node nodes[0]'],
    [{ nodes: [{ kind: 'echo' }] }, 'missing_id nodes[0].id'],
    [{ nodes: [{ id: 7, kind: 'echo' }] }, 'invalid_id nodes[0].id'],
    [{ nodes: [{ id: 'a{b', kind: 'echo' }] }, 'invalid_id nodes[0].id'],
    [{ nodes: [{ id: 'x'.repeat(129), kind: 'echo' }] }, 'invalid_id nodes[0].id'],
    [{ nodes: [{ id: 'a' }] }, 'missing_kind nodes[0].kind'],
    [{ nodes: [node('a', { name: 'x'.repeat(101) })] }, 'invalid_name nodes[0].name'],
    [{ nodes: [node('a', { params: [] })] }, 'invalid_node nodes[0].params'],
    [{ nodes: [node('a', { next: 'b' })] }, 'invalid_node nodes[0].next'],
    [{ nodes: [node('a', { next: [1] })] }, 'invalid_node nodes[0].next[0]'],
    [{ nodes: [node('a', { on_error: 'ignore' })] }, 'invalid_on_error nodes[0].on_error'],
    [{ nodes: [node('a', { on_error: 'branch' })] }, 'missing_error_next nodes[0].error_next'],
    [{ nodes: [node('a', { retry: { max_attempts: 11 } })] }, 'invalid_retry nodes[0].retry.max_attempts'],
    [{ nodes: [node('a', { retry: { backoff_seconds: -1 } })] }, 'invalid_retry nodes[0].retry.backoff_seconds'],
    [{ nodes: [node('a', { timeout_seconds: 0 })] }, 'invalid_node nodes[0].timeout_seconds'],
    [{ nodes: [node('a'), node('a')] }, 'duplicate_id nodes[1].id'],
    [{ nodes: [], edges: {} }, 'invalid_edges edges'],
    [{ nodes: [], entry: 'a' }, 'invalid_entry entry'],
    [{ nodes: [node('a')], entry: [1, 'b'] }, 'invalid_entry entry[0]', 'unknown_node entry[1]'],
  ])('%j', (json, ...expected) => {
    expect(codes(json)).toEqual(expected);
  });

  it('reports everything at once, and dangling ids once each', () => {
    const json = {
      nodes: [
        node('a', { next: ['b', 'nowhere'], requires: { wait_for: ['gone'] } }),
        { id: 'b' },
        node('c', { next: ['b'], error_next: ['gone'], params: { x: '{{_output.gone.y}}' } }),
      ],
    };
    expect(codes(json)).toEqual([
      'missing_kind nodes[1].kind',
      'unknown_node nodes[0].next[1]',
      'unknown_node nodes[2].error_next[0]',
      'unknown_node nodes[0].requires.wait_for[0]',
      'unknown_reference nodes[2].params.x',
    ]);
  });

  it('says in words what a node lacks', () => {
    const nodes = [{ kind: 'echo' }, { id: 'b' }, node('c', { name: 'x'.repeat(101) })];
    expect(parseDefinition({ nodes }).errors.map(({ message }) => message)).toEqual([
      'A node needs an id, which is a text.',
      'A node needs a kind, which is a text.',
      'A name has at most 100 characters.',
    ]);
  });

  it('limits size, depth and counts without recursion', () => {
    expect(codes({ nodes: Array.from({ length: 1_001 }, (_, index) => node(`n${index}`)) })).toEqual([
      'too_many_nodes nodes',
    ]);
    expect(codes({ nodes: [node('a', { params: { x: 'y'.repeat(2 * 1024 * 1024) } })] })).toEqual([
      'definition_too_large ',
    ]);
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(codes({ nodes: [node('a', { params: { deep } })] })).toEqual(['definition_too_deep ']);
    const ids = Array.from({ length: 250 }, (_, index) => `n${index}`);
    const dense = ids.map((id, index) => node(id, { next: ids.slice(index + 1) }));
    expect(codes({ nodes: dense })).toEqual(['too_many_connections nodes']);
  });

  it('says of an id that it is too long, not that it is missing', () => {
    const { errors } = parseDefinition({ nodes: [{ id: 'x'.repeat(129), kind: 'echo' }] });
    expect(errors).toMatchObject([{ code: 'invalid_id', message: 'An id has at most 128 characters.' }]);
  });

  it('fills in defaults', () => {
    const { graph } = parseDefinition({
      nodes: [node('a', { name: null, params: null, next: ['b', 'b'] }), node('b', { retry: {} })],
    });
    expect(graph!.nodes[0]).toEqual({
      id: 'a',
      kind: 'echo',
      name: 'a',
      params: {},
      next: ['b'],
      errorNext: [],
      onError: 'fail',
      retry: null,
      timeoutSeconds: null,
      requires: { waitFor: [], onFailed: 'skip' },
      saveOutput: false,
      exportOutput: false,
      secretNames: [],
    });
    expect(graph!.nodes[1]!.retry).toEqual({ maxAttempts: 3, backoffSeconds: 1, multiplier: 2, maxSeconds: 300 });
    expect(graph!.entries).toEqual([0]);
  });
});

describe('graph', () => {
  it.each([
    ['itself', [node('a', { next: ['a'] })], 'cycle nodes[0].next'],
    ['two', [node('a', { next: ['b'] }), node('b', { next: ['a'] })], 'cycle nodes[0].next'],
    [
      'over an error path',
      [node('a', { next: ['b'] }), node('b', { on_error: 'branch', error_next: ['a'] })],
      'cycle nodes[0].next',
    ],
    [
      'of waits',
      [node('a', { requires: { wait_for: ['b'] } }), node('b', { requires: { wait_for: ['a'] } })],
      'cycle nodes[0].requires.wait_for',
    ],
    [
      'on its own descendant',
      [node('a', { next: ['b'], requires: { wait_for: ['b'] } }), node('b')],
      'wait_for_deadlock nodes[0].requires.wait_for',
    ],
  ])('refuses a circle: %s', (_name, nodes, expected) => {
    expect(codes({ nodes })).toEqual([expected]);
  });

  it('does not follow an error path that is switched off', () => {
    const { errors, warnings } = parseDefinition({
      nodes: [node('a', { next: ['b'] }), node('b', { error_next: ['a'] })],
    });
    expect(errors).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual(['unused_error_next']);
  });

  it('warns about nodes that no entry reaches, and entries with predecessors', () => {
    const json = { entry: ['a', 'b'], nodes: [node('a', { next: ['b'] }), node('b'), node('c')] };
    expect(parseDefinition(json).warnings.map(({ code, nodeId }) => `${code} ${nodeId}`)).toEqual([
      'entry_has_predecessors b',
      'unreachable_node c',
    ]);
  });

  it('warns about a reference to a node that does not come before', () => {
    const json = {
      nodes: [
        node('a', { next: ['b'], params: { x: { $ref: '_output.c.v' } } }),
        node('b', { params: { x: '{{_output.a.v}} {{ _output.c.v }}' }, requires: { wait_for: ['c'] } }),
        node('c'),
      ],
    };
    expect(parseDefinition(json).warnings.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'reference_not_upstream nodes[0].params.x',
    ]);
  });

  it('parses 1,000 connected nodes quickly', () => {
    const nodes = Array.from({ length: 1_000 }, (_, index) =>
      node(`n${index}`, {
        params: index > 0 ? { text: `{{_output.n${index - 1}}}` } : { text: '' },
        next: index < 999 ? [`n${index + 1}`] : [],
      }),
    );
    const took = cpuStopwatch();
    expect(parseDefinition({ nodes }, catalogue).errors).toEqual([]);
    expect(took()).toBeLessThan(5_000);
  });
});

function check(params: Record<string, unknown>): string[] {
  return codes({ nodes: [node('a', { params }), node('s')] }, catalogue).filter((line) => line.includes('nodes[0]'));
}

describe('params', () => {
  it.each([
    [{}, ['invalid_params nodes[0].params.text']],
    [{ text: 1 }, ['invalid_params nodes[0].params.text']],
    [{ text: { $ref: '_output.s.v' }, times: 'x' }, ['invalid_params nodes[0].params.times']],
    [{ text: 'a', times: '{{_output.s.v}}' }, []],
    [{ text: 'a', nested: { $ref: '_output.s' } }, []],
    [{ text: 'a', nested: { list: [1, { $ref: '_output.s.v' }] } }, []],
    [
      { text: 'a', nested: { list: ['x', { $ref: '_output.s.v' }] } },
      ['invalid_params nodes[0].params.nested.list[0]'],
    ],
    [{ text: 'a', nested: { other: { $ref: '_output.s.v' } } }, ['invalid_params nodes[0].params.nested.list']],
    [{ text: 'a', nested: { $ref: '#/definitions/x' } }, ['invalid_params nodes[0].params.nested.list']],
    [{ text: 'a', fixed: '{{_output.s.v}}' }, ['reference_not_allowed nodes[0].params.fixed']],
    [{ text: '{{_webhook_payload.a}}', times: { $ref: '_webhook_payload.b' } }, []],
  ])('%j', (params, expected) => {
    expect(check(params)).toEqual(expected);
  });

  it('refuses unknown kinds and warns about unknown params', () => {
    const json = {
      nodes: [{ id: 'a', kind: 'nope' }, node('b', { params: { text: '', colour: 1, _webhook_payload: {} } })],
    };
    const { errors, warnings } = parseDefinition(json, catalogue);
    expect(errors).toEqual([
      { code: 'unknown_kind', nodeId: 'a', path: 'nodes[0].kind', message: 'There is no node kind "nope".' },
    ]);
    expect(warnings.map(({ code, path }) => `${code} ${path}`)).toEqual(['unknown_param nodes[1].params.colour']);
  });

  it('refuses a catalogue with two tools of one kind', () => {
    expect(() => new ToolCatalogue([echo, echo])).toThrow('Two tools claim the node kind "echo".');
  });
});

const warningsOf = (json: unknown) =>
  parseDefinition(json, catalogue).warnings.map(({ code, path }) => `${code} ${path}`);
const reads = (id: string, from: string, next: string[] = []) =>
  node(id, { params: { text: `{{_output.${from}.x}}` }, next });

describe('what is pointed out', () => {
  it('tells of outputs that cannot be there, also beside errors', () => {
    const json = { nodes: [reads('a', 'b', ['b']), reads('b', 'b'), reads('c', 'a'), { id: 'd', kind: 'nope' }] };
    const { errors, warnings } = parseDefinition(json, catalogue);
    expect(errors.map(({ code }) => code)).toEqual(['unknown_kind']);
    expect(warnings.map(({ path, message }) => [path, message])).toEqual([
      ['nodes[0].params.text', expect.stringContaining('cannot be there yet')],
      ['nodes[1].params.text', expect.stringContaining('cannot be there yet')],
      ['nodes[2].params.text', expect.stringContaining('may not be there yet')],
    ]);
    expect(warningsOf({ nodes: [node('a', { params: { text: '' }, next: ['b'] }), reads('b', 'a')] })).toEqual([]);
  });

  it('reports every error and warning of a definition at once', () => {
    const json = {
      entry: ['a', 'ghost'],
      nodes: [
        node('a', { next: ['b', 'nowhere'], params: { text: 7, colour: 1 } }),
        node('b', { next: ['a'], params: { text: '{{_output.ghost.x}}' }, retry: { max_attempts: 11 } }),
        node('b'),
        { id: 'c' },
        node('lost', { params: { text: '' }, on_error: 'branch' }),
      ],
    };
    const { errors, warnings } = parseDefinition(json, catalogue);
    expect(errors.map(({ code }) => code).toSorted()).toEqual([
      'duplicate_id',
      'invalid_params',
      'invalid_retry',
      'missing_error_next',
      'missing_kind',
      'unknown_node',
      'unknown_node',
    ]);
    expect(errors.every(({ message, path }) => message !== '' && path !== '')).toBe(true);
    expect(warnings.map(({ code }) => code)).toEqual(['unreachable_node', 'unknown_param']);
  });
});

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const misspelt = (count: number) => Object.fromEntries(many(count, (i) => [`txet${i}`, 1]));

const withMisspelt = (count: number) =>
  parseDefinition({ nodes: [node('a', { params: { text: '', ...misspelt(count) } })] }, catalogue);

describe('what one definition may cost', () => {
  it('lists the first problems, and counts the others', () => {
    const { errors } = parseDefinition({ nodes: [node('a', { next: many(5_000, (i) => `b${i}`) })] }, catalogue);
    expect(errors).toHaveLength(501);
    expect(errors.at(-1)).toEqual({
      code: 'more_problems',
      nodeId: null,
      path: '',
      message: expect.stringMatching(/^\d+ more are not listed\.$/),
    });
  });

  it('tells fifty unknown names of a node, and refuses a thousand', () => {
    expect(withMisspelt(900)).toMatchObject({ errors: [], warnings: { length: 50 } });
    expect(withMisspelt(1_000).errors).toMatchObject([{ code: 'invalid_params', path: 'nodes[0].params' }]);
  });

  it('has a limit of references, and of values', () => {
    const params = { text: '{{_output.a.b}}'.repeat(20_001) };
    expect(codes({ nodes: [node('a', { params })] })).toEqual(['too_many_references nodes']);
    expect(codes({ nodes: [node('a', { params: { list: many(150_000, () => 0) } })] })).toEqual([
      'definition_too_large ',
    ]);
  });
});

describe('warnAboutKinds', () => {
  const entry = echo.toCatalogueEntry({});
  const nodes = [node('a'), node('b'), { id: 'c', kind: 'other' }, 7, { kind: 'echo' }];

  it('points at kinds that cannot run here or should not be used any more', () => {
    expect(warnAboutKinds({ nodes }, [entry])).toEqual([]);
    const old = { ...entry, deprecated: true, available: false, unavailable_reason: 'No model is configured.' };
    expect(warnAboutKinds({ nodes: nodes.slice(1) }, [old])).toEqual([
      { code: 'deprecated_kind', nodeId: 'b', path: 'nodes[0].kind', message: expect.stringContaining('Echo') },
      { code: 'unavailable_kind', nodeId: 'b', path: 'nodes[0].kind', message: expect.stringContaining('No model') },
      expect.objectContaining({ code: 'deprecated_kind', nodeId: null, path: 'nodes[3].kind' }),
      expect.objectContaining({ code: 'unavailable_kind', nodeId: null, path: 'nodes[3].kind' }),
    ]);
  });

  it.each([[null], [[]], [{}], [{ nodes: {} }]])('takes %j', (json) =>
    expect(warnAboutKinds(json, [entry])).toEqual([]),
  );
});
