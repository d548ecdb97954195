import { JsonText, type ToolContext, ToolError } from '@app/workflow-definition';
import type { ClaimedRun, NodeTask } from '@app/workflows';
import type { ExecutorSettings } from './executor-options.js';
import type { MemoryShare } from './memory-budget.js';

interface NodeAtWork {
  task: NodeTask;
  signal: AbortSignal;
  memory: MemoryShare;
  /** Whose rights it has. */
  userId: number;
}

/** All that a tool is given besides its params, but for the nested work. */
export function toToolContext(run: ClaimedRun, settings: ExecutorSettings, at: NodeAtWork): ToolContext {
  const { task, signal, memory, userId } = at;
  const { node, params, attempt, resume } = task;
  const given = params._webhook_payload;
  const payload = given instanceof JsonText ? given.parse() : given;
  const fieldsOf = (fields?: Record<string, unknown>): Record<string, unknown> => ({
    ...fields,
    runId: run.runId,
    nodeId: node.id,
  });
  return {
    ...settings.ports,
    signal,
    runId: run.runId,
    nodeId: node.id,
    attempt,
    idempotencyKey: `${run.runId}:${node.id}`,
    viewer: { userId, workflowId: run.workflowId, runId: run.runId },
    next: node.next,
    resume,
    payload: typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : null,
    now: () => settings.clock.now(),
    sleep: (milliseconds) => sleep(milliseconds, signal),
    room: (bytes) => memory.take(bytes),
    progress: (update) =>
      settings.onProgress?.({
        workflowId: run.workflowId,
        runId: run.runId,
        bodyPath: run.bodyPath,
        nodeId: node.id,
        update,
      }),
    text: (written) =>
      settings.onText?.({
        workflowId: run.workflowId,
        runId: run.runId,
        version: run.version,
        nodeId: node.id,
        attempt,
        written,
      }),
    log: {
      info: (message, fields) => settings.logger.log(message, fieldsOf(fields)),
      warn: (message, fields) => settings.logger.warn(message, fieldsOf(fields)),
    },
  };
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(new ToolError('aborted', 'The node was stopped.', false));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}
