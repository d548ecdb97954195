import { AuditLog } from '@app/audit';
import { ConflictError, ForbiddenError, NotFoundError, ValidationError } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { WorkflowOutputs } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ArtifactAccess } from '../artifacts/artifact-access.js';
import { type BoardActor, lockBoard, raiseRevision } from './board-access.js';
import { BOARD_LIMITS, type Place, type TileKind, type TileRecord } from './board-record.js';
import { ShownTiles, tileNotFound } from './shown-tiles.js';
import { nextRefresh, REFRESHED_SOURCE } from './refresh-times.js';
import { TileRefreshes } from './tile-refreshes.js';

interface TileLook extends Place {
  title: string | null;
  text: string;
  settings: Record<string, unknown>;
  refreshSeconds: number | null;
}

export interface NewTile extends TileLook {
  kind: TileKind;
  /** Of the chart, artifact or output. */
  shows: string | null;
}

/** What may be changed of a tile; what it shows stays. */
export type TileChange = Partial<TileLook>;

export interface WrittenTile {
  tile: TileRecord;
  boardRevision: number;
}

interface ShownThing {
  /** Whether it has rows that can be had anew. */
  refreshable: boolean;
}

/** What stands on boards (docs/contract/boards.md#tiles). */
@Injectable()
export class BoardTiles {
  constructor(
    private readonly dataSource: DataSource,
    private readonly artifacts: ArtifactAccess,
    private readonly shown: ShownTiles,
    private readonly outputs: WorkflowOutputs,
    private readonly refreshes: TileRefreshes,
    private readonly audit: AuditLog,
  ) {}

  /** @throws NotFoundError, ForbiddenError, ValidationError; ConflictError `tile_limit_reached` */
  async add(actor: BoardActor, boardId: number, tile: NewTile): Promise<WrittenTile> {
    return retriedTransaction(this.dataSource, async (tx) => {
      if (tile.kind === 'artifact') await holdArtifact(tx, tile.shows);
      const board = await lockBoard(tx, actor.userId, boardId, 'edit');
      if (board.tileCount >= BOARD_LIMITS.tiles)
        throw new ConflictError(`A board has at most ${BOARD_LIMITS.tiles} tiles.`, { code: 'tile_limit_reached' });
      const { refreshable } = await this.holdShown(tx, actor.userId, tile.kind, tile.shows);
      if (tile.refreshSeconds !== null && !refreshable) throw notRefreshable();
      await this.checkVersion(tx, tile.kind, tile.shows, tile.settings);
      const { kind, shows, title, text, x, y, w, h, settings, refreshSeconds } = tile;
      const showing = (of: TileKind) => (kind === of ? shows : null);
      const [{ id }] = await tx.query<[{ id: number }]>(
        `INSERT INTO board_tiles (board_id, kind, mgid, artifact_id, output_id, title, text, x, y, w, h, settings,
           refresh_seconds, next_attempt_at, added_by_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, CASE WHEN $13::int IS NOT NULL THEN ${nextRefresh('$13::int')} END, $14) RETURNING id`,
        [
          boardId,
          kind,
          showing('chart'),
          showing('artifact'),
          showing('output'),
          title,
          text,
          x,
          y,
          w,
          h,
          JSON.stringify(settings),
          refreshSeconds,
          actor.userId,
        ],
      );
      const boardRevision = await raiseRevision(tx, boardId);
      await this.record(tx, 'board.tile_added', actor, boardId, { tile: id, kind, ...(shows !== null && { shows }) });
      return { tile: await this.shown.get(tx, id), boardRevision };
    });
  }

