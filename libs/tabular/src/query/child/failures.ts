import type { QueryFailure } from '../query-messages.js';
import { RefusedStatement } from './sql-guard.js';

export function failureOf(error: unknown): QueryFailure {
  return { type: error instanceof RefusedStatement ? 'refused' : 'failed', message: messageOf(error) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
