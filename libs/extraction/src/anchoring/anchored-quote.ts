import type { AnchorClass, EvidenceSpan } from '../cells/cell-evidence.js';

/** Words that somebody, mostly a model, says stand in a document. */
export interface QuoteToAnchor {
  quote: string;
  /** What was read from it: of several worksheet cells in the quote the one that holds it is meant. */
  value?: string;
  /** Line items only: which row it belongs to, in the order of the document. Quotes of one row stand beside each other. */
  row?: number;
  /** Of line items: quotes of one column follow each other in the order of their rows. */
  column?: string;
  /** Where it was said to stand, from 1: preferred among several places, though it decides nothing. */
  page?: number;
}

/** Where they stand. */
export interface AnchoredQuote {
  /** `exact`: word for word; `normalised`: but for blanks, marks and spelling of letters; `fuzzy`: but for letters that may be misread; `none`: not there. */
  anchor: AnchorClass;
  /** As it stands in the document, in one line; '' where it does not. */
  quote: string;
  /** Of its first word; null: not found. */
  page: number | null;
  /** Offsets into the text of that page. What goes on on later pages is in `spans` alone. */
  start: number | null;
  end: number | null;
  /** One for each line, split where other words stand between; none where the document has no geometry. */
  spans: EvidenceSpan[];
  pageWidth: number | null;
  pageHeight: number | null;
  /** Of a worksheet. */
  place: { sheet: string; cell: string } | null;
  /** It stands in several places, and the order of the rows did not decide. */
  ambiguous: boolean;
}
