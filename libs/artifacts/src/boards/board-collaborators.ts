import { type Addressed, AddressTrust } from '@app/access';
import { AuditLog } from '@app/audit';
import { ConflictError, InvalidRequestError, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type BoardActor, getBoard, lockBoard } from './board-access.js';
import { BOARD_LIMITS, type BoardCollaboratorRole } from './board-record.js';

export interface BoardCollaborator {
  user: { id: number; username: string; email: string };
  role: BoardCollaboratorRole;
  createdAt: Date;
}

/** Addresses as they were given, each once. */
export interface AddedBoardCollaborators {
  added: string[];
  /** Those who were there already; they have the role now. */
  updated: string[];
  /** No active account has confirmed them. */
  notFound: string[];
}

const addressOf = ({ address }: Addressed): string => address;
const COLUMNS = `jsonb_build_object('id', u.id, 'username', u.username, 'email', u.email) AS user, c.role,
  c.created_at AS "createdAt"`;

/** Who else looks at a board, or changes it. It takes effect, and ends, on the very next request. */
@Injectable()
export class BoardCollaborators {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    private readonly trust: AddressTrust,
  ) {}

  /** In the order in which they came. @throws NotFoundError, ForbiddenError for everybody but the owner */
  async list(ownerId: number, boardId: number): Promise<BoardCollaborator[]> {
    await getBoard(this.dataSource, ownerId, boardId, 'own');
    return this.dataSource.query<BoardCollaborator[]>(
      `SELECT ${COLUMNS} FROM board_collaborators c JOIN users u ON u.id = c.user_id WHERE c.board_id = $1
       ORDER BY c.created_at, u.id`,
      [boardId],
    );
  }

  /** @throws InvalidRequestError `cannot_add_owner`; ConflictError `collaborator_limit_reached`; NotFoundError, ForbiddenError */
  async add(
    actor: BoardActor,
    boardId: number,
    emails: readonly string[],
    role: BoardCollaboratorRole,
  ): Promise<AddedBoardCollaborators> {
    return this.dataSource.transaction(async (tx) => {
      await lockBoard(tx, actor.userId, boardId, 'own');
      const addressed = await this.trust.findAddressed(tx, emails);
      if (addressed.some(({ id }) => id === actor.userId))
        throw new InvalidRequestError('The board is your own already.', { code: 'cannot_add_owner' });
      const people = addressed.filter(({ id }) => id !== null);
      const ids = people.flatMap(({ id }) => id ?? []);
      // None of them is erased before the row points to it.
      await tx.query('SELECT FROM users WHERE id = ANY($1::int[]) ORDER BY id FOR KEY SHARE', [ids]);
      const known = await tx.query<{ id: number }[]>(
        'SELECT user_id AS id FROM board_collaborators WHERE board_id = $1',
        [boardId],
      );
      const isKnown = (person: Addressed) => known.some(({ id }) => id === person.id);
      const added = people.filter((person) => !isKnown(person));
      if (known.length + added.length > BOARD_LIMITS.collaborators)
        throw new ConflictError(`A board has at most ${BOARD_LIMITS.collaborators} collaborators.`, {
          code: 'collaborator_limit_reached',
        });
      await tx.query(
        `INSERT INTO board_collaborators (board_id, user_id, role) SELECT $1, unnest($2::int[]), $3
         ON CONFLICT (board_id, user_id) DO UPDATE SET role = excluded.role`,
        [boardId, ids, role],
      );
      for (const person of people) {
        const action = isKnown(person) ? 'board.collaborator_changed' : 'board.collaborator_added';
        await this.record(tx, action, actor, boardId, person, { role });
      }
      return {
        added: added.map(addressOf),
        updated: people.filter(isKnown).map(addressOf),
        notFound: addressed.filter(({ id }) => id === null).map(addressOf),
      };
    });
  }

  /** @throws NotFoundError, ForbiddenError for everybody but the owner */
  async changeRole(
    actor: BoardActor,
    boardId: number,
    userId: number,
    role: BoardCollaboratorRole,
  ): Promise<BoardCollaborator> {
    return this.dataSource.transaction(async (tx) => {
      await lockBoard(tx, actor.userId, boardId, 'own');
      await tx.query('UPDATE board_collaborators SET role = $3 WHERE board_id = $1 AND user_id = $2', [
        boardId,
        userId,
        role,
      ]);
      const [collaborator] = await tx.query<BoardCollaborator[]>(
        `SELECT ${COLUMNS} FROM board_collaborators c JOIN users u ON u.id = c.user_id
         WHERE c.board_id = $1 AND c.user_id = $2`,
        [boardId, userId],
      );
      if (!collaborator) throw noCollaborator();
      await this.record(tx, 'board.collaborator_changed', actor, boardId, collaborator.user, { role });
      return collaborator;
    });
  }

  /** By the owner, or by the collaborator, who leaves. @throws NotFoundError, ForbiddenError */
  async remove(actor: BoardActor, boardId: number, userId: number): Promise<void> {
    const isLeaving = actor.userId === userId;
    await this.dataSource.transaction(async (tx) => {
      await lockBoard(tx, actor.userId, boardId, isLeaving ? 'see' : 'own');
      const [[removed]] = await tx.query<[{ id: number; username: string }[], number]>(
        `DELETE FROM board_collaborators c USING users u
         WHERE c.board_id = $1 AND c.user_id = $2 AND u.id = c.user_id RETURNING u.id, u.username`,
        [boardId, userId],
      );
      if (!removed) throw noCollaborator();
      const action = isLeaving ? 'board.collaborator_left' : 'board.collaborator_removed';
      await this.record(tx, action, actor, boardId, removed, {});
    });
  }

  private record(
    tx: EntityManager,
    action: `board.collaborator_${'added' | 'changed' | 'removed' | 'left'}`,
    actor: BoardActor,
    boardId: number,
    { id, username }: { id: number | null; username: string | null },
    details: Record<string, unknown>,
  ): Promise<void> {
    const target = `board:${boardId}`;
    return this.audit.record({ action, actor, subjectId: id, target, details: { user: username, ...details } }, tx);
  }
}

const noCollaborator = () => new NotFoundError('There is no such collaborator.', { code: 'collaborator_not_found' });
