import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isUuid } from '@app/common';
import { Inject, Injectable } from '@nestjs/common';
import { UPLOAD_SETTINGS, type UploadSettings } from './upload-settings.js';

/** The bytes of resumable uploads, each in a file named by its id. How long the file is says how far the upload is. */
@Injectable()
export class ResumableFiles {
  private readonly folder: string;

  constructor(@Inject(UPLOAD_SETTINGS) settings: UploadSettings) {
    this.folder = settings.resumableFolder;
  }

  /** @param id a UUID of ours */
  pathOf(id: string): string {
    if (!isUuid(id)) throw new TypeError('Not the id of an upload.');
    return join(this.folder, id);
  }

  async create(id: string): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const file = await open(this.pathOf(id), 'wx');
    await file.close();
  }

  /** Bytes that are there; null when this machine has none of the upload. */
  async sizeOf(id: string): Promise<number | null> {
    const found = await stat(this.pathOf(id)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return found?.size ?? null;
  }

  /** Writes from `offset` on. When the stream breaks, what has arrived stays. @returns the offset after the last byte */
  async append(id: string, stream: Readable, offset: number): Promise<number> {
    const target = createWriteStream(this.pathOf(id), { flags: 'r+', start: offset, flush: true });
    await pipeline(stream, target);
    return offset + target.bytesWritten;
  }

  /** Lower-case hex. */
  async sha256(id: string): Promise<string> {
    const hash = createHash('sha256');
    await pipeline(createReadStream(this.pathOf(id)), hash);
    return hash.digest('hex');
  }

  async remove(id: string): Promise<void> {
    await rm(this.pathOf(id), { force: true });
  }

  /** Ids of the files that nobody has written to for so long. */
  async listUntouched(milliseconds: number): Promise<string[]> {
    const names = await readdir(this.folder).catch(() => []);
    const ids: string[] = [];
    for (const name of names.filter((each) => isUuid(each))) {
      const found = await stat(join(this.folder, name)).catch(() => null);
      if (found && Date.now() - found.mtimeMs > milliseconds) ids.push(name);
    }
    return ids;
  }
}
