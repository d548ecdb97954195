/** [x0, y0, x1, y1] as fractions of the page from its top-left corner, as displayed. */
export type PageRect = [number, number, number, number];

/** A word where it stands: offsets (UTF-16 code units) into the page's text, and its rectangle. */
export interface SourceWord {
  start: number;
  end: number;
  rect: PageRect;
}

/** A cell of a worksheet, in the page's text. */
export interface SourceCell {
  start: number;
  end: number;
  /** Such as `B7`. */
  address: string;
}

/** A form field of a PDF that somebody filled in. */
export interface SourceField {
  name: string;
  value: string;
  rect: PageRect;
}

/** One page of a document with everything that evidence needs. */
export interface SourcePage {
  /** 1-based. */
  number: number;
  /** NFC, no control characters but line feeds. */
  text: string;
  /** Name of the sheet, title of the slide. */
  label?: string;
  /** The text was recognised in a picture. */
  ocr: boolean;
  /** Points, as displayed; absent where pages have no size. */
  width?: number;
  height?: number;
  /** PDF and recognised text only, in the order of the text. */
  words?: SourceWord[];
  /** Worksheets only, in the order of the text. */
  cells?: SourceCell[];
  /** Filled form fields of a PDF. */
  fields?: SourceField[];
  /** Of a file within the document: its places help to read it, and nobody can be shown them. */
  isUnshown?: boolean;
}
