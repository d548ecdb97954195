import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Connected tool servers with their secrets and tools. */
@Injectable()
export class OwnedMcpServers implements OwnedData, OnModuleInit {
  readonly name = 'mcp_servers';
  readonly tables = ['mcp_servers', 'mcp_tools'];
  readonly order = 10;

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM mcp_servers WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>('DELETE FROM mcp_servers WHERE user_id = $1', [userId]);
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const rows = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT jsonb_build_object('id', s.id, 'label', s.label, 'url', s.url, 'auth_type', s.auth_type,
         'auth_header_name', s.auth_header_name, 'enabled', s.enabled, 'status', s.status, 'created_at', s.created_at,
         'tools', (SELECT coalesce(jsonb_agg(t.name ORDER BY t.position), '[]') FROM mcp_tools t WHERE t.server_id = s.id)
       ) AS row FROM mcp_servers s WHERE s.user_id = $1 ORDER BY s.id`,
      [userId],
    );
    if (rows.length === 0) return;
    yield {
      path: 'tool-servers.json',
      content: JSON.stringify(
        rows.map(({ row }) => row),
        null,
        2,
      ),
    };
  }
}
