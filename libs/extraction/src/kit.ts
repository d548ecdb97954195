/** What extraction is without database, models or accounts: processes that read strangers' files load this alone. */
export {
  COLUMN_FORMATS,
  OUTPUT_TYPES,
  ROW_MODES,
  type CellValue,
  type ColumnFormat,
  type OutputType,
  type RowMode,
  type TableColumn,
} from './columns/table-column.js';
export type { PageRect, SourceCell, SourceField, SourcePage, SourceWord } from './source/source-page.js';
export type {
  AnchorClass,
  CellEvidence,
  EvidenceMethod,
  EvidenceSpan,
  EvidenceStatus,
  ExtractedValue,
  ExtractedValues,
} from './cells/cell-evidence.js';
export type { AnchoredQuote, QuoteToAnchor } from './anchoring/anchored-quote.js';
export { anchorQuotes } from './anchoring/anchor-quotes.js';
export { extractByRules, type RuleRow, type RulesRequest } from './rules/extract-by-rules.js';
export type { Coerced, CoercionHints, CoercionProblem } from './coercion/coercion.js';
export { coerceValue } from './coercion/coerce-value.js';
