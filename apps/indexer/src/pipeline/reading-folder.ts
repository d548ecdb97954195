import { mkdtempSync, rmSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

/**
 * The one folder that a reading process sees: while it reads a document, a link to it lies there, with the files that were
 * found within it, and nothing else ever does. Node follows links out of what may be read, and the process, which may not write, can make none.
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
    const link = join(this.folder, `${++this.brought}-${basename(path)}`);
    await symlink(resolve(path), link);
    try {
      return await work(link);
    } finally {
      await rm(link, { force: true });
    }
  }

  /** Keeps a file there. @returns its path */
  async put(bytes: Uint8Array): Promise<string> {
    const path = join(this.folder, `${++this.brought}-attached`);
    await writeFile(path, bytes, { mode: 0o600 });
    return path;
  }

  remove(path: string): Promise<void> {
    return rm(path, { force: true });
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
