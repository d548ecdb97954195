import type { AttachedFile, ScreenedFile } from '../attached-file.js';

/** A file as its parser finds it within another one. */
export interface EnclosedFile {
  /** '' where nobody named it. */
  name: string;
  /** In lower case; '' where it is not said. */
  mimeType: string;
  /** Unpacks it; throws when that cannot be done. */
  bytes: () => Uint8Array;
  /** Its text is read already: it is only known, so that a copy of it is not read. */
  isRead?: boolean;
  /** A picture between the words of what it is within, which loses nothing where pictures are not recognised. */
  isShown?: boolean;
}

/** Has a file put where it can be opened. */
export type Lend = (file: AttachedFile) => Promise<ScreenedFile>;
