import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** What an account has allowed its agents. */
@Injectable()
export class OwnedApprovals implements OwnedData, OnModuleInit {
  readonly name = 'agent_approvals';
  readonly tables = ['agent_approvals'];

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM agent_approvals WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>('DELETE FROM agent_approvals WHERE user_id = $1', [userId]);
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const rows = await this.dataSource.query<unknown[]>(
      'SELECT key, summary, conversation_id, created_at FROM agent_approvals WHERE user_id = $1 ORDER BY id',
      [userId],
    );
    if (rows.length > 0) yield { path: 'agent-approvals.json', content: JSON.stringify(rows, null, 2) };
  }
}
