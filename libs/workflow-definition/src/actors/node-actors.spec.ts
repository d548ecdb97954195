import { asStored, type Kinds } from '../tools/node-contents.js';
import { actorsAfter, contentsOf, NodeActors } from './node-actors.js';

const kinds = {
  find: (kind: string) => (kind === 'loop' ? { opaqueParams: new Set(['body']) } : {}),
} as unknown as Kinds;
const OWNER = 1;
const EDITOR = 2;

const node = (id: string, params: object = {}, more: object = {}) => ({
  id,
  kind: 'search',
  params,
  next: [],
  ...more,
});
const spec = (...nodes: object[]) => ({ name: 'x', nodes });

const call = (id: string) => node('h', { body: { nodes: [node('a', { id })] } }, { kind: 'http_request' });
const loop = (items: unknown, ...body: object[]) => node('l', { items, body: spec(...body) }, { kind: 'loop' });

/** The saves of a workflow that the owner made, each by somebody. @returns whose each node is, by key. */
function after(...saves: [number, Record<string, unknown>][]): Record<string, number | null> {
  let state: { jsonSpec: Record<string, unknown>; actors: NodeActors } | null = null;
  for (const [editor, jsonSpec] of saves) {
    const stored = asStored(jsonSpec);
    // As the database hands it back.
    const actors: NodeActors = NodeActors.from(actorsAfter(state, stored, editor, kinds).toStored(), OWNER);
    state = { jsonSpec: stored, actors };
  }
  const { jsonSpec, actors } = state!;
  return Object.fromEntries([...contentsOf(jsonSpec, kinds).keys()].map((key) => [key, actors.find(key)]));
}

describe('whose a node is', () => {
  it('is that of who last changed what it does', () => {
    const [a, b] = [node('a', { query: 'x' }), node('b', { query: 'y' })];
    expect(after([OWNER, spec(a, b)], [EDITOR, spec(a, node('b', { query: 'z' }), node('c'))])).toEqual({
      a: OWNER,
      b: EDITOR,
      c: EDITOR,
    });
    expect(after([OWNER, spec(a)], [EDITOR, spec(node('a', { query: 'z' }))], [OWNER, spec(a)])).toEqual({ a: OWNER });
  });

  it.each([
    ['its kind', { kind: 'file' }],
    ['a nested value', { params: { query: 'x', scope: { folder: 'secret' } } }],
    ['its retries', { retry: { max_attempts: 5 } }],
    ['what is kept of it', { save_output: true }],
  ])('changes with %s', (_, change) => {
    const before = node('a', { query: 'x', scope: { folder: 'open' } });
    expect(after([OWNER, spec(before)], [EDITOR, spec({ ...before, ...change })])).toEqual({ a: EDITOR });
  });

  it.each([
    ['its label', { name: 'Other' }],
    ['its place', { position: { x: 3, y: 4 } }],
    ['what comes after it', { next: ['b'] }],
    ['a wrong claim', { acts_as: { id: EDITOR, username: 'editor' } }],
    ['the order of its params', { params: { limit: 3, query: 'x' } }],
  ])('does not change with %s', (_, change) => {
    const before = node('a', { query: 'x', limit: 3 });
    const [save, b] = [{ ...before, ...change }, node('b')];
    expect(after([OWNER, spec(before, b)], [EDITOR, spec(save, b)])).toEqual({ a: OWNER, b: OWNER });
  });

  it('is found out for each node of a body, wherever it stands', () => {
    const inner = loop([1], node('deep'));
    const before = spec(loop([1], node('a'), inner));
    const saved = spec(loop([1], node('a', { query: 'mine' }), inner));
    expect(after([OWNER, before], [EDITOR, saved])).toEqual({
      l: OWNER,
      'l\na': EDITOR,
      'l\nl': OWNER,
      'l\nl\ndeep': OWNER,
    });
    // The owner's next change elsewhere in the body takes nothing over.
    const next = spec(loop([2], node('a', { query: 'mine' }), inner, node('new')));
    expect(after([OWNER, before], [EDITOR, saved], [OWNER, next])).toMatchObject({
      l: OWNER,
      'l\na': EDITOR,
      'l\nnew': OWNER,
    });
  });

  it('takes a body of another kind for what it is: a param', () => {
    expect(after([OWNER, spec(call('1'))], [EDITOR, spec(call('2'))])).toEqual({ h: EDITOR });
  });

  it('survives what the database cannot keep: the same text is no change', () => {
    const odd = node('a', { query: 'x\u0000y\ud800', n: 1e21, zero: -0, __proto__: { a: 1 }, gone: undefined });
    expect(after([EDITOR, spec(odd)], [OWNER, spec(structuredClone(odd), node('b'))])).toEqual({ a: EDITOR, b: OWNER });
  });

  it('survives ids that mean something to objects', () => {
    const ids = ['__proto__', 'constructor', 'toString'];
    const made = after(
      [OWNER, spec(...ids.map((id) => node(id)))],
      [EDITOR, spec(...ids.map((id) => node(id)), node('x'))],
    );
    expect(Object.entries(made)).toEqual([...ids.map((id) => [id, OWNER]), ['x', EDITOR]]);
  });

  it('says nobody for who is gone, and the owner of what has no record', () => {
    expect(NodeActors.from({ all: OWNER, nodes: { a: null } }, OWNER).of([], 'a')).toBeNull();
    expect(NodeActors.from(null, 7).of(['x'], 'a')).toBe(7);
  });
});
