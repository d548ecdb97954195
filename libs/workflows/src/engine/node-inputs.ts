import {
  bodyItemOf,
  JsonText,
  measureJson,
  type NodeState,
  type NodeWait,
  type ParamsTemplate,
  type Reference,
  type ReferenceScope,
  type ToolResume,
  type WorkflowGraph,
} from '@app/workflow-definition';
import { type HeldInput, heldBytes, isHeld } from './held-input.js';

const MAX_WARNINGS = 50;

/** What a node gets to see when it starts: its params with references filled in from the states of the others. */
export class NodeInputs {
  private readonly item: ReferenceScope['item'];
  private readonly payloadBytes: () => number;
  /** By node. */
  private readonly outputBytes = new Map<number, number>();

  constructor(
    private readonly graph: WorkflowGraph,
    private readonly states: readonly NodeState[],
    private readonly payload: Record<string, unknown> | JsonText | null,
  ) {
    this.item = payload instanceof JsonText ? undefined : bodyItemOf(payload);
    let bytes: number | null = null;
    this.payloadBytes = () => (bytes ??= payload instanceof JsonText ? payload.bytes : sizeOf(payload));
  }

  /** Known where it was measured already. */
  noteOutput(node: number, bytes: number | undefined): void {
    if (bytes === undefined) this.outputBytes.delete(node);
    else this.outputBytes.set(node, bytes);
  }

  /** Null: all that the node refers to is here, and comes to `limit` bytes at most. */
  held(node: number, isTriggered: boolean, limit: number, itemParams?: ReadonlySet<string>): HeldInput | null {
    const { uses } = this.graph.params[node]!;
    const references = new Map<string, Reference>();
    const outputs = new Map<string, unknown>();
    const isPayloadHeld = this.payload instanceof JsonText;
    let bytes = Number.isFinite(limit) ? this.graph.params[node]!.bytes : 0;
    let isAway = isPayloadHeld && isTriggered;
    if (Number.isFinite(limit) && isTriggered) bytes += this.payloadBytes();
    for (const { reference } of uses) {
      if (!reference) continue;
      const { text, root, nodeId } = reference;
      if (root === 'output') {
        const output = this.outputOf(nodeId!);
        if (output !== undefined) outputs.set(nodeId!, output);
        if (isHeld(output)) references.set(text, reference);
        if (Number.isFinite(limit) || isHeld(output)) bytes += this.bytesOf(nodeId!, output);
      } else {
        if (isPayloadHeld) references.set(text, reference);
        if (Number.isFinite(limit)) bytes += this.payloadBytes();
      }
    }
    isAway ||= references.size > 0;
    if (!isAway && bytes <= limit) return null;
    return {
      node: this.graph.nodes[node]!,
      bytes,
      references: [...references.values()],
      outputs,
      nodeIds: uses.flatMap(({ reference }) => (reference?.nodeId ? [reference.nodeId] : [])),
      payload: this.payload,
      isTriggered,
      resolve: (found) => {
        this.found.set(node, found);
        return this.paramsOf(node, isTriggered, itemParams);
      },
    };
  }

  /**
   * Throws `ToolError` `params_too_large`. What is missing becomes a warning of the node.
   * @param itemParams names of params that are filled in for each item, by `bind`.
   */
  paramsOf(node: number, isTriggered: boolean, itemParams?: ReadonlySet<string>): Record<string, unknown> {
    const params = this.template(node).resolve(this.scopeOf(node, this.item), itemParams);
    return this.payload !== null && isTriggered ? { ...params, _webhook_payload: this.payload } : params;
  }

  /** One of the `itemParams` for one item. Throws `ToolError` `params_too_large`. */
  bind(node: number, name: string, value: unknown, index: number): unknown {
    return this.template(node).resolveOne(name, this.scopeOf(node, { value, index }, true));
  }

  /** What was found elsewhere, by node. */
  private readonly found = new Map<number, ReadonlyMap<string, unknown>>();

  /** The node has ended: what was found for it is let go. */
  forget(node: number): void {
    this.found.delete(node);
  }

  private template(node: number): ParamsTemplate {
    return this.graph.params[node]!;
  }

  /** @param isBound an item's own `_item` and `_index` are those of the item, whatever the payload says. */
  private scopeOf(node: number, item: ReferenceScope['item'], isBound = false): ReferenceScope {
    const found = this.found.get(node);
    return {
      payload: this.payload instanceof JsonText ? null : this.payload,
      output: (nodeId) => {
        const output = this.outputOf(nodeId);
        return isHeld(output) ? undefined : output;
      },
      warn: (message) => addWarning(this.states[node]!, message),
      ...(item && { item }),
      ...(found && { found: isBound ? withoutItems(found) : found }),
    };
  }

  private bytesOf(nodeId: string, output: unknown): number {
    if (isHeld(output)) return heldBytes(output);
    const node = this.graph.indexOf.get(nodeId)!;
    const known = this.outputBytes.get(node);
    if (known !== undefined) return known;
    const bytes = sizeOf(output);
    if (output !== undefined) this.outputBytes.set(node, bytes);
    return bytes;
  }

  /** A handled failure can be looked at downstream: `_output.<id>.error.message`. */
  private outputOf(nodeId: string): unknown {
    const { status, output, handled, error } = this.states[this.graph.indexOf.get(nodeId)!]!;
    if (status === 'COMPLETED') return output;
    return status === 'FAILED' && handled ? { error } : undefined;
  }
}

function withoutItems(found: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  return new Map([...found].filter(([text]) => !/^_i(tem|ndex)\b/.test(text)));
}

function sizeOf(value: unknown): number {
  return measureJson(value ?? null, Number.POSITIVE_INFINITY)?.bytes ?? 0;
}

export function addWarning(state: NodeState, warning: string): void {
  if (state.warnings.length < MAX_WARNINGS) state.warnings.push(warning);
}

/** What the tool learns about the wait that it comes back from. */
export function toResume(waiting: NodeWait | null): ToolResume | null {
  if (!waiting || waiting.reason === 'wait_for' || waiting.reason === 'retry') return null;
  return { reason: waiting.reason, data: waiting.data ?? null, answer: waiting.answer?.value ?? null };
}
