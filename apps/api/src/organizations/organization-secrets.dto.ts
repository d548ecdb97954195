import type { OrganizationSecretRecord } from '@app/workflows';
import { DateTimeField, kinds, ListField, StringField } from '../http/fields.js';

const VALUE = 'At least 6 characters, at most 16 KB. Never shown again.';
const HOSTS =
  'Where it may be sent, as `host` or `host:port`; then it can stand in `http_request` and `webhook_out` alone. Empty: wherever workflows may send to.';
const MAX_DESCRIPTION_LENGTH = 500;

export class CreateOrganizationSecretRequest {
  @StringField({
    maxLength: 64,
    description: 'A letter, then letters, digits and underscores; unique in the organisation.',
  })
  name: string;

  @StringField({ maxLength: 16_384, trim: false, description: VALUE })
  value: string;

  @StringField({ default: '', allowBlank: true, maxLength: MAX_DESCRIPTION_LENGTH })
  description: string;

  @ListField(kinds.string({ maxLength: 255 }), { default: [], maxItems: 20, description: HOSTS })
  hosts: string[];
}

export class UpdateOrganizationSecretRequest {
  @StringField({ optional: true, maxLength: 16_384, trim: false, description: `${VALUE} Kept when absent.` })
  value?: string;

  @StringField({
    optional: true,
    allowBlank: true,
    maxLength: MAX_DESCRIPTION_LENGTH,
    description: 'Kept when absent.',
  })
  description?: string;

  @ListField(kinds.string({ maxLength: 255 }), {
    optional: true,
    maxItems: 20,
    description: `${HOSTS} Kept when absent; more hosts than before need the value anew.`,
  })
  hosts?: string[];
}

/** All that is ever shown of a secret. */
export class OrganizationSecretResponse {
  @StringField()
  name: string;

  @StringField()
  description: string;

  @ListField(kinds.string(), { description: 'Empty: wherever workflows may send to.' })
  hosts: string[];

  @DateTimeField()
  created_at: Date;

  @DateTimeField({ description: 'When its value was set last.' })
  updated_at: Date;
}

export function toOrganizationSecretResponse(secret: OrganizationSecretRecord): OrganizationSecretResponse {
  const { name, description, hosts, createdAt, updatedAt } = secret;
  return { name, description, hosts: hosts ?? [], created_at: createdAt, updated_at: updatedAt };
}
