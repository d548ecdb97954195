import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** The ways into an account. */
export interface MethodsOfAccount {
  hasPassword: boolean;
  passkeyCount: number;
  ssoOrg: boolean;
  ssoPlatform: boolean;
  /** All of them, each passkey counted: with 1, the remaining one cannot be removed. */
  count: number;
}

type Row = { has_password: boolean; passkeys: number; sso_org: boolean; sso_platform: boolean };

/** How an account can be signed in to; whoever removes a method asks here first, under the account's lock. */
@Injectable()
export class SignInMethods {
  constructor(private readonly dataSource: DataSource) {}

  async of(userId: number, tx: EntityManager = this.dataSource.manager): Promise<MethodsOfAccount> {
    const [row] = await tx.query<[Row | undefined]>(
      `SELECT u.password_hash IS NOT NULL AS has_password,
              (SELECT count(*) FROM passkeys p WHERE p.user_id = u.id AND p.suspected_clone_at IS NULL)::int AS passkeys,
              EXISTS (SELECT FROM sso_identities i WHERE i.user_id = u.id AND i.provider = 'sso_org') AS sso_org,
              EXISTS (SELECT FROM sso_identities i WHERE i.user_id = u.id AND i.provider = 'sso_platform') AS sso_platform
       FROM users u WHERE u.id = $1`,
      [userId],
    );
    const { has_password = false, passkeys = 0, sso_org = false, sso_platform = false } = row ?? {};
    const count = [has_password, sso_org, sso_platform].filter(Boolean).length + passkeys;
    return { hasPassword: has_password, passkeyCount: passkeys, ssoOrg: sso_org, ssoPlatform: sso_platform, count };
  }

  /** The same, while nobody else can remove a method until the transaction ends. */
  async lock(userId: number, tx: EntityManager): Promise<MethodsOfAccount> {
    await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
    return this.of(userId, tx);
  }
}
