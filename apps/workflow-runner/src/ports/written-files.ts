import { Readable } from 'node:stream';
import { lockAccount } from '@app/access';
import { newId, PayloadTooLargeError } from '@app/common';
import { sanitizeFilename } from '@app/documents';
import { type LooseFiles } from '@app/entitlements';
import type { StorageQuota, StorageReservation } from '@app/entitlements';
import type { FileStorage, StoredFile as StoredBytes } from '@app/integrations';
import type { NewFile, StoredFile, Viewer } from '@app/workflow-definition';
import { writeFileRow } from '@app/workflows';
import type { DataSource, EntityManager } from 'typeorm';
import { asToolError } from './as-tool-error.js';
import { writtenMediaPath } from './written-media-path.js';

/** Kept free for content whose length nobody knows beforehand. */
const UNKNOWN_BYTES = 100 * 1024 * 1024;
const MAX_FOLDERS = 10;
/** Files that workflows write for their owner. They count towards the owner's storage. */
export class WrittenFiles {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly looseFiles: LooseFiles,
    private readonly quota: StorageQuota,
  ) {}

  /** @throws ToolError `storage_limit_exceeded`, `file_too_large` */
  write(viewer: Viewer, file: NewFile, signal: AbortSignal): Promise<StoredFile> {
    return asToolError(this.reserveAndWrite(viewer, file, signal));
  }

  private async reserveAndWrite(viewer: Viewer, file: NewFile, signal: AbortSignal): Promise<StoredFile> {
    const { content } = file;
    const atMost = file.atMostBytes ?? (content instanceof Uint8Array ? content.length : UNKNOWN_BYTES);
    const reservation = await this.quota.reserve(viewer.userId, atMost);
    const key = `written/${newId()}`;
    try {
      await this.looseFiles.announce(key);
      const source = content instanceof Uint8Array ? Readable.from([content]) : Readable.from(capped(content, atMost));
      const stored = await this.storage.put(key, source, { signal });
      const { row, replaced } = await this.dataSource.transaction((tx) =>
        this.writeRow(viewer, file, { key, stored, reservation }, tx),
      );
      await this.looseFiles.remove(replaced);
      const name = row.path.split('/').at(-1)!;
      return {
        mediaPath: writtenMediaPath(row.id, name),
        path: row.path,
        name,
        mimeType: file.mimeType,
        sizeBytes: stored.sizeBytes,
      };
    } finally {
      await reservation.release();
    }
  }

  private async writeRow(
    { userId }: Viewer,
    file: NewFile,
    { key, stored, reservation }: { key: string; stored: StoredBytes; reservation: StorageReservation },
    tx: EntityManager,
  ): Promise<{ row: { path: string; id: string }; replaced: string[] }> {
    // Writers of one owner take turns, so that names are given out one after the other.
    await lockAccount(tx, userId);
    await reservation.settle(stored.sizeBytes, tx);
    if (!(await this.looseFiles.adopt(key, tx))) throw new Error('The file was swept before its row was written.');
    const { row, replacedKey } = await writeFileRow(tx, userId, file, toRelativePath(file.name), { key, ...stored });
    const replaced = replacedKey === null ? [] : [replacedKey];
    if (replacedKey !== null) await this.looseFiles.release(replaced, tx);
    return { row, replaced };
  }
}

/** Every segment a safe file name; nothing leads upwards. */
function toRelativePath(name: string): string {
  const segments = name.split(/[/\\]/).filter((segment) => !['', '.', '..'].includes(segment.trim()));
  const folders = segments.slice(0, -1).slice(0, MAX_FOLDERS);
  return [...folders, segments.at(-1) ?? 'file'].map((segment) => sanitizeFilename(segment)).join('/');
}

async function* capped(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new PayloadTooLargeError(`The file is larger than ${maxBytes} bytes.`, { code: 'file_too_large' });
    yield chunk;
  }
}
