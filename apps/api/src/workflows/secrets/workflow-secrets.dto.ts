import { DateTimeField, ListField, StringField, kinds } from '../../http/fields.js';
import type { ListedSecret } from './workflow-secrets.service.js';

const VALUE = 'At least 6 characters, at most 16 KB. Never shown again.';
const MAX_DESCRIPTION_LENGTH = 500;

export class CreateSecretRequest {
  @StringField({
    maxLength: 64,
    description: 'A letter, then letters, digits and underscores; unique in the workflow.',
  })
  name: string;

  @StringField({ maxLength: 16_384, trim: false, description: VALUE })
  value: string;

  @StringField({ default: '', allowBlank: true, maxLength: MAX_DESCRIPTION_LENGTH })
  description: string;
}

export class UpdateSecretRequest {
  @StringField({ optional: true, maxLength: 16_384, trim: false, description: `${VALUE} Kept when absent.` })
  value?: string;

  @StringField({
    optional: true,
    allowBlank: true,
    maxLength: MAX_DESCRIPTION_LENGTH,
    description: 'Kept when absent.',
  })
  description?: string;
}

/** All that is ever shown of a secret. */
export class SecretResponse {
  @StringField()
  name: string;

  @StringField()
  description: string;

  @ListField(kinds.string(), { description: 'Ids of the nodes that name it as `{{_secret.<name>}}`.' })
  used_by: string[];

  @DateTimeField()
  created_at: Date;

  @DateTimeField({ description: 'When its value was set last.' })
  updated_at: Date;
}

export function toSecretResponse({ name, description, usedBy, createdAt, updatedAt }: ListedSecret): SecretResponse {
  return { name, description, used_by: usedBy, created_at: createdAt, updated_at: updatedAt };
}
