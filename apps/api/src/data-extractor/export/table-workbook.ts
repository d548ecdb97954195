import type { CellRecord, RowRecord, TableRecord, TableRows } from '@app/extraction';
import { type SheetCell, STYLES, textCell, toSheetCell } from './xlsx-cells.js';
import type { Sheet } from './xlsx-workbook.js';

/** Of one sheet; programs take 1,048,576. */
const MAX_PROOFS = 1_000_000;

const KEPT = ['filename', 'source_uid', 'processed_at'] as const;
const PROOF = [
  'source_uid',
  'document',
  'row',
  'column',
  'value',
  'status',
  'page',
  'place',
  'quote',
  'score',
  'method',
  'verified_by',
] as const;
const WIDTHS = [20, 30, 8, 24, 24, 14, 8, 16, 60, 8, 10, 16];

/** The rows with their values, then where each value comes from, on as many sheets as that takes. */
export async function sheetsOf(viewerId: number, table: TableRecord, rows: TableRows): Promise<Sheet[]> {
  const proofs = await rows.countCells(viewerId, table.id);
  const isRightToLeft = readsRightToLeft(table);
  const parts = Math.max(1, Math.ceil(proofs / MAX_PROOFS));
  // Their sheets are read one after the other, from one walk through the rows.
  const walk = proofCells(viewerId, table, rows);
  return [
    {
      name: sheetName(table.name),
      header: [...table.columns.map(({ name }) => name), ...KEPT],
      isRightToLeft,
      rows: () => valueCells(viewerId, table, rows),
    },
    ...Array.from({ length: parts }, (_, part) => ({
      name: part === 0 ? EVIDENCE : `${EVIDENCE} ${part + 1}`,
      header: PROOF,
      widths: WIDTHS,
      isRightToLeft: false,
      rows: () => some(walk, MAX_PROOFS),
    })),
  ];
}

const EVIDENCE = 'Evidence';

async function* valueCells(viewerId: number, table: TableRecord, rows: TableRows): AsyncGenerator<SheetCell[]> {
  for await (const batch of rows.batches(viewerId, table.id))
    for (const { data, filename, sourceUid, processedAt } of batch)
      yield [
        ...table.columns.map((column) =>
          toSheetCell(Object.hasOwn(data, column.name) ? data[column.name] : null, column),
        ),
        textCell(filename),
        textCell(sourceUid),
        toSheetCell(processedAt?.toISOString() ?? null, { format: 'datetime' }),
      ];
}

async function* proofCells(viewerId: number, table: TableRecord, rows: TableRows): AsyncGenerator<SheetCell[], void> {
  const formats = new Map(table.columns.map((column) => [column.name, column]));
  // The header is the first row of the sheet of values.
  let number = 1;
  for await (const batch of rows.batches(viewerId, table.id)) {
    const numbers = new Map(batch.map(({ id }: RowRecord) => [id, (number += 1)]));
    for (const cell of await rows.cellsOf(viewerId, batch))
      yield proofOf(cell, numbers.get(cell.rowId) ?? 0, toSheetCell(cell.value, formats.get(cell.column) ?? null));
  }
}

function proofOf(cell: CellRecord, row: number, value: SheetCell): SheetCell[] {
  const { sourceUid, filename, column, status, spans, place, quote, score, method, verifiedBy } = cell;
  return [
    textCell(sourceUid),
    textCell(filename),
    toSheetCell(row, null),
    textCell(column),
    value,
    textCell(status),
    toSheetCell(spans[0]?.page ?? null, null),
    textCell(place === null ? '' : `${place.sheet}!${place.cell}`),
    textCell(quote),
    { value: Math.round(score * 1_000) / 1_000, style: STYLES.plain },
    textCell(method),
    textCell(verifiedBy ?? ''),
  ];
}

/** The next so many of what is left. */
async function* some<T>(walk: AsyncGenerator<T, void>, most: number): AsyncGenerator<T> {
  for (let count = 0; count < most; count += 1) {
    const { value, done } = await walk.next();
    if (done) return;
    yield value as T;
  }
}

/** At most 31 characters, without those that spreadsheet programs refuse. */
export function sheetName(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Surrogate}[\]:*?/\\]/gu, ' ').replaceAll(/^[\s']+|[\s']+$/g, '');
  // The cut may go through a character that takes two.
  const short = plain.slice(0, 31).replace(/[\s'\p{Surrogate}]+$/u, '');
  const isTaken = /^(history|evidence( \d+)?)$/i.test(short);
  return short === '' || isTaken ? 'Rows' : short;
}

/** Where most columns have names that are read from the right, the sheet begins there. */
function readsRightToLeft({ columns }: TableRecord): boolean {
  const names = columns.filter(({ name }) => /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(name));
  return names.length * 2 > columns.length;
}
