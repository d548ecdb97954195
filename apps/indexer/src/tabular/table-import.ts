import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FileStorage } from '@app/integrations';
import { ImportClaims, StoredFiles, TABULAR_LIMITS, tabularDatabaseKey, type ImportClaim } from '@app/tabular';
import { Inject, Injectable } from '@nestjs/common';
import { importInProcess } from './import-process.js';
import { IMPORT_SETTINGS, type ImportSettings } from './import-settings.js';
import type { LeaseKeeper } from './lease-keeper.js';

/** Longer than any import takes. */
const ABANDONED_AFTER_MS = 2 * 3_600_000;

/** From an uploaded table file to a database that answers questions. */
@Injectable()
export class TableImport {
  constructor(
    @Inject(IMPORT_SETTINGS) private readonly settings: ImportSettings,
    private readonly storage: FileStorage,
    private readonly storedFiles: StoredFiles,
    private readonly claims: ImportClaims,
  ) {}

  /**
   * The database is written under a key of this claim's own, which is adopted in the transaction that completes the
   * file: a lost claim leaves a file that a sweeper removes, and nothing else.
   * @throws ExtractionError, ImportClaimLostError, the reason of the keeper's signal, or whatever broke
   */
  async run(claim: ImportClaim, keeper: LeaseKeeper): Promise<void> {
    const { file, fence } = claim;
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
        { signal: keeper.signal, onProgress: (status) => keeper.report(status) },
      );
      const databaseKey = tabularDatabaseKey(file.uid, fence);
      await this.storedFiles.announce(databaseKey);
      await this.storage.put(databaseKey, { path: databasePath }, { signal: keeper.signal });
      await this.claims.complete(claim, databaseKey, contents);
    } finally {
      await upload.release();
      await rm(workFolder, { recursive: true, force: true });
    }
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
