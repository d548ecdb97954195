/** What the extraction of a document gives for one page, slide, sheet or section. */
export interface PageText {
  /** 1-based. */
  number: number;
  text: string;
  /** Name of the sheet, title of the slide. */
  label?: string;
  /** Where lines stand: offsets into `text`, and [x0, y0, x1, y1] as fractions of the page from its top-left corner. */
  lines?: { start: number; end: number; rect: [number, number, number, number] }[];
}

/** A line of a page. */
export interface Span {
  page: number;
  /** Fractions of the page from its top-left corner: x0, y0, x1, y1. */
  rect: [number, number, number, number];
  /** Offsets of the line in the text of the page; passages of before have none. */
  start?: number;
  end?: number;
}

/** A passage: the unit that is found, cited and shown. */
export interface TextChunk {
  /** From 0, in reading order. */
  ordinal: number;
  page: number;
  /** Offsets (UTF-16 code units) in the text of the page. */
  start: number;
  end: number;
  text: string;
  /** Title and date of the document, headings, header of the table: found by and shown to models, but not part of the text. */
  context: string;
  spans: Span[];
}
