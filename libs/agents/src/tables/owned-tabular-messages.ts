import { ErasureRegistry, exportedRow, type ExportedColumns, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const BATCH = 200;
const TABLES = { tabular_messages: 'user_id', charts: 'owner_id' } as const;

const MESSAGE_COLUMNS: ExportedColumns = {
  table: 'tabular_messages',
  exported: ['id', 'store', 'uid', 'conversation_id', 'question', 'answer', 'sql', 'mgid', 'file_uids', 'created_at'],
  withheld: { user_id: 'whose copy it is' },
};

const CHART_COLUMNS: ExportedColumns = {
  table: 'charts',
  exported: [
    'mgid',
    'turn_id',
    'title',
    'chart_type',
    'spec',
    'columns',
    'rows',
    'truncated',
    'source',
    'refreshed_at',
    'created_at',
  ],
  withheld: { owner_id: 'whose copy it is' },
};

/** What an account kept of its conversations with tables, and its charts. */
@Injectable()
export class OwnedTabularMessages implements OwnedData, OnModuleInit {
  readonly name = 'tabular_messages';
  readonly tables = Object.keys(TABLES);
  readonly columns = [MESSAGE_COLUMNS, CHART_COLUMNS];
  // Before the conversations, which take their charts with them.
  readonly order = 40;

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM tabular_messages WHERE user_id = $1)::int
            + (SELECT count(*) FROM charts WHERE owner_id = $1)::int AS count`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    let removed = 0;
    for (const [table, owner] of Object.entries(TABLES)) {
      const [, count] = await tx.query<[unknown, number]>(
        `DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table} WHERE ${owner} = $1 LIMIT ${BATCH})`,
        [userId],
      );
      removed += count;
    }
    return removed;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const messages = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT ${exportedRow(MESSAGE_COLUMNS, 'm')} AS row FROM tabular_messages m WHERE user_id = $1 ORDER BY id`,
      [userId],
    );
    if (messages.length > 0) yield { path: 'tables/messages.json', content: toJson(messages.map(({ row }) => row)) };
    const charts = await this.dataSource.query<{ mgid: string }[]>(
      'SELECT mgid FROM charts WHERE owner_id = $1 ORDER BY created_at, mgid',
      [userId],
    );
    for (const { mgid } of charts) {
      const [chart] = await this.dataSource.query<{ row: unknown }[]>(
        `SELECT ${exportedRow(CHART_COLUMNS, 'c')} AS row FROM charts c WHERE mgid = $1`,
        [mgid],
      );
      if (chart) yield { path: `charts/${mgid}.json`, content: toJson(chart.row) };
    }
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
