import { ClaimLostError, WorkClaims, type Claim } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { StoredFiles } from '../records/stored-files.port.js';
import { COMPLETED_WITH_WARNINGS, TABULAR_STATUS_TEXTS } from '../records/tabular-file-columns.js';
import type { TabularContents } from '../records/tabular-table.js';
import type { ClaimedImport } from './import-work.js';

/** What an import writes. For workers: nothing here asks who is looking. */
@Injectable()
export class Imports {
  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
    private readonly storedFiles: StoredFiles,
  ) {}

  /** Tells people what is being done. @param status a sentence. @throws ClaimLostError */
  async report(claim: Claim, status: string): Promise<void> {
    await this.claims.hold(claim, undefined, { set: (param) => `status = ${param(status)}, updated_at = now()` });
  }

  /**
   * Ends the work: from this commit on the database under `databaseKey`, which was announced before it was written,
   * answers questions. The former one goes.
   * @throws ClaimLostError, and then nothing was written, and the database is gone
   */
  async complete(claim: Claim<ClaimedImport>, databaseKey: string, contents: TabularContents): Promise<void> {
    try {
      await this.storedFiles.remove(await this.adopt(claim, databaseKey, contents));
    } catch (error) {
      // It is what somebody deleted; after any other error it may have been kept, and a sweeper finds out.
      if (error instanceof ClaimLostError) await this.removeUnkept(databaseKey);
      throw error;
    }
  }

  private async removeUnkept(databaseKey: string): Promise<void> {
    const isKept = await this.dataSource.transaction(async (tx) => {
      const kept = await tx.query<unknown[]>('SELECT 1 FROM tabular_files WHERE database_key = $1', [databaseKey]);
      if (kept.length === 0) await this.storedFiles.release([databaseKey], tx);
      return kept.length > 0;
    });
    if (!isKept) await this.storedFiles.remove([databaseKey]);
  }

  /** @returns the keys of the former database, released */
  private async adopt(
    claim: Claim<ClaimedImport>,
    databaseKey: string,
    { tables, sheets, warnings = [] }: TabularContents,
  ): Promise<string[]> {
    const status = warnings.length > 0 ? COMPLETED_WITH_WARNINGS : TABULAR_STATUS_TEXTS.completed;
    return this.dataSource.transaction(async (tx) => {
      const [row] = await tx.query<{ key: string | null }[]>(
        'SELECT database_key AS key FROM tabular_files WHERE uid = $1 FOR NO KEY UPDATE',
        [claim.row.uid],
      );
      await this.claims.finish(
        claim,
        {
          set: (param) => `processing_state = 'completed', status = ${param(status)}, updated_at = now(),
            database_key = ${param(databaseKey)}, tables = ${param(JSON.stringify(tables))},
            sheets = ${param(JSON.stringify(sheets))}, warnings = ${param(JSON.stringify(warnings))}`,
        },
        tx,
      );
      if (!(await this.storedFiles.adopt(databaseKey, tx))) throw new ClaimLostError(claim);
      const keys = row?.key ? [row.key] : [];
      await this.storedFiles.release(keys, tx);
      return keys;
    });
  }
}
