import type { FileKind } from '@app/documents';

const MB = 1024 * 1024;

/** What is read of the files within one document, those within them included. */
export const ATTACHMENT_LIMITS = {
  files: 100,
  /** Of all of them together, as they are unpacked. */
  bytes: 100 * MB,
  /** A file of a message within a message within the document. */
  depth: 3,
  /** UTF-16 code units of their text. */
  characters: 20_000_000,
};

/** A file within a document, on its way to where a parser can open it. */
export interface AttachedFile {
  /** From 1, in the order in which the files of a document are read; the same whenever it is read. */
  ordinal: number;
  /** As its sender named it; '' where nobody did. */
  name: string;
  /** As its sender says, in lower case; '' where that is not said. */
  mimeType: string;
  bytes: Uint8Array;
}

/** Where it can be opened, and as what; or why it is not read, in a sentence for the owner of the document. */
export type ScreenedFile = { path: string; kind: FileKind } | { refusal: string };

/** At which file within it the reading of a document ended, for another try that leaves out the rest of that file. */
export interface AttachmentStop {
  ordinal: number;
  /** As many of its pages were read. */
  pages: number;
  /** A sentence for the owner. */
  message: string;
  /** Nothing behind it is read either. */
  isLast: boolean;
}
