import { ObjectField, StringField, UuidField } from '../../http/fields.js';

export class RunStreamRequest {
  @UuidField()
  workflow_id: string;

  @StringField({ optional: true, nullable: true, maxLength: 20_000, allowBlank: true })
  message?: string | null;

  @ObjectField({ optional: true, nullable: true, description: 'Entry nodes get them as `_webhook_payload`.' })
  inputs?: Record<string, unknown> | null;

  @StringField({
    optional: true,
    nullable: true,
    maxLength: 128,
    description: 'Handed on with the inputs; a new conversation when absent.',
  })
  conversation_id?: string | null;
}
