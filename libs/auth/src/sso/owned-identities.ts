import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

interface LinkedProvider {
  provider: string;
  issuer: string;
  subject: string;
  email: string;
  linked_at: Date;
}

/** The sign-ins of other providers that an account is linked with. */
@Injectable()
export class OwnedIdentities implements OwnedData, OnModuleInit {
  readonly name = 'sso';
  readonly tables = ['sso_identities', 'sso_verified_identities'];

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT ((SELECT count(*) FROM sso_identities WHERE user_id = $1)
             + (SELECT count(*) FROM sso_verified_identities WHERE user_id = $1))::int AS count`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    let removed = 0;
    for (const table of this.tables) {
      const [, count] = await tx.query<[unknown, number]>(`DELETE FROM ${table} WHERE user_id = $1`, [userId]);
      removed += count;
    }
    return removed;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const linked = await this.dataSource.query<LinkedProvider[]>(
      'SELECT provider, issuer, subject, email, linked_at FROM sso_identities WHERE user_id = $1 ORDER BY provider',
      [userId],
    );
    yield { path: 'linked-providers.json', content: JSON.stringify(linked, null, 2) };
  }
}
