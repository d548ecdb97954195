import {
  AnyField,
  ChoiceField,
  IntegerField,
  kinds,
  ListField,
  ObjectField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { TurnResponse } from '../chats/agent-reply.dto.js';

export const MAX_FILES = 10;

export class WaitQuery {
  @IntegerField({ min: 5, max: 600, default: 600, description: 'Seconds to wait for the answer.' })
  timeout: number;
}

export class AgentChatRequest {
  @StringField({ minLength: 1, maxLength: 128, description: 'The client’s name for the conversation.' })
  conversation_id: string;

  // Missing and blank messages have an error code of their own, so they are judged by the handler.
  @AnyField({ optional: true, nullable: true, description: 'The question: 1 to 100,000 characters.' })
  message?: unknown;

  @IntegerField({ optional: true, nullable: true, min: 1 })
  chat_session_id?: number | null;

  @ChoiceField(['low', 'medium', 'high'], { optional: true, nullable: true })
  reasoning_effort?: 'low' | 'medium' | 'high' | null;

  @ListField(kinds.object(), {
    optional: true,
    nullable: true,
    maxItems: MAX_FILES,
    description: '`{uid, name}` or `{path, name}`.',
  })
  attached_files?: Record<string, unknown>[] | null;

  @ListField(kinds.uuid(), { optional: true, nullable: true, maxItems: MAX_FILES })
  file_uids?: string[] | null;

  @IntegerField({ optional: true, nullable: true, min: 1, description: 'Of `GET /users/models/`.' })
  llm_model_id?: number | null;

  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 128,
    description: 'The client’s name for the turn: the same name again is the same turn.',
  })
  client_turn_id?: string | null;
}

export class StopTurnRequest {
  @StringField({ minLength: 1, maxLength: 128 })
  conversation_id: string;

  @UuidField({ optional: true, nullable: true, description: 'Another than the one at work, such as a queued one.' })
  turn_id?: string | null;
}

export class StoppedTurnResponse {
  @ChoiceField(['interrupted'])
  status: string;

  @UuidField()
  turn_id: string;
}

export class ReplyRequest {
  @UuidField()
  turn_id: string;

  @StringField({ minLength: 1, maxLength: 200, description: 'Of the question: `input.request_id`.' })
  request_id: string;

  @StringField({ optional: true, minLength: 1, maxLength: 100_000, description: 'In words.' })
  reply?: string;

  @StringField({ optional: true, minLength: 1, maxLength: 1000, description: 'One of the `options`.' })
  choice?: string;

  @ObjectField({ optional: true, description: 'What was missing, by the names of the `fields`.' })
  values?: Record<string, unknown>;
}

export class RegenerateRequest {
  @UuidField({ description: 'The last turn of its conversation.' })
  turn_id: string;

  @IntegerField({ optional: true, nullable: true, min: 1, description: 'Another model than before.' })
  llm_model_id?: number | null;

  @StringField({ optional: true, nullable: true, minLength: 1, maxLength: 128 })
  client_turn_id?: string | null;
}

export class QueueQuery {
  @StringField({ minLength: 1, maxLength: 128 })
  conversation_id: string;
}

export class TurnQueueResponse {
  @StringField()
  conversation_id: string;

  @ListField(() => TurnResponse, { description: 'What is at work or waits, in the order of the work.' })
  turns: TurnResponse[];

  @IntegerField({ description: 'Turns that may be queued in one conversation.' })
  limit: number;
}

export class TurnEventsQuery {
  @IntegerField({ optional: true, min: 0, description: 'Only events after this one; `Last-Event-ID` comes first.' })
  after?: number;
}
