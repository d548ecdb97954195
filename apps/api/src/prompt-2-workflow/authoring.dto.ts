import type { AuthoringMode, AuthoringResult } from '@app/workflows';
import {
  AnyField,
  BooleanField,
  ChoiceField,
  IntegerField,
  kinds,
  ListField,
  ObjectField,
  StringField,
  UuidField,
} from '../http/fields.js';
import type { AuthoringRequest } from './authoring.service.js';

export class WriteWorkflowRequest {
  @StringField({ maxLength: 20_000 })
  prompt: string;

  @BooleanField({ optional: true, description: 'Whether the answer is a stream of events.' })
  stream?: boolean;

  @UuidField({ optional: true, nullable: true, description: 'The workflow to change or explain.' })
  workflow_id?: string | null;

  @IntegerField({ optional: true, nullable: true, min: 1, description: 'The revision last read; for saving.' })
  content_revision?: number | null;

  @ObjectField({ optional: true, nullable: true, description: 'What is on the canvas, saved or not.' })
  json_spec?: Record<string, unknown> | null;

  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 200 })
  conversation_id?: string | null;

  @ObjectField({ optional: true, nullable: true, description: 'Answers to the questions of the turn before, by id.' })
  answers?: Record<string, unknown> | null;

  @ChoiceField(['build', 'edit', 'explain'], { optional: true })
  mode?: AuthoringMode;

  @BooleanField({ optional: true, description: 'Whether a definition that passes the checks is saved.' })
  save?: boolean;

  @IntegerField({ optional: true, nullable: true })
  llm_model_id?: number | null;

  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 35, description: 'As in BCP 47.' })
  language?: string | null;
}

export class EventsQuery {
  @IntegerField({ optional: true, min: 0, description: 'Events after this one; as the header `Last-Event-ID`.' })
  after?: number;
}

class AuthoringQuestionResponse {
  @StringField()
  id: string;

  @StringField({ optional: true })
  node_id?: string;

  @StringField()
  text: string;

  @StringField({ description: '`text` or `choice`' })
  kind: string;

  @ListField(kinds.string())
  options: string[];
}

class AuthoringWarningResponse {
  @StringField()
  code: string;

  @StringField({ nullable: true })
  node_id: string | null;

  @StringField()
  message: string;
}

export class WrittenWorkflowResponse implements AuthoringResult {
  @UuidField()
  turn_id: string;

  @ChoiceField(['completed', 'clarification', 'failed'])
  status: AuthoringResult['status'];

  @StringField()
  message: string;

  @ObjectField({ nullable: true })
  json_spec: Record<string, unknown> | null;

  @UuidField({ nullable: true })
  workflow_id: string | null;

  @IntegerField({ nullable: true })
  content_revision: number | null;

  @StringField()
  summary: string;

  @ListField(() => AuthoringQuestionResponse)
  questions: AuthoringQuestionResponse[];

  @ListField(kinds.string())
  suggestions: string[];

  @ListField(() => AuthoringWarningResponse)
  warnings: AuthoringWarningResponse[];

  @ChoiceField(['build', 'edit', 'explain', 'clarify'])
  route: AuthoringResult['route'];

  @AnyField({ nullable: true, description: '`{code, detail}` of a turn that failed.' })
  error: { code: string; detail: string } | null;
}

export function toAuthoringRequest(body: WriteWorkflowRequest): AuthoringRequest {
  return {
    prompt: body.prompt,
    mode: body.mode,
    workflowId: body.workflow_id ?? null,
    contentRevision: body.content_revision ?? null,
    jsonSpec: body.json_spec ?? null,
    conversationId: body.conversation_id || null,
    answers: body.answers ?? {},
    save: body.save ?? false,
    modelId: body.llm_model_id ?? null,
    language: body.language || null,
  };
}
