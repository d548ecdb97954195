import type { SourceAccess } from '../sources/source-connectors.js';

/** Where an item of an external drive is, and who is or was to read it there. */
export interface ExternalReader {
  /** The source that the document was imported from; null for one that came in with an upload's `external_drive_item_id`. */
  source: SourceAccess | null;
  /** As the drive names the item. */
  itemId: string;
  /** Whose grant it is; '' when the account is gone, and then there is a handle, or nothing to take back. */
  email: string;
}

/**
 * The sharing of documents, repeated in the drive that they come from. Called by a worker that tries again: every
 * method may be called twice, and throws `SourceError`, or the reason of `signal`.
 */
export abstract class ExternalSharing {
  /** Whether sharing is repeated for documents of such a source at all; otherwise nothing below is called. */
  abstract supports(source: SourceAccess | null): boolean;

  /**
   * Lets the person read the item. Somebody who can already keeps that.
   * @returns what takes exactly this grant back; null when there is nothing to take back
   */
  abstract share(reader: ExternalReader, signal?: AbortSignal): Promise<string | null>;

  /**
   * Takes a grant of `share` back; one that is gone already is no error.
   * @param handle what `share` returned; null when that is unknown, because a worker died in between: then the
   *   adapter looks for the person's own grant on the item
   */
  abstract unshare(reader: ExternalReader, handle: string | null, signal?: AbortSignal): Promise<void>;
}
