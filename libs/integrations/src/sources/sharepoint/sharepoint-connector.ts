import type { Readable } from 'node:stream';
import { cappedBody } from '../../guarded-fetch/capped-body.js';
import { toSourceError } from '../egress-failure.js';
import { SourceConnector, type SourceItem, type SourcePage } from '../source-connector.port.js';
import { SourceError } from '../source-error.js';
import { type DriveItem, readDeltaPage, readDriveItem } from './graph-answers.js';
import type { GraphClient } from './graph-client.js';

const PAGE = 200;
const DOWNLOAD_MS = 15 * 60_000;
const MAX_DEPTH = 100;

interface Folder {
  name: string;
  parentId: string | null;
}

/** A drive, listed by its changes (`driveItem: delta`). A cursor is a link that Graph gave. */
export class SharepointConnector extends SourceConnector {
  private readonly drive: string;
  /** Those met so far; the root has no parent. */
  private readonly folders = new Map<string, Folder>();

  constructor(
    private readonly graph: GraphClient,
    driveId: string,
  ) {
    super();
    this.drive = `/drives/${encodeURIComponent(driveId)}`;
  }

  async test(signal?: AbortSignal): Promise<void> {
    readDriveItem(await this.graph.json(`${this.drive}/root`, signal ? { signal } : {}));
  }

  async list(cursor: string | null, signal?: AbortSignal): Promise<SourcePage> {
    const link = cursor ?? `${this.drive}/root/delta?$top=${PAGE}`;
    const page = readDeltaPage(await this.graph.json(link, signal ? { signal } : {}));
    for (const item of page.value) this.remember(item);
    // An item that changes while it is listed comes several times: the last one counts.
    const latest = [...new Map(page.value.map((item) => [item.id, item])).values()];
    const items: SourceItem[] = [];
    for (const item of latest.filter(({ file, deleted }) => file && !deleted))
      items.push(await this.toItem(item, signal));
    const next = page['@odata.nextLink'];
    const last = page['@odata.deltaLink'];
    if (next === undefined && last === undefined)
      throw new SourceError('unavailable', 'Microsoft Graph does not say how the list goes on.');
    const removedIds = latest.filter(({ deleted }) => deleted).map(({ id }) => id);
    return { items, removedIds, cursor: next ?? last ?? null, isLast: next === undefined };
  }

  async open(item: SourceItem, signal?: AbortSignal): Promise<Readable> {
    // Answers with a redirect to a signed address, which gets no token.
    const response = await this.graph.send(`${this.drive}/items/${encodeURIComponent(item.id)}/content`, {
      headers: { accept: '*/*' },
      timeoutMs: DOWNLOAD_MS,
      maxBytes: Number.MAX_SAFE_INTEGER,
      ...(signal ? { signal } : {}),
    });
    return cappedBody(response.body, Number.MAX_SAFE_INTEGER, toSourceError);
  }

  async close(): Promise<void> {}

  private remember({ id, name, folder, root, deleted, parentReference }: DriveItem): void {
    if (deleted) this.folders.delete(id);
    else if (root) this.folders.set(id, { name: '', parentId: null });
    else if (folder) this.folders.set(id, { name, parentId: parentReference?.id ?? null });
  }

  private async toItem(item: DriveItem, signal: AbortSignal | undefined): Promise<SourceItem> {
    const { id, name, size, eTag, cTag, lastModifiedDateTime, parentReference } = item;
    return {
      id,
      name,
      path: await this.pathOf(parentReference?.id ?? null, signal),
      size: size ?? null,
      modifiedAt: lastModifiedDateTime ? new Date(lastModifiedDateTime) : null,
      // The content's own tag: a new name alone is no reason to read the file again.
      etag: cTag ?? eTag ?? null,
    };
  }

  /** Listings of changes name an item's folder by its id alone. */
  private async pathOf(folderId: string | null, signal: AbortSignal | undefined): Promise<string> {
    const names: string[] = [];
    let id = folderId;
    while (id !== null && names.length < MAX_DEPTH) {
      const folder = this.folders.get(id) ?? (await this.fetchFolder(id, signal));
      if (!folder) break;
      if (folder.parentId !== null || folder.name !== '') names.unshift(folder.name);
      id = folder.parentId;
    }
    return names.join('/');
  }

  private async fetchFolder(id: string, signal: AbortSignal | undefined): Promise<Folder | null> {
    try {
      const path = `${this.drive}/items/${encodeURIComponent(id)}`;
      this.remember(readDriveItem(await this.graph.json(path, signal ? { signal } : {})));
      return this.folders.get(id) ?? null;
    } catch (error) {
      if (error instanceof SourceError && error.failure === 'not_found') return null;
      throw toSourceError(error);
    }
  }
}
