import type { KeptThought } from '@app/agents';
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

export class DatabaseChatResponse {
  @UuidField({ description: 'Of the turn.' })
  uid: string;

  @ChoiceField(['completed', 'clarification', 'failed'])
  status: string;

  @StringField({ description: 'Markdown; for a clarification, what is asked back.' })
  answer: string;

  @StringField({ nullable: true, description: 'The statement that was run last.' })
  sql: string | null;

  @ListField(kinds.object(), { description: '`{name, type}`' })
  columns: { name: string; type: string }[];

  @ListField(kinds.any(), { description: 'Lists of cells in the order of the columns, at most 1000.' })
  rows: unknown[][];

  @IntegerField({ description: 'Of `rows`.' })
  row_count: number;

  @BooleanField({ description: 'Whether there are more rows, or longer texts.' })
  truncated: boolean;

  @StringField({ nullable: true, description: 'A chart: GET /microservices/dashboard-data/?mgid=' })
  mgid: string | null;

  @StringField({ nullable: true, description: 'What went wrong, when the status is `failed`.' })
  error: string | null;

  @StringField({ nullable: true, description: 'Its code.' })
  code: string | null;

  @IntegerField()
  chat_session_id: number;

  @IntegerField()
  duration_ms: number;
}

class ThoughtResponse {
  @IntegerField()
  step: number;

  @ChoiceField(['plan', 'schema', 'sql', 'result', 'error', 'answer'])
  type: string;

  @StringField()
  text: string;

  @StringField({ nullable: true })
  sql: string | null;

  @IntegerField({ nullable: true })
  row_count: number | null;

  @IntegerField()
  duration_ms: number;

  @DateTimeField()
  created_at: Date;
}

export class ThoughtsResponse {
  @UuidField()
  uid: string;

  @ListField(() => ThoughtResponse)
  thoughts: ThoughtResponse[];
}

export function toThoughtsResponse(uid: string, thoughts: readonly KeptThought[]): ThoughtsResponse {
  return {
    uid,
    thoughts: thoughts.map(({ step, type, text, sql, rowCount, durationMs, createdAt }) => ({
      step,
      type,
      text,
      sql,
      row_count: rowCount,
      duration_ms: durationMs,
      created_at: createdAt,
    })),
  };
}
