import { documentsAmong } from '@app/access';
import { newTimeOrderedId, toJsonText } from '@app/common';
import type { EntityManager } from 'typeorm';
import type { ExtractedValues, TableColumn } from '../kit.js';
import { alignRows } from './align-rows.js';
import { type CellRow, dropCells, extractedCell, findCells, putCells } from './cell-rows.js';
import { findRows } from './extracted-rows.js';
import { fitValue } from './read-cells.js';
import { ReferenceKeys } from './reference-keys.js';
import { keepRowsCount } from './row-statements.js';
import { lockTableForWork } from './table-access.js';
import { isEmptyValue, valueOf } from './values.js';

export interface ExtractedWrite {
  tableId: string;
  sourceUid: string;
  /** Null: it was no document. */
  documentUid: string | null;
  filename: string;
  /** All that was read from it, in its order. */
  rows: readonly ExtractedValues[];
  /** Names of the columns that were asked for; null: all. Those that are gone meanwhile are left out. */
  columns: readonly string[] | null;
  /** `missing` fills what is empty, and removes nothing. */
  mode: 'missing' | 'all';
  /** Whether what a person edited or verified goes too. */
  overwriteEdited: boolean;
}

export interface WrittenRows {
  /** Of the columns asked for, in the rows of this source that were read. */
  cellsFilled: number;
  cellsEmpty: number;
  /** In the order of what was read. */
  rowIds: string[];
}

interface Target {
  id: string;
  isNew: boolean;
  position: number;
  data: Record<string, unknown>;
  kept: ReadonlySet<string>;
  /** Null: it is not in the document any more. */
  read: ExtractedValues | null;
}

const BATCH = 1_000;

/**
 * Writes what was read from a document in place of what a machine had read from it before; what a person edited or verified
 * stays. Written twice it is the same as once. Who may do it was decided when it was asked for.
 * @throws NotFoundError `table_not_found` when the table was deleted meanwhile; ConflictError `row_limit_reached`
 */
export async function writeExtracted(tx: EntityManager, write: ExtractedWrite): Promise<WrittenRows> {
  const table = await lockTableForWork(tx, write.tableId);
  const columns = table.columns.filter(({ name }) => write.columns?.includes(name) ?? true);
  const targets = await findTargets(tx, write, columns);
  const cells: CellRow[] = [];
  const references = await ReferenceKeys.read(tx, table.ownerId, columns);
  for (const target of targets) fill(target, write, columns, references, cells);

  const gone = targets.filter((target) => isGone(target, write, columns));
  const stay = targets.filter((target) => !gone.includes(target));
  await tx.query('DELETE FROM extracted_rows WHERE table_id = $1 AND id = ANY($2::uuid[])', [
    write.tableId,
    gone.map(({ id }) => id),
  ]);
  await putRows(tx, write, stay);
  const blanked = stay.filter((target) => isBlanked(target, write)).map(({ id }) => id);
  if (blanked.length > 0)
    await dropCells(
      tx,
      blanked,
      columns.map(({ name }) => name),
    );
  await putCells(tx, cells);
  await keepRowsCount(tx, write.tableId, stay.filter(({ isNew }) => isNew).length - gone.length);

  const written = stay.filter(({ read }) => read !== null);
  const values = written.flatMap(({ data }) => columns.map(({ name }) => valueOf(data, name)));
  const cellsFilled = values.filter((value) => !isEmptyValue(value)).length;
  return { cellsFilled, cellsEmpty: values.length - cellsFilled, rowIds: written.map(({ id }) => id) };
}

