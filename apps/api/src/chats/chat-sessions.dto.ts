import { CHAT_KINDS, type ChatKind, type ChatMessage, type ListedSession, type Rating } from '@app/agents';
import { TurnInputResponse } from './agent-reply.dto.js';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { PageOf, PageQuery } from '../http/pagination.js';

export class SessionsQuery extends PageQuery {
  @ChoiceField(CHAT_KINDS, { optional: true })
  kind?: ChatKind;

  @StringField({
    form: 'NFC',
    optional: true,
    allowBlank: true,
    maxLength: 200,
    description: 'Words of titles and messages.',
  })
  search?: string;
}

export class CreateSessionRequest {
  @ChoiceField(CHAT_KINDS)
  kind: ChatKind;

  @StringField({ default: '', allowBlank: true, maxLength: 200, folded: true })
  title: string;
}

export class UpdateSessionRequest {
  @StringField({ optional: true, minLength: 1, maxLength: 200, folded: true })
  title?: string;

  @BooleanField({ optional: true })
  pinned?: boolean;
}

export class MessagesQuery {
  @IntegerField({ optional: true, min: 1, max: Number.MAX_SAFE_INTEGER, description: 'Only messages before this one.' })
  before?: number;

  @IntegerField({ min: 1, max: 200, default: 50 })
  limit: number;
}

export class ChatSessionResponse {
  @IntegerField()
  id: number;

  @ChoiceField(CHAT_KINDS)
  kind: string;

  @StringField()
  title: string;

  @StringField()
  conversation_id: string;

  @BooleanField()
  pinned: boolean;

  @IntegerField()
  message_count: number;

  @DateTimeField({ nullable: true })
  last_message_at: Date | null;

  @DateTimeField()
  created_at: Date;
}

export class SessionPage extends PageOf(ChatSessionResponse) {}

export class ChatMessageResponse {
  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  id: number;

  @UuidField()
  turn_id: string;

  @ChoiceField(['user', 'assistant'])
  role: string;

  @StringField()
  message: string;

  @ChoiceField(['queued', 'running', 'waiting_input', 'completed', 'failed', 'interrupted'])
  status: string;

  @ListField(kinds.any(), { description: 'As the answer’s stream began.' })
  sources: unknown[];

  @StringField({ nullable: true })
  mgid: string | null;

  @StringField({ nullable: true })
  dashboard_id: string | null;

  @ListField(kinds.string())
  generated_files_urls: string[];

  @NestedField(() => TurnInputResponse, { nullable: true, description: 'What the turn waits to be told.' })
  input: TurnInputResponse | null;

  @ChoiceField(['up', 'down'], { nullable: true })
  rating: Rating | null;

  @StringField()
  rating_comment: string;

  @DateTimeField()
  created_at: Date;
}

export class FeedbackRequest {
  @ChoiceField(['up', 'down'], { nullable: true, description: 'Null takes it back.' })
  rating: Rating | null;

  @StringField({ default: '', allowBlank: true, maxLength: 2000 })
  comment: string;
}

export function toSessionResponse(session: ListedSession): ChatSessionResponse {
  const { id, kind, title, pinned } = session;
  return {
    id,
    kind,
    title,
    conversation_id: session.conversationId,
    pinned,
    message_count: session.messageCount,
    last_message_at: session.lastMessageAt,
    created_at: session.createdAt,
  };
}

export function toMessageResponse(message: ChatMessage): ChatMessageResponse {
  const { id, role, status, sources } = message;
  return {
    id,
    turn_id: message.turnId,
    role,
    message: message.text,
    status,
    sources,
    mgid: message.extras.mgid ?? null,
    dashboard_id: message.extras.dashboard_id ?? null,
    generated_files_urls: message.extras.generated_files_urls ?? [],
    input: message.pending,
    rating: message.rating,
    rating_comment: message.ratingComment,
    created_at: message.createdAt,
  };
}
