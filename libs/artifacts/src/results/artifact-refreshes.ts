import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ArtifactAccess } from '../artifacts/artifact-access.js';

/** Retires what queries gave, so that the next render reads anew (docs/contract/artifacts.md#results). */
@Injectable()
export class ArtifactRefreshes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: ArtifactAccess,
  ) {}

  /**
   * What is retired stays for strangers with a permanent link until the next render replaces it; what is being made at the moment
   * counts as of before.
   * @returns how many results are not given to viewers any more
   * @throws NotFoundError, ForbiddenError
   */
  async refresh(userId: number, artifactId: string): Promise<number> {
    return this.dataSource.transaction(async (tx) => {
      const { id } = await this.access.lockOwn(userId, artifactId, tx);
      await tx.query('UPDATE artifacts SET refreshes = refreshes + 1 WHERE id = $1', [id]);
      const [, retired] = await tx.query<[unknown, number]>(
        `UPDATE artifact_results SET state_key = NULL, failed_key = NULL WHERE artifact_id = $1 AND state_key IS NOT NULL`,
        [id],
      );
      return retired;
    });
  }
}
