import { AuditLog } from '@app/audit';
import { NotFoundError, ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import type { Principal } from '../principal/principal.js';

/** An account as the profile shows it, in wire names; `phone` is text, as the driver gives a bigint. */
export interface AccountProfile {
  id: number;
  first_name: string;
  last_name: string;
  username: string;
  email: string;
  phone: string | null;
  llm_model_id: number | null;
  language: string;
  organization_id: number | null;
  organization: string;
  last_login: Date | null;
  verified: boolean;
  email_verified: boolean;
  use_cloud: boolean;
  number_verified: boolean;
  is_first_time: boolean;
  roles: string[];
  is_staff: boolean;
  dedicated_agent: boolean;
  date_joined: Date;
  has_password: boolean;
  has_passkey: boolean;
  has_sso_org: boolean;
  has_sso_platform: boolean;
}

/** The names of the roles of `u`, among them the groups of its organisation's directory. */
export const ROLES = `
  ARRAY(SELECT r.name FROM user_roles ur JOIN roles r ON r.id = ur.role_id WHERE ur.user_id = u.id
        UNION
        SELECT g.display_name FROM scim_group_members m JOIN scim_groups g ON g.id = m.group_id
        WHERE m.user_id = u.id AND g.organization_id = u.organization_id
        ORDER BY 1)`;

const FIND = `
  SELECT u.id, u.first_name, u.last_name, u.username, u.email, u.phone, u.llm_model_id, u.language,
         u.organization_id, coalesce(o.name, '') AS organization, u.last_login, u.verified, u.email_verified, u.use_cloud,
         u.number_verified, u.is_first_time, u.is_staff, u.dedicated_agent, u.date_joined,
         u.password_hash IS NOT NULL AS has_password,
         EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id AND p.suspected_clone_at IS NULL) AS has_passkey,
         EXISTS (SELECT FROM sso_identities i WHERE i.user_id = u.id AND i.provider = 'sso_org') AS has_sso_org,
         EXISTS (SELECT FROM sso_identities i WHERE i.user_id = u.id AND i.provider = 'sso_platform') AS has_sso_platform,
         ${ROLES} AS roles
  FROM users u LEFT JOIN organizations o ON o.id = u.organization_id
  WHERE u.id = $1`;

/** What a person may change; absent fields stay. */
export interface ProfileChange {
  firstName?: string;
  lastName?: string;
  username?: string;
  phone?: number | null;
  language?: 'en' | 'ar';
  llmModelId?: number | null;
}

export interface EditedProfile {
  first_name: string;
  last_name: string;
  username: string;
  phone: string | null;
  language: string;
  llm_model_id: number | null;
}

const COLUMNS: Record<keyof ProfileChange, string> = {
  firstName: 'first_name',
  lastName: 'last_name',
  username: 'username',
  phone: 'phone',
  language: 'language',
  llmModelId: 'llm_model_id',
};

const NAME_TAKEN = { username: ['A user with that username already exists.'] };

/** What an account says of its person, and what they change of it. */
@Injectable()
export class AccountProfiles {
  constructor(
    private readonly dataSource: DataSource,
    private readonly principals: CachedPrincipals,
    private readonly audit: AuditLog,
  ) {}

  /** Null when the account is gone. */
  async find(userId: number): Promise<AccountProfile | null> {
    const [row] = await this.dataSource.query<AccountProfile[]>(FIND, [userId]);
    return row ?? null;
  }

  /** @returns whether this was the first time; every replica hears of it */
  async acknowledgeFirstTime(userId: number): Promise<boolean> {
    const [changed] = await this.dataSource.query<[unknown[], number]>(
      'UPDATE users SET is_first_time = false WHERE id = $1 AND is_first_time RETURNING id',
      [userId],
    );
    if (changed.length === 0) return false;
    this.principals.announce({ userId });
    return true;
  }

  /** A new phone number has to be confirmed again. @throws NotFoundError; ValidationError for a name that is taken */
  async change(viewer: Principal, change: ProfileChange): Promise<EditedProfile> {
    const fields = (Object.keys(COLUMNS) as (keyof ProfileChange)[]).filter((field) => change[field] !== undefined);
    const sets = fields.map((field, index) => `${COLUMNS[field]} = $${index + 2}`);
    const phone = fields.indexOf('phone');
    if (phone >= 0) sets.push(`number_verified = number_verified AND phone IS NOT DISTINCT FROM $${phone + 2}::bigint`);
    const edited = await this.dataSource
      .transaction(async (tx) => {
        const [[row]] = await tx.query<[EditedProfile[], number]>(
          `UPDATE users SET ${['is_active = is_active', ...sets].join(', ')} WHERE id = $1
           RETURNING first_name, last_name, username, phone, language, llm_model_id`,
          [viewer.userId, ...fields.map((field) => change[field])],
        );
        if (!row) throw new NotFoundError();
        const details = { fields: fields.map((field) => COLUMNS[field]) };
        const target = `user:${viewer.userId}`;
        await this.audit.record({ action: 'account.updated', actor: viewer, target, details }, tx);
        return row;
      })
      .catch((error: unknown) => {
        throw isNameTaken(error) ? new ValidationError(NAME_TAKEN) : error;
      });
    this.principals.announce({ userId: viewer.userId });
    return edited;
  }
}

function isNameTaken(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { constraint = '' } = error.driverError as { constraint?: string };
  return constraint === 'users_username_key' || constraint === 'users_username_lower_key';
}
