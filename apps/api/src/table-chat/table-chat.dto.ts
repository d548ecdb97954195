import { AnyField, ChoiceField, IntegerField, ObjectField, StringField } from '../http/fields.js';

export class TableChatRequest {
  @StringField({
    minLength: 1,
    maxLength: 128,
    description: 'The client’s name for the conversation, one for each table.',
  })
  conversation_id: string;

  // What is missing has an error code of its own, so it is judged by the handler.
  @AnyField({ optional: true, nullable: true, description: 'What to do: 1 to 100,000 characters.' })
  message?: unknown;

  @AnyField({ optional: true, nullable: true, description: 'The table.' })
  table_id?: unknown;

  @IntegerField({ optional: true, nullable: true, min: 1 })
  chat_session_id?: number | null;

  @ChoiceField(['low', 'medium', 'high'], { optional: true, nullable: true })
  reasoning_effort?: 'low' | 'medium' | 'high' | null;

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

export class TableQuestionRequest {
  @AnyField({ optional: true, nullable: true, description: 'The table.' })
  table_id?: unknown;

  @ObjectField({ optional: true, description: '`{query, conversation_id?, llm_model_id?}`.' })
  params?: Record<string, unknown>;
}

export class TableAnswerResponse {
  @StringField({ allowBlank: true, description: 'Markdown.' })
  answer: string;

  @StringField()
  table_id: string;
}
