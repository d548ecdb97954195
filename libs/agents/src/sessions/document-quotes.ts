import type { DocumentTrace } from '@app/documents';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Answers that people got quote what was shared with them. */
@Injectable()
export class DocumentQuotes implements DocumentTrace {
  async forgetDocuments(uids: readonly string[], receivers: readonly number[], tx: EntityManager): Promise<void> {
    // A source is an object with a uid, or a media path: `/media/documents/<uid>/<filename>`.
    const names = `coalesce(s ->> 'uid', split_part(s #>> '{}', '/', 4)) = ANY($1::text[])`;
    await tx.query(
      `WITH changed AS (UPDATE chat_turns t
       SET sources = coalesce((SELECT jsonb_agg(s) FROM jsonb_array_elements(t.sources) s WHERE NOT ${names}), '[]')
       FROM chat_sessions c
       WHERE t.session_id = c.id AND c.user_id = ANY($2::int[]) AND jsonb_typeof(t.sources) = 'array'
         AND EXISTS (SELECT FROM jsonb_array_elements(t.sources) s WHERE ${names}) RETURNING t.id)
       DELETE FROM chat_turn_events e USING changed WHERE e.turn_id = changed.id`,
      [uids, receivers],
    );
    // The numbers that were given stay taken.
    await tx.query(
      `UPDATE chat_turn_work w SET work_sealed = NULL, uids = '{}', tokens = 0 FROM chat_turns t, chat_sessions c
       WHERE w.uids && $1::uuid[] AND t.id = w.turn_id AND c.id = t.session_id AND c.user_id = ANY($2::int[])`,
      [uids, receivers],
    );
    await tx.query(
      `DELETE FROM chat_session_summaries m USING chat_sessions c
       WHERE m.uids && $1::uuid[] AND c.id = m.session_id AND c.user_id = ANY($2::int[])`,
      [uids, receivers],
    );
  }
}
