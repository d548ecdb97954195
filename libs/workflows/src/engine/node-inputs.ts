import type { WorkflowGraph } from '../definition/graph.js';
import type { ReferenceScope } from '../references/params-template.js';
import type { ToolResume } from '../tools/tool.js';
import type { NodeState, NodeWait } from './node-state.js';

const MAX_WARNINGS = 50;

/** What a node gets to see when it starts: its params with references filled in from the states of the others. */
export class NodeInputs {
  constructor(
    private readonly graph: WorkflowGraph,
    private readonly states: readonly NodeState[],
    private readonly payload: Record<string, unknown> | null,
  ) {}

  /**
   * Throws `ToolError` `params_too_large`. What is missing becomes a warning of the node.
   * @param itemParams names of params that are filled in for each item, by `bind`.
   */
  paramsOf(node: number, isTriggered: boolean, itemParams?: ReadonlySet<string>): Record<string, unknown> {
    const params = this.graph.params[node]!.resolve(this.scopeOf(node, this.bodyItem()), itemParams);
    return this.payload !== null && isTriggered ? { ...params, _webhook_payload: this.payload } : params;
  }

  /** One of the `itemParams` for one item. Throws `ToolError` `params_too_large`. */
  bind(node: number, name: string, value: unknown, index: number): unknown {
    return this.graph.params[node]!.resolveOne(name, this.scopeOf(node, { value, index }));
  }

  private scopeOf(node: number, item: ReferenceScope['item']): ReferenceScope {
    return {
      payload: this.payload,
      output: (nodeId) => this.outputOf(nodeId),
      warn: (message) => addWarning(this.states[node]!, message),
      ...(item && { item }),
    };
  }

  /** The body of a loop is a run of its own, to which the loop hands item and index with the payload. */
  private bodyItem(): ReferenceScope['item'] {
    if (this.payload === null || !Object.hasOwn(this.payload, '_index')) return undefined;
    return { value: this.payload._item, index: Number(this.payload._index) };
  }

  /** A handled failure can be looked at downstream: `_output.<id>.error.message`. */
  private outputOf(nodeId: string): unknown {
    const { status, output, handled, error } = this.states[this.graph.indexOf.get(nodeId)!]!;
    if (status === 'COMPLETED') return output;
    return status === 'FAILED' && handled ? { error } : undefined;
  }
}

export function addWarning(state: NodeState, warning: string): void {
  if (state.warnings.length < MAX_WARNINGS) state.warnings.push(warning);
}

/** What the tool learns about the wait that it comes back from. */
export function toResume(waiting: NodeWait | null): ToolResume | null {
  if (!waiting || waiting.reason === 'wait_for' || waiting.reason === 'retry') return null;
  return { reason: waiting.reason, data: waiting.data ?? null, answer: waiting.answer?.value ?? null };
}
