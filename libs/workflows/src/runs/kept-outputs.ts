import { derivedId } from '@app/common';
import {
  JsonText,
  MAX_KEPT_VALUE_BYTES,
  type NodeState,
  outputKind,
  type OutputKind,
  StoredOutput,
  storedOutputPath,
} from '@app/workflow-definition';
import type { Revision } from '../revisions/revision-cache.js';
import type { OutputRecord } from '../outputs/workflow-outputs.js';

/** What `workflow_write_outputs` takes. Its id is made of run and node, so that a repetition writes the same row. */
export type KeptOutput = Omit<OutputRecord, 'workflowId' | 'runVersion' | 'createdAt'>;

/**
 * What people keep of a run: the results of completed `save_output` nodes. Null when there are none.
 * @param read gets the text of an output that lies elsewhere.
 */
export async function keptOutputs(
  runId: string,
  revision: Revision,
  states: readonly NodeState[],
  read: (stored: StoredOutput) => Promise<JsonText>,
): Promise<KeptOutput[] | null> {
  const kept: KeptOutput[] = [];
  for (const node of revision.nodes) {
    if (!node.saveOutput) continue;
    const state = states.find(({ nodeId, status }) => nodeId === node.id && status === 'COMPLETED');
    if (!state) continue;
    const shown = await kindOf(state.output, read);
    if (!shown) continue;
    const nodeName = node.name ?? node.id;
    const { title, value, valueBytes, mediaPath, sizeBytes, ...kind } = shown;
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

/** Null for one that was kept when it was made. */
async function kindOf(
  output: unknown,
  read: (stored: StoredOutput) => Promise<JsonText>,
): Promise<(OutputKind & { valueBytes: number }) | null> {
  if (output instanceof StoredOutput && !output.hint) return null;
  if (output instanceof StoredOutput && output.file.size > MAX_KEPT_VALUE_BYTES)
    return { ...output.hint!, value: null, valueBytes: output.file.size };
  const text = output instanceof StoredOutput ? await read(output) : output;
  const kind = outputKind(text instanceof JsonText ? text.parse() : text);
  return { ...kind, valueBytes: Buffer.byteLength(JSON.stringify(kind.value) ?? 'null') };
}
