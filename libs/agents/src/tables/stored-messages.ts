import { newId, type PageRequest } from '@app/common';
import type { TabularStore } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface NewMessage {
  /** That of the turn; a new one when absent. */
  uid?: string | undefined;
  conversationId: string;
  question: string;
  answer: string;
  sql: string | null;
  mgid: string | null;
}

export interface StoredMessage extends Required<Omit<NewMessage, 'uid'>> {
  id: number;
  uid: string;
  fileUids: string[];
  createdAt: Date;
}

const COLUMNS = `m.id, m.uid, m.conversation_id AS "conversationId", m.question, m.answer, m.sql, m.mgid,
  m.file_uids AS "fileUids", m.created_at AS "createdAt"`;

/**
 * Questions and answers that clients keep (docs/contract/tables.md#thoughts-and-kept-messages). Each sees the own
 * ones of one store.
 */
@Injectable()
export class StoredMessages {
  constructor(private readonly dataSource: DataSource) {}

  /** Keeps a message once: the same uid again gives what was kept first. Files are those of the turn with this uid. */
  async store(
    userId: number,
    store: TabularStore,
    message: NewMessage,
  ): Promise<{ message: StoredMessage; isNew: boolean }> {
    const { uid = newId(), conversationId, question, answer, sql, mgid } = message;
    const [inserted] = await this.dataSource.query<StoredMessage[]>(
      `INSERT INTO tabular_messages AS m (user_id, store, uid, conversation_id, question, answer, sql, mgid, file_uids)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, coalesce(
         (SELECT array_agg((f ->> 'uid')::uuid) FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id,
            jsonb_array_elements(t.sources) AS f
          WHERE t.id = $3 AND s.user_id = $1 AND s.kind = $2), '{}'))
       ON CONFLICT (user_id, store, uid) DO NOTHING RETURNING ${COLUMNS}`,
      [userId, store, uid, conversationId, question, answer, sql, mgid],
    );
    if (inserted) return { message: inserted, isNew: true };
    const [kept] = await this.dataSource.query<[StoredMessage]>(
      `SELECT ${COLUMNS} FROM tabular_messages m WHERE m.user_id = $1 AND m.store = $2 AND m.uid = $3`,
      [userId, store, uid],
    );
    return { message: kept, isNew: false };
  }

  /** Newest first. */
  list(
    userId: number,
    store: TabularStore,
    filter: { uid?: string | undefined; conversationId?: string | undefined },
    { page, pageSize }: PageRequest,
  ): Promise<StoredMessage[]> {
    return this.dataSource.query<StoredMessage[]>(
      `SELECT ${COLUMNS} FROM tabular_messages m
       WHERE m.user_id = $1 AND m.store = $2 AND ($3::uuid IS NULL OR m.uid = $3)
         AND ($4::text IS NULL OR m.conversation_id = $4)
       ORDER BY m.id DESC LIMIT $5 OFFSET $6`,
      [userId, store, filter.uid ?? null, filter.conversationId ?? null, pageSize, (page - 1) * pageSize],
    );
  }
}
