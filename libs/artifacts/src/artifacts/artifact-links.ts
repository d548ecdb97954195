import type { Principal } from '@app/auth';
import { ForbiddenError, isUuid } from '@app/common';
import { type PermanentLinkRecord, PermanentLinks } from '@app/documents';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ArtifactAccess, artifactNotFound } from './artifact-access.js';

/** Public addresses of one's own artifacts (docs/contract/artifacts.md#permanent-links). */
@Injectable()
export class ArtifactLinks {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: ArtifactAccess,
    private readonly links: PermanentLinks,
  ) {}

  /**
   * The one link of this artifact, made when there is none. One of somebody else is as good as none, whether a board shows it
   * or not. @throws NotFoundError `artifact_not_found`
   */
  async mint(owner: Principal, artifactId: string): Promise<PermanentLinkRecord> {
    if (!isUuid(artifactId)) throw artifactNotFound();
    return this.dataSource.transaction(async (tx) => {
      // It is neither renamed nor deleted meanwhile.
      await tx.query('SELECT FROM artifacts WHERE id = $1 FOR SHARE', [artifactId]);
      const { id, title } = await this.access.requireOwner(owner.userId, artifactId, tx).catch((error: unknown) => {
        throw error instanceof ForbiddenError ? artifactNotFound() : error;
      });
      return this.links.mintForArtifact(owner, { id, title }, tx);
    });
  }
}
