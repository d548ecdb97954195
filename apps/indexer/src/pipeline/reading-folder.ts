import { mkdtempSync, rmSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

/**
 * The one folder that a reading process sees: while it reads a document, a link to it lies there, with links to the files
 * that were found within it, and nothing else ever does. Node follows links out of what may be read, and the process,
 * which may not write, can make none.
 */
export class ReadingFolder {
  private readonly folder = mkdtempSync(join(tmpdir(), 'atrium-reading-'));
  private brought = 0;

  /** As Node's permissions are told of it. */
  get pattern(): string {
    return join(this.folder, '*');
  }

  /** Lends a file for the time of `work`, which is told under what path. */
  async lend<T>(path: string, work: (path: string) => Promise<T>): Promise<T> {
    const shown = await this.show(path);
    try {
      return await work(shown.path);
    } finally {
      await shown.end();
    }
  }

  /** Lends a file until `end`. */
  async show(path: string): Promise<{ path: string; end: () => Promise<void> }> {
    const link = join(this.folder, `${++this.brought}-${basename(path)}`);
    await symlink(resolve(path), link);
    return { path: link, end: () => rm(link, { force: true }) };
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
