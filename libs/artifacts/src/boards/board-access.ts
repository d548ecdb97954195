import { ForbiddenError, NotFoundError } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';
import { BOARD_COLUMNS, BOARD_SOURCES, type BoardRecord, type BoardRole } from './board-record.js';

/** Everybody on a board looks, the owner and editors change it, the owner alone deletes and shares it. */
export type BoardNeed = 'see' | 'edit' | 'own';

const ALLOWED: Record<BoardNeed, readonly BoardRole[]> = {
  see: ['owner', 'editor', 'viewer'],
  edit: ['owner', 'editor'],
  own: ['owner'],
};

/** Who does something; as the audit log names them. */
export interface BoardActor {
  userId: number;
  username: string;
}

export const boardNotFound = (): NotFoundError => new NotFoundError('Board not found.', { code: 'board_not_found' });

/** @throws NotFoundError for who is not on the board, ForbiddenError with too little of a role */
export function decideBoardAccess(role: BoardRole | null, need: BoardNeed): asserts role is BoardRole {
  if (role === null) throw boardNotFound();
  if (ALLOWED[need].includes(role)) return;
  throw need === 'own'
    ? new ForbiddenError('Only the owner of the board can do this.', { code: 'not_board_owner' })
    : new ForbiddenError('You may look at this board, but not change it.', { code: 'not_board_editor' });
}

/** @throws NotFoundError, ForbiddenError */
export async function getBoard(
  db: DataSource | EntityManager,
  viewerId: number,
  boardId: number,
  need: BoardNeed,
): Promise<BoardRecord> {
  const [found] = await db.query<(Omit<BoardRecord, 'role'> & { role: BoardRole | null })[]>(
    `SELECT ${BOARD_COLUMNS} FROM ${BOARD_SOURCES} WHERE b.id = $2`,
    [viewerId, boardId],
  );
  if (!found) throw boardNotFound();
  const { role } = found;
  decideBoardAccess(role, need);
  return { ...found, role };
}

/**
 * The board at the moment of writing, locked until the transaction ends: whoever changes tiles, or takes access away, does
 * so one after the other. Call it first. A deactivated account writes no more, though its request has begun before.
 * @throws NotFoundError, ForbiddenError
 */
export async function lockBoard(
  tx: EntityManager,
  userId: number,
  boardId: number,
  need: BoardNeed,
): Promise<BoardRecord> {
  await tx.query('SELECT FROM boards WHERE id = $1 FOR NO KEY UPDATE', [boardId]);
  // Statements of their own: they have to see what was committed while the lock was waited for.
  const board = await getBoard(tx, userId, boardId, need);
  const active = await tx.query<unknown[]>('SELECT FROM users WHERE id = $1 AND is_active', [userId]);
  if (active.length === 0) throw new ForbiddenError();
  return board;
}

/** The next revision, for a change of tiles; whoever changes them looks at them. */
export async function raiseRevision(tx: EntityManager, boardId: number): Promise<number> {
  const [rows] = await tx.query<[{ revision: number }[], number]>(
    'UPDATE boards SET revision = revision + 1, updated_at = now(), looked_at = now() WHERE id = $1 RETURNING revision',
    [boardId],
  );
  return rows[0]!.revision;
}
