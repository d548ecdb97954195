import { cutText } from '@app/common';
import { findCycles } from '../graph/cycles.js';
import type { DefinitionProblem } from '../graph/graph.js';
import { MAX_CONNECTIONS } from '../graph/limits.js';
import type { PlacedNode } from '../graph/node-schema.js';

/** Adjacency by position in the list of well-formed nodes. */
export interface NodeEdges {
  indexOf: ReadonlyMap<string, number>;
  isEntry: boolean[];
  next: number[][];
  errorNext: number[][];
  successors: number[][];
  waitFor: number[][];
  /** Successors and waiters: what has to come after each node. */
  combined: number[][];
}

/**
 * Connects the nodes and reports dangling ids, cycles, nodes that would wait for their own successors, and nodes
 * that no run can reach. Entry nodes are those named, or else all without a predecessor.
 */
export function checkEdges(
  nodes: readonly PlacedNode[],
  entry: ReadonlySet<string>,
  isKnown: (id: string) => boolean,
  errors: DefinitionProblem[],
  warnings: DefinitionProblem[],
): NodeEdges {
  const indexOf = new Map(nodes.map(({ node }, index) => [node.id, index]));
  const connect = (ids: readonly string[], { node, path }: PlacedNode, key: string): number[] => {
    const targets: number[] = [];
    for (const [position, id] of ids.entries()) {
      const target = indexOf.get(id);
      if (target !== undefined) targets.push(target);
      else if (!isKnown(id)) {
        const message = `There is no node ${JSON.stringify(cutText(id, 128))}.`;
        errors.push({ code: 'unknown_node', nodeId: node.id, path: `${path}.${key}[${position}]`, message });
      }
    }
    return targets;
  };
  const next = nodes.map((placed) => connect(placed.node.next, placed, 'next'));
  const named = nodes.map((placed) => connect(placed.node.errorNext, placed, 'error_next'));
  const waitFor = nodes.map((placed) => connect(placed.node.requires.waitFor, placed, 'requires.wait_for'));
  const errorNext = named.map((targets, index) => (nodes[index]!.node.onError === 'branch' ? targets : []));
  const successors = next.map((targets, index) => [...new Set([...targets, ...errorNext[index]!])]);
  const combined = successors.map((targets) => [...targets]);
  for (const [waiter, awaited] of waitFor.entries()) for (const node of awaited) combined[node]!.push(waiter);

  const connections = combined.reduce((sum, targets) => sum + targets.length, 0);
  if (connections > MAX_CONNECTIONS) {
    const message = `A workflow has at most ${MAX_CONNECTIONS} connections.`;
    errors.push({ code: 'too_many_connections', nodeId: null, path: 'nodes', message });
  }
  checkErrorBranches(nodes, errors, warnings);
  checkCycles(nodes, successors, waitFor, combined, errors);

  const hasPredecessor = nodes.map(() => false);
  for (const targets of successors) for (const target of targets) hasPredecessor[target] = true;
  const isEntry = nodes.map(({ node }, index) => (entry.size > 0 ? entry.has(node.id) : !hasPredecessor[index]));
  const edges = { indexOf, isEntry, next, errorNext, successors, waitFor, combined };
  warnAboutReach(nodes, edges, hasPredecessor, warnings);
  return edges;
}

function checkErrorBranches(
  nodes: readonly PlacedNode[],
  errors: DefinitionProblem[],
  warnings: DefinitionProblem[],
): void {
  for (const { node, path } of nodes) {
    const at = { nodeId: node.id, path: `${path}.error_next` };
    if (node.onError === 'branch' && node.errorNext.length === 0) {
      errors.push({ ...at, code: 'missing_error_next', message: 'on_error "branch" needs at least one error_next.' });
    } else if (node.onError !== 'branch' && node.errorNext.length > 0) {
      warnings.push({ ...at, code: 'unused_error_next', message: 'error_next is used only with on_error "branch".' });
    }
  }
}

function checkCycles(
  nodes: readonly PlacedNode[],
  successors: number[][],
  waitFor: number[][],
  combined: number[][],
  errors: DefinitionProblem[],
): void {
  const report = (cycles: number[][], code: string, key: string, message: (ids: string) => string): void => {
    for (const cycle of cycles) {
      const members = cycle.toSorted((a, b) => a - b).map((index) => nodes[index]!);
      const shown = members.slice(0, 10).map(({ node }) => node.id);
      const ids = shown.join(', ') + (members.length > shown.length ? ', …' : '');
      const [first] = members;
      errors.push({ code, nodeId: first!.node.id, path: `${first!.path}.${key}`, message: message(ids) });
    }
  };
  const flow = findCycles(successors);
  const waits = findCycles(waitFor);
  report(flow, 'cycle', 'next', (ids) => `These nodes run in a circle: ${ids}.`);
  report(waits, 'cycle', 'requires.wait_for', (ids) => `These nodes wait for each other: ${ids}.`);
  if (flow.length > 0 || waits.length > 0) return;
  report(findCycles(combined), 'wait_for_deadlock', 'requires.wait_for', (ids) => {
    return `A node waits for one that runs only after it: ${ids}.`;
  });
}

function warnAboutReach(
  nodes: readonly PlacedNode[],
  edges: Pick<NodeEdges, 'isEntry' | 'successors'>,
  hasPredecessor: readonly boolean[],
  warnings: DefinitionProblem[],
): void {
  const reached = [...edges.isEntry];
  const queue = nodes.flatMap((_, index) => (edges.isEntry[index] ? [index] : []));
  for (const node of queue) {
    for (const target of edges.successors[node]!) {
      if (reached[target]) continue;
      reached[target] = true;
      queue.push(target);
    }
  }
  for (const [index, { node, path }] of nodes.entries()) {
    if (!reached[index]) {
      const message = 'No entry node leads here: it will always be skipped.';
      warnings.push({ code: 'unreachable_node', nodeId: node.id, path, message });
    } else if (edges.isEntry[index] && hasPredecessor[index]) {
      const message = 'An entry node starts at once and does not wait for the nodes that lead to it.';
      warnings.push({ code: 'entry_has_predecessors', nodeId: node.id, path, message });
    }
  }
}
