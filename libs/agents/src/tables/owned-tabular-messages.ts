import {
  ErasureRegistry,
  exportedArray,
  exportedRow,
  type ExportedColumns,
  type ExportedFile,
  type OwnedData,
} from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const BATCH = 200;

const MESSAGE_COLUMNS: ExportedColumns = {
  table: 'tabular_messages',
  exported: ['id', 'store', 'uid', 'conversation_id', 'question', 'answer', 'sql', 'mgid', 'file_uids', 'created_at'],
  withheld: { user_id: 'whose copy it is' },
};

/** What an account kept of its conversations with tables. */
@Injectable()
export class OwnedTabularMessages implements OwnedData, OnModuleInit {
  readonly name = 'tabular_messages';
  readonly tables = ['tabular_messages'];
  readonly columns = [MESSAGE_COLUMNS];

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM tabular_messages WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>(
      `DELETE FROM tabular_messages WHERE ctid IN (SELECT ctid FROM tabular_messages WHERE user_id = $1 LIMIT ${BATCH})`,
      [userId],
    );
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    if ((await this.countFor(userId)) === 0) return;
    const read = (after: string | null) =>
      this.dataSource.query<{ cursor: string; row: unknown }[]>(
        `SELECT m.id::text AS cursor, ${exportedRow(MESSAGE_COLUMNS, 'm')} AS row FROM tabular_messages m
         WHERE user_id = $1 AND ($2::text IS NULL OR m.id > $2::bigint) ORDER BY m.id LIMIT ${BATCH}`,
        [userId, after],
      );
    yield { path: 'tables/messages.json', content: exportedArray(read) };
  }
}
