import { ErasureRegistry, exportedRow, type ExportedColumns, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const BATCH = 200;

const COLUMNS: ExportedColumns = {
  table: 'charts',
  exported: [
    'mgid',
    'turn_id',
    'workflow_id',
    'run_version',
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
  withheld: { owner_id: 'whose copy it is', origin_key: 'by which a workflow finds it again' },
};

/** The charts of an account. */
@Injectable()
export class OwnedCharts implements OwnedData, OnModuleInit {
  readonly name = 'charts';
  readonly tables = ['charts'];
  readonly columns = [COLUMNS];
  // Before the conversations and workflows, each of which would look for charts that belong to nothing any more.
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
      'SELECT count(*)::int AS count FROM charts WHERE owner_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    // Boards first, as everybody does who changes tiles: these lose what they show.
    await tx.query(
      `SELECT FROM boards WHERE id IN (SELECT t.board_id FROM board_tiles t JOIN charts c ON c.mgid = t.mgid WHERE c.owner_id = $1)
       ORDER BY id FOR NO KEY UPDATE`,
      [userId],
    );
    const [, count] = await tx.query<[unknown, number]>(
      `DELETE FROM charts WHERE ctid IN (SELECT ctid FROM charts WHERE owner_id = $1 LIMIT ${BATCH})`,
      [userId],
    );
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const charts = await this.dataSource.query<{ mgid: string }[]>(
      'SELECT mgid FROM charts WHERE owner_id = $1 ORDER BY created_at, mgid',
      [userId],
    );
    for (const { mgid } of charts) {
      const [chart] = await this.dataSource.query<{ row: unknown }[]>(
        `SELECT ${exportedRow(COLUMNS, 'c')} AS row FROM charts c WHERE mgid = $1`,
        [mgid],
      );
      if (chart) yield { path: `charts/${mgid}.json`, content: JSON.stringify(chart.row, null, 2) };
    }
  }
}
