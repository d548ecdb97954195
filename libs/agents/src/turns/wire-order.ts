import type { StoredTurnEvent } from '../turn-events/turn-event.js';

/**
 * As the documents list them (docs/contract/conventions.md#streams, docs/contract/search.md#chats-with-documents,
 * docs/contract/tables.md#questions); other keys follow by their names.
 */
const KEYS = `event_type event uid filename path sheet ranges rows page chunk_id score text spans rect chunks
  status usage error prompt_tokens completion_tokens code detail`.split(/\s+/);
const RANKS: ReadonlyMap<string, number> = new Map(KEYS.map((key, at) => [key, at]));

/**
 * The event with its keys in one order. Postgres gives those of jsonb in an order of its own, and the bus in that of the
 * code: whoever reads a turn a second time is to get the same bytes.
 */
export function inWireOrder(event: StoredTurnEvent): StoredTurnEvent {
  if (event.type !== 'delta') return { ...event, data: ordered(event.data) } as StoredTurnEvent;
  const { offset, text } = event.data;
  return { ...event, data: { offset, text } };
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, ordered(inner)]));
}

function rankOf(key: string): number {
  return RANKS.get(key) ?? KEYS.length;
}
