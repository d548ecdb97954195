import {
  type DocumentRecord,
  extensionOf,
  findKindByFilename,
  type KnownItem,
  KnownItems,
  sanitizeFilename,
  type SourceClaim,
  UploadRejectedError,
} from '@app/documents';
import { StorageLimitExceededError, StorageQuota } from '@app/entitlements';
import { type SourceConnector, SourceError, type SourceItem } from '@app/integrations';
import { Inject, Injectable } from '@nestjs/common';
import { IMPORTING_SETTINGS, type ImportingSettings } from './importing-settings.js';
import { type DownloadedItem, ItemDownloads, tooLargeReason } from './item-downloads.js';
import { type Arrival, ItemOutcomes } from './item-outcomes.js';
import { ItemQuota } from './item-quota.js';
import { ItemStoring } from './item-storing.js';

/** Brings one new or changed item into the store. */
@Injectable()
export class ItemImport {
  constructor(
    @Inject(IMPORTING_SETTINGS) private readonly settings: ImportingSettings,
    private readonly downloads: ItemDownloads,
    private readonly items: KnownItems,
    private readonly quota: StorageQuota,
    private readonly storing: ItemStoring,
    private readonly outcomes: ItemOutcomes,
  ) {}

  /**
   * Whatever the item itself is at fault for is written down as its reason; the rest is thrown.
   * @throws SourceError, ClaimLostError, UnavailableError (nobody can scan it), the signal's reason
   */
  async run(
    claim: SourceClaim,
    connector: SourceConnector,
    item: SourceItem,
    { key, known }: { key: string; known: KnownItem | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const arrival = { claim, item, key, known, filename: sanitizeFilename(item.name) };
    const refusal = this.refuseUnread(arrival);
    if (refusal !== null) return this.outcomes.failed(arrival, refusal, false);
    const document = await this.items.findDocument(known?.documentUid ?? null);
    if (wasDeletedHere(known, document)) return this.items.markSeen(claim, [key]);
    try {
      await this.fetchAndKeep(arrival, connector, document, signal);
    } catch (error) {
      signal.throwIfAborted();
      // Gone since it was listed: an item that is known stays unseen, and is found gone at the end.
      if (error instanceof SourceError && error.failure === 'not_found' && known) return;
      const reason = reasonOf(error) ?? (await this.reasonOfClosedItem(error, connector, signal));
      if (reason === null) throw error;
      await this.outcomes.failed(arrival, reason, error instanceof StorageLimitExceededError);
    }
  }

  private async fetchAndKeep(
    arrival: Arrival,
    connector: SourceConnector,
    document: DocumentRecord | null,
    signal: AbortSignal,
  ): Promise<void> {
    const { claim, item } = arrival;
    const reserved = new ItemQuota(this.quota, claim.source.ownerId);
    let download: DownloadedItem | null = null;
    try {
      await reserved.take(item.size ?? 0);
      download = await this.downloads.write(await connector.open(item, signal), signal);
      await this.storing.keep(arrival, download, document, reserved);
    } finally {
      await download?.discard();
      await reserved.release();
    }
  }

  /** One item may be closed to us although the source is not. */
  private async reasonOfClosedItem(
    error: unknown,
    connector: SourceConnector,
    signal: AbortSignal,
  ): Promise<string | null> {
    if (!(error instanceof SourceError) || error.failure !== 'auth') return null;
    await connector.test(signal);
    return error.message;
  }

  private refuseUnread({ item, filename }: Arrival): string | null {
    const { maxFileBytes } = this.settings;
    if (item.size !== null && item.size > maxFileBytes) return tooLargeReason(maxFileBytes);
    if (findKindByFilename(filename)) return null;
    const extension = extensionOf(filename);
    if (extension === '') return 'Files without an extension are not supported.';
    return `Files of type ".${extension}" are not supported.`;
  }
}

/** Who trashed or purged an imported document does not want it back with the next change. */
function wasDeletedHere(known: KnownItem | undefined, document: DocumentRecord | null): boolean {
  if (!known || known.state === 'vanished') return false;
  return document === null ? known.state === 'imported' : document.deletedAt !== null;
}

function reasonOf(error: unknown): string | null {
  if (error instanceof UploadRejectedError) return error.reasons.join(' ');
  if (error instanceof StorageLimitExceededError) return error.message;
  if (error instanceof SourceError && ['refused', 'not_found'].includes(error.failure)) return error.message;
  return null;
}
