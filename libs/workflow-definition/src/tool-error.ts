/** What a tool throws to fail its node with a code of its own. Anything else becomes `tool_error`. */
export class ToolError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** False: the node's retry policy is not applied, because definition or deployment are wrong and stay so. */
    readonly retryable = true,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ToolError';
  }
}
