import { ErasureRegistry, exportedRow, type ExportedColumns, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const COLUMNS: ExportedColumns = {
  table: 'agent_memories',
  exported: [
    'id',
    'kind',
    'text',
    'confidence',
    'source_turn_id',
    'superseded_by',
    'recall_count',
    'last_recalled_at',
    'created_at',
    'updated_at',
    'heard',
    'cues',
    'stays_on_premises',
  ],
  withheld: {
    user_id: 'whose copy it is',
    text_key: 'the text again, to find it by',
    vector: 'the text again, as numbers to find it by',
    signs: 'the same, coarser',
    vector_of: 'which encoder made the numbers',
  },
};

/** What agents keep of a user, and whether they may. */
@Injectable()
export class OwnedMemories implements OwnedData, OnModuleInit {
  readonly name = 'memories';
  readonly tables = ['agent_memories', 'agent_memory_settings'];
  readonly columns = [COLUMNS];

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM agent_memories WHERE user_id = $1)::int
         + (SELECT count(*) FROM agent_memory_settings WHERE user_id = $1)::int AS count`,
      [userId],
    );
    return count;
  }

  /** A few hundred at most. */
  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, memories] = await tx.query<[unknown, number]>('DELETE FROM agent_memories WHERE user_id = $1', [userId]);
    const [, settings] = await tx.query<[unknown, number]>('DELETE FROM agent_memory_settings WHERE user_id = $1', [
      userId,
    ]);
    return memories + settings;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const memories = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT ${exportedRow(COLUMNS, 'm')} AS row FROM agent_memories m WHERE user_id = $1 ORDER BY created_at, id`,
      [userId],
    );
    if (memories.length === 0) return;
    const rows = memories.map(({ row }) => row);
    yield { path: 'memories.json', content: JSON.stringify(rows, null, 2) };
  }
}
