import {
  BadGatewayError,
  cutText,
  DomainError,
  GatewayTimeoutError,
  RateLimitedError,
  UnavailableError,
} from '@app/common';
import { type NodeUsage, type NodeWait, ToolError } from '@app/workflow-definition';
import type { NodeTask } from '@app/workflows';
import type { ExecutorSettings } from './executor-options.js';

const MAX_MESSAGE_LENGTH = 1_000;

export type NodeOutcome =
  | { kind: 'completed'; output: unknown; bytes?: number; chosen?: string[]; warnings?: string[]; usage?: NodeUsage }
  | { kind: 'failed'; code: string; message: string; retryable: boolean; usage?: NodeUsage }
  | { kind: 'waiting'; waiting: NodeWait };

/** Of an outcome: what failed says so without stack or secret. */
export function failure(code: string, message: string, retryable: boolean): NodeOutcome {
  return { kind: 'failed', code, message: cutText(message, MAX_MESSAGE_LENGTH), retryable };
}

export function toFailure(error: unknown, node: NodeTask['node'], where: FailureLog, signal: AbortSignal): NodeOutcome {
  const { code, message, retryable, usage } = toToolError(error, node, where, signal);
  return { ...failure(code, message, retryable), ...(usage && { usage }) };
}

/** Where what nobody expected is told. */
export interface FailureLog {
  runId: string;
  logger: ExecutorSettings['logger'];
}

/**
 * What nobody expected is logged, and told without its contents.
 * @param signal whether the node was told to stop: however it breaks off then, that was expected
 */
export function toToolError(
  error: unknown,
  node: NodeTask['node'],
  { runId, logger }: FailureLog,
  signal: AbortSignal,
): ToolError {
  if (error instanceof ToolError) return error;
  if (error instanceof DomainError)
    return new ToolError(error.code, error.message, isTransient(error), { cause: error });
  if (!signal.aborted)
    logger.error('A tool failed unexpectedly', {
      runId,
      nodeId: node.id,
      kind: node.kind,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  return new ToolError('tool_error', 'The node failed unexpectedly.');
}

function isTransient(error: DomainError): boolean {
  return [UnavailableError, BadGatewayError, GatewayTimeoutError, RateLimitedError].some(
    (type) => error instanceof type,
  );
}
