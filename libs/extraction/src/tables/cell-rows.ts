import { toJsonText } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';
import type { AnchorClass, CellEvidence, EvidenceMethod, EvidenceSpan, EvidenceStatus } from '../kit.js';

/** Everything of a row of `extracted_cells`, in the names of its columns: what is written again as it was. */
export interface CellRow {
  row_id: string;
  column_name: string;
  table_id: string;
  status: EvidenceStatus;
  quote: string;
  spans: EvidenceSpan[];
  page_width: number | null;
  page_height: number | null;
  place: { sheet: string; cell: string } | null;
  score: number;
  ambiguous: boolean;
  method: EvidenceMethod;
  anchor: AnchorClass;
  reason: string | null;
  model: string | null;
  edited_at: string | null;
  verified_by: number | null;
  verified_at: string | null;
}

const NAMES = `row_id, column_name, table_id, status, quote, spans, page_width, page_height, place, score, ambiguous, method,
  anchor, reason, model, edited_at, verified_by, verified_at`;

const TYPES = `row_id uuid, column_name text, table_id uuid, status text, quote text, spans jsonb, page_width real,
  page_height real, place jsonb, score real, ambiguous boolean, method text, anchor text, reason text, model text,
  edited_at timestamptz, verified_by int, verified_at timestamptz`;

const BATCH = 2_000;

export async function findCells(
  db: DataSource | EntityManager,
  rowIds: readonly string[],
  columns: readonly string[] | null,
): Promise<CellRow[]> {
  const rows = await db.query<{ cell: CellRow }[]>(
    `SELECT to_jsonb(c) - 'updated_at' AS cell FROM extracted_cells c
     WHERE c.row_id = ANY($1::uuid[]) AND ($2::text[] IS NULL OR c.column_name = ANY($2::text[]))`,
    [rowIds, columns],
  );
  return rows.map(({ cell }) => cell);
}

/** In place of what was known of these cells. Who verified them may be gone since. */
export async function putCells(tx: EntityManager, cells: readonly CellRow[]): Promise<void> {
  for (let at = 0; at < cells.length; at += BATCH) {
    const batch = toJsonText(cells.slice(at, at + BATCH));
    await tx.query(
      `DELETE FROM extracted_cells c USING jsonb_to_recordset($1::jsonb) AS n (row_id uuid, column_name text)
       WHERE c.row_id = n.row_id AND c.column_name = n.column_name`,
      [batch],
    );
    await tx.query(
      `INSERT INTO extracted_cells (${NAMES})
       SELECT row_id, column_name, table_id, status, quote, spans, page_width, page_height, place, score, ambiguous, method,
         anchor, reason, model, edited_at, (SELECT u.id FROM users u WHERE u.id = n.verified_by), verified_at
       FROM jsonb_to_recordset($1::jsonb) AS n (${TYPES})`,
      [batch],
    );
  }
}

export async function dropCells(
  tx: EntityManager,
  rowIds: readonly string[],
  columns: readonly string[],
): Promise<void> {
  await tx.query('DELETE FROM extracted_cells WHERE row_id = ANY($1::uuid[]) AND column_name = ANY($2::text[])', [
    rowIds,
    columns,
  ]);
}

type Place = Pick<CellRow, 'row_id' | 'column_name' | 'table_id'>;

/** A cell that a person filled in or emptied: it has no evidence. */
export function editedCell(place: Place, isEmpty: boolean, now: Date): CellRow {
  return { ...place, ...NO_EVIDENCE, status: isEmpty ? 'no_evidence' : 'unanchored', edited_at: now.toISOString() };
}

/** A cell that a document was read into. */
export function extractedCell(at: Place, evidence: CellEvidence): CellRow {
  const { pageWidth, pageHeight, ...others } = evidence;
  return { ...at, ...NO_EVIDENCE, ...others, page_width: pageWidth, page_height: pageHeight };
}

const NO_EVIDENCE = {
  quote: '',
  spans: [],
  page_width: null,
  page_height: null,
  place: null,
  score: 0,
  ambiguous: false,
  method: 'person',
  anchor: 'none',
  reason: null,
  model: null,
  edited_at: null,
  verified_by: null,
  verified_at: null,
} as const satisfies Partial<CellRow>;
