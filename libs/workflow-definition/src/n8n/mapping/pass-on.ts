import type { MappedOutputs, NodeMapping } from '../node-mapping.js';

/** A node that changes nothing, under the id by which others lead to it. */
export function passOn(node: NodeMapping, outputs = 1): MappedOutputs {
  const { next } = node.has('no_op') ? node.add('no_op', {}) : node.add('set', { fields: {} });
  return {
    shapes: Array.from({ length: outputs }, () => node.input),
    connect: (_output, ids) => void next.push(...ids.filter((id) => !next.includes(id))),
  };
}
