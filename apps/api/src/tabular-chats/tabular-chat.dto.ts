import { InvalidRequestError, ValidationError } from '@app/common';
import { ANSWER_LANGUAGES, type AnswerLanguage } from '@app/retrieval';
import { AnyField, ChoiceField, IntegerField, kinds, ListField, StringField, UuidField } from '../http/fields.js';

export const MOST_FILES = 5;

/** What both chats with tables take (document 3, B6). */
export class TabularChatRequest {
  // Missing and blank messages have an error code of their own, so they are judged by the handler.
  @AnyField({ optional: true, nullable: true, description: 'The question: 1 to 100,000 characters.' })
  message?: unknown;

  @UuidField({ optional: true, description: 'One file; or `uids`.' })
  uid?: string;

  @ListField(kinds.uuid(), { optional: true, description: '1 to 5 files.' })
  uids?: string[];

  @StringField({ optional: true, minLength: 1, maxLength: 128, description: 'The client’s name for the conversation.' })
  conversation_id?: string;

  @IntegerField({ optional: true, min: 1, description: 'A session that an earlier answer named in X-Chat-Session-Id.' })
  chat_session_id?: number;

  @IntegerField({ optional: true, nullable: true, min: 1 })
  llm_model_id?: number | null;

  @ChoiceField(ANSWER_LANGUAGES, { optional: true, description: 'Of the answer; that of the question when absent.' })
  language?: AnswerLanguage;

  @StringField({
    optional: true,
    minLength: 1,
    maxLength: 128,
    description: 'The client’s name for the turn: the same name again is answered with the same turn.',
  })
  client_turn_id?: string;
}

/** @throws ValidationError without any, InvalidRequestError `too_many_files` */
export function fileUidsOf({ uid, uids }: TabularChatRequest): string[] {
  const all = [...new Set([...(uid === undefined ? [] : [uid]), ...(uids ?? [])])];
  if (all.length === 0) throw new ValidationError({ uids: ['This field is required.'] });
  if (all.length > MOST_FILES)
    throw new InvalidRequestError(`At most ${MOST_FILES} files can be asked at once.`, { code: 'too_many_files' });
  return all;
}
