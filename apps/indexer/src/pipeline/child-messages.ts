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
  | { type: 'page'; page: ExtractedPage; progress: ExtractionProgress }
  | { type: 'done'; pageCount: number }
  /** WebP. */
  | { type: 'picture'; image: Uint8Array }
  /** `tainted`: the parser failed in a way nobody foresaw, so its process is not used again. */
  | { type: 'failed'; code: ExtractionErrorCode; message: string; detail: string; tainted: boolean };

export const PAGES_IN_FLIGHT = 4;
