import { NodeActors, Steering } from '@app/workflow-definition';
import { toolCatalogue } from './index.js';

const [OWNER, EDITOR, OTHER] = [1, 2, 3];

/** @param actors those that are not the owner's, by key. */
function others(
  nodes: object[],
  actors: Record<string, number>,
  at: string[],
  param: string,
): [string, number | null][] {
  const steering = new Steering(
    { nodes } as never,
    NodeActors.from({ all: OWNER, nodes: actors }, OWNER),
    toolCatalogue,
  );
  return steering.others(at.slice(0, -1), at.at(-1)!, [param]).map(({ nodeId, userId }) => [nodeId, userId]);
}
const template = (id: string, text: string) => ({ id, kind: 'template', params: { template: text } });
const read = (id: string, file: unknown) => ({ id, kind: 'read_file', params: { file } });
const loop = (items: unknown, ...inner: object[]) => ({
  id: 'l',
  kind: 'loop',
  params: { items, body: { nodes: inner } },
});

describe('who has a say in what a node reaches', () => {
  it('are the people of the nodes that its reference leads to, however far away', () => {
    const nodes = [
      template('a', 'x'),
      template('b', '{{_output.a.text}}'),
      template('c', 'y'),
      read('r', '{{_output.b.text}}'),
    ];
    expect(others(nodes, { a: EDITOR }, ['r'], 'file')).toEqual([['a', EDITOR]]);
    expect(others(nodes, { a: EDITOR, b: OTHER }, ['r'], 'file').toSorted()).toEqual([
      ['a', EDITOR],
      ['b', OTHER],
    ]);
    // What is not on the way has none, and neither has the trigger.
    expect(others(nodes, { c: EDITOR }, ['r'], 'file')).toEqual([]);
    expect(others([...nodes, read('p', '{{_webhook_payload.file}}')], { c: EDITOR }, ['p'], 'file')).toEqual([]);
    expect(others([...nodes, read('p', { $ref: '_output.c.text' })], { c: EDITOR }, ['p'], 'file')).toEqual([
      ['c', EDITOR],
    ]);
  });

  it('holds in both directions: the owner steers what an editor’s node reaches, too', () => {
    const nodes = [template('a', 'x'), read('r', '{{_output.a.text}}')];
    expect(others(nodes, { r: EDITOR }, ['r'], 'file')).toEqual([['a', OWNER]]);
  });

  it('does not count params that name nothing', () => {
    const nodes = [template('a', 'x'), { id: 's', kind: 'semantic_search', params: { query: '{{_output.a.text}}' } }];
    expect(others(nodes, { a: EDITOR }, ['s'], 'document_uids')).toEqual([]);
  });

  it('goes through loops: in by the items, out by the body, and back in by what triggers it', () => {
    const items = { $ref: '_output.a.items' };
    const nodes = [
      template('a', 'x'),
      loop(items, read('r', '{{_item}}'), template('t', 'x')),
      read('o', '{{_output.l.results}}'),
    ];
    expect(others(nodes, { a: EDITOR }, ['l', 'r'], 'file')).toEqual([['a', EDITOR]]);
    expect(others(nodes, { 'l\nt': EDITOR }, ['o'], 'file')).toEqual([['t', EDITOR]]);
    const started = loop([1], { id: 's', kind: 'manual_trigger' }, read('r', '{{_output.s.payload._item}}'));
    expect(others([started], { l: EDITOR, 'l\ns': OWNER, 'l\nr': OWNER }, ['l', 'r'], 'file')).toEqual([['l', EDITOR]]);
  });

  it('goes through the items of a batch', () => {
    const batch = {
      id: 'b',
      kind: 'batch',
      params: { items: { $ref: '_output.a.x' }, kind: 'read_file', params: { file: '{{_item}}' } },
    };
    expect(others([template('a', 'x'), batch], { a: EDITOR }, ['b'], 'params.file')).toEqual([['a', EDITOR]]);
  });
});
