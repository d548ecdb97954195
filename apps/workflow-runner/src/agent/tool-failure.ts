import { ToolCallError } from '@app/agents';
import { DomainError } from '@app/common';
import { ToolError } from '@app/workflow-definition';
import type { Logger } from '@nestjs/common';

const MISTAKES = new Set(['invalid_params', 'invalid_request', 'invalid', 'not_found', 'file_not_found']);

/** Any failure of a tool as model and user may read it: without stacks, and without what belongs to the inside. */
export function toCallError(error: unknown, tool: string, logger: Logger): ToolCallError {
  if (error instanceof ToolCallError) return error;
  if (error instanceof ToolError || error instanceof DomainError)
    return new ToolCallError(error.code, error.message, MISTAKES.has(error.code), { cause: error });
  logger.error(`The tool ${tool} failed unexpectedly`, error instanceof Error ? error.stack : String(error));
  return new ToolCallError('tool_error', 'The tool failed unexpectedly.', false, { cause: error });
}
