import { ANSWER_LANGUAGES, type AnswerLanguage } from '@app/common';
import { AnyField, ChoiceField, IntegerField, StringField } from '../http/fields.js';

/**
 * What every chat with a store takes (docs/contract/search.md#chats-with-documents,
 * docs/contract/tables.md#questions).
 */
export class ChatRequest {
  // Missing and blank messages have an error code of their own, so they are judged by the handler.
  @AnyField({ optional: true, nullable: true, description: 'The question: 1 to 100,000 characters.' })
  message?: unknown;

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
