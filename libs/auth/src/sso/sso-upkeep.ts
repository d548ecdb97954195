import { ErasureRegistry } from '@app/erasure';
import { SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DomainProof } from './domain-proof.js';
import { SsoFlows } from './sso-flows.js';
import { SsoLinks } from './sso-links.js';
import { SsoSetupTokens } from './sso-setup-tokens.js';

const EVERY_SECONDS = 300;
const TABLES = ['sso_identities', 'sso_verified_identities'];

/** Forgets what has expired, and what an erased account owned. */
@Injectable()
export class SsoUpkeep implements OnModuleInit {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
    private readonly flows: SsoFlows,
    private readonly links: SsoLinks,
    private readonly proof: DomainProof,
    private readonly tokens: SsoSetupTokens,
  ) {}

  onModuleInit(): void {
    this.tasks.every('sso', EVERY_SECONDS, async () => {
      await this.flows.purge();
      await this.links.purge();
      await this.proof.purge();
      await this.tokens.purge();
    });
    this.registry.register({
      name: 'sso',
      tables: TABLES,
      countFor: async (userId) => {
        const counts = TABLES.map((table) => `(SELECT count(*) FROM ${table} WHERE user_id = $1)`);
        const [row] = await this.dataSource.query<[{ count: number }]>(`SELECT (${counts.join(' + ')})::int AS count`, [
          userId,
        ]);
        return row.count;
      },
      deleteSome: async (userId, tx) => {
        let removed = 0;
        for (const table of TABLES) {
          const [, count] = await tx.query<[unknown, number]>(`DELETE FROM ${table} WHERE user_id = $1`, [userId]);
          removed += count;
        }
        return removed;
      },
      exportFor: (userId) => this.exported(userId),
    });
  }

  private async *exported(userId: number) {
    const linked = await this.dataSource.query<object[]>(
      'SELECT provider, issuer, subject, email, linked_at FROM sso_identities WHERE user_id = $1 ORDER BY provider',
      [userId],
    );
    yield { path: 'linked-providers.json', content: JSON.stringify(linked, null, 2) };
  }
}
