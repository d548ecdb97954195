import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LocalFile } from './file-storage.port.js';

const SWEEP_EVERY_MS = 3_600_000;
/** Longer than anybody works on one file. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;
/** Network and other foreign file systems, and a file with too many links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EACCES']);
/** Of a link, whose own times are those of the file: when it was made. */
const MADE_AT = /^at(\d{13})-/;

/** Copies on this machine of files that lie elsewhere, and further names of files that may be deleted meanwhile. */
export class ScratchFiles {
  private sweptAt = 0;

  constructor(private readonly folder: string) {}

  /** When the stream or the disk fails, nothing stays and that error is thrown. */
  async write(source: Readable): Promise<LocalFile> {
    await mkdir(this.folder, { recursive: true });
    await this.removeAbandoned();
    const path = join(this.folder, randomUUID());
    const release = () => rm(path, { force: true });
    try {
      await pipeline(source, createWriteStream(path, { flags: 'wx', mode: 0o640 }));
    } catch (error) {
      await release();
      throw error;
    }
    return { path, release };
  }

  /**
   * A name of its own for a file of the same file system: it stays there until it is released, whatever becomes of the
   * file. @returns null where the file system has no links. @throws ENOENT
   */
  async link(file: string): Promise<LocalFile | null> {
    await mkdir(this.folder, { recursive: true });
    await this.removeAbandoned();
    const path = join(this.folder, `at${Date.now()}-${randomUUID()}`);
    try {
      await link(file, path);
    } catch (error) {
      if (NO_LINKS.has(String((error as { code?: unknown }).code))) return null;
      throw error;
    }
    return { path, release: () => rm(path, { force: true }) };
  }

  /** What a process that was killed has left. */
  private async removeAbandoned(): Promise<void> {
    const now = Date.now();
    if (now - this.sweptAt < SWEEP_EVERY_MS) return;
    this.sweptAt = now;
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      // Another process may be sweeping, or releasing.
      const found = await stat(path).catch(() => null);
      const madeAt = Number(MADE_AT.exec(name)?.[1] ?? found?.mtimeMs);
      if (found && now - madeAt > ABANDONED_AFTER_MS) await rm(path, { force: true });
    }
  }
}
