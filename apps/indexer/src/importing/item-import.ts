import { UnavailableError } from '@app/common';
import {
  DocumentLifecycle,
  DocumentReplacement,
  DocumentStore,
  extensionOf,
  FileScreening,
  findKindByFilename,
  sanitizeFilename,
  toDriveItemId,
  UploadRejectedError,
  type DocumentRecord,
  type InspectedUpload,
} from '@app/documents';
import { SourceConnectors, SourceError, type SourceConnector, type SourceItem } from '@app/integrations';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { IMPORTING_SETTINGS, type ImportingSettings } from './importing-settings.js';
import { ItemDownloads, tooLargeReason, type DownloadedItem } from './item-downloads.js';
import { KnownItems, type ItemResult, type KnownItem } from './known-items.js';
import type { Outcome, SourceClaim } from './source-claim.js';
import { targetFolder } from './target-folder.js';

/** One item on its way. */
interface Arrival {
  claim: SourceClaim;
  item: SourceItem;
  key: string;
  known: KnownItem | undefined;
  filename: string;
}

/** Brings one new or changed item into the store. */
@Injectable()
export class ItemImport {
  constructor(
    @Inject(IMPORTING_SETTINGS) private readonly settings: ImportingSettings,
    private readonly dataSource: DataSource,
    private readonly connectors: SourceConnectors,
    private readonly downloads: ItemDownloads,
    private readonly items: KnownItems,
    private readonly screening: FileScreening,
    private readonly store: DocumentStore,
    private readonly replacement: DocumentReplacement,
    private readonly lifecycle: DocumentLifecycle,
  ) {}

  /**
   * Whatever the item itself is at fault for is written down as its reason; the rest is thrown.
   * @throws SourceError, SourceClaimLostError, UnavailableError (nobody can scan it), the signal's reason
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
    if (refusal !== null) return this.fail(arrival, refusal);
    const document = await this.items.findDocument(known?.documentUid ?? null);
    if (wasDeletedHere(known, document)) return this.items.markSeen(claim, [key]);
    let download: DownloadedItem | null = null;
    try {
      download = await this.downloads.write(await connector.open(item, signal), signal);
      await this.keep(arrival, download, document);
    } catch (error) {
      signal.throwIfAborted();
      // Gone since it was listed: an item that is known stays unseen, and is found gone at the end.
      if (error instanceof SourceError && error.failure === 'not_found' && known) return;
      const reason = reasonOf(error) ?? (await this.reasonOfClosedItem(error, connector, signal));
      if (reason === null) throw error;
      await this.fail(arrival, reason);
    } finally {
      await download?.discard();
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

  private async keep(arrival: Arrival, download: DownloadedItem, document: DocumentRecord | null): Promise<void> {
    const { claim, filename, known } = arrival;
    const { path: sourcePath, size, sha256 } = download;
    const isSame = document?.sha256 === sha256 && document.filename === filename;
    if (document && isSame && known?.state === 'imported') return this.note(arrival, document, sha256);
    const { kind, mimeType } = await this.screening.screen({ path: sourcePath, filename, sizeBytes: size });
    if (!document) return this.add(arrival, download, { kind, mimeType });
    if (document.deletedAt) await this.lifecycle.restore(claim.source.ownerId, document.uid);
    if (isSame) return this.note(arrival, document, sha256);
    await this.replacement.replace(document.uid, { filename, sourcePath, kind, mimeType }, (replaced, tx) =>
      this.settle(tx, arrival, 'updated', imported(arrival, replaced)),
    );
  }

  private async add(arrival: Arrival, { path: sourcePath }: DownloadedItem, inspected: InspectedUpload): Promise<void> {
    const { claim, filename, item, key } = arrival;
    const { id, ownerId, folder, ocr } = claim.source;
    await this.store.add(
      {
        ownerId,
        filename,
        sourcePath,
        ocr,
        train: true,
        ...inspected,
        folder: targetFolder(folder, item.path),
        externalDriveItemId: toDriveItemId(id, key),
      },
      (document, tx) => this.settle(tx, arrival, 'added', imported(arrival, document)),
    );
  }

  /** The same content as before, under another mark. */
  private async note(arrival: Arrival, document: DocumentRecord, sha256: string): Promise<void> {
    const { claim, item, key } = arrival;
    await this.dataSource.transaction(async (tx) => {
      await claim.hold(tx);
      await this.items.write(tx, claim, key, item, { ...imported(arrival, document), sha256 });
    });
  }

  private async fail(arrival: Arrival, reason: string): Promise<void> {
    const { item, known } = arrival;
    // The document of an earlier, readable content stays.
    const { sha256 = null, documentUid = null } = known ?? {};
    const result: ItemResult = { etag: item.etag, sha256, documentUid, state: 'failed', reason };
    await this.dataSource.transaction((tx) => this.settle(tx, arrival, 'failed', result));
  }

  /** With what the item became: its row, its place in the batch, and the count on the source, under the claim's fence. */
  private async settle(tx: EntityManager, arrival: Arrival, outcome: Outcome, result: ItemResult): Promise<void> {
    const { claim, item, key, filename } = arrival;
    await claim.count(tx, outcome);
    await this.items.write(tx, claim, key, item, result);
    const documentUid = result.state === 'imported' ? result.documentUid : null;
    const batchType = this.connectors.batchTypeOf(claim.source.type);
    await claim.addToBatch(tx, batchType, { filename, documentUid, refusal: result.reason });
  }

  private refuseUnread({ item, filename }: Arrival): string | null {
    const { maxFileBytes } = this.settings;
    if (item.size !== null && item.size > maxFileBytes) return tooLargeReason(maxFileBytes);
    if (findKindByFilename(filename)) return null;
    const extension = extensionOf(filename);
    return extension === ''
      ? 'Files without an extension are not supported.'
      : `Files of type ".${extension}" are not supported.`;
  }
}

/** Who trashed or purged an imported document does not want it back with the next change. */
function wasDeletedHere(known: KnownItem | undefined, document: DocumentRecord | null): boolean {
  if (!known || known.state === 'vanished') return false;
  return document === null ? known.state === 'imported' : document.deletedAt !== null;
}

function imported({ item }: Arrival, { uid, sha256 }: DocumentRecord): ItemResult {
  return { etag: item.etag, sha256, documentUid: uid, state: 'imported', reason: '' };
}

function reasonOf(error: unknown): string | null {
  if (error instanceof UploadRejectedError) return error.reasons.join(' ');
  if (error instanceof UnavailableError) return null;
  if (error instanceof SourceError && ['refused', 'not_found'].includes(error.failure)) return error.message;
  return null;
}
