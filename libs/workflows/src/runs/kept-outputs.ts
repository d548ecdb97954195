import { derivedId } from '@app/common';
import type { Revision } from '../definitions/revision-cache.js';
import type { NodeState } from '../engine/node-state.js';
import { MAX_KEPT_VALUE_BYTES, outputKind } from '../outputs/output-kind.js';
import type { OutputRecord } from '../outputs/workflow-outputs.js';
import { StoredOutput, storedOutputPath } from '../outputs/stored-output.js';

/** What `workflow_write_outputs` takes. Its id is made of run and node, so that a repetition writes the same row. */
export type KeptOutput = Omit<OutputRecord, 'workflowId' | 'runVersion' | 'createdAt'>;

/** What people keep of a run: the results of completed `save_output` nodes. Null when there are none. */
export function keptOutputs(runId: string, revision: Revision, states: readonly NodeState[]): KeptOutput[] | null {
  const kept: KeptOutput[] = [];
  for (const node of revision.nodes) {
    if (!node.saveOutput) continue;
    const state = states.find(({ nodeId, status }) => nodeId === node.id && status === 'COMPLETED');
    // One that lies elsewhere already was kept when it was made.
    if (!state || state.output instanceof StoredOutput) continue;
    const nodeName = node.name ?? node.id;
    const { title, value, mediaPath, sizeBytes, ...kind } = outputKind(state.output);
    const valueBytes = Buffer.byteLength(JSON.stringify(value) ?? 'null');
    const isLarge = valueBytes > MAX_KEPT_VALUE_BYTES;
    kept.push({
      id: derivedId(runId, node.id),
      nodeId: node.id,
      nodeName,
      kind: node.kind,
      title: title ?? nodeName,
      value: isLarge ? null : value,
      mediaPath: mediaPath ?? (isLarge ? storedOutputPath(runId, node.id) : null),
      sizeBytes: sizeBytes ?? valueBytes,
      ...kind,
    });
  }
  return kept.length > 0 ? kept : null;
}
