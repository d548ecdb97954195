import type { SummaryRecord } from '@app/retrieval';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  StringField,
  UuidField,
} from '../../http/fields.js';

const STATUSES = ['none', 'pending', 'ready', 'failed'] as const;

const LANGUAGE = {
  optional: true,
  nullable: true,
  pattern: /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/,
  description: 'Language tag, such as `en` or `ar`; the document’s own language when absent.',
} as const;

export class SummaryResponse {
  @UuidField()
  uid: string;

  @ChoiceField(STATUSES)
  status: string;

  @StringField({ description: 'Markdown.' })
  summary: string;

  @StringField()
  doc_class: string;

  @StringField({ description: 'Language tag of the summary.' })
  language: string;

  @StringField()
  model: string;

  @DateTimeField({ nullable: true })
  generated_at: Date | null;

  @StringField()
  error: string;
}

export class GenerateSummaryRequest {
  @BooleanField({ default: false, description: 'Replaces one that is ready; owners only.' })
  force: boolean;

  @StringField(LANGUAGE)
  language?: string | null;
}

export class SummaryRequestedResponse {
  @UuidField()
  uid: string;

  @ChoiceField(['pending', 'ready'])
  status: string;

  @StringField()
  detail: string;
}

export class DocumentQuestionsResponse {
  @UuidField()
  uid: string;

  @ChoiceField(STATUSES)
  status: string;

  @ListField(kinds.string())
  questions: string[];

  @DateTimeField({ nullable: true })
  generated_at: Date | null;
}

export class QuestionsRequest {
  @ListField(kinds.uuid(), { minItems: 1, maxItems: 50 })
  uids: string[];

  @IntegerField({ min: 1, max: 10, default: 5 })
  count: number;

  @StringField(LANGUAGE)
  language?: string | null;
}

export class AskedQuestionResponse {
  @StringField()
  question: string;

  @ListField(kinds.uuid(), { description: 'The documents that answer it.' })
  uids: string[];
}

export class QuestionsResponse {
  @ListField(() => AskedQuestionResponse)
  questions: AskedQuestionResponse[];

  @ListField(kinds.uuid())
  not_found: string[];
}

export class SummariesRequest {
  @ListField(kinds.uuid(), { maxItems: 100 })
  uids: string[];
}

export class ListedSummaryResponse {
  @UuidField()
  uid: string;

  @ChoiceField(STATUSES)
  status: string;

  @StringField()
  summary: string;

  @StringField()
  doc_class: string;

  @DateTimeField({ nullable: true })
  generated_at: Date | null;
}

export class SummariesResponse {
  @ListField(() => ListedSummaryResponse)
  summaries: ListedSummaryResponse[];

  @ListField(kinds.uuid())
  not_found: string[];
}

export class RewriteSummaryRequest {
  @UuidField()
  uid: string;

  @StringField({ minLength: 1, maxLength: 2000 })
  instruction: string;

  @BooleanField({ default: false, description: 'Whether the result replaces the summary; owners only.' })
  save: boolean;
}

export class RewrittenSummaryResponse {
  @UuidField()
  uid: string;

  @StringField()
  summary: string;

  @BooleanField()
  saved: boolean;
}

export function toSummaryResponse({
  uid,
  status,
  summary,
  language,
  model,
  error,
  ...record
}: SummaryRecord): SummaryResponse {
  return {
    uid,
    status,
    summary,
    doc_class: record.docClass,
    language,
    model,
    generated_at: record.generatedAt,
    error,
  };
}

export function toListedSummary({ uid, status, summary, docClass, generatedAt }: SummaryRecord): ListedSummaryResponse {
  return { uid, status, summary, doc_class: docClass, generated_at: generatedAt };
}
