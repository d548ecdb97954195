import { AuditLog } from '@app/audit';
import { ConflictError } from '@app/common';
import { drawRows, type DrawnType, rowsOfItems } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Charts } from '../charts/charts.js';
import { lockBoard, raiseRevision } from './board-access.js';
import { BOARD_LIMITS } from './board-record.js';

/** Rows that a node of a workflow, or an agent, puts on a board. */
export interface ChartForBoard {
  boardId: number;
  title: string;
  chartType: DrawnType;
  items: readonly unknown[];
  /** By which the next run finds the chart. */
  originKey: string;
  workflowId: string | null;
  runVersion: number | null;
  turnId: string | null;
}

const ITEM_LIMITS = { rows: 1000, columns: 50, cellCharacters: 1000 };
/** Where nobody has said how large: half of a grid of 12. */
const SIZE = { w: 6, h: 4 };

/** Charts that whoever runs on somebody's behalf puts on their boards (docs/contract/boards.md#from-workflows). */
@Injectable()
export class ChartsOfNodes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly charts: Charts,
    private readonly audit: AuditLog,
  ) {}

  /**
   * The chart of the same key is drawn anew, and stands on the board once, below what is there already; all of it at once.
   * @returns its mgid @throws NotFoundError, ForbiddenError; ConflictError `tile_limit_reached`
   */
  async show(userId: number, chart: ChartForBoard): Promise<string> {
    const { boardId, title, chartType, items, ...origin } = chart;
    const rows = rowsOfItems(items, ITEM_LIMITS);
    return this.dataSource.transaction(async (tx) => {
      const board = await lockBoard(tx, userId, boardId, 'edit');
      const mgid = await this.charts.draw(
        { ...origin, ownerId: userId, title, ...drawRows(rows, chartType), ...rows },
        tx,
      );
      const known = await tx.query<unknown[]>('SELECT FROM board_tiles WHERE board_id = $1 AND mgid = $2', [
        boardId,
        mgid,
      ]);
      if (known.length > 0) return mgid;
      if (board.tileCount >= BOARD_LIMITS.tiles)
        throw new ConflictError(`A board has at most ${BOARD_LIMITS.tiles} tiles.`, { code: 'tile_limit_reached' });
      const [{ id }] = await tx.query<[{ id: number }]>(
        `INSERT INTO board_tiles (board_id, kind, mgid, x, y, w, h, added_by_id)
         SELECT $1, 'chart', $2, 0, least(coalesce(max(y + h), 0), ${BOARD_LIMITS.y}), ${SIZE.w}, ${SIZE.h}, $3
         FROM board_tiles WHERE board_id = $1 RETURNING id`,
        [boardId, mgid, userId],
      );
      await raiseRevision(tx, boardId);
      const [{ username }] = await tx.query<[{ username: string }]>('SELECT username FROM users WHERE id = $1', [
        userId,
      ]);
      const details = { tile: id, kind: 'chart', shows: mgid, workflow: origin.workflowId };
      const actor = { userId, username };
      await this.audit.record({ action: 'board.tile_added', actor, target: `board:${boardId}`, details }, tx);
      return mgid;
    });
  }
}
