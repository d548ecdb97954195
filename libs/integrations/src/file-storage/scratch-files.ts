import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LocalFile } from './file-storage.port.js';
import { hasEnded, markIn, ownProcessMark } from './process-mark.js';

const SWEEP_EVERY_MS = 60_000;
/** Files that one sweep looks at. */
const MOST_LOOKED_AT = 10_000;
/** Longer than anybody works on one file: for what a process of another machine, or container, has left. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;
/** Network and other foreign file systems, and a file with too many links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EACCES']);
/** Of a link, whose own times are those of the file: when it was made. */
const MADE_AT = /^at(\d{13})-/;

/** Files that are half written, copies of files that lie elsewhere, and further names of files that may be deleted. */
export class ScratchFiles {
  private sweptAt = -Infinity;
  private mark: Promise<string> | null = null;

  constructor(private readonly folder: string) {}

  /** A path for a file that the caller writes, and moves away or removes; it goes once this process has ended. */
  async reserve(): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    await this.sweepNowAndThen();
    return join(this.folder, `${await this.ownMark()}${randomUUID()}`);
  }

  /** When the stream or the disk fails, nothing stays and that error is thrown. */
  async write(source: Readable): Promise<LocalFile> {
    const path = await this.reserve();
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
    await this.sweepNowAndThen();
    const path = join(this.folder, `at${Date.now()}-${await this.ownMark()}${randomUUID()}`);
    try {
      await link(file, path);
    } catch (error) {
      if (NO_LINKS.has(String((error as { code?: unknown }).code))) return null;
      throw error;
    }
    return { path, release: () => rm(path, { force: true }) };
  }

  /**
   * Removes what a process that was killed has left: at once where it was of this machine (and container), otherwise
   * after a day. Several processes may sweep at a time. @returns how many files went
   */
  async removeAbandoned(): Promise<number> {
    const ended = new Map<string, Promise<boolean>>();
    const isAbandoned = async (name: string): Promise<boolean> => {
      const mark = markIn(name);
      if (mark !== null) {
        if (!ended.has(mark)) ended.set(mark, hasEnded(mark));
        if (await ended.get(mark)) return true;
      }
      // Another process may be sweeping, or releasing.
      const found = await stat(join(this.folder, name)).catch(() => null);
      const madeAt = Number(MADE_AT.exec(name)?.[1] ?? found?.mtimeMs);
      return found !== null && Date.now() - madeAt > ABANDONED_AFTER_MS;
    };
    await mkdir(this.folder, { recursive: true });
    let looked = 0;
    let removed = 0;
    for await (const { name } of await opendir(this.folder)) {
      if ((looked += 1) > MOST_LOOKED_AT) break;
      if (!(await isAbandoned(name))) continue;
      await rm(join(this.folder, name), { force: true });
      removed += 1;
    }
    return removed;
  }

  private async sweepNowAndThen(): Promise<void> {
    const now = performance.now();
    if (now - this.sweptAt < SWEEP_EVERY_MS) return;
    this.sweptAt = now;
    await this.removeAbandoned();
  }

  private ownMark(): Promise<string> {
    this.mark ??= ownProcessMark().then((mark) => (mark === null ? '' : `_${mark}_`));
    return this.mark;
  }
}
