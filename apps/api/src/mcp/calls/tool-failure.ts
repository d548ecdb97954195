import { QueryError } from '@app/tabular';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ToolInputError } from '../tools/tool.js';
import { asDomainError } from '../../http/http-errors.js';

const INTERNAL = { code: 'internal_error', detail: 'Internal error.' };

/** What a failed call is to its model: a code and a sentence. `isOurs`: a fault of ours, to be logged. */
export function toToolFailure(error: unknown): { result: CallToolResult; isOurs: boolean } {
  const known = describe(error);
  const { code, detail } = known ?? INTERNAL;
  const content: CallToolResult['content'] = [{ type: 'text', text: `${detail} (${code})` }];
  return { result: { isError: true, content, _meta: { 'atrium/error': { code, detail } } }, isOurs: known === null };
}

export function describe(error: unknown): { code: string; detail: string } | null {
  if (error instanceof ToolInputError) return { code: 'invalid_arguments', detail: error.message };
  if (error instanceof QueryError) return { code: error.code, detail: error.message };
  const domain = asDomainError(error);
  return domain ? { code: domain.code, detail: domain.message } : null;
}
