import { type CurrentOrganization, ORGANIZATION_ROLES, type OrganizationRole } from '@app/auth';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  EmailField,
  IntegerField,
  NestedField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { PageOf, PageQuery } from '../http/pagination.js';

export class SeatsResponse {
  @IntegerField({ description: 'Active people.' })
  used: number;

  @IntegerField({ nullable: true, description: 'Null for any number.' })
  limit: number | null;
}

export class OrganizationResponse {
  @IntegerField()
  id: number;

  @StringField()
  name: string;

  @StringField({ nullable: true, description: 'Whose addresses belong to it.' })
  domain: string | null;

  @BooleanField({ description: 'Yours alone.' })
  personal: boolean;

  @ChoiceField(ORGANIZATION_ROLES, { description: 'What you are in it.' })
  role: OrganizationRole;

  @IntegerField()
  members_count: number;

  @NestedField(() => SeatsResponse)
  seats: SeatsResponse;

  @StringField({ nullable: true, description: 'Of its plan; null without one.' })
  plan_code: string | null;

  @DateTimeField()
  created_at: Date;
}

export function toOrganizationResponse(found: CurrentOrganization, planCode: string | null): OrganizationResponse {
  const { id, name, domain, personal, role, members, seatLimit, createdAt } = found;
  return {
    id,
    name,
    domain,
    personal,
    role,
    members_count: members,
    seats: { used: members, limit: seatLimit },
    plan_code: planCode,
    created_at: createdAt,
  };
}

/** To make one, or to name it anew. */
export class NameOrganizationRequest {
  @StringField({ minLength: 1, maxLength: 100, description: 'One line, without web addresses.' })
  name: string;
}

export class MembersQuery extends PageQuery {
  @StringField({ form: 'NFC', optional: true, maxLength: 200, description: 'Part of a name or an address.' })
  search?: string;

  @ChoiceField(ORGANIZATION_ROLES, { optional: true })
  role?: OrganizationRole;
}

export class MemberResponse {
  @IntegerField()
  id: number;

  @StringField()
  username: string;

  @StringField({ description: 'Full name, or the username.' })
  display_name: string;

  @StringField()
  email: string;

  @ChoiceField(ORGANIZATION_ROLES)
  role: OrganizationRole;

  @BooleanField({ description: 'False for accounts that were deactivated; shown to owners and admins alone.' })
  is_active: boolean;

  @BooleanField({ description: 'False for who has not confirmed the address; shown to owners and admins alone.' })
  email_verified: boolean;

  @DateTimeField({ description: 'When the account was made.' })
  date_joined: Date;
}

export class MemberPage extends PageOf(MemberResponse) {}

export class ChangeRoleRequest {
  @ChoiceField(ORGANIZATION_ROLES)
  role: OrganizationRole;
}

export class TransferOwnershipRequest {
  @IntegerField({ min: 1, description: 'A member of the organisation.' })
  user_id: number;
}

export class OrganizationInvitationRequest {
  @EmailField()
  email: string;

  @ChoiceField(ORGANIZATION_ROLES, { default: 'member' })
  role: OrganizationRole;
}

export class OrganizationInvitationResponse {
  @UuidField()
  id: string;

  @StringField()
  email: string;

  @ChoiceField(ORGANIZATION_ROLES)
  role: OrganizationRole;

  @StringField({ description: 'Who invited.' })
  inviter: string;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  expires_at: Date;
}

export class ReceivedInvitationResponse {
  @UuidField()
  id: string;

  @StringField({ description: 'Its name.' })
  organization: string;

  @ChoiceField(ORGANIZATION_ROLES)
  role: OrganizationRole;

  @StringField({ description: 'Who invited.' })
  inviter: string;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  expires_at: Date;
}

export class AcceptInvitationRequest {
  @StringField({ minLength: 1, maxLength: 200, description: 'The code of the mail.' })
  token: string;
}
