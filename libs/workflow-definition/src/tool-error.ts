import type { NodeUsage } from './states/node-state.js';

/** What a tool throws to fail its node with a code of its own. Anything else becomes `tool_error`. */
export class ToolError extends Error {
  /** What was used of language models until then. */
  readonly usage: NodeUsage | null;

  constructor(
    readonly code: string,
    message: string,
    /** False: the node's retry policy is not applied, because definition or deployment are wrong and stay so. */
    readonly retryable = true,
    { usage = null, ...options }: ErrorOptions & { usage?: NodeUsage | null } = {},
  ) {
    super(message, options);
    this.usage = usage;
    this.name = 'ToolError';
  }
}
