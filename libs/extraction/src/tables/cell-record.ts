import type { AnchorClass, EvidenceMethod, EvidenceSpan, EvidenceStatus } from '../kit.js';

/** What is known of a value: where it comes from, and who vouches for it. */
export interface CellRecord {
  rowId: string;
  sourceUid: string;
  documentUid: string | null;
  filename: string;
  column: string;
  value: unknown;
  quote: string;
  status: EvidenceStatus;
  spans: EvidenceSpan[];
  pageWidth: number | null;
  pageHeight: number | null;
  place: { sheet: string; cell: string } | null;
  score: number;
  ambiguous: boolean;
  method: EvidenceMethod;
  anchor: AnchorClass;
  reason: string | null;
  model: string | null;
  editedAt: Date | null;
  /** A name; null also when the account is gone. */
  verifiedBy: string | null;
  verifiedAt: Date | null;
}

/** Below it a person should look at the value. */
export const LOW_SCORE = 0.7;

/** SQL: of the row `c` of `extracted_cells`, with its row `r` and the user `v` who verified it. */
export const CELL_COLUMNS = `c.row_id AS "rowId", r.source_uid AS "sourceUid", r.document_uid AS "documentUid", r.filename,
  c.column_name AS "column", r.data -> c.column_name AS value, c.quote, c.status, c.spans, c.page_width AS "pageWidth",
  c.page_height AS "pageHeight", c.place, c.score, c.ambiguous, c.method, c.anchor, c.reason, c.model,
  c.edited_at AS "editedAt", v.username AS "verifiedBy", c.verified_at AS "verifiedAt"`;

export const CELL_SOURCES =
  'extracted_cells c JOIN extracted_rows r ON r.id = c.row_id LEFT JOIN users v ON v.id = c.verified_by';
