import { NotFoundError } from '@app/common';
import { type OutputRecord, WorkflowOutputs } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { showsThingsOf } from '../sight/seen-on-boards.js';
import { decideBoardAccess } from './board-access.js';
import { boardRole, type BoardRole, type TileRecord } from './board-record.js';

export const tileNotFound = (): NotFoundError => new NotFoundError('Tile not found.', { code: 'tile_not_found' });

interface TileRow extends Omit<TileRecord, 'name' | 'broken'> {
  /** What it shows as the database has it; null when that is gone or may not be seen here. */
  shownTitle: string | null;
}

/** The statement is joined with the board `b`; charts and artifacts are looked at with the rights of their owners. */
const COLUMNS = `t.id, t.board_id AS "boardId", t.kind, t.mgid, t.artifact_id AS "artifactId", t.output_id AS "outputId",
  t.text, t.title, t.x, t.y, t.w, t.h, t.settings, t.refresh_seconds AS "refreshSeconds", t.refreshed_at AS "refreshedAt",
  t.next_attempt_at AS "refreshesAt", t.last_error AS "lastError", t.created_at AS "createdAt", t.updated_at AS "updatedAt",
  CASE WHEN u.id IS NOT NULL THEN jsonb_build_object('id', u.id, 'username', u.username) END AS "addedBy",
  CASE t.kind
    WHEN 'chart' THEN (SELECT c.title FROM charts c WHERE c.mgid = t.mgid AND ${showsThingsOf('b', 'c.owner_id')})
    WHEN 'artifact' THEN (SELECT a.title FROM artifacts a WHERE a.id = t.artifact_id AND ${showsThingsOf('b', 'a.owner_id')}
      AND (coalesce(jsonb_typeof(t.settings -> 'version'), 'null') = 'null' OR EXISTS (SELECT FROM artifact_versions v
        WHERE v.artifact_id = a.id AND to_jsonb(v.version) = t.settings -> 'version')))
  END AS "shownTitle"`;
const SOURCES = `board_tiles t JOIN boards b ON b.id = t.board_id LEFT JOIN users u ON u.id = t.added_by_id`;

/** SQL: whether whoever put the tile there still takes part in its board. */
const STILL_SHARED = showsThingsOf('b', 't.added_by_id');

/** Tiles as everybody on their board sees them. */
@Injectable()
export class ShownTiles {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outputs: WorkflowOutputs,
  ) {}

  /** Of a board that the caller may see, from the top. */
  async list(boardId: number): Promise<TileRecord[]> {
    const rows = await this.dataSource.query<TileRow[]>(
      `SELECT ${COLUMNS} FROM ${SOURCES} WHERE t.board_id = $1 ORDER BY t.y, t.x, t.id`,
      [boardId],
    );
    const outputs = await this.outputsOf(this.dataSource, rows);
    return rows.map((row) => toTile(row, outputs.get(row.id)));
  }

  /** One that was just written. */
  async get(db: EntityManager, tileId: number): Promise<TileRecord> {
    const [row] = await db.query<TileRow[]>(`SELECT ${COLUMNS} FROM ${SOURCES} WHERE t.id = $1`, [tileId]);
    if (!row) throw tileNotFound();
    return toTile(row, (await this.outputsOf(db, [row])).get(row.id));
  }

  /** One with the output that it shows, for whoever may see its board. @throws NotFoundError */
  async open(viewerId: number, tileId: number): Promise<{ tile: TileRecord; output: OutputRecord | null }> {
    const [row] = await this.dataSource.query<(TileRow & { role: BoardRole | null })[]>(
      `SELECT ${COLUMNS}, ${boardRole('b', '$2')} AS role FROM ${SOURCES} WHERE t.id = $1`,
      [tileId, viewerId],
    );
    if (!row || row.role === null) throw tileNotFound();
    decideBoardAccess(row.role, 'see');
    const output = (await this.outputsOf(this.dataSource, [row], { whole: true })).get(row.id);
    return { tile: toTile(row, output), output: output ?? null };
  }

  /** Kept results, by tile: those that whoever put the tile there may see now, and shares here. */
  private async outputsOf(
    db: DataSource | EntityManager,
    tiles: readonly TileRow[],
    { whole }: { whole: boolean } = { whole: false },
  ): Promise<ReadonlyMap<number, OutputRecord>> {
    const showing = tiles.filter(({ kind, outputId, addedBy }) => kind === 'output' && outputId && addedBy);
    if (showing.length === 0) return new Map();
    const shared = await db.query<{ id: number }[]>(
      `SELECT t.id FROM ${SOURCES} WHERE t.id = ANY($1::int[]) AND ${STILL_SHARED}`,
      [showing.map(({ id }) => id)],
    );
    const stillShared = new Set(shared.map(({ id }) => id));
    const asked = showing.filter(({ id }) => stillShared.has(id));
    const found = await this.outputs.seenBy(
      db,
      asked.map(({ outputId, addedBy }) => ({ outputId: outputId!, userId: addedBy!.id })),
      { whole },
    );
    return new Map(asked.flatMap(({ id }, at) => (found[at] ? [[id, found[at]]] : [])));
  }
}

function toTile({ shownTitle, ...row }: TileRow, output?: OutputRecord): TileRecord {
  const shown = row.kind === 'output' ? (output ? output.title || output.nodeName : null) : shownTitle;
  const broken = row.kind !== 'text' && shown === null;
  return { ...row, name: row.title ?? shown, broken };
}
