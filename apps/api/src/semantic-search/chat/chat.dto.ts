import { ANSWER_LANGUAGES, SEARCH_MODES, type AnswerLanguage, type SearchHit, type SearchMode } from '@app/retrieval';
import { AnyField, ChoiceField, IntegerField, ListField, StringField, UuidField, kinds } from '../../http/fields.js';
import { toSpanResponse, type SpanResponse } from '../search/search.dto.js';

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

const FOLDER = { optional: true, allowBlank: true, maxLength: 1000 } as const;

export class AllFilesChatRequest extends ChatRequest {
  @StringField({ ...FOLDER, description: 'Only this folder of one’s own, and below.' })
  folder?: string;
}

export class ScopedChatRequest extends ChatRequest {
  @ListField(kinds.uuid(), { optional: true, minItems: 1, description: '1 to 50 documents; without `folder`.' })
  uids?: string[];

  @StringField({ ...FOLDER, description: 'Only this folder of one’s own, and below; without `uids`.' })
  folder?: string;
}

export class AdvancedSearchRequest extends ScopedChatRequest {
  @StringField({
    optional: true,
    minLength: 1,
    maxLength: 1000,
    description: 'What to look for; the message when absent.',
  })
  query?: string;

  @ChoiceField(SEARCH_MODES, { default: 'hybrid' })
  mode: SearchMode;

  @IntegerField({ min: 1, max: 50, default: 10, description: 'Passages that the answer may rest on.' })
  limit: number;
}

/** A passage of a source. */
interface ChatPassage {
  page: number;
  chunk_id: string;
  score: number;
  text: string;
  /** Where it stands on its page. */
  spans: SpanResponse[];
}

/** A source as the stream begins with it. */
export interface ChatSource extends ChatPassage {
  uid: string;
  filename: string;
  path: string;
}

export interface GroupedSource {
  uid: string;
  filename: string;
  path: string;
  chunks: ChatPassage[];
}

export function toChatSource(hit: SearchHit): ChatSource {
  const { uid, filename, path } = hit;
  return { uid, filename, path, ...toPassage(hit) };
}

/** Documents in the order of the hits. */
export function toGroupedSources(hits: readonly SearchHit[]): GroupedSource[] {
  const groups = new Map<string, GroupedSource>();
  for (const hit of hits) {
    const { uid, filename, path } = hit;
    const group = groups.get(uid) ?? { uid, filename, path, chunks: [] };
    group.chunks.push(toPassage(hit));
    groups.set(uid, group);
  }
  return [...groups.values()];
}

function toPassage({ page, chunkId, score, text, spans }: SearchHit): ChatPassage {
  return { page, chunk_id: chunkId, score, text, spans: spans.map(toSpanResponse) };
}
