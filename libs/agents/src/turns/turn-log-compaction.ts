import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** An api of the release before gives compacted text as one piece: until then nobody is in the middle of it. */
const AFTER_SECONDS = 120;
/** What somebody held at that moment is looked at again for so long. */
const AGAIN_SECONDS = 600;
const BATCH = 20;

/** Makes few rows of the many that an answer was told in, once its turn has ended (`publishedEvents` reads them). */
@Injectable()
export class TurnLogCompaction {
  private doneUntil: Date | null = null;

  constructor(private readonly dataSource: DataSource) {}

  /** @param hours for which logs are kept. @returns how many logs were compacted */
  async compactEnded(hours: number, afterSeconds = AFTER_SECONDS): Promise<number> {
    const [{ from, until }] = await this.dataSource.query<[{ from: Date; until: Date }]>(
      `SELECT coalesce($1::timestamptz - $2 * interval '1 second', now() - $3 * interval '1 hour') AS "from",
         now() - $4 * interval '1 second' AS until`,
      [this.doneUntil, AGAIN_SECONDS, hours, afterSeconds],
    );
    let compacted = 0;
    for (let found = BATCH; found === BATCH; compacted += found) found = await this.compactSome(from, until);
    this.doneUntil = until;
    return compacted;
  }

  /** Whoever deletes a log holds its turn, or waits for it here. */
  private async compactSome(from: Date, until: Date): Promise<number> {
    const rows = await this.dataSource.query<unknown[]>(
      `WITH ended AS (
         SELECT t.id FROM chat_turns t WHERE t.finished_at >= $1 AND t.finished_at <= $2 AND EXISTS (
           SELECT 1 FROM chat_turn_events a JOIN chat_turn_events b ON b.turn_id = a.turn_id AND b.seq = a.seq + 1
           WHERE a.turn_id = t.id AND a.type = 'delta' AND b.type = 'delta'
             AND NOT a.data ? 'lengths' AND NOT b.data ? 'lengths')
         LIMIT ${BATCH} FOR NO KEY UPDATE OF t SKIP LOCKED),
       pieces AS (
         SELECT e.turn_id, e.seq, e.data->>'text' AS text, (e.data->>'offset')::int AS start,
           e.seq - row_number() OVER (PARTITION BY e.turn_id ORDER BY e.seq) AS run
         FROM chat_turn_events e JOIN ended n ON n.id = e.turn_id
         WHERE e.type = 'delta' AND NOT e.data ? 'lengths'),
       measured AS (
         SELECT p.*, lead(p.start) OVER (PARTITION BY p.turn_id, p.run ORDER BY p.seq) - p.start AS length FROM pieces p),
       runs AS (
         SELECT m.turn_id, min(m.seq) AS first, max(m.seq) AS last, jsonb_build_object('offset', min(m.start),
           'text', string_agg(m.text, '' ORDER BY m.seq), 'lengths', string_agg(m.length::text, ',' ORDER BY m.seq)) AS data
         FROM measured m GROUP BY m.turn_id, m.run HAVING count(*) > 1),
       gone AS (
         DELETE FROM chat_turn_events e USING runs r WHERE e.turn_id = r.turn_id AND e.seq >= r.first AND e.seq < r.last),
       kept AS (
         UPDATE chat_turn_events e SET data = r.data FROM runs r WHERE e.turn_id = r.turn_id AND e.seq = r.last)
       SELECT 1 FROM ended`,
      [from, until],
    );
    return rows.length;
  }
}
