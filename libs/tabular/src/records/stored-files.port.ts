import type { EntityManager } from 'typeorm';

/**
 * Files without a row, so that a crash leaves none behind for good: `LooseFiles` of `@app/documents`, which stands
 * beside this lib and is handed in by the app (`TabularModule.forRoot`).
 */
export abstract class StoredFiles {
  /** Before a file is written: if no row follows, a sweeper removes it after an hour. */
  abstract announce(storageKey: string): Promise<void>;
  /** In the transaction that makes the row which owns the file. False: the sweeper has it, so do not commit. */
  abstract adopt(storageKey: string, tx: EntityManager): Promise<boolean>;
  /** In the transaction that deletes the rows. */
  abstract release(storageKeys: string[], tx: EntityManager): Promise<void>;
  /** Removes released files at once; what fails stays for the sweeper. */
  abstract remove(storageKeys: string[]): Promise<number>;
}
