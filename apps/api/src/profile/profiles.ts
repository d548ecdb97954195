import { CachedPrincipals, RevocableCache } from '@app/auth';
import { NotFoundError } from '@app/common';
import { LiveBus } from '@app/live';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountEntitlements } from './account-entitlements.js';
import type { Entitlements } from './entitlements.dto.js';

/** An account as the profile shows it, in wire names; `phone` is text, as the driver gives a bigint. */
export interface ProfileRow {
  id: number;
  first_name: string;
  last_name: string;
  username: string;
  email: string;
  phone: string | null;
  llm_model_id: number | null;
  language: string;
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
  entitlements: Entitlements;
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
         coalesce(o.name, '') AS organization, u.last_login, u.verified, u.email_verified, u.use_cloud,
         u.number_verified, u.is_first_time, u.is_staff, u.dedicated_agent, u.date_joined,
         u.password_hash IS NOT NULL AS has_password,
         EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id AND p.suspected_clone_at IS NULL) AS has_passkey,
         EXISTS (SELECT FROM sso_identities i WHERE i.user_id = u.id AND i.provider = 'sso_org') AS has_sso_org,
         EXISTS (SELECT FROM sso_identities i WHERE i.user_id = u.id AND i.provider = 'sso_platform') AS has_sso_platform,
         ${ROLES} AS roles
  FROM users u LEFT JOIN organizations o ON o.id = u.organization_id
  WHERE u.id = $1`;

/** Profiles behind a short cache, which every change of an account clears on all replicas. */
@Injectable()
export class Profiles implements OnModuleInit {
  private readonly logger = new Logger(Profiles.name);
  private readonly cache = new RevocableCache<ProfileRow>({ max: 5000, ttlMs: 5000 });

  constructor(
    private readonly dataSource: DataSource,
    private readonly principals: CachedPrincipals,
    private readonly live: LiveBus,
    private readonly entitlements: AccountEntitlements,
  ) {}

  onModuleInit(): void {
    this.live.onGap(() => this.cache.clear());
    const subscribed = this.live.subscribe('principals', (message) => {
      if ('userId' in message) this.forget(message.userId);
    });
    subscribed.catch((error: Error) => this.logger.warn(`Changes of profiles are not pushed: ${error.message}`));
  }

  /** @throws NotFoundError when the account is gone */
  async get(userId: number): Promise<ProfileRow> {
    const key = String(userId);
    const row = await this.cache.load(key, () => this.find(userId));
    if (!row) throw new NotFoundError();
    return row;
  }

  /** @returns the flag as it was; from now on it is false */
  async acknowledgeFirstTime(userId: number): Promise<boolean> {
    const [changed] = await this.dataSource.query<[unknown[], number]>(
      'UPDATE users SET is_first_time = false WHERE id = $1 AND is_first_time RETURNING id',
      [userId],
    );
    if (changed.length === 0) return false;
    this.forget(userId);
    this.principals.announce({ userId });
    return true;
  }

  private forget(userId: number): void {
    this.cache.revoke((row) => row.id === userId);
  }

  private async find(userId: number): Promise<ProfileRow | null> {
    const [row] = await this.dataSource.query<Omit<ProfileRow, 'entitlements'>[]>(FIND, [userId]);
    return row ? { ...row, entitlements: await this.entitlements.of(userId) } : null;
  }
}
