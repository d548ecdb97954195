/** Why a job in a sandbox thread failed; the tool turns it into a `ToolError`. Threads load nothing of the platform. */
export class SandboxError extends Error {
  constructor(
    /** Stable snake_case code of the node's error. */
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'SandboxError';
  }
}
