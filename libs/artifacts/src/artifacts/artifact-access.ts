import { ForbiddenError, isUuid, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { artifactIsSeen } from '../sight/seen-on-boards.js';
import { type ArtifactRow, RECORD_COLUMNS, RECORD_SOURCES, toArtifactRecord } from './artifact-record.js';
import type { ArtifactRecord } from './artifact-shapes.js';

export const artifactNotFound = (): NotFoundError =>
  new NotFoundError('Artifact not found.', { code: 'artifact_not_found' });

const notYours = (): ForbiddenError =>
  new ForbiddenError('Only the creator of the artifact can do this.', { code: 'artifact_not_yours' });

/** SQL: whether a board shows it to the viewer. */
const SHOWN = artifactIsSeen('a', '$1');

interface Seen extends ArtifactRow {
  isOwn: boolean;
  /** By a board, to the viewer. */
  isShown: boolean;
  isCreatorActive: boolean;
  isViewerActive: boolean;
}

/** Who may do what with an artifact (docs/contract/artifacts.md#who-may-do-what): each decision is one statement. */
@Injectable()
export class ArtifactAccess {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * @throws NotFoundError `artifact_not_found` for whom no board shows it to; ForbiddenError `artifact_not_yours` for whom one
   *   does
   */
  async requireOwner(
    userId: number,
    artifactId: string,
    db: DataSource | EntityManager = this.dataSource,
  ): Promise<ArtifactRecord> {
    const { isOwn, isShown, isCreatorActive, isViewerActive, ...row } = await this.see(userId, artifactId, db);
    if (isOwn && isCreatorActive) return toArtifactRecord(row);
    throw isShown && isCreatorActive && isViewerActive ? notYours() : artifactNotFound();
  }

  /**
   * The creator, and whoever sees the artifact through a board at this moment, with an account that is active. What its queries
   * give is the creator's: nothing, once that account is closed. @throws NotFoundError `artifact_not_found`
   */
  async requireViewer(
    userId: number,
    artifactId: string,
    db: DataSource | EntityManager = this.dataSource,
  ): Promise<ArtifactRecord> {
    const { isOwn, isShown, isCreatorActive, isViewerActive, ...row } = await this.see(userId, artifactId, db);
    if (!isCreatorActive || !isViewerActive || !(isOwn || isShown)) throw artifactNotFound();
    return toArtifactRecord(row);
  }

  /**
   * The owner at the moment of writing: whoever else writes, or makes a tile of it, waits until the transaction ends; links may
   * still be made of it meanwhile. @throws NotFoundError, ForbiddenError
   */
  async lockOwn(userId: number, artifactId: string, tx: EntityManager): Promise<ArtifactRecord> {
    if (!isUuid(artifactId)) throw artifactNotFound();
    await tx.query('SELECT FROM artifacts WHERE id = $1 AND owner_id = $2 FOR NO KEY UPDATE', [artifactId, userId]);
    // A statement of its own: it has to see what was committed while the lock was waited for.
    return this.requireOwner(userId, artifactId, tx);
  }

  private async see(userId: number, artifactId: string, db: DataSource | EntityManager): Promise<Seen> {
    if (!isUuid(artifactId)) throw artifactNotFound();
    const [row] = await db.query<Seen[]>(
      `SELECT ${RECORD_COLUMNS}, a.owner_id = $1 AS "isOwn", ${SHOWN} AS "isShown",
         u.is_active AS "isCreatorActive", EXISTS (SELECT FROM users y WHERE y.id = $1 AND y.is_active) AS "isViewerActive"
       FROM ${RECORD_SOURCES} WHERE a.id = $2`,
      [userId, artifactId],
    );
    if (!row) throw artifactNotFound();
    return row;
  }
}
