import { ConflictError, ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type BoardActor, lockBoard, raiseRevision } from './board-access.js';
import type { PlacedTile } from './board-record.js';

/** Somebody changed the tiles in between. Carries where they stand now, so that whoever was slower goes on from there. */
export class StaleLayoutError extends ConflictError {
  constructor(
    readonly revision: number,
    readonly tiles: PlacedTile[],
  ) {
    super('The layout was changed meanwhile.', { code: 'layout_conflict', extra: { revision, tiles } });
  }
}

/** Where the tiles of a board stand (docs/contract/boards.md#layout). */
@Injectable()
export class BoardLayout {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Tiles that are not named stay where they are.
   * @returns the new revision
   * @throws StaleLayoutError; ValidationError for tiles that are not of this board; NotFoundError, ForbiddenError
   */
  async save(
    actor: BoardActor,
    boardId: number,
    expectedRevision: number,
    tiles: readonly PlacedTile[],
  ): Promise<number> {
    return this.dataSource.transaction(async (tx) => {
      const { revision } = await lockBoard(tx, actor.userId, boardId, 'edit');
      if (revision !== expectedRevision) throw new StaleLayoutError(revision, await listPlaces(tx, boardId));
      const column = (name: keyof PlacedTile) => tiles.map((tile) => tile[name]);
      const [, moved] = await tx.query<[unknown, number]>(
        `UPDATE board_tiles t SET x = given.x, y = given.y, w = given.w, h = given.h, updated_at = now()
         FROM unnest($2::int[], $3::int[], $4::int[], $5::int[], $6::int[]) AS given (id, x, y, w, h)
         WHERE t.id = given.id AND t.board_id = $1`,
        [boardId, column('id'), column('x'), column('y'), column('w'), column('h')],
      );
      if (moved !== tiles.length)
        throw new ValidationError({ tiles: ['Name tiles of this board, each once.'] }, { code: 'unknown_tile' });
      return raiseRevision(tx, boardId);
    });
  }
}

function listPlaces(tx: EntityManager, boardId: number): Promise<PlacedTile[]> {
  return tx.query<PlacedTile[]>('SELECT id, x, y, w, h FROM board_tiles WHERE board_id = $1 ORDER BY y, x, id', [
    boardId,
  ]);
}
