import { toJsonText } from '@app/common';
import type { EntityManager } from 'typeorm';
import type { TurnEndData } from '../turn-events/turn-event.js';

/** Where the work of a claim begins. */
export interface BegunWork {
  /** When the turn fails at the latest. */
  deadlineAt: Date;
  /** The log's last row: the `started` of this claim. */
  lastSeq: number;
  /** What earlier claims told; of sources null: nothing. */
  sources: unknown[] | null;
  text: string;
}

export interface TurnEnd {
  status: 'completed' | 'failed' | 'interrupted';
  answer: string;
  sources: readonly unknown[];
  usage: { promptTokens: number; completionTokens: number } | null;
  model: string;
  extras: object | null;
  error: { code: string; detail: string } | null;
}

/** The text that was told of turn `id`, from its log. */
export const publishedText = (id: string): string =>
  `coalesce((SELECT string_agg(e.data->>'text', '' ORDER BY e.seq) FROM chat_turn_events e
     WHERE e.turn_id = ${id} AND e.type = 'delta'), '')`;

/** The sources that were told of turn `id`; null before that. */
export const publishedSources = (id: string): string =>
  `(SELECT e.data->'sources' FROM chat_turn_events e WHERE e.turn_id = ${id} AND e.type = 'sources' ORDER BY e.seq LIMIT 1)`;

/** The answer as its row keeps it: none of a turn whose history only the client can read. */
export const keptAnswer = (text: string): string => `CASE WHEN request ? 'sealed' THEN '' ELSE ${text} END`;

/** Waits for whoever writes at the same moment, and writes after that. @returns the number of the row. */
export async function appendOne(tx: EntityManager, turnId: string, type: string, data: unknown): Promise<number> {
  for (;;) {
    const [row] = await tx.query<{ seq: number }[]>(
      `INSERT INTO chat_turn_events (turn_id, seq, type, data)
       SELECT $1, coalesce(max(seq), 0) + 1, $2, $3::jsonb FROM chat_turn_events WHERE turn_id = $1
       ON CONFLICT DO NOTHING RETURNING seq`,
      [turnId, type, toJsonText(data)],
    );
    if (row) return row.seq;
  }
}

export function toEndData({ status, usage, error }: Pick<TurnEnd, 'status' | 'usage' | 'error'>): TurnEndData {
  const counted = usage && { prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens };
  return { status, usage: counted, error };
}
