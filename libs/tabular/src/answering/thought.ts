import type { QueryResult } from '../query/query-messages.js';

/** docs/contract/tables.md#thoughts-and-kept-messages. */
export const THOUGHT_TYPES = ['plan', 'schema', 'sql', 'result', 'error', 'answer'] as const;
export type ThoughtType = (typeof THOUGHT_TYPES)[number];

/** One step on the way to an answer. */
export interface Thought {
  type: ThoughtType;
  text: string;
  /** For `sql`, `result` and `error`. */
  sql: string | null;
  /** For `result`. */
  rowCount: number | null;
  durationMs: number;
}

export function thought(type: Thought['type'], text: string, rest: Partial<Thought> = {}): Thought {
  return { type, text, sql: null, rowCount: null, durationMs: 0, ...rest };
}

export function resultThought(sql: string, { rows, truncated, durationMs }: QueryResult): Thought {
  const text = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}${truncated ? ', and more' : ''}`;
  return thought('result', text, { sql, rowCount: rows.length, durationMs });
}
