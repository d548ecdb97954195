import type { WorkflowGraph } from '../definition/graph.js';
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

  /** Throws `ToolError` `params_too_large`. What is missing becomes a warning of the node. */
  paramsOf(node: number, isTriggered: boolean): Record<string, unknown> {
    const params = this.graph.params[node]!.resolve({
      payload: this.payload,
      output: (nodeId) => this.outputOf(nodeId),
      warn: (message) => addWarning(this.states[node]!, message),
    });
    return this.payload !== null && isTriggered ? { ...params, _webhook_payload: this.payload } : params;
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
