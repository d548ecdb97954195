import { ChatRequest } from '../chats/chat-request.dto.js';
import { IntegerField, kinds, ListField, ObjectField, StringField } from '../http/fields.js';

export const MOST_CHARTS = 20;

export class DashboardChatRequest extends ChatRequest {
  @StringField({
    optional: true,
    nullable: true,
    maxLength: 64,
    description: 'One chart; or `mgids`, or `board_id`: just one of the three.',
  })
  mgid?: string | null;

  @ListField(kinds.string({ maxLength: 64 }), {
    optional: true,
    nullable: true,
    minItems: 1,
    maxItems: MOST_CHARTS,
    description: 'Several charts, each once.',
  })
  mgids?: string[] | null;

  @IntegerField({
    optional: true,
    nullable: true,
    max: Number.MAX_SAFE_INTEGER,
    description: 'All charts that the board shows, at each turn.',
  })
  board_id?: number | null;

  @ObjectField({
    optional: true,
    nullable: true,
    description:
      'What the user has chosen, by name of column: a value, a list of values, or `{min?, max?}`, both within. Rows that ' +
      'do not pass are not there for the answer.',
  })
  filters?: Record<string, unknown> | null;
}
