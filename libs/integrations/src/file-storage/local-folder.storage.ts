import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, access, constants, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FileMissingError, parseFileKey } from './file-key.js';
import { FileStorage, type ByteRange, type LocalFile, type OpenedFile, type StoredFile } from './file-storage.port.js';
import { ScratchFiles } from './scratch-files.js';

/** Half-written files; no key can reach it, since segments do not begin with a dot. */
const TEMPORARY = '.incoming';
/** Further names of files that somebody works on. */
const OPENED = '.opened';

/** By its code alone: in tests the errors of Node's own modules are of another realm's `Error`. */
const isMissing = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';

/** Keeps files in a folder that all processes of the deployment see: one machine, or a shared mount. */
export class LocalFolderStorage extends FileStorage {
  private readonly folder: string;
  private readonly incoming: ScratchFiles;
  private readonly opened: ScratchFiles;

  constructor(folder: string) {
    super();
    this.folder = resolve(folder);
    this.incoming = new ScratchFiles(join(this.folder, TEMPORARY));
    this.opened = new ScratchFiles(join(this.folder, OPENED));
  }

  async put(
    key: string,
    source: Readable | { path: string },
    options: { signal?: AbortSignal } = {},
  ): Promise<StoredFile> {
    const target = this.pathOf(key);
    const stream = source instanceof Readable ? source : createReadStream(source.path);
    // It may fail before anything reads it, and an error without a listener ends the process; `pipeline` reports it.
    stream.on('error', () => undefined);
    const temporary = await this.incoming.reserve();
    try {
      const stored = await write(temporary, stream, options.signal);
      await mkdir(dirname(target), { recursive: true });
      await rename(temporary, target);
      await syncFolder(dirname(target));
      return stored;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async open(key: string, range?: ByteRange): Promise<OpenedFile> {
    const handle = await this.handleOf(key);
    const { size } = await handle.stat();
    if (range?.end !== undefined && range.end < range.start) {
      await handle.close();
      return { stream: Readable.from([]), sizeBytes: size };
    }
    return { stream: handle.createReadStream({ ...range }), sizeBytes: size };
  }

  async stat(key: string): Promise<{ sizeBytes: number; modifiedAt: Date } | null> {
    try {
      const found = await stat(this.pathOf(key));
      return found.isFile() ? { sizeBytes: found.size, modifiedAt: found.mtime } : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async localPath(key: string): Promise<LocalFile> {
    if ((await this.stat(key)) === null) throw new FileMissingError(key);
    const path = this.pathOf(key);
    try {
      return (await this.opened.link(path)) ?? { path, release: () => Promise.resolve() };
    } catch (error) {
      throw isMissing(error) ? new FileMissingError(key) : error;
    }
  }

  async delete(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  async removeAbandoned(): Promise<number> {
    return (await this.incoming.removeAbandoned()) + (await this.opened.removeAbandoned());
  }

  async health(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await access(this.folder, constants.W_OK);
  }

  private pathOf(key: string): string {
    return join(this.folder, ...parseFileKey(key));
  }

  private async handleOf(key: string): Promise<FileHandle> {
    try {
      return await open(this.pathOf(key), 'r');
    } catch (error) {
      throw isMissing(error) ? new FileMissingError(key) : error;
    }
  }
}

async function write(path: string, source: Readable, signal: AbortSignal | undefined): Promise<StoredFile> {
  const handle = await open(path, 'wx', 0o640);
  try {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    await pipeline(
      source,
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          hash.update(chunk);
          sizeBytes += chunk.length;
          await handle.writeFile(chunk);
        }
      },
      { signal },
    );
    await handle.sync();
    return { sizeBytes, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

/** Without this the rename itself may be lost with the power. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
