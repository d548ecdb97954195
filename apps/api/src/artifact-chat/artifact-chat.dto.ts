import { ARTIFACT_LIMITS } from '@app/artifacts';
import { AnyField, ChoiceField, IntegerField, kinds, ListField, ObjectField, StringField } from '../http/fields.js';

export const MODES = ['build', 'ask'] as const;

export class ArtifactChatRequest {
  @StringField({
    minLength: 1,
    maxLength: 128,
    description: 'The client’s name for the conversation, one for each set of sources.',
  })
  conversation_id: string;

  // Missing and blank messages have an error code of their own, so they are judged by the handler.
  @AnyField({ optional: true, nullable: true, description: 'What to make, or the question: 1 to 100,000 characters.' })
  message?: unknown;

  @ListField(kinds.uuid(), {
    optional: true,
    nullable: true,
    maxItems: ARTIFACT_LIMITS.files,
    description: 'Uploaded spreadsheets and CSVs.',
  })
  file_uids?: string[] | null;

  @ListField(kinds.string({ maxLength: 100 }), {
    optional: true,
    nullable: true,
    maxItems: ARTIFACT_LIMITS.dataSources,
    description: 'Connected databases, as `ds:<id>`.',
  })
  source_refs?: string[] | null;

  @StringField({
    optional: true,
    nullable: true,
    maxLength: 100,
    description: 'One’s own artifact, to edit or ask about.',
  })
  artifact_id?: string | null;

  @ChoiceField(MODES, { optional: true, nullable: true, description: '`build` unless given; `ask` only reads.' })
  mode?: (typeof MODES)[number] | null;

  @ObjectField({
    optional: true,
    nullable: true,
    description: '`{state, rows}`: what the user sees of the page, 200 rows and 256 KB of JSON at most.',
  })
  page_context?: Record<string, unknown> | null;

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
