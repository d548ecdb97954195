import {
  DocumentLifecycle,
  type DocumentRecord,
  DocumentReplacement,
  DocumentStore,
  FileScreening,
  type InspectedUpload,
  KnownItems,
  toDriveItemId,
} from '@app/documents';
import { Injectable } from '@nestjs/common';
import type { DownloadedItem } from './item-downloads.js';
import { type Arrival, ItemOutcomes } from './item-outcomes.js';
import type { ItemQuota } from './item-quota.js';
import { targetFolder } from './target-folder.js';

/** From a downloaded item to a document, a new content of one, or nothing where it is the same. */
@Injectable()
export class ItemStoring {
  constructor(
    private readonly screening: FileScreening,
    private readonly store: DocumentStore,
    private readonly replacement: DocumentReplacement,
    private readonly lifecycle: DocumentLifecycle,
    private readonly items: KnownItems,
    private readonly outcomes: ItemOutcomes,
  ) {}

  /**
   * @param document what the item became before, in the trash perhaps
   * @throws UploadRejectedError, StorageLimitExceededError, UnavailableError (nobody can scan it), ClaimLostError
   */
  async keep(
    arrival: Arrival,
    download: DownloadedItem,
    document: DocumentRecord | null,
    reserved: ItemQuota,
  ): Promise<void> {
    const { claim, filename, known } = arrival;
    const { path, size, sha256 } = download;
    const isSame = document?.sha256 === sha256 && document.filename === filename;
    if (document && isSame && known?.state === 'imported') return this.outcomes.unchanged(arrival, document);
    const inspected = await this.screening.screen({ path, filename, sizeBytes: size });
    if (!document) return this.add(arrival, download, inspected, reserved);
    if (document.deletedAt) await this.lifecycle.restore(claim.source.ownerId, document.uid);
    if (isSame) return this.outcomes.unchanged(arrival, document);
    await this.replace(arrival, document.uid, download, inspected, reserved);
  }

  private async add(
    arrival: Arrival,
    { path: sourcePath, size }: DownloadedItem,
    { kind, mimeType }: InspectedUpload,
    reserved: ItemQuota,
  ): Promise<void> {
    const { claim, filename, item, key } = arrival;
    const { id, ownerId, folder, ocr } = claim.source;
    await reserved.take(size);
    const document = {
      ownerId,
      folder: targetFolder(folder, item.path),
      filename,
      sourcePath,
      kind,
      mimeType,
      ocr,
      train: true,
      externalDriveItemId: toDriveItemId(id, key),
      queueClass: 'bulk' as const,
    };
    await this.store.add(document, async (row, tx) => {
      await reserved.settle(size, tx);
      await this.outcomes.imported(tx, arrival, 'added', row);
    });
  }

  private async replace(
    arrival: Arrival,
    uid: string,
    { path: sourcePath, size }: DownloadedItem,
    { kind, mimeType }: InspectedUpload,
    reserved: ItemQuota,
  ): Promise<void> {
    const { claim, filename, key } = arrival;
    await reserved.take(size);
    const replaced = await this.replacement.replace(uid, { filename, sourcePath, kind, mimeType }, async (row, tx) => {
      await reserved.settle(size, tx);
      await this.outcomes.imported(tx, arrival, 'updated', row);
    });
    // Its owner has deleted it a moment ago.
    if (!replaced) await this.items.markSeen(claim, [key]);
  }
}
