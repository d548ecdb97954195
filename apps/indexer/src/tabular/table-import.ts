import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FileStorage } from '@app/integrations';
import { Imports, StoredFiles, TABULAR_LIMITS, tabularDatabaseKey, type ClaimedImport } from '@app/tabular';
import { ClaimLostError, type Claim } from '@app/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { importInProcess } from './import-process.js';
import { IMPORT_SETTINGS, type ImportSettings } from './import-settings.js';

/** Longer than any import takes. */
const ABANDONED_AFTER_MS = 2 * 3_600_000;

/** From an uploaded table file to a database that answers questions. */
@Injectable()
export class TableImport {
  private readonly logger = new Logger(TableImport.name);

  constructor(
    @Inject(IMPORT_SETTINGS) private readonly settings: ImportSettings,
    private readonly storage: FileStorage,
    private readonly storedFiles: StoredFiles,
    private readonly imports: Imports,
  ) {}

  /**
   * The database is written under a key of this claim's own, which is adopted in the transaction that completes the
   * file: a lost claim leaves a file that a sweeper removes, and nothing else.
   * @throws ExtractionError, ClaimLostError, the signal's reason, or whatever broke
   */
  async run(claim: Claim<ClaimedImport>, signal: AbortSignal): Promise<void> {
    const { row: file, fence } = claim;
    const { entry, folder, limits } = this.settings;
    const workFolder = join(folder, `${file.uid}-${fence}`);
    const databasePath = join(workFolder, 'built.duckdb');
    await this.removeLeftBehind(file.uid);
    await mkdir(workFolder, { recursive: true });
    const upload = await this.storage.localPath(file.storageKey);
    try {
      const contents = await importInProcess(
        entry,
        {
          path: upload.path,
          filename: file.filename,
          kind: file.kind,
          sizeBytes: Number(file.sizeBytes),
          options: { headerRow: file.headerRow, delimiter: file.delimiter, encoding: file.encoding },
          workFolder,
          databasePath,
          maximum: TABULAR_LIMITS,
          duckdbBytes: limits.duckdbBytes,
        },
        limits,
        { signal, onProgress: (status) => this.report(claim, status) },
      );
      const databaseKey = tabularDatabaseKey(file.uid, fence);
      await this.storedFiles.announce(databaseKey);
      await this.storage.put(databaseKey, { path: databasePath }, { signal });
      await this.imports.complete(claim, databaseKey, contents);
    } finally {
      await upload.release();
      await rm(workFolder, { recursive: true, force: true });
    }
  }

  /** The work does not wait for it; that a claim is lost, its heartbeat sees as well. */
  private report(claim: Claim, status: string): void {
    this.imports.report(claim, status).catch((error: unknown) => {
      if (!(error instanceof ClaimLostError)) this.logger.warn(`A status could not be written: ${String(error)}`);
    });
  }

  /** Work folders of processes that were killed, and whose file nobody imported since. */
  async removeAbandoned(): Promise<void> {
    const names = await readdir(this.settings.folder).catch(() => []);
    for (const name of names) {
      const path = join(this.settings.folder, name);
      const found = await stat(path).catch(() => null);
      if (found && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
    }
  }

  /** What former claims on the file left: whoever still writes there has lost it. */
  private async removeLeftBehind(uid: string): Promise<void> {
    const names = await readdir(this.settings.folder).catch(() => []);
    for (const name of names)
      if (name.startsWith(uid)) await rm(join(this.settings.folder, name), { recursive: true, force: true });
  }
}
