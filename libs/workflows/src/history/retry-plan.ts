import type { NodeStatus, WorkflowGraph } from '@app/workflow-definition';

export interface EndedNode {
  nodeId: string;
  status: NodeStatus;
  /** A failure that its node's `on_error` took care of. */
  handled: boolean;
}

/** Whether the node has results that another run can take over. */
export function isFinished({ status, handled }: EndedNode): boolean {
  return status === 'COMPLETED' || (status === 'FAILED' && handled);
}

/**
 * Which nodes of an ended run need not run again. What failed, was stopped or was never reached runs, and so does what
 * comes after it, waits for it or reads it, since it will see something else now; the rest keeps its results.
 * @param graph of the new run. Nodes that the old run did not know are new, and run.
 * @param only the nodes of a branch; the others lend what they have and never run.
 * @returns their ids, in the order of the definition.
 */
export function reusableNodes(
  graph: WorkflowGraph,
  old: readonly EndedNode[],
  only: readonly string[] | null = null,
): string[] {
  const states = new Map(old.map((node) => [node.nodeId, node]));
  const members = only && new Set(only);
  const again = new Set<number>();
  graph.nodes.forEach(({ id }, node) => {
    const state = states.get(id);
    const isSettled = state !== undefined && (state.status === 'SKIPPED' || isFinished(state));
    if (!isSettled && (members?.has(id) ?? true)) again.add(node);
  });
  const readers = readersByNode(graph);
  // The set goes on over what is added while it is walked.
  for (const node of again) {
    const later = [...graph.successors[node]!, ...graph.waiters[node]!, ...(readers.get(node) ?? [])];
    for (const other of later) again.add(other);
  }
  return graph.nodes.flatMap(({ id }, node) => {
    const state = states.get(id);
    return !again.has(node) && state && isFinished(state) ? [id] : [];
  });
}

function readersByNode(graph: WorkflowGraph): Map<number, number[]> {
  const readers = new Map<number, number[]>();
  graph.params.forEach((template, reader) => {
    for (const { reference } of template.uses) {
      const node = reference?.nodeId ? graph.indexOf.get(reference.nodeId) : undefined;
      if (node !== undefined) readers.set(node, [...(readers.get(node) ?? []), reader]);
    }
  });
  return readers;
}
