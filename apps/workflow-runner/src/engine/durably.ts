import { ToolError } from '@app/workflow-definition';
import type { NodeHost } from './node-runner.js';

/**
 * Asks the storage of outputs, again and again while it is away. That it stays away is no fault of the node: the run is
 * given up here, and somebody claims it later.
 * @throws ToolError what the storage says of the output; `aborted` when the run has gone
 */
export async function durably<T>(host: Pick<NodeHost, 'write' | 'breakDown'>, attempt: () => Promise<T>): Promise<T> {
  let answer: { value: T } | { error: ToolError } | null;
  try {
    answer = await host.write(async () => {
      try {
        return { value: await attempt() };
      } catch (error) {
        if (error instanceof ToolError) return { error };
        throw error;
      }
    });
  } catch (error) {
    host.breakDown(error);
    throw aborted();
  }
  if (answer === null) throw aborted();
  if ('error' in answer) throw answer.error;
  return answer.value;
}

function aborted(): ToolError {
  return new ToolError('aborted', 'The run has gone to another worker.', false);
}