  /** What is absent stays. @throws NotFoundError, ForbiddenError, ValidationError */
  async change(actor: BoardActor, tileId: number, change: TileChange): Promise<WrittenTile> {
    return retriedTransaction(this.dataSource, async (tx) => {
      const { boardId, kind, shows } = await this.lockTile(tx, actor.userId, tileId);
      if (change.text !== undefined && kind !== 'text')
        throw new ValidationError({ text: ['Only tiles of the kind text have one.'] });
      if (change.settings) {
        await this.requireVersionOf(tx, actor.userId, tileId, change.settings);
        await this.checkVersion(tx, kind, shows, change.settings);
      }
      if (change.refreshSeconds !== undefined) await this.setRefresh(tx, tileId, kind, shows, change.refreshSeconds);
      const { title, text, x, y, w, h, settings } = change;
      await tx.query(
        `UPDATE board_tiles SET title = CASE WHEN $2 THEN $3 ELSE title END, text = coalesce($4, text),
           x = coalesce($5, x), y = coalesce($6, y), w = coalesce($7, w), h = coalesce($8, h),
           settings = coalesce($9::jsonb, settings), updated_at = now() WHERE id = $1`,
        [
          tileId,
          title !== undefined,
          title ?? null,
          text ?? null,
          x ?? null,
          y ?? null,
          w ?? null,
          h ?? null,
          settings ? JSON.stringify(settings) : null,
        ],
      );
      const boardRevision = await raiseRevision(tx, boardId);
      return { tile: await this.shown.get(tx, tileId), boardRevision };
    });
  }

  /** What it shows stays, but for a chart that belongs to nothing else. @throws NotFoundError, ForbiddenError */
  async remove(actor: BoardActor, tileId: number): Promise<void> {
    await retriedTransaction(this.dataSource, async (tx) => {
      const { boardId, kind } = await this.lockTile(tx, actor.userId, tileId);
      await tx.query('DELETE FROM board_tiles WHERE id = $1', [tileId]);
      await raiseRevision(tx, boardId);
      await this.record(tx, 'board.tile_removed', actor, boardId, { tile: tileId, kind });
    });
  }

  /** Has its data had anew, whoever looks. @throws NotFoundError, ForbiddenError, ValidationError */
  async refresh(actor: BoardActor, tileId: number): Promise<TileRecord> {
    const { tile, receipts } = await retriedTransaction(this.dataSource, async (tx) => {
      const { boardId, kind, shows } = await this.lockTile(tx, actor.userId, tileId);
      if (!(await this.isRefreshable(tx, kind, shows))) throw notRefreshable();
      const asked = await this.refreshes.ask(tx, { boardId, tileId });
      return { tile: await this.shown.get(tx, tileId), receipts: asked };
    });
    this.refreshes.publish(receipts);
    return tile;
  }

  /** Its board is locked first, as everybody does. @throws NotFoundError, ForbiddenError */
  private async lockTile(
    tx: EntityManager,
    userId: number,
    tileId: number,
  ): Promise<{ boardId: number; kind: TileKind; shows: string | null }> {
    const [where] = await tx.query<{ boardId: number; artifactId: string | null }[]>(
      'SELECT board_id AS "boardId", artifact_id AS "artifactId" FROM board_tiles WHERE id = $1',
      [tileId],
    );
    if (!where) throw tileNotFound();
    await holdArtifact(tx, where.artifactId);
    await lockBoard(tx, userId, where.boardId, 'edit').catch((error: unknown) => {
      throw error instanceof NotFoundError ? tileNotFound() : error;
    });
    const [tile] = await tx.query<{ kind: TileKind; shows: string | null }[]>(
      'SELECT kind, coalesce(mgid, artifact_id, output_id)::text AS shows FROM board_tiles WHERE id = $1 FOR UPDATE',
      [tileId],
    );
    if (!tile) throw tileNotFound();
    return { boardId: where.boardId, ...tile };
  }

  /**
   * What a tile is to show, held until it does. Charts and artifacts are put on boards by their creators alone, outputs by
   * whoever may see them. @throws NotFoundError, ForbiddenError
   */
  private async holdShown(
    tx: EntityManager,
    userId: number,
    kind: TileKind,
    shows: string | null,
  ): Promise<ShownThing> {
    if (kind === 'text' || shows === null) return { refreshable: false };
    if (kind === 'output') {
      const [output] = await this.outputs.seenBy(tx, [{ outputId: shows, userId }], { whole: false });
      if (!output) throw new NotFoundError('Output not found.', { code: 'output_not_found' });
      return { refreshable: false };
    }
    if (kind === 'chart') {
      const [chart] = await tx.query<{ ownerId: number }[]>(
        'SELECT owner_id AS "ownerId" FROM charts WHERE mgid = $1 FOR KEY SHARE',
        [shows],
      );
      if (!chart) throw new NotFoundError('Chart not found.', { code: 'chart_not_found' });
      if (chart.ownerId !== userId)
        throw new ForbiddenError('Only who made a chart may put it on a board.', { code: 'chart_not_yours' });
    } else {
      await this.artifacts.requireOwner(userId, shows, tx);
    }
    return { refreshable: await this.isRefreshable(tx, kind, shows) };
  }

