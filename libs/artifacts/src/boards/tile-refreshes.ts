import type { Rows } from '@app/tabular';
import { drawRows, isDrawnType } from '@app/tabular';
import { Outbox, type OutboxReceipt } from '@app/queues';
import { type Claim, TryAgainError, WorkClaims } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { KeptChart } from '../charts/chart-record.js';
import { Charts } from '../charts/charts.js';
import { nextRefresh, REFRESHED_SOURCE } from './refresh-times.js';
import { type ClaimedTile, refreshWork } from './refresh-work.js';

/** How long a look counts as the same one. */
const LOOK_MINUTES = 5;

/** A chart whose statement is to be run again. */
export type RefreshedChart = Pick<KeptChart, 'mgid' | 'ownerId' | 'title' | 'chartType' | 'spec' | 'columns'> & {
  source: KeptChart['source'] & { sql: string };
};

/** When data on boards is had anew, and what becomes of it (docs/contract/boards.md#refreshing). */
@Injectable()
export class TileRefreshes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly charts: Charts,
    private readonly claims: WorkClaims,
    private readonly outbox: Outbox,
  ) {}

  /** Somebody looks: what has rested is had anew at once. A look is written down once in some minutes. */
  async look(boardId: number): Promise<void> {
    await noteLook(this.dataSource, boardId);
    const resting = 'board_id = $1 AND refresh_seconds IS NOT NULL AND next_attempt_at IS NULL';
    const found = await this.dataSource.query<unknown[]>(`SELECT FROM board_tiles WHERE ${resting} LIMIT 1`, [boardId]);
    if (found.length === 0) return;
    const receipts = await this.dataSource.transaction(async (tx) => {
      const [woken] = await tx.query<[{ id: number; fence: number }[], number]>(
        `UPDATE board_tiles SET next_attempt_at = now(), attempts = 0
         WHERE id IN (SELECT id FROM board_tiles WHERE ${resting} ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) RETURNING id, fence`,
        [boardId],
      );
      return this.claims.notifyAll(
        refreshWork,
        woken.map(({ id, fence }) => ({ key: [id], fence })),
        tx,
      );
    });
    this.publish(receipts);
  }

  /**
   * Wants the data of a tile now, which is a look at its board; one that is being had is had once more. The board is locked.
   * Publish the receipts after commit.
   */
  async ask(tx: EntityManager, { boardId, tileId }: { boardId: number; tileId: number }): Promise<OutboxReceipt[]> {
    await noteLook(tx, boardId);
    const [asked] = await tx.query<[{ fence: number }[], number]>(
      'UPDATE board_tiles SET next_attempt_at = now(), attempts = 0 WHERE id = $1 RETURNING fence',
      [tileId],
    );
    return this.claims.notifyAll(
      refreshWork,
      asked.map(({ fence }) => ({ key: [tileId], fence })),
      tx,
    );
  }

  publish(receipts: readonly OutboxReceipt[]): void {
    this.outbox.publishSoon([...receipts]);
  }

  /** What a claimed tile needs: a statement run again, or nothing but `finish`. */
  async begin({ row }: Claim<ClaimedTile>): Promise<RefreshedChart | null> {
    if (isResting(row) || row.kind !== 'chart' || row.mgid === null) return null;
    const chart = await this.charts.find(row.mgid);
    if (!chart || chart.ownerId !== row.ownerId) return null;
    // Another tile may show it too.
    if (chart.refreshedAt > row.dueAt) return null;
    const { sql, type } = chart.source;
    if (sql === null || type !== REFRESHED_SOURCE) return null;
    return { ...chart, source: { ...chart.source, sql } };
  }

  /** @param rows of the chart that `begin` gave @throws ClaimLostError, TryAgainError */
  async finish(claim: Claim<ClaimedTile>, fresh: { chart: RefreshedChart; rows: Rows } | null): Promise<void> {
    const { row } = claim;
    await this.dataSource.transaction(async (tx) => {
      const done = isResting(row) ? null : `refreshed_at = now()`;
      // Results are made anew when somebody looks at the page. Before the tile, as everybody does who changes one.
      if (row.kind === 'artifact' && done !== null)
        await tx.query('UPDATE artifacts SET refreshes = refreshes + 1 WHERE id = $1 AND owner_id = $2', [
          row.artifactId,
          row.ownerId,
        ]);
      await this.claims.finish(
        claim,
        {
          ...(done !== null && { set: () => done }),
          // Somebody may have asked once more meanwhile, for what is newer than this.
          nextAttempt: (param) =>
            `CASE WHEN w.attempts < ${param(claim.attempt)} THEN now()
               WHEN ${param(!isResting(row))} AND w.refresh_seconds IS NOT NULL THEN ${nextRefresh('w.refresh_seconds')} END`,
        },
        tx,
      );
      if (fresh) await this.charts.refresh(fresh.chart.mgid, drawAnew(fresh.chart, fresh.rows), tx);
    });
  }
}

async function noteLook(db: DataSource | EntityManager, boardId: number): Promise<void> {
  await db.query(
    `UPDATE boards SET looked_at = now()
     WHERE id = $1 AND (looked_at IS NULL OR looked_at < now() - make_interval(mins => ${LOOK_MINUTES}))`,
    [boardId],
  );
}

/** Nobody looks. */
function isResting({ isLookedAt }: ClaimedTile): boolean {
  return !isLookedAt;
}

/** As before where the columns are; else as the new ones allow. @throws TryAgainError */
function drawAnew({ title, chartType, spec, columns }: RefreshedChart, rows: Rows) {
  const same = JSON.stringify(columns) === JSON.stringify(rows.columns);
  if (same || !isDrawnType(chartType)) return { title, chartType, spec, ...rows };
  const drawn = drawRows(rows, chartType);
  if (drawn.chartType !== chartType)
    throw new TryAgainError('The columns have changed, and make no such chart any more.', { code: 'columns_changed' });
  return { title, ...drawn, ...rows };
}
