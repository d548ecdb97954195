import { GRANT_ROLES, type GrantedTable, type GrantRole, type TableGrant } from '@app/extraction';
import { ChoiceField, DateTimeField, kinds, ListField, NestedField, StringField } from '../../http/fields.js';
import { PersonResponse } from '../../workflows/workflow-record.dto.js';

export class GrantResponse {
  @NestedField(() => PersonResponse)
  user: PersonResponse;

  @ChoiceField(GRANT_ROLES)
  role: GrantRole;

  @StringField()
  role_label: string;

  @DateTimeField()
  created_at: Date;
}

export function toGrantResponse({ user, role, createdAt }: TableGrant): GrantResponse {
  return { user, role, role_label: role === 'editor' ? 'Can edit' : 'Can view', created_at: createdAt };
}

export class GrantRequest {
  @ListField(kinds.email(), { minItems: 1, maxItems: 50 })
  emails: string[];

  @ChoiceField(GRANT_ROLES)
  role: GrantRole;
}

export class GrantedResponse {
  @ListField(kinds.string())
  added: string[];

  @ListField(kinds.string(), { description: 'Had access already, and have the role now.' })
  updated: string[];

  @ListField(kinds.string(), { description: 'No active account has these addresses, or has confirmed them.' })
  not_found: string[];

  @StringField()
  detail: string;
}

export function toGrantedResponse({ added, updated, notFound }: GrantedTable): GrantedResponse {
  const detail = `${added.length} added, ${updated.length} updated, ${notFound.length} not found.`;
  return { added, updated, not_found: notFound, detail };
}
