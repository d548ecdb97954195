import type { CellValue } from '../columns/table-column.js';
import type { PageRect } from '../source/source-page.js';

/** `anchored`: the quote stands in the document, at the spans; `unanchored`: a value without a place; `no_evidence`: the document does not say it. */
export type EvidenceStatus = 'anchored' | 'unanchored' | 'no_evidence';
export type EvidenceMethod = 'rules' | 'model' | 'person';
export type AnchorClass = 'exact' | 'normalised' | 'fuzzy' | 'none';

export interface EvidenceSpan {
  /** 1-based. */
  page: number;
  rect: PageRect;
}

/** Where a value comes from. */
export interface CellEvidence {
  status: EvidenceStatus;
  /** Verbatim words of the document; '' where there is none. */
  quote: string;
  /** One for each line of the quote; none in documents without geometry. */
  spans: EvidenceSpan[];
  /** Points, of the page of the first span. */
  pageWidth: number | null;
  pageHeight: number | null;
  /** Of a worksheet. */
  place: { sheet: string; cell: string } | null;
  /** 0 to 1: class of the anchor x coercion x agreement; never what a model said of itself. */
  score: number;
  ambiguous: boolean;
  method: EvidenceMethod;
  anchor: AnchorClass;
  /** Why it is empty or doubtful: a code such as `model_not_configured`, `not_a_number`; null: it is neither. */
  reason: string | null;
  model: string | null;
}

export interface ExtractedValue {
  value: CellValue;
  evidence: CellEvidence;
}

/** One row that was read from a document: values by name of column, each column that was asked for. */
export type ExtractedValues = Record<string, ExtractedValue>;
