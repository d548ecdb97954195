import type { NewMessage, StoredMessage } from '@app/agents';
import { DateTimeField, IntegerField, kinds, ListField, StringField, UuidField } from '../http/fields.js';
import { PageQuery } from '../http/pagination.js';

const TEXT = { maxLength: 200_000 } as const;

export class StoreMessageRequest {
  @UuidField({ optional: true, nullable: true, description: 'That of the turn; the same one is kept once.' })
  uid?: string | null;

  @StringField({ minLength: 1, maxLength: 128 })
  conversation_id: string;

  @StringField({ minLength: 1, ...TEXT })
  question: string;

  @StringField({ allowBlank: true, ...TEXT })
  answer: string;

  @StringField({ optional: true, nullable: true, allowBlank: true, ...TEXT })
  sql?: string | null;

  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 128 })
  mgid?: string | null;
}

export class MessagesQuery extends PageQuery {
  @UuidField({ optional: true })
  uid?: string;

  @StringField({ optional: true, maxLength: 128 })
  conversation_id?: string;
}

export class StoredMessageResponse {
  @IntegerField()
  id: number;

  @UuidField()
  uid: string;

  @StringField()
  conversation_id: string;

  @StringField()
  question: string;

  @StringField()
  answer: string;

  @StringField({ nullable: true })
  sql: string | null;

  @StringField({ nullable: true })
  mgid: string | null;

  @ListField(kinds.uuid())
  file_uids: string[];

  @DateTimeField()
  created_at: Date;
}

export function toNewMessage(body: StoreMessageRequest): NewMessage {
  const { uid, conversation_id: conversationId, question, answer, sql, mgid } = body;
  return { uid: uid ?? undefined, conversationId, question, answer, sql: sql || null, mgid: mgid || null };
}

export function toStoredMessageResponse(message: StoredMessage): StoredMessageResponse {
  const { id, uid, question, answer, sql, mgid } = message;
  return {
    id,
    uid,
    conversation_id: message.conversationId,
    question,
    answer,
    sql,
    mgid,
    file_uids: message.fileUids,
    created_at: message.createdAt,
  };
}
