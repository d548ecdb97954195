import { ANSWER_LANGUAGES, type AnswerLanguage } from '@app/common';
import { SEARCH_MODES, type SearchMode } from '@app/retrieval';
import { AnyField, ChoiceField, IntegerField, ListField, StringField, UuidField, kinds } from '../../http/fields.js';

/** What every chat takes (document 3, B5). */
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

export class SingleFileChatRequest extends ChatRequest {
  @UuidField()
  uid: string;
}

export class MultiFileChatRequest extends ChatRequest {
  @ListField(kinds.uuid(), { minItems: 1, description: '1 to 50 documents.' })
  uids: string[];
}

const FOLDER = { optional: true, nullable: true, allowBlank: true, maxLength: 1000 } as const;

export class AllFilesChatRequest extends ChatRequest {
  @StringField({ ...FOLDER, description: 'Only this folder of one’s own, and below.' })
  folder?: string | null;
}

export class ScopedChatRequest extends ChatRequest {
  @ListField(kinds.uuid(), {
    optional: true,
    nullable: true,
    minItems: 1,
    description: '1 to 50 documents; without `folder`.',
  })
  uids?: string[] | null;

  @StringField({ ...FOLDER, description: 'Only this folder of one’s own, and below; without `uids`.' })
  folder?: string | null;
}

export class AdvancedSearchRequest extends ScopedChatRequest {
  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 1000,
    description: 'What to look for; the message when absent.',
  })
  query?: string | null;

  @ChoiceField(SEARCH_MODES, { default: 'hybrid' })
  mode: SearchMode;

  @IntegerField({ min: 1, max: 50, default: 10, description: 'Passages that the answer may rest on.' })
  limit: number;
}
