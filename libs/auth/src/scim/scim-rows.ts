import { InvalidRequestError } from '@app/common';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** A group as a directory sees it, in column names. */
export interface ScimGroupRow {
  id: string;
  display_name: string;
  external_id: string | null;
  created_at: Date;
  modified_at: Date;
  /** Absent when they were not asked for. */
  members?: { value: string; display: string }[];
}

export interface ScimGroupFields {
  displayName: string;
  externalId: string | null;
  /** Numbers of accounts, each once. */
  memberIds: number[];
}

/** An account as a directory sees it, in column names. */
export interface ScimUserRow {
  id: number;
  username: string;
  email: string;
  first_name: string;
  last_name: string;
  /** Digits. */
  phone: string | null;
  language: string;
  is_active: boolean;
  is_staff: boolean;
  email_verified: boolean;
  scim_external_id: string | null;
  scim_display_name: string | null;
  date_joined: Date;
  modified_at: Date;
  groups: { value: string; display: string }[];
}

/** What a directory may write of an account. */
export interface ScimUserFields {
  username: string;
  email: string;
  firstName: string;
  lastName: string;
  displayName: string | null;
  /** Digits. */
  phone: string | null;
  /** Null when the directory does not say. */
  language: 'en' | 'ar' | null;
  active: boolean;
  externalId: string | null;
}

export interface Slice {
  offset: number;
  limit: number;
}

const refused = (detail: string) => new InvalidRequestError(detail, { code: 'invalid_value' });

export function unknownMember(value: string): InvalidRequestError {
  return refused(`members: There is no user "${value.slice(0, 50)}".`);
}
