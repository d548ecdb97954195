import { AuditLog } from '@app/audit';
import { ConflictError, ForbiddenError, type Page, type PageRequest } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { lockActiveAccount } from '@app/access';
import { type BoardActor, getBoard, lockBoard } from './board-access.js';
import { BOARD_COLUMNS, BOARD_LIMITS, BOARD_SOURCES, type BoardRecord, type TileRecord } from './board-record.js';
import { ShownTiles } from './shown-tiles.js';
import { TileRefreshes } from './tile-refreshes.js';

export interface NewBoard {
  name: string;
  description: string;
}

export interface BoardDetail extends BoardRecord {
  tiles: TileRecord[];
}

/** Boards, for their owners and collaborators (docs/contract/boards.md). */
@Injectable()
export class Boards {
  constructor(
    private readonly dataSource: DataSource,
    private readonly shown: ShownTiles,
    private readonly refreshes: TileRefreshes,
    private readonly audit: AuditLog,
  ) {}

  /** Own ones and shared ones, what was changed last first. */
  async list(viewerId: number, at: PageRequest): Promise<Page<BoardRecord>> {
    const seen = `b.id IN (SELECT own.id FROM boards own WHERE own.owner_id = $1
      UNION SELECT part.board_id FROM board_collaborators part WHERE part.user_id = $1)`;
    const [[{ count }], items] = await Promise.all([
      this.dataSource.query<[{ count: number }]>(`SELECT count(*)::int AS count FROM boards b WHERE ${seen}`, [
        viewerId,
      ]),
      this.dataSource.query<BoardRecord[]>(
        `SELECT ${BOARD_COLUMNS} FROM ${BOARD_SOURCES} WHERE ${seen} ORDER BY b.updated_at DESC, b.id DESC
         LIMIT $2 OFFSET $3`,
        [viewerId, at.pageSize, (at.page - 1) * at.pageSize],
      ),
    ]);
    return { count, items };
  }

  /** With its tiles. Somebody looks, so that what rests is refreshed again. @throws NotFoundError */
  async look(viewerId: number, boardId: number): Promise<BoardDetail> {
    const board = await getBoard(this.dataSource, viewerId, boardId, 'see');
    const tiles = await this.shown.list(boardId);
    await this.refreshes.look(boardId);
    return { ...board, tiles };
  }

  /** @throws ConflictError `board_limit_reached` */
  async create(actor: BoardActor, { name, description }: NewBoard): Promise<BoardDetail> {
    return this.dataSource.transaction(async (tx) => {
      // Two at once count each other.
      if ((await lockActiveAccount(tx, actor.userId)) === null) throw new ForbiddenError();
      const [{ count }] = await tx.query<[{ count: number }]>(
        'SELECT count(*)::int AS count FROM boards WHERE owner_id = $1',
        [actor.userId],
      );
      if (count >= BOARD_LIMITS.boards)
        throw new ConflictError(`You can have at most ${BOARD_LIMITS.boards} boards.`, { code: 'board_limit_reached' });
      const [{ id }] = await tx.query<[{ id: number }]>(
        'INSERT INTO boards (owner_id, name, description) VALUES ($1, $2, $3) RETURNING id',
        [actor.userId, name, description],
      );
      await this.audit.record({ action: 'board.created', actor, target: `board:${id}`, details: { name } }, tx);
      return { ...(await getBoard(tx, actor.userId, id, 'own')), tiles: [] };
    });
  }

  /** What is absent stays. @throws NotFoundError, ForbiddenError */
  async change(actor: BoardActor, boardId: number, change: Partial<NewBoard>): Promise<BoardDetail> {
    const board = await this.dataSource.transaction(async (tx) => {
      await lockBoard(tx, actor.userId, boardId, 'edit');
      await tx.query(
        `UPDATE boards SET name = coalesce($2, name), description = coalesce($3, description), updated_at = now()
         WHERE id = $1`,
        [boardId, change.name ?? null, change.description ?? null],
      );
      await this.audit.record(
        { action: 'board.updated', actor, target: `board:${boardId}`, details: { ...change } },
        tx,
      );
      return getBoard(tx, actor.userId, boardId, 'edit');
    });
    return { ...board, tiles: await this.shown.list(boardId) };
  }

  /** With its tiles; what they show stays, but for charts that belong to nothing else. @throws NotFoundError, ForbiddenError */
  async delete(actor: BoardActor, boardId: number): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const { name } = await lockBoard(tx, actor.userId, boardId, 'own');
      await tx.query('DELETE FROM boards WHERE id = $1', [boardId]);
      await this.audit.record({ action: 'board.deleted', actor, target: `board:${boardId}`, details: { name } }, tx);
    });
  }
}
