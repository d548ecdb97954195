import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** An api of the release before gives compacted text as one piece: until then nobody is in the middle of it. */
const AFTER_SECONDS = 120;
const BATCH = 20;
/** Of one row, and of one of its pieces in characters: so a page of a log is never more than a process can hold. */
const MOST_PIECES = 500;
const LONGEST_PIECE = 2000;

/** Makes few rows of the many that a run was told in, once it has ended (`toldEvents` reads them). */
@Injectable()
export class RunLogCompaction {
  constructor(private readonly dataSource: DataSource) {}

  /** One batch. @returns how many logs were compacted; fewer than `BATCH`: there are no more */
  async compactSome(afterSeconds = AFTER_SECONDS): Promise<{ compacted: number; mayBeMore: boolean }> {
    const rows = await this.dataSource.query<unknown[]>(
      // Whoever deletes a run holds it, or waits for it here; one that another process is at is left to it.
      `WITH ended AS (
         SELECT r.id FROM dedicated_agent_runs r
         WHERE NOT r.log_compacted AND r.finished_at <= now() - $1 * interval '1 second'
         ORDER BY r.finished_at LIMIT ${BATCH} FOR NO KEY UPDATE SKIP LOCKED),
       pieces AS (
         SELECT e.run_id, e.seq, e.event, e.data->>'delta' AS text, e.created_at,
           e.seq - row_number() OVER (PARTITION BY e.run_id, e.event ORDER BY e.seq) AS stretch
         FROM dedicated_agent_events e JOIN ended n ON n.id = e.run_id
         WHERE e.event IN ('message.delta', 'reasoning.delta') AND e.pieces IS NULL AND e.data - 'delta' = '{}'::jsonb
           AND jsonb_typeof(e.data->'delta') = 'string' AND length(e.data->>'delta') <= ${LONGEST_PIECE}),
       parts AS (
         SELECT p.*, (row_number() OVER (PARTITION BY p.run_id, p.event, p.stretch ORDER BY p.seq) - 1) / ${MOST_PIECES} AS part
         FROM pieces p),
       timed AS (
         SELECT p.*, round(extract(epoch FROM lead(p.created_at) OVER (PARTITION BY p.run_id, p.event, p.stretch, p.part
             ORDER BY p.seq) - p.created_at) * 1000)::bigint AS gap
         FROM parts p),
       joined AS (
         SELECT t.run_id, min(t.seq) AS first, max(t.seq) AS last, string_agg(t.text, '' ORDER BY t.seq) AS text,
           string_agg(length(t.text) || ':' || t.gap, ',' ORDER BY t.seq) AS pieces
         FROM timed t GROUP BY t.run_id, t.event, t.stretch, t.part HAVING count(*) > 1),
       gone AS (
         DELETE FROM dedicated_agent_events e USING joined j
         WHERE e.run_id = j.run_id AND e.seq >= j.first AND e.seq < j.last),
       kept AS (
         UPDATE dedicated_agent_events e SET data = jsonb_build_object('delta', j.text), pieces = j.pieces
         FROM joined j WHERE e.run_id = j.run_id AND e.seq = j.last),
       done AS (
         UPDATE dedicated_agent_runs r SET log_compacted = true FROM ended n WHERE r.id = n.id)
       SELECT FROM ended`,
      [afterSeconds],
    );
    return { compacted: rows.length, mayBeMore: rows.length === BATCH };
  }
}
