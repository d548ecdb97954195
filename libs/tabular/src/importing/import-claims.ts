import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { StoredFiles } from '../files/stored-files.port.js';
import {
  COMPLETED_WITH_WARNINGS,
  TABULAR_STATUS_TEXTS,
  tabularFileColumns,
  type TabularFileRecord,
} from '../files/tabular-file-columns.js';
import type { TabularContents } from '../files/tabular-table.js';
import { ImportClaim, ImportClaimLostError } from './import-claim.js';
import { findNextImport } from './fair-imports.js';
import { ImportRequests } from './import-requests.js';

/** Tries of one request for an import, the first included; then the file is `failed`. */
export const MAX_IMPORT_TRIES = 3;
/** Seconds before a failed try is repeated, times the tries so far. */
const RETRY_DELAY_SECONDS = 2;
/** Shorter than a lease, after which the sweeper rings for what waits. */
const OUTAGE_DELAY_SECONDS = 10;
/** Others may be faster so often in a row; the sweeper rings again for what then waits. */
const MAX_RACES = 50;

/** Who imports which file (docs/contract/reliability.md#jobs). For workers: nothing here asks who is looking. */
@Injectable()
export class ImportClaims {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storedFiles: StoredFiles,
    private readonly requests: ImportRequests,
  ) {}

  /**
   * Takes the file whose turn it is: a bell says that there is work, not which. Null when none waits.
   * @param rung the file whose bell was heard: its state may not have been written down yet
   */
  async claimNext(worker: string, leaseSeconds: number, rung: string): Promise<ImportClaim | null> {
    const claim = await this.takeNext(worker, leaseSeconds);
    if (claim) return claim;
    await this.requests.accepted([rung]);
    return this.takeNext(worker, leaseSeconds);
  }

  private async takeNext(worker: string, leaseSeconds: number): Promise<ImportClaim | null> {
    const lost: string[] = [];
    while (lost.length < MAX_RACES) {
      const uid = await findNextImport(this.dataSource, lost);
      if (uid === null) return null;
      const claim = await this.claim(uid, worker, leaseSeconds);
      if (claim) return claim;
      lost.push(uid);
    }
    return null;
  }

  /** Takes a waiting file, or null when nobody wants it imported any more, or somebody else has it. */
  async claim(uid: string, worker: string, leaseSeconds: number): Promise<ImportClaim | null> {
    // The bell can be faster than the note that it was rung, hence both states.
    const [[row]] = await this.dataSource.query<[TabularFileRecord[], number]>(
      `UPDATE tabular_files f SET processing_state = 'processing', status = $4, last_error = '', fence = f.fence + 1,
         leased_by = $2, lease_expires_at = now() + $3 * interval '1 second', started_at = now(), not_before = NULL,
         updated_at = now()
       WHERE f.uid = $1 AND f.processing_state IN ('pending_publish', 'queued') RETURNING ${tabularFileColumns('f')}`,
      [uid, worker, leaseSeconds, TABULAR_STATUS_TEXTS.processing],
    );
    return row ? new ImportClaim(this.dataSource, row, leaseSeconds) : null;
  }

  /**
   * Ends the work: from this commit on the database under `databaseKey`, which was announced before it was written,
   * answers questions. The former one goes.
   * @throws ImportClaimLostError, and then nothing was written
   */
  async complete(
    claim: ImportClaim,
    databaseKey: string,
    { tables, sheets, warnings = [] }: TabularContents,
  ): Promise<void> {
    const { uid } = claim.file;
    const former = await this.dataSource.transaction(async (tx) => {
      const [[row]] = await tx.query<[{ former: string | null }[], number]>(
        `UPDATE tabular_files f SET processing_state = 'completed', status = $3, last_error = '', tables = $4, sheets = $5,
           database_key = $6, warnings = $7, leased_by = NULL, lease_expires_at = NULL, updated_at = now()
         FROM (SELECT uid, database_key FROM tabular_files WHERE uid = $1 FOR UPDATE) old
         WHERE f.uid = old.uid AND f.fence = $2 AND f.processing_state = 'processing'
         RETURNING old.database_key AS former`,
        [
          uid,
          claim.fence,
          warnings.length > 0 ? COMPLETED_WITH_WARNINGS : TABULAR_STATUS_TEXTS.completed,
          JSON.stringify(tables),
          JSON.stringify(sheets),
          databaseKey,
          JSON.stringify(warnings),
        ],
      );
      if (!row) throw new ImportClaimLostError(uid);
      if (!(await this.storedFiles.adopt(databaseKey, tx))) throw new ImportClaimLostError(uid);
      const keys = row.former === null ? [] : [row.former];
      await this.storedFiles.release(keys, tx);
      return keys;
    });
    await this.storedFiles.remove(former);
  }

  /** The file cannot be imported: no further try would change that. `reason` is for its owner. */
  async fail(claim: ImportClaim, reason: string): Promise<boolean> {
    return this.end(claim.file, 'failed', reason, claim.file.failedTries + 1);
  }

  /**
   * Ends a try that went wrong, by its own worker or by the sweeper that misses the worker. Needs only the fence, so
   * that of several who notice one acts.
   */
  async endTry(file: TabularFileRecord, reason: string): Promise<'queued' | 'failed' | 'lost'> {
    const tries = file.failedTries + 1;
    if (tries >= MAX_IMPORT_TRIES) {
      const ended = await this.end(file, 'failed', `${reason} The import was tried ${tries} times.`, tries);
      return ended ? 'failed' : 'lost';
    }
    return (await this.requeue(file, reason, tries, tries * RETRY_DELAY_SECONDS)) ? 'queued' : 'lost';
  }

  /** A worker that stops gives its file to the next one; no try is spent. */
  async handBack({ file }: ImportClaim): Promise<boolean> {
    return this.requeue(file, '', file.failedTries, 0);
  }

  /** What every file needs is down: this one waits, however long that lasts, and no try is spent. */
  async putOff({ file }: ImportClaim, reason: string): Promise<boolean> {
    return this.requeue(file, reason, file.failedTries, OUTAGE_DELAY_SECONDS);
  }

  private async end(file: TabularFileRecord, state: 'failed', reason: string, tries: number): Promise<boolean> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE tabular_files SET processing_state = $3, status = $4, last_error = $5, failed_tries = $6,
         leased_by = NULL, lease_expires_at = NULL, updated_at = now()
       WHERE uid = $1 AND fence = $2 AND processing_state = 'processing'`,
      [file.uid, file.fence, state, TABULAR_STATUS_TEXTS[state], reason, tries],
    );
    return count === 1;
  }

  private async requeue(file: TabularFileRecord, reason: string, tries: number, delay: number): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      const [[row]] = await tx.query<[{ attempt: number }[], number]>(
        `UPDATE tabular_files SET processing_state = 'queued', status = $3, last_error = $4, failed_tries = $5,
           not_before = now() + $6 * interval '1 second', attempt = attempt + 1, rung_at = now(), leased_by = NULL, lease_expires_at = NULL, updated_at = now()
         WHERE uid = $1 AND fence = $2 AND processing_state = 'processing' RETURNING attempt`,
        [file.uid, file.fence, TABULAR_STATUS_TEXTS.queued, reason, tries, delay],
      );
      // The relay delivers it, at the latest a few seconds after its time.
      if (row) await this.requests.enqueue({ uid: file.uid, attempt: row.attempt }, tx, delay);
      return row !== undefined;
    });
  }
}
