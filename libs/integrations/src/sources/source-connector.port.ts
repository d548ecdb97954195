import type { Readable } from 'node:stream';

export interface SourceItem {
  /** Names the item for as long as it is there, whatever happens to its name. */
  id: string;
  name: string;
  /** Folder within the source, with slashes; '' at its top. */
  path: string;
  /** Bytes; null when that is known only after reading. */
  size: number | null;
  modifiedAt: Date | null;
  /** Changes with the content; null when the source cannot tell, so that the content itself has to be compared. */
  etag: string | null;
}

export interface SourcePage {
  items: SourceItem[];
  /** Ids of items that are gone. Only listings that tell changes give any. */
  removedIds: string[];
  /** Where to go on. After the last page: where the next listing begins, null for one of everything. */
  cursor: string | null;
  isLast: boolean;
}

/**
 * A place from which documents can be imported. Every method throws `SourceError`, or the reason of `signal`.
 * Names, paths and ids are the source's own words: not safe to store as they are.
 */
export abstract class SourceConnector {
  /** Whether it can be reached and read with these credentials. */
  abstract test(signal?: AbortSignal): Promise<void>;

  /**
   * One page. A listing that begins with null gives everything, each item once, in as many pages as it likes; one that
   * begins with the cursor of an earlier last page gives what has changed since. Asking again for a page gives it again.
   */
  abstract list(cursor: string | null, signal?: AbortSignal): Promise<SourcePage>;

  /** The content as it is now. Destroy what is not read to its end; it breaks with a `SourceError`. */
  abstract open(item: SourceItem, signal?: AbortSignal): Promise<Readable>;

  /** Call when done with it. */
  abstract close(): Promise<void>;
}
