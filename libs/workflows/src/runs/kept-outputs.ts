import { derivedId } from '@app/common';
import type { Revision } from '../definitions/revision-cache.js';
import type { NodeState } from '../engine/node-state.js';

/** What `workflow_write_outputs` takes. */
export interface KeptOutput {
  /** Of run and node, so that a repetition writes the same row. */
  id: string;
  nodeId: string;
  nodeName: string;
  kind: string;
  type: 'text' | 'json';
  value: unknown;
  sizeBytes: number;
}

/** The results that outlive the run: those of completed `save_output` nodes. Null when there are none. */
export function keptOutputs(runId: string, revision: Revision, states: readonly NodeState[]): KeptOutput[] | null {
  const kept: KeptOutput[] = [];
  for (const node of revision.nodes) {
    if (!node.saveOutput) continue;
    const state = states.find(({ nodeId, status }) => nodeId === node.id && status === 'COMPLETED');
    if (!state) continue;
    kept.push({
      id: derivedId(runId, node.id),
      nodeId: node.id,
      nodeName: node.name ?? node.id,
      kind: node.kind,
      type: typeof state.output === 'string' ? 'text' : 'json',
      value: state.output ?? null,
      sizeBytes: Buffer.byteLength(JSON.stringify(state.output ?? null)),
    });
  }
  return kept.length > 0 ? kept : null;
}
