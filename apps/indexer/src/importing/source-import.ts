import { DocumentLifecycle, type KnownItem, KnownItems, type SourceClaim, toItemKey } from '@app/documents';
import { type SourceConnector, SourceError, type SourceItem, type SourcePage } from '@app/integrations';
import { Inject, Injectable } from '@nestjs/common';
import { IMPORTING_SETTINGS, type ImportingSettings } from './importing-settings.js';
import { ItemImport } from './item-import.js';

const MAX_RESTARTS = 3;
/** Items of one source on their way at a time: most of it is waiting for the other side. */
const LANES = 4;

/** The sync has worked for as long as one may at a time; others want to be served. */
export class SliceOverError extends Error {}

/**
 * From what a source lists to what the store has. Each item is settled in one transaction with its document, so that a
 * kill at any moment costs at most the download that was under way: the page is listed again, and what is settled is
 * passed over.
 */
@Injectable()
export class SourceImport {
  constructor(
    @Inject(IMPORTING_SETTINGS) private readonly settings: ImportingSettings,
    private readonly items: KnownItems,
    private readonly itemImport: ItemImport,
    private readonly lifecycle: DocumentLifecycle,
  ) {}

  /**
   * @param until on the clock of `performance.now()`
   * @throws SliceOverError, SourceError, ClaimLostError, the signal's reason, or whatever broke
   */
  async run(claim: SourceClaim, connector: SourceConnector, signal: AbortSignal, until: number): Promise<void> {
    let cursor = claim.source.pageCursor ?? claim.source.cursor;
    for (let restarts = 0; ;) {
      const page = await this.list(connector, cursor, signal);
      if (page === null || !(await this.importPage(claim, connector, page, signal, until))) {
        restarts += 1;
        if (restarts > MAX_RESTARTS) throw new SourceError('unavailable', 'The source lists nothing to its end.');
        await claim.startOver();
        cursor = null;
        continue;
      }
      cursor = page.cursor;
      if (page.isLast) break;
      await claim.checkpoint(cursor);
    }
    if (claim.isFullRun) await this.items.markUnseenVanished(claim);
    await this.trashVanished(claim, signal);
    await claim.finish(cursor);
  }

  /** Null when the source has forgotten what the cursor stands for. */
  private async list(
    connector: SourceConnector,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<SourcePage | null> {
    try {
      return await connector.list(cursor, signal);
    } catch (error) {
      if (cursor !== null && error instanceof SourceError && error.failure === 'cursor_expired') return null;
      throw error;
    }
  }

  /**
   * @returns false when something has gone that is not known here, such as a folder: only a listing of everything shows
   *   what went with it
   */
  private async importPage(
    claim: SourceClaim,
    connector: SourceConnector,
    page: SourcePage,
    signal: AbortSignal,
    until: number,
  ): Promise<boolean> {
    const byKey = new Map(page.items.map((item) => [toItemKey(item.id), item]));
    const known = await this.items.find(claim.source.id, [...byKey.keys()]);
    const isSettled = ([key, item]: [string, SourceItem]) => isUnchanged(known.get(key), item);
    await this.items.markSeen(
      claim,
      [...byKey].filter(isSettled).map(([key]) => key),
    );
    const open = [...byKey].filter((entry) => !isSettled(entry));
    await inLanes(open, async ([key, item]) => {
      signal.throwIfAborted();
      if (performance.now() > until) throw new SliceOverError();
      await this.itemImport.run(claim, connector, item, { key, known: known.get(key) }, signal);
    });
    if (page.removedIds.length === 0) return true;
    return (await this.items.markVanished(claim, page.removedIds.map(toItemKey))) || claim.isFullRun;
  }

  private async trashVanished(claim: SourceClaim, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const uids = await this.items.listVanishedDocuments(claim);
      if (uids.length === 0) return;
      await claim.hold();
      const gone = await this.lifecycle.trash(claim.source.ownerId, uids, this.settings.trashRetentionDays);
      if (gone.length === 0) return;
    }
  }
}

/** Several at a time. After a failure no further one begins, and those that have are waited for. */
async function inLanes<T>(values: readonly T[], work: (value: T) => Promise<void>): Promise<void> {
  const waiting = values.values();
  const failures: unknown[] = [];
  const lane = async () => {
    for (const value of waiting) {
      if (failures.length > 0) return;
      await work(value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (failures.length > 0) throw failures.find((failure) => !(failure instanceof SliceOverError)) ?? failures[0];
}

function isUnchanged(known: KnownItem | undefined, item: SourceItem): boolean {
  if (!known || known.state === 'vanished' || item.etag === null) return false;
  return known.etag === item.etag && known.name === item.name;
}
