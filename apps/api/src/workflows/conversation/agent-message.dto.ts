import { isDictionary, Refusal } from '@app/common';
import type { OpenQuestion } from '@app/workflows';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  ObjectField,
  StringField,
  UuidField,
} from '../../http/fields.js';
import type { FieldKind } from '../../http/fields/field.js';
import { NODE_STATUSES } from '../node-row.dto.js';

const fileName = kinds.string({ maxLength: 500 });

/** As other chats have it, `{uid | path, name?}`; or the uid or media path alone, which is what the node gets. */
const attachedFile: FieldKind = {
  parse: (raw) => {
    if (!isDictionary(raw)) return fileName.parse(raw);
    const named = raw.path ?? raw.uid;
    return named === undefined || named === null ? new Refusal('Give a uid or a path.') : fileName.parse(named);
  },
  schema: {
    oneOf: [
      fileName.schema,
      {
        type: 'object',
        properties: { uid: { type: 'string' }, path: { type: 'string' }, name: { type: 'string' } },
      },
    ],
  },
};

export class AgentMessageRequest {
  @UuidField()
  workflow_id: string;

  @UuidField({ description: 'Id of the node execution row that asks.' })
  node_id: string;

  @StringField({ default: '', maxLength: 20_000, allowBlank: true })
  message: string;

  @ObjectField({
    optional: true,
    nullable: true,
    description:
      'The fields of a form; `approved` and `comment` for an approval; `answer` for a text or a choice (a list where several may be chosen).',
  })
  answers?: Record<string, unknown> | null;

  @ListField(attachedFile, {
    optional: true,
    maxItems: 50,
    description: 'Each a uid, a media path, or `{uid | path, name}`.',
  })
  attached_files?: string[];

  @StringField({ optional: true, nullable: true, maxLength: 100, description: 'Sent again, it is the same message.' })
  client_message_id?: string | null;

  @UuidField({
    optional: true,
    nullable: true,
    description: 'Which question is meant when several runs ask at the same node.',
  })
  question_id?: string | null;
}

export class AgentMessageResponse {
  @ChoiceField(['accepted'])
  status: string;

  @UuidField()
  workflow_id: string;

  @UuidField()
  node_id: string;

  @ChoiceField(NODE_STATUSES)
  node_status: string;
}

export class QuestionOptionResponse {
  @StringField()
  value: string;

  @StringField()
  label: string;
}

export class QuestionFieldResponse {
  @StringField()
  name: string;

  @StringField()
  label: string;

  @ChoiceField(['text', 'number', 'boolean', 'choice', 'date'])
  type: string;

  @BooleanField()
  required: boolean;

  @ListField(() => QuestionOptionResponse)
  options: QuestionOptionResponse[];
}

export class QuestionInputResponse {
  @ChoiceField(['text', 'choice', 'form', 'approval'])
  kind: string;

  @ListField(() => QuestionOptionResponse)
  options: QuestionOptionResponse[];

  @ListField(() => QuestionFieldResponse)
  fields: QuestionFieldResponse[];

  @BooleanField({ optional: true, description: 'More than one option may be chosen.' })
  multiple?: boolean;
}

/** The data of an `agent_response` frame that asks, and who asks. */
export class QuestionResponse {
  @UuidField({ description: 'Id of the node execution row that asks.' })
  node_id: string;

  @ChoiceField(['question'])
  status: string;

  @UuidField()
  question_id: string;

  @StringField()
  message: string;

  @NestedField(() => QuestionInputResponse)
  input: QuestionInputResponse;

  @DateTimeField({ nullable: true })
  expires_at: string | null;

  @IntegerField()
  run_version: number;
}

export function toQuestionResponse({ executionId, data }: OpenQuestion): QuestionResponse {
  return { node_id: executionId, ...data };
}
