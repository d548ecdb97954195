import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LocalFile } from './file-storage.port.js';

const SWEEP_EVERY_MS = 3_600_000;
/** Longer than anybody works on one file. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

/** Copies on this machine of files that lie elsewhere. */
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

  /** What a process that was killed has left. */
  private async removeAbandoned(): Promise<void> {
    const now = Date.now();
    if (now - this.sweptAt < SWEEP_EVERY_MS) return;
    this.sweptAt = now;
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      // Another process may be sweeping, or releasing.
      const found = await stat(path).catch(() => null);
      if (found && now - found.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
    }
  }
}
