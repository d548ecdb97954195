/**
 * Groups of nodes that lie on a common cycle (strongly connected components with an edge inside), by Tarjan's
 * algorithm, with its own stack so that a chain of a thousand nodes does not use the call stack.
 */
export function findCycles(adjacency: readonly (readonly number[])[]): number[][] {
  const order = new Int32Array(adjacency.length).fill(-1);
  const low = new Int32Array(adjacency.length);
  const onStack = new Uint8Array(adjacency.length);
  const stack: number[] = [];
  const cycles: number[][] = [];
  let counter = 0;

  const enter = (node: number): { node: number; edge: number } => {
    order[node] = low[node] = counter++;
    stack.push(node);
    onStack[node] = 1;
    return { node, edge: 0 };
  };
  const leave = (node: number): void => {
    if (low[node] !== order[node]) return;
    const component = stack.splice(stack.lastIndexOf(node));
    for (const member of component) onStack[member] = 0;
    if (component.length > 1 || adjacency[node]!.includes(node)) cycles.push(component);
  };

  for (let root = 0; root < adjacency.length; root += 1) {
    if (order[root]! >= 0) continue;
    const path = [enter(root)];
    while (path.length > 0) {
      const frame = path.at(-1)!;
      const target = adjacency[frame.node]![frame.edge++];
      if (target === undefined) {
        path.pop();
        leave(frame.node);
        const parent = path.at(-1);
        if (parent) low[parent.node] = Math.min(low[parent.node]!, low[frame.node]!);
      } else if (order[target]! < 0) {
        path.push(enter(target));
      } else if (onStack[target]) {
        low[frame.node] = Math.min(low[frame.node]!, order[target]!);
      }
    }
  }
  return cycles;
}

/** Every node after those that point at it, lowest position first among equals. The edges must be free of cycles. */
export function topologicalOrder(adjacency: readonly (readonly number[])[]): number[] {
  const open = new Int32Array(adjacency.length);
  for (const targets of adjacency) for (const target of targets) open[target] = open[target]! + 1;
  const order = adjacency.flatMap((_, node) => (open[node] === 0 ? [node] : []));
  for (let position = 0; position < order.length; position += 1) {
    for (const target of adjacency[order[position]!]!) {
      open[target] = open[target]! - 1;
      if (open[target] === 0) order.push(target);
    }
  }
  return order;
}
