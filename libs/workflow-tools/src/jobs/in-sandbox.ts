import { ToolError, type ToolContext, type ToolPorts } from '@app/workflow-definition/kit';
import type { JobInput, JobOutput, SandboxJob } from './jobs.js';

const NOT_CONFIGURED = 'The sandbox for untrusted work is not configured.';

export function sandboxUnavailable({ sandbox }: { readonly sandbox?: unknown }): string | null {
  return sandbox ? null : NOT_CONFIGURED;
}

/**
 * Has a job done in a thread that can be killed, so that it holds up nobody else.
 * @param limitMs of work; waiting for a thread does not count.
 * @throws ToolError with the job's own code, `time_limit`, `memory_limit`, `sandbox_busy` or `aborted`.
 */
export async function inSandbox<J extends SandboxJob>(
  context: ToolContext & ToolPorts,
  job: J,
  input: JobInput<J>,
  limitMs: number,
): Promise<JobOutput<J>> {
  const { sandbox, viewer, signal } = context;
  if (!sandbox) throw new ToolError('sandbox_not_configured', NOT_CONFIGURED, false);
  const answer = await sandbox.run(viewer, { job, input }, { signal, limitMs });
  // What cannot be read cannot be read at the next try either; all else may end otherwise.
  if (!answer.ok) throw new ToolError(answer.code, answer.message, !answer.code.startsWith('invalid_'));
  return answer.value as JobOutput<J>;
}
