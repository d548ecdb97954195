import type { SourcePage } from '@app/extraction/kit';

/** What evidence needs beside the text; read where it was asked for. */
export type PageGeometry = Pick<SourcePage, 'width' | 'height' | 'words' | 'cells' | 'fields' | 'isUnshown'>;

/** Where a line of text stands: offsets into the page's text, and a rectangle on the page. */
export interface TextLine {
  /** Offset (UTF-16 code units) of its first character in the page's text. */
  start: number;
  /** Offset after its last character. */
  end: number;
  /** [x0, y0, x1, y1] as fractions of the page from its top-left corner, as displayed. */
  rect: [number, number, number, number];
}

/** One page, slide, sheet (or window of its rows) or section of a document. */
export interface ExtractedPage {
  /** 1-based. Pages without text are reported too, so that numbers agree with what a reader sees. */
  number: number;
  /** NFC, no control characters but line feeds; '' when nothing could be read on this page. */
  text: string;
  /** Name of the sheet, title of the slide. */
  label?: string;
  /** PDF and OCR only. In the order of the text; blank lines between paragraphs belong to none. */
  lines?: TextLine[];
  /** The text was recognised in a picture and may be wrong in places. */
  ocr: boolean;
  /** Only where it was asked for. */
  geometry?: PageGeometry;
}

export interface ExtractionProgress {
  /** Pages handed over so far, this one included. */
  done: number;
  /** null when the format does not tell in advance. */
  total: number | null;
  stage: ExtractionStage;
}

export type ExtractionStage = 'reading' | 'ocr';

/** How a document was read. */
export interface Extraction {
  pageCount: number;
  /** A sentence for its owner when something was lost; '' otherwise. */
  notice: string;
}
