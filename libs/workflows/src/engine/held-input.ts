import { JsonText, type NodeSpec, type Reference, StoredOutput } from '@app/workflow-definition';

/** What a node refers to, where that is too large to be filled in here, or is not here as objects. */
export interface HeldInput {
  node: NodeSpec;
  /** Of the params as JSON with every reference filled in: at most, and roughly. */
  bytes: number;
  /** Those whose values are not here as objects, each once. */
  references: readonly Reference[];
  /** Of the nodes that params refer to: the value, or where it lies. */
  outputs: ReadonlyMap<string, unknown>;
  nodeIds: readonly string[];
  payload: Record<string, unknown> | JsonText | null;
  isTriggered: boolean;
  /**
   * The params with what was found elsewhere; `bind` of the task uses it from then on.
   * @throws ToolError `params_too_large`
   */
  resolve(found: ReadonlyMap<string, unknown>): Record<string, unknown>;
}

/** Whether it has to be read before anybody can look into it. */
export function isHeld(value: unknown): value is JsonText | StoredOutput {
  return value instanceof JsonText || value instanceof StoredOutput;
}

/** Bytes of its JSON; undefined for a value that is here. */
export function heldBytes(value: JsonText | StoredOutput): number {
  return value instanceof JsonText ? value.bytes : value.file.size;
}
