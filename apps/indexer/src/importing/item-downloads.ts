import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { newId } from '@app/common';
import { SourceError } from '@app/integrations';
import { Inject, Injectable } from '@nestjs/common';
import { IMPORTING_SETTINGS, type ImportingSettings } from './importing-settings.js';

/** Longer than any download takes. */
const ABANDONED_AFTER_MS = 3_600_000;

export interface DownloadedItem {
  path: string;
  size: number;
  /** Lower-case hex. */
  sha256: string;
  /** Removes the file; call it in any case. */
  discard(): Promise<void>;
}

/** Contents on their way in, under names of our own. */
@Injectable()
export class ItemDownloads {
  constructor(@Inject(IMPORTING_SETTINGS) private readonly settings: ImportingSettings) {}

  /** @throws SourceError (`refused`) for more bytes than are taken, the stream's error, or the signal's reason */
  async write(source: Readable, signal: AbortSignal): Promise<DownloadedItem> {
    const { downloadFolder, maxFileBytes } = this.settings;
    await mkdir(downloadFolder, { recursive: true });
    const path = join(downloadFolder, newId());
    const discard = () => rm(path, { force: true });
    const hash = createHash('sha256');
    let size = 0;
    const file = await open(path, 'wx', 0o640);
    try {
      await pipeline(
        source,
        async function* (chunks: AsyncIterable<Buffer | string>) {
          for await (const piece of chunks) {
            const chunk = typeof piece === 'string' ? Buffer.from(piece) : piece;
            size += chunk.length;
            if (size > maxFileBytes) throw new SourceError('refused', tooLargeReason(maxFileBytes));
            hash.update(chunk);
            yield chunk;
          }
        },
        file.createWriteStream(),
        { signal },
      );
    } catch (error) {
      await file.close();
      await discard();
      throw signal.aborted ? signal.reason : error;
    }
    return { path, size, sha256: hash.digest('hex'), discard };
  }

  /** What a process that was killed in mid-download has left. */
  async removeAbandoned(): Promise<void> {
    const { downloadFolder } = this.settings;
    for (const name of await readdir(downloadFolder).catch(() => [])) {
      const path = join(downloadFolder, name);
      const found = await stat(path).catch(() => null);
      if (found && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
    }
  }
}

export function tooLargeReason(maxBytes: number): string {
  const megabytes = Math.floor(maxBytes / 1024 / 1024);
  return `The file is too large: at most ${megabytes > 0 ? `${megabytes} MB` : `${maxBytes} bytes`} are accepted.`;
}
