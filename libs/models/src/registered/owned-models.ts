import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** SQL: the rows `m` of the person `$1`, or of an organisation that is theirs alone. */
const THEIRS = `(m.user_id = $1 OR m.organization_id = (
  SELECT o.id FROM users u JOIN organizations o ON o.id = u.organization_id WHERE u.id = $1 AND o.personal))`;

/** Models that a person registered for themselves; those of an organisation with others are the organisation's. */
@Injectable()
export class OwnedModels implements OwnedData, OnModuleInit {
  readonly name = 'registered_models';
  readonly tables = ['registered_models'];
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
      `SELECT count(*)::int AS count FROM registered_models m WHERE ${THEIRS}`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>(`DELETE FROM registered_models m WHERE ${THEIRS}`, [userId]);
    return count;
  }

  /** Without keys: those are the person's at their provider. */
  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const rows = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT jsonb_build_object('id', m.id, 'name', m.name, 'value', m.value, 'definition', m.definition,
         'has_key', m.has_key, 'header_names', m.header_names, 'enabled', m.enabled, 'created_at', m.created_at) AS row
       FROM registered_models m WHERE ${THEIRS} ORDER BY m.id`,
      [userId],
    );
    if (rows.length === 0) return;
    const content = rows.map(({ row }) => row);
    yield { path: 'models.json', content: JSON.stringify(content, null, 2) };
  }
}
