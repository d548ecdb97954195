import type { TurnQuestion } from '../turn-events/turn-event.js';
import type { ClaimedTurn } from './turn-handler.js';

/** What a claim gives: the turn, and where its log stands. */
export interface Claim {
  turn: ClaimedTurn;
  /** The log's last row: the `started` of this claim. */
  lastSeq: number;
  /** What earlier attempts told. */
  published: { sources: readonly unknown[] | null; text: string };
  resume: { question: TurnQuestion; reply: Record<string, unknown> | null } | null;
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

/** A statement that writes one more row of a turn's log; no row comes back when somebody else wrote at the same moment. */
export const APPEND_ONE = `INSERT INTO chat_turn_events (turn_id, seq, type, data)
  SELECT $1, coalesce(max(seq), 0) + 1, $2, $3::jsonb FROM chat_turn_events WHERE turn_id = $1
  ON CONFLICT DO NOTHING RETURNING seq`;
