import { AuditLog } from '@app/audit';
import { retriedTransaction } from '@app/entities';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ArtifactAccess } from './artifact-access.js';
import { type ArtifactDeletion, type ArtifactImpact, ArtifactParts } from './artifact-parts.js';
import { countTiles, removeTiles } from './tiles-of-artifact.js';

export interface ImpactReport extends ArtifactImpact {
  versions: number;
  /** Of the latest version. */
  queries: number;
}

export interface RemovedArtifact extends ArtifactDeletion {
  versions: number;
  /** Of the latest version. */
  queries: number;
}

interface Counted {
  versions: number;
  queries: number;
}

/** Says what goes with an artifact, and has it go (docs/contract/artifacts.md#deletion). */
@Injectable()
export class ArtifactRemoval {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: ArtifactAccess,
    private readonly parts: ArtifactParts,
    private readonly audit: AuditLog,
  ) {}

  /** @throws NotFoundError, ForbiddenError */
  async report(userId: number, artifactId: string): Promise<ImpactReport> {
    const artifact = await this.access.requireOwner(userId, artifactId);
    const report: ImpactReport = {
      ...(await count(this.dataSource, artifact.id)),
      tiles: await countTiles(this.dataSource, artifact),
      links: { count: 0 },
      sessions: { count: 0, sample: [] },
      files: { count: 0, bytes: 0 },
    };
    for (const part of this.parts.list()) Object.assign(report, await part.countFor(artifact.id, this.dataSource));
    return report;
  }

  /** For good. @throws NotFoundError, ForbiddenError */
  async delete(actor: { userId: number; username: string }, artifactId: string): Promise<RemovedArtifact> {
    return retriedTransaction(this.dataSource, async (tx) => {
      const { id, title } = await this.access.lockOwn(actor.userId, artifactId, tx);
      const removed = await this.remove(id, tx);
      const details = { title, versions: removed.versions };
      await this.audit.record({ action: 'artifact.deleted', actor, target: `artifact:${id}`, details }, tx);
      return removed;
    });
  }

  /** With all that belongs to it; the caller holds its row. */
  async remove(artifactId: string, tx: EntityManager): Promise<RemovedArtifact> {
    const { versions, queries } = await count(tx, artifactId);
    const gone = await removeTiles(tx, artifactId);
    // No conversation is bound to it from here on: of those that are, the parts take care.
    await tx.query('SELECT FROM artifacts WHERE id = $1 FOR UPDATE', [artifactId]);
    const removed: RemovedArtifact = {
      versions,
      queries,
      tiles: gone.tiles,
      boards: gone.boards,
      sessions: 0,
      files: 0,
    };
    for (const part of this.parts.list()) {
      const { sessions = 0, tiles = 0, boards = 0, files = 0 } = await part.deleteFor(artifactId, tx);
      removed.sessions += sessions;
      removed.tiles += tiles;
      removed.boards += boards;
      removed.files += files;
    }
    await tx.query('DELETE FROM artifacts WHERE id = $1', [artifactId]);
    return removed;
  }
}

async function count(db: DataSource | EntityManager, artifactId: string): Promise<Counted> {
  const [row] = await db.query<[Counted]>(
    `SELECT (SELECT count(*) FROM artifact_versions WHERE artifact_id = a.id)::int AS versions,
       (SELECT jsonb_array_length(v.queries) FROM artifact_versions v
        WHERE v.artifact_id = a.id AND v.version = a.version) AS queries
     FROM artifacts a WHERE a.id = $1`,
    [artifactId],
  );
  return row;
}
