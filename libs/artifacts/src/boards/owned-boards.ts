import { ErasureRegistry, exportedRow, type ExportedColumns, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Readable } from 'node:stream';
import { DataSource, type EntityManager } from 'typeorm';

const BOARDS: ExportedColumns = {
  table: 'boards',
  exported: ['id', 'name', 'description', 'revision', 'looked_at', 'created_at', 'updated_at'],
  withheld: { owner_id: 'whose copy it is' },
};

const TILES: ExportedColumns = {
  table: 'board_tiles',
  exported: [
    'id',
    'board_id',
    'kind',
    'mgid',
    'artifact_id',
    'output_id',
    'text',
    'title',
    'x',
    'y',
    'w',
    'h',
    'settings',
    'refresh_seconds',
    'refreshed_at',
    'created_at',
    'updated_at',
  ],
  withheld: {
    added_by_id: 'another person, perhaps',
    attempts: 'how its refresh goes',
    fence: 'how its refresh goes',
    lease_owner: 'how its refresh goes',
    leased_until: 'how its refresh goes',
    next_attempt_at: 'how its refresh goes',
    last_error: 'how its refresh goes',
  },
};

const COLLABORATIONS: ExportedColumns = {
  table: 'board_collaborators',
  exported: ['board_id', 'role', 'created_at'],
  withheld: { user_id: 'whose copy it is, or another person' },
};

/** Boards that one call deletes, each with up to 100 tiles. */
const BATCH = 50;

const rows = (found: { row: unknown }[]): unknown[] => found.map(({ row }) => row);

/** Boards of an account, what it put on boards of others, and its places on them. */
@Injectable()
export class OwnedBoards implements OwnedData, OnModuleInit {
  readonly name = 'boards';
  readonly tables = ['boards', 'board_tiles', 'board_collaborators'];
  readonly columns = [BOARDS, TILES, COLLABORATIONS];

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM boards WHERE owner_id = $1)::int
         + (SELECT count(*) FROM board_tiles WHERE added_by_id = $1)::int
         + (SELECT count(*) FROM board_collaborators WHERE user_id = $1)::int AS count`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, boards] = await tx.query<[unknown, number]>(
      `DELETE FROM boards WHERE id IN (SELECT id FROM boards WHERE owner_id = $1 ORDER BY id LIMIT ${BATCH})`,
      [userId],
    );
    if (boards > 0) return boards;
    // Boards of others first, as everybody does who changes tiles.
    const shared = await tx.query<{ id: number }[]>(
      `SELECT id FROM boards WHERE id IN (SELECT board_id FROM board_tiles WHERE added_by_id = $1)
       ORDER BY id LIMIT ${BATCH} FOR NO KEY UPDATE`,
      [userId],
    );
    const ids = shared.map(({ id }) => id);
    const [, tiles] = await tx.query<[unknown, number]>(
      'DELETE FROM board_tiles WHERE added_by_id = $1 AND board_id = ANY($2::int[])',
      [userId, ids],
    );
    await tx.query('UPDATE boards SET revision = revision + 1, updated_at = now() WHERE id = ANY($1::int[])', [ids]);
    if (tiles > 0) return tiles;
    const [, places] = await tx.query<[unknown, number]>('DELETE FROM board_collaborators WHERE user_id = $1', [
      userId,
    ]);
    return places;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const boards = await this.dataSource.query<{ id: number }[]>(
      'SELECT id FROM boards WHERE owner_id = $1 ORDER BY id',
      [userId],
    );
    // One at a time: all of them together may be more than a process can hold.
    for (const { id } of boards)
      yield { path: `boards/${id}.json`, content: async () => Readable.from([await this.readBoard(id)]) };
    const shared = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT ${exportedRow(COLLABORATIONS, 'c')} || jsonb_build_object('board', b.name) AS row
       FROM board_collaborators c JOIN boards b ON b.id = c.board_id WHERE c.user_id = $1 ORDER BY b.id`,
      [userId],
    );
    const tiles = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT ${exportedRow(TILES, 't')} AS row FROM board_tiles t JOIN boards b ON b.id = t.board_id
       WHERE t.added_by_id = $1 AND b.owner_id <> $1 ORDER BY t.id`,
      [userId],
    );
    if (shared.length + tiles.length === 0) return;
    const content = { shared_with_you: rows(shared), put_on_boards_of_others: rows(tiles) };
    yield { path: 'boards/of-others.json', content: JSON.stringify(content, null, 2) };
  }

  /** Empty where it was deleted meanwhile. */
  private async readBoard(id: number): Promise<string> {
    const [found] = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT ${exportedRow(BOARDS, 'b')} || jsonb_build_object(
         'tiles', ARRAY(SELECT ${exportedRow(TILES, 't')} FROM board_tiles t WHERE t.board_id = b.id ORDER BY t.y, t.x, t.id),
         'collaborators', ARRAY(SELECT ${exportedRow(COLLABORATIONS, 'c')} || jsonb_build_object('username', u.username)
           FROM board_collaborators c JOIN users u ON u.id = c.user_id WHERE c.board_id = b.id ORDER BY u.id)) AS row
       FROM boards b WHERE b.id = $1`,
      [id],
    );
    return found ? JSON.stringify(found.row, null, 2) : '';
  }
}
