import type { AgentRunEvent } from './agent-run.js';

/** As it stands in the log of a run. */
export interface StoredRunEvent {
  seq: number;
  event: string;
  data: Record<string, unknown>;
  at: Date;
  /** See `dedicated_agent_events.pieces`; null for what was told at once. */
  pieces: string | null;
}

type ToldEvent = Pick<AgentRunEvent, 'seq' | 'event' | 'data' | 'at'>;

/**
 * The events of a row as they were told, each with its number and its time: whoever goes on from the middle of a compacted
 * log gets what comes after it.
 */
export function toldEvents({ seq, event, data, at, pieces }: StoredRunEvent): ToldEvent[] {
  if (pieces === null || typeof data.delta !== 'string') return [{ seq, event, data, at }];
  // Lengths are counted in characters, as Postgres counts them.
  const characters = Array.from(data.delta);
  const before = pieces.split(',').map((piece) => piece.split(':').map(Number) as [number, number]);
  let time = before.reduce((sum, [, gap]) => sum - gap, at.getTime());
  let from = 0;
  const told = before.map(([length, gap], index) => {
    const delta = characters.slice(from, from + length).join('');
    const one = { seq: seq - before.length + index, event, data: { delta }, at: new Date(time) };
    from += length;
    time += gap;
    return one;
  });
  return [...told, { seq, event, data: { delta: characters.slice(from).join('') }, at }];
}