/** The rows of the source that are there and those that come, those that were read first, in their order. */
async function findTargets(tx: EntityManager, write: ExtractedWrite, columns: TableColumn[]): Promise<Target[]> {
  const { tableId, sourceUid, rows, overwriteEdited } = write;
  const there = await findRows(tx, tableId, sourceUid);
  const names = columns.map(({ name }) => name);
  const cells = await findCells(
    tx,
    there.map(({ id }) => id),
    null,
  );
  const byPerson = overwriteEdited ? [] : cells.filter((cell) => cell.edited_at !== null || cell.verified_at !== null);
  const keptOf = Map.groupBy(byPerson, (cell) => cell.row_id);
  const known = there.map(({ id, data }) => {
    return { id, data, kept: new Set((keptOf.get(id) ?? []).map((cell) => cell.column_name)) };
  });
  const values = rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, { value }]) => [name, value])));
  const matches = alignRows(known, values, names);
  const rowOf = new Map(matches.flatMap((index, row) => (index === null ? [] : [[index, known[row]!] as const])));
  const read = rows.map((values, position): Target => {
    const row = rowOf.get(position);
    return row
      ? { ...row, isNew: false, position, read: values }
      : { id: newTimeOrderedId(), isNew: true, position, data: {}, kept: new Set(), read: values };
  });
  const left = known.filter((_, row) => matches[row] === null);
  return [
    ...read,
    ...left.map((row, index): Target => ({ ...row, isNew: false, position: rows.length + index, read: null })),
  ];
}

/** Sets the values of a row, and says what is known of them from now on. */
function fill(
  target: Target,
  write: ExtractedWrite,
  columns: TableColumn[],
  references: ReferenceKeys,
  cells: CellRow[],
): void {
  const { tableId, mode } = write;
  const data = new Map(Object.entries(target.data));
  for (const column of columns) {
    const { name } = column;
    if (target.kept.has(name) || (mode === 'missing' && !isEmptyValue(data.get(name)))) continue;
    if (target.read === null) {
      if (isBlanked(target, write)) data.set(name, null);
      continue;
    }
    if (!Object.hasOwn(target.read, name)) continue;
    const { value, evidence } = fitValue(target.read[name]!, column, references);
    data.set(name, value);
    cells.push(extractedCell({ row_id: target.id, column_name: name, table_id: tableId }, evidence));
  }
  target.data = Object.fromEntries(data);
}

/** Of a row that the document does not have any more, and that nobody has worked on, what was asked for is known to be gone. */
const isBlanked = ({ read, kept }: Target, { mode }: ExtractedWrite): boolean =>
  read === null && mode === 'all' && kept.size === 0;

/** A machine's row that the document does not have any more, and that holds nothing of columns which were not asked for. */
function isGone(target: Target, write: ExtractedWrite, columns: TableColumn[]): boolean {
  if (!isBlanked(target, write)) return false;
  return Object.entries(target.data).every(
    ([name, value]) => isEmptyValue(value) || columns.some((column) => column.name === name),
  );
}

async function putRows(tx: EntityManager, write: ExtractedWrite, rows: readonly Target[]): Promise<void> {
  const { tableId, sourceUid, documentUid, filename } = write;
  const isThere = documentUid !== null && (await documentsAmong(tx, 0, [documentUid])).length > 0;
  // Places are unique at every moment: those that change are freed first.
  await tx.query(
    `UPDATE extracted_rows SET position = -1 - position WHERE table_id = $1 AND source_uid = $2 AND position >= 0`,
    [tableId, sourceUid],
  );
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH).map(({ id, position, data, read }) => {
      return { id, position, data, is_read: read !== null };
    });
    await tx.query(
      `INSERT INTO extracted_rows AS r (id, table_id, source_uid, position, document_uid, data, filename, processed_at)
       SELECT n.id, $1, $2, n.position, $3, n.data, $4, CASE WHEN n.is_read THEN now() END
       FROM jsonb_to_recordset($5::jsonb) AS n (id uuid, position int, data jsonb, is_read boolean)
       ON CONFLICT (id) DO UPDATE SET position = excluded.position, document_uid = excluded.document_uid,
         data = excluded.data, filename = excluded.filename,
         processed_at = coalesce(excluded.processed_at, r.processed_at), updated_at = now()`,
      [tableId, sourceUid, isThere ? documentUid : null, filename, toJsonText(batch)],
    );
  }
}
