import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { newId } from '@app/common';
import { UPLOAD_SETTINGS, type UploadSettings } from '@app/documents';
import { PeriodicTasks } from '@app/queues';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';

/** Longer than any upload takes. */
const ABANDONED_AFTER_MS = 3_600_000;
const SWEEP_SECONDS = 600;

export interface IncomingFile {
  path: string;
  /** Bytes that came, also those that were not written. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
}

export interface WriteOptions {
  /** Whatever comes after so many bytes is read and thrown away. */
  maxBytes?: number;
  /** Told of each piece; what it throws breaks the stream. */
  onBytes?: (bytes: number) => void;
}

/** Bytes on their way in, under names of our own. Nothing of them is kept unless the store copies it. */
@Injectable()
export class IncomingFiles implements OnApplicationBootstrap {
  constructor(
    @Inject(UPLOAD_SETTINGS) private readonly settings: UploadSettings,
    private readonly tasks: PeriodicTasks,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('abandoned uploads', SWEEP_SECONDS, () => this.removeAbandoned());
  }

  /** Writes the stream to a file. When the stream breaks, nothing stays and its error is thrown. */
  async write(source: Readable, { maxBytes = Infinity, onBytes }: WriteOptions = {}): Promise<IncomingFile> {
    await mkdir(this.settings.incomingFolder, { recursive: true });
    const path = join(this.settings.incomingFolder, newId());
    const hash = createHash('sha256');
    let size = 0;
    const measure = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const wanted = chunk.subarray(0, Math.max(0, maxBytes - size));
        size += chunk.length;
        hash.update(chunk);
        try {
          onBytes?.(chunk.length);
          done(null, wanted);
        } catch (error) {
          done(error as Error);
        }
      },
    });
    // Made before anything can fail: a stream that opens its file by itself may do so after the removal below.
    const file = await open(path, 'wx');
    try {
      await pipeline(source, measure, file.createWriteStream());
    } catch (error) {
      await file.close();
      await this.remove(path);
      throw error;
    }
    return { path, size, sha256: hash.digest('hex') };
  }

  async remove(path: string): Promise<void> {
    await rm(path, { force: true });
  }

  /** What a process that was killed in mid-upload has left. */
  async removeAbandoned(): Promise<void> {
    const names = await readdir(this.settings.incomingFolder).catch(() => []);
    for (const name of names) {
      const path = join(this.settings.incomingFolder, name);
      const found = await stat(path).catch(() => null);
      if (found && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) await this.remove(path);
    }
  }
}
