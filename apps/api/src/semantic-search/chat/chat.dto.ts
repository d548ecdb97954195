import { ANSWER_LANGUAGES, type AnswerLanguage, type SearchHit } from '@app/retrieval';
import { AnyField, ChoiceField, IntegerField, ListField, StringField, UuidField, kinds } from '../../http/fields.js';

/** What every chat takes (document 3, B5). */
export class ChatRequest {
  // Missing and blank messages have an error code of their own, so they are judged by the handler.
  @AnyField({ optional: true, nullable: true, description: 'The question: 1 to 100,000 characters.' })
  message?: unknown;

  @StringField({ optional: true, minLength: 1, maxLength: 128, description: 'The client’s name for the conversation.' })
  conversation_id?: string;

  @IntegerField({ optional: true, min: 1, description: 'A session that an earlier answer named in X-Chat-Session-Id.' })
  chat_session_id?: number;

  @IntegerField({ optional: true, nullable: true, min: 1 })
  llm_model_id?: number | null;

  @ChoiceField(ANSWER_LANGUAGES, { optional: true, description: 'Of the answer; that of the question when absent.' })
  language?: AnswerLanguage;
}

export class SingleFileChatRequest extends ChatRequest {
  @UuidField()
  uid: string;
}

export class MultiFileChatRequest extends ChatRequest {
  @ListField(kinds.uuid(), { minItems: 1, description: '1 to 50 documents.' })
  uids: string[];
}

/** A source as the stream begins with it. */
export interface ChatSource {
  uid: string;
  filename: string;
  path: string;
  page: number;
  chunk_id: string;
  score: number;
  text: string;
}

export function toChatSource({ uid, filename, path, page, chunkId, score, text }: SearchHit): ChatSource {
  return { uid, filename, path, page, chunk_id: chunkId, score, text };
}
