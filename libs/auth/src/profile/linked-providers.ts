import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export type SsoProvider = 'sso_platform' | 'sso_org';

export interface LinkedProvider {
  provider: SsoProvider;
  email: string;
  hasEncryptionKey: boolean;
  linkedAt: Date;
}

/** Which sign-in providers an account is linked with. */
@Injectable()
export class LinkedProviders {
  constructor(private readonly dataSource: DataSource) {}

  async list(userId: number): Promise<LinkedProvider[]> {
    return this.dataSource.query<LinkedProvider[]>(
      `SELECT provider, email, rek_wrapped_sealed IS NOT NULL AS "hasEncryptionKey", linked_at AS "linkedAt"
       FROM sso_identities WHERE user_id = $1`,
      [userId],
    );
  }
}
