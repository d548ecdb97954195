import type { FileKind } from '@app/documents';
import type { ExtractedPage, ExtractionProgress } from './extracted-page.js';
import type { ExtractionErrorCode } from './extraction-error.js';

/** What is to be read. The child opens `path` itself: no bytes travel over ipc. */
export interface ParseRequest {
  path: string;
  kind: FileKind;
  ocr: boolean;
  /** Tesseract language codes, for instance `eng`. */
  languages: string[];
  /** A folder with language data of the operator's own; those of installed packages are always there. */
  languageFolder?: string;
  limits: { pages: number; characters: number };
}

/** One page as a small picture. */
export interface DrawRequest {
  path: string;
  kind: FileKind;
  /** From 1. */
  page: number;
  /** Pixels; the picture is at most twice as high. */
  width: number;
}

/** `ack`: one more page was stored. The child stops while `PAGES_IN_FLIGHT` wait for theirs. */
export type ParentMessage =
  { type: 'extract'; request: ParseRequest } | { type: 'draw'; request: DrawRequest } | { type: 'ack' };

export type ChildMessage =
  /** The parser is loaded, the document not yet touched: memory (bytes) beyond `resident` is the document's. */
  | { type: 'ready'; resident: number }
  /** Something that outlives the document was started for it, and took so many bytes. */
  | { type: 'started'; bytes: number }
  | { type: 'page'; page: ExtractedPage; progress: ExtractionProgress }
  /** `notice`: a sentence for the owner of a document that was read with losses; mostly ''. */
  | { type: 'done'; pageCount: number; notice: string }
  /** WebP. */
  | { type: 'picture'; image: Uint8Array }
  /** `tainted`: the parser failed in a way nobody foresaw, so its process is not used again. */
  | { type: 'failed'; code: ExtractionErrorCode; message: string; detail: string; tainted: boolean };

export const PAGES_IN_FLIGHT = 4;