  private async isRefreshable(tx: EntityManager, kind: TileKind, shows: string | null): Promise<boolean> {
    if (kind === 'artifact') return shows !== null;
    if (kind !== 'chart') return false;
    const rows = await tx.query<unknown[]>(
      `SELECT FROM charts WHERE mgid = $1 AND source ->> 'sql' IS NOT NULL AND source ->> 'type' = $2`,
      [shows, REFRESHED_SOURCE],
    );
    return rows.length > 0;
  }

  private async setRefresh(
    tx: EntityManager,
    tileId: number,
    kind: TileKind,
    shows: string | null,
    seconds: number | null,
  ): Promise<void> {
    if (seconds !== null && !(await this.isRefreshable(tx, kind, shows))) throw notRefreshable();
    // The fence takes the right to write from whoever is at it.
    await tx.query(
      `UPDATE board_tiles SET refresh_seconds = $2, next_attempt_at = CASE WHEN $2::int IS NOT NULL THEN ${nextRefresh('$2::int')} END, attempts = 0,
         last_error = '', lease_owner = NULL, leased_until = NULL, fence = fence + 1
       WHERE id = $1`,
      [tileId, seconds],
    );
  }

  /**
   * Which version of an artifact a board shows is up to who made it: another one may hold what nobody was shown.
   * @throws ForbiddenError `artifact_not_yours`
   */
  private async requireVersionOf(
    tx: EntityManager,
    userId: number,
    tileId: number,
    settings: Record<string, unknown>,
  ): Promise<void> {
    const [moved] = await tx.query<{ artifactId: string | null }[]>(
      `SELECT artifact_id AS "artifactId" FROM board_tiles
       WHERE id = $1 AND coalesce(settings -> 'version', 'null') <> coalesce($2::jsonb -> 'version', 'null')`,
      [tileId, JSON.stringify(settings)],
    );
    if (moved?.artifactId) await this.artifacts.requireOwner(userId, moved.artifactId, tx);
  }

  /** `version` keeps that version of an artifact; it has to be there. @throws ValidationError */
  private async checkVersion(
    tx: EntityManager,
    kind: TileKind,
    shows: string | null,
    { version }: Record<string, unknown>,
  ): Promise<void> {
    if (kind !== 'artifact' || version === undefined || version === null) return;
    if (!Number.isInteger(version) || Number(version) < 1 || Number(version) > 2_147_483_647)
      throw new ValidationError({ settings: ['version: A whole number of 1 or more.'] });
    if (shows === null) return;
    const rows = await tx.query<unknown[]>('SELECT FROM artifact_versions WHERE artifact_id = $1 AND version = $2', [
      shows,
      version,
    ]);
    if (rows.length === 0) throw new ValidationError({ settings: ['version: The artifact has no such version.'] });
  }

  private record(
    tx: EntityManager,
    action: 'board.tile_added' | 'board.tile_removed',
    actor: BoardActor,
    boardId: number,
    details: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.record({ action, actor, target: `board:${boardId}`, details }, tx);
  }
}

/**
 * Before its board, as whoever deletes an artifact takes them. While it is held none of its versions is dropped as one that
 * no tile keeps.
 */
async function holdArtifact(tx: EntityManager, artifactId: string | null): Promise<void> {
  if (artifactId !== null) await tx.query('SELECT FROM artifacts WHERE id = $1 FOR SHARE', [artifactId]);
}

const notRefreshable = () =>
  new ValidationError({ refresh_seconds: ['There is nothing in this tile that can be had anew.'] });
