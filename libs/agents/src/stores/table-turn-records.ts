import { Charts } from '@app/artifacts';
import { newId } from '@app/common';
import type { Chart, QueryResult, Thought } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface NewChart {
  ownerId: number;
  turnId: string;
  chart: Chart;
  result: QueryResult;
  /** Files whose rows it shows. */
  fileUids: readonly string[];
  sql: string;
}

/** What a turn with tables leaves behind beside its answer: its steps, and a chart. */
@Injectable()
export class TableTurnRecords {
  constructor(
    private readonly dataSource: DataSource,
    private readonly charts: Charts,
  ) {}

  /** Takes back what an attempt that was lost had left. */
  async clear(turnId: string): Promise<void> {
    await this.dataSource.query('DELETE FROM chat_thoughts WHERE turn_id = $1', [turnId]);
    await this.charts.removeOfTurn(turnId);
  }

  async addThought(turnId: string, { type, text, sql, rowCount, durationMs }: Thought): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO chat_thoughts (turn_id, step, type, text, sql, row_count, duration_ms)
       SELECT $1, coalesce(max(step), 0) + 1, $2, $3, $4, $5, $6 FROM chat_thoughts WHERE turn_id = $1`,
      // A model may write what Postgres cannot keep.
      [turnId, type, text.replaceAll('\0', ''), sql?.replaceAll('\0', '') ?? null, rowCount, durationMs],
    );
  }

  /** @returns its `mgid` (docs/contract/boards.md#charts) */
  async addChart({ ownerId, turnId, chart, result, fileUids, sql }: NewChart): Promise<string> {
    const mgid = newId();
    const source = { type: 'file', source_ref: fileUids.map((uid) => `file:${uid}`).join(','), sql };
    const { columns, rows, truncated } = result;
    await this.charts.keep({ ...chart, mgid, ownerId, turnId, workflowId: null, columns, rows, truncated, source });
    return mgid;
  }
}
