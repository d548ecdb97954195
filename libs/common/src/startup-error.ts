/** A start that failed for a reason that an operator can mend: told in its own words, without a trace. */
export class StartupError extends Error {
  override name = 'StartupError';
}

/** What a process writes before it ends because it could not start. */
export function explainFailedStart(error: unknown): string {
  if (error instanceof StartupError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
