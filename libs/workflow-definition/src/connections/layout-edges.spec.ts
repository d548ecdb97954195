import { inLayout, withLayoutEdges } from './layout-edges.js';

const nodes = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
const edge = { id: 'e', source: 'a', target: 'b', sourceHandle: 'if_true' };

describe('edges of the canvas layout', () => {
  it.each([
    ['edges', { nodes: [], edges: [edge] }],
    ['one list', { elements: [{ id: 'a', position: { x: 0, y: 0 } }, edge] }],
  ])('count where the definition has none: %s', (_name, layout) => {
    for (const json of [{ nodes }, { nodes, edges: [] }, { nodes, edges: null }])
      expect(withLayoutEdges(json, layout)).toEqual({ nodes, edges: [edge] });
  });

  it.each([
    ['the definition has its own', { nodes, edges: [{ source: 'b', target: 'c' }] }, { edges: [edge] }],
    ['they are of other nodes', { nodes }, { edges: [{ source: 'x1', target: 'x2' }] }],
    ['there are none', { nodes }, { edges: [] }],
    ['there is no layout', { nodes }, undefined],
    ['the layout is odd', { nodes }, { edges: { 0: edge }, elements: 'x' }],
    ['the layout is a list', { nodes }, [edge]],
    ['the definition is odd', { nodes: 'x' }, { edges: [edge] }],
    ['it is no definition', [edge], { edges: [edge] }],
    ['the edges are no list', { nodes, edges: 'x' }, { edges: [edge] }],
  ])('say nothing where %s', (_name, json, layout) => expect(withLayoutEdges(json, layout)).toBe(json));

  it('are named as the client sent them', () => {
    const problem = { code: 'x', nodeId: null, message: '' };
    expect(
      inLayout([
        { ...problem, path: 'edges[0].source' },
        { ...problem, path: 'nodes[0]' },
      ]),
    ).toEqual([
      { ...problem, path: 'vueflow_json.edges[0].source' },
      { ...problem, path: 'nodes[0]' },
    ]);
  });
});
