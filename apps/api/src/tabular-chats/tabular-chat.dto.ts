import { ANSWER_LANGUAGES, InvalidRequestError, ValidationError, type AnswerLanguage } from '@app/common';
import { AnyField, ChoiceField, IntegerField, kinds, ListField, StringField, UuidField } from '../http/fields.js';

export const MOST_FILES = 5;

/** What both chats with tables take (document 3, B6). */
export class TabularChatRequest {
  // Missing and blank messages have an error code of their own, so they are judged by the handler.
  @AnyField({ optional: true, nullable: true, description: 'The question: 1 to 100,000 characters.' })
  message?: unknown;

  @UuidField({ optional: true, nullable: true, description: 'One file; or `uids`.' })
  uid?: string | null;

  @ListField(kinds.uuid(), { optional: true, nullable: true, description: '1 to 5 files.' })
  uids?: string[] | null;

  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 128,
    description: 'The client’s name for the conversation.',
  })
  conversation_id?: string | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    description: 'A session that an earlier answer named in X-Chat-Session-Id.',
  })
  chat_session_id?: number | null;

  @IntegerField({ optional: true, nullable: true, min: 1 })
  llm_model_id?: number | null;

  @ChoiceField(ANSWER_LANGUAGES, {
    optional: true,
    nullable: true,
    description: 'Of the answer; that of the question when absent.',
  })
  language?: AnswerLanguage | null;

  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 128,
    description: 'The client’s name for the turn: the same name again is answered with the same turn.',
  })
  client_turn_id?: string | null;
}

/** @throws ValidationError without any, InvalidRequestError `too_many_files` */
export function fileUidsOf({ uid, uids }: TabularChatRequest): string[] {
  const all = [...new Set([...(uid ? [uid] : []), ...(uids ?? [])])];
  if (all.length === 0) throw new ValidationError({ uids: ['This field is required.'] });
  if (all.length > MOST_FILES)
    throw new InvalidRequestError(`At most ${MOST_FILES} files can be asked at once.`, { code: 'too_many_files' });
  return all;
}
