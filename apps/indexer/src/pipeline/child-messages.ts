import type { FileKind } from '@app/documents';
import type {
  AnchoredQuote,
  ExtractedValues,
  QuoteToAnchor,
  RowMode,
  SourcePage,
  TableColumn,
} from '@app/extraction/kit';
import type { AttachedFile, AttachmentStop, ScreenedFile } from './attached-file.js';
import type { ExtractionProgress } from './extracted-page.js';
import type { ExtractionErrorCode } from './extraction-error.js';
import type { PackedPage, SentPage } from './packed-page.js';

/** What is to be read. The child opens `path` itself: no bytes travel over ipc. */
export interface ParseRequest {
  path: string;
  kind: FileKind;
  ocr: boolean;
  /** Tesseract language codes, for instance `eng`. */
  languages: string[];
  /** A folder with language data of the operator's own; those of installed packages are always there. */
  languageFolder?: string;
  /** Words and cells with their places, too, for evidence: takes longer, and more room. */
  geometry?: boolean;
  limits: { pages: number; characters: number };
  /** Files within it that former tries did not get over. */
  stops?: readonly AttachmentStop[];
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

/** Which of these words stand where in a document that was read before. */
export interface AnchorRequest {
  pages: readonly SourcePage[];
  quotes: readonly QuoteToAnchor[];
}

/** What the rules make of a document that was read before. */
export interface RulesRequest {
  pages: readonly SourcePage[];
  columns: readonly TableColumn[];
  rowMode: RowMode;
}

/** Pages travel with their words packed. */
type Sent<R extends { pages: unknown }> = Omit<R, 'pages'> & { pages: PackedPage[] };

/**
 * `ack`: one more page was stored. The child stops while `PAGES_IN_FLIGHT` wait for theirs. `screened` answers the last
 * `attached`.
 */
export type ParentMessage =
  | { type: 'extract'; request: ParseRequest }
  | { type: 'draw'; request: DrawRequest }
  | { type: 'anchor'; request: Sent<AnchorRequest> }
  | { type: 'apply_rules'; request: Sent<RulesRequest> }
  | { type: 'screened'; file: ScreenedFile }
  | { type: 'ack' };

export type ChildMessage =
  /** The parser is loaded, the document not yet touched: memory (bytes) beyond `resident` is the document's. */
  | { type: 'ready'; resident: number }
  /** Something that outlives the document was started for it, and took so many bytes. */
  | { type: 'started'; bytes: number }
  | { type: 'page'; page: SentPage; progress: ExtractionProgress }
  /** A file within the document, which is to be put where it can be read. */
  | { type: 'attached'; file: AttachedFile }
  /**
   * `notice`: sentences for the owner of a document that was read with losses; mostly ''. `tainted`: a parser failed in a
   * way nobody foresaw over a file within it, so the process is not used again.
   */
  | { type: 'done'; pageCount: number; notice: string; tainted: boolean }
  /** WebP. */
  | { type: 'picture'; image: Uint8Array }
  | { type: 'anchored'; quotes: AnchoredQuote[] }
  | { type: 'ruled'; rows: ExtractedValues[] }
  /** `tainted`: the parser failed in a way nobody foresaw, so its process is not used again. */
  | { type: 'failed'; code: ExtractionErrorCode; message: string; detail: string; tainted: boolean };

export const PAGES_IN_FLIGHT = 4;
