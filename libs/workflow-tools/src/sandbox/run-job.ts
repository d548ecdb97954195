import type { ApartTask } from '@app/workflow-definition/kit';
import { runJob, type SandboxAnswer, type SandboxTask, toAnswer } from '../jobs/jobs.js';

/**
 * A job of the sandbox, or a whole node.
 * @param begin is told how long the work itself may take, where a job has to make something ready before it.
 */
export async function runSandboxJob(task: SandboxTask, begin?: (limitMs: number) => void): Promise<SandboxAnswer> {
  if (task.job !== 'node') return runJob(task);
  const { runNode } = await import('./node-job.js');
  return toAnswer(() => runNode(task.input as ApartTask, { run: runSandboxJob, begin }));
}
