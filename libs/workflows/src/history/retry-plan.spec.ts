import { type NodeStatus, parseDefinition } from '@app/workflow-definition';
import { type EndedNode, reusableNodes } from './retry-plan.js';

/** `a>b,c` is a node with its `next`; `d:a` reads a's output; `e~a` waits for it. */
function graphOf(...nodes: string[]) {
  const json = {
    nodes: nodes.map((text) => {
      const [, id, , next, , reads, , waits] = /^(\w+)(>([\w,]+))?(:(\w+))?(~(\w+))?$/.exec(text)!;
      return {
        id,
        kind: 'template',
        params: { template: reads ? `{{_output.${reads}.text}}` : '' },
        next: next?.split(',') ?? [],
        requires: { wait_for: waits ? [waits] : [] },
      };
    }),
  };
  return parseDefinition(json).graph!;
}
const ended = (states: Record<string, NodeStatus | 'handled'>): EndedNode[] =>
  Object.entries(states).map(([nodeId, status]) =>
    status === 'handled' ? { nodeId, status: 'FAILED', handled: true } : { nodeId, status, handled: false },
  );

describe('reusableNodes', () => {
  it.each([
    [
      'keeps what finished before the failure',
      ['a>b', 'b>c', 'c'],
      { a: 'COMPLETED', b: 'FAILED', c: 'SKIPPED' },
      ['a'],
    ],
    ['keeps independent branches', ['a>b,c', 'b', 'c'], { a: 'COMPLETED', b: 'FAILED', c: 'COMPLETED' }, ['a', 'c']],
    [
      'keeps what came after a skip',
      ['a>b,c', 'b>d', 'c>d', 'd'],
      { a: 'COMPLETED', b: 'COMPLETED', c: 'SKIPPED', d: 'COMPLETED' },
      ['a', 'b', 'd'],
    ],
    ['keeps handled failures', ['a>b', 'b'], { a: 'handled', b: 'COMPLETED' }, ['a', 'b']],
    ['runs what was stopped or never reached', ['a>b', 'b>c', 'c'], { a: 'COMPLETED', b: 'STOPPED' }, ['a']],
    ['runs what waited for the failure', ['a>c', 'b', 'c~b'], { a: 'COMPLETED', b: 'FAILED', c: 'COMPLETED' }, ['a']],
    ['runs what is new, and what follows it', ['a>n', 'n>b', 'b'], { a: 'COMPLETED', b: 'COMPLETED' }, ['a']],
    [
      'runs what read the failure',
      ['a>c', 'b>c', 'c>d', 'd:b'],
      { a: 'COMPLETED', b: 'FAILED', c: 'SKIPPED', d: 'SKIPPED' },
      ['a'],
    ],
  ] as const)('%s', (_, nodes, states, expected) => {
    expect(reusableNodes(graphOf(...nodes), ended(states))).toEqual(expected);
  });

  it('takes what lies outside a branch as it is', () => {
    const graph = graphOf('a>b', 'b>c', 'c');
    expect(reusableNodes(graph, ended({ b: 'COMPLETED', c: 'FAILED' }), ['b', 'c'])).toEqual(['b']);
  });
});
