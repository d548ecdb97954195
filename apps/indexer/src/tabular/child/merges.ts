import { MOST_MERGES, type Merge } from '../../spreadsheets/merge-range.js';
import type { Query } from './typed-column.js';
import { textOf } from './column-types.js';
import { quoteText } from './names.js';
import { SURE_POINT } from './number-text.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import { styleOf } from './styled-numbers.js';

/** Columns that merges cover together, of those that are heeded. */
const MOST_COVERED = 200_000;
const INSERTED_AT_ONCE = 2_000;

/** The merges as the staged rows count, without what lies outside of them. */
export function stagedMerges(merges: readonly Merge[], rowsAbove: number, columns: number): Merge[] {
  const placed = merges.slice(0, MOST_MERGES).map(({ top, bottom, left, right }) => ({
    top: top - rowsAbove,
    bottom: bottom - rowsAbove,
    left,
    right: Math.min(right, columns - 1),
  }));
  let covered = 0;
  return placed.filter(({ top, left, right }) => {
    if (top < 0 || left > right) return false;
    covered += right - left + 1;
    return covered <= MOST_COVERED;
  });
}

interface ValuedMerge extends Merge {
  value: string;
}

/**
 * Gives every row of a merged range its value: a name that stands once beside several rows is theirs all. Rows that
 * hold nothing else stay empty, and numbers that count something stay single, or sums would count them again.
 */
export async function fillMerges(
  rows: Query,
  staged: StagedTable,
  columns: readonly PlannedColumn[],
  merges: readonly Merge[],
  firstRow: number,
): Promise<void> {
  const known = new Set(columns.map(({ index }) => index));
  const inData = merges.filter(({ top, left }) => top >= firstRow && known.has(left));
  if (inData.length === 0) return;
  const valued = await withValues(rows, inData);
  const filled = valued.filter((merge) => !isNumber(merge.value) || isGroupNumber(merge, columns, inData));
  const text = (index: number) => textOf(`c${index}`, staged.padded);
  await rows(
    `CREATE OR REPLACE TEMP TABLE lively AS SELECT rowid AS id FROM staged
     WHERE rowid >= ${firstRow} AND coalesce(${columns.map(({ index }) => text(index)).join(', ')}) IS NOT NULL`,
  );
  const targets = new Set(
    filled.flatMap(({ left, right }) => columns.flatMap(({ index }) => (index >= left && index <= right ? index : []))),
  );
  for (const index of targets) {
    const covering = filled.filter(({ left, right }) => index >= left && index <= right);
    const sideways = covering.some(({ left }) => left < index) && (await holdsNumbers(rows, text(index), firstRow));
    const wanted = sideways ? covering.filter(({ left }) => left === index) : covering;
    for (let start = 0; start < wanted.length; start += INSERTED_AT_ONCE) {
      const some = wanted.slice(start, start + INSERTED_AT_ONCE);
      const values = some.map(({ top, bottom, value }) => `(${top}, ${bottom}, ${quoteText(value)})`);
      await rows(
        `UPDATE staged SET c${index} = m.v FROM (VALUES ${values.join(', ')}) m(r1, r2, v)
         WHERE staged.rowid BETWEEN m.r1 AND m.r2 AND ${text(index)} IS NULL
           AND EXISTS (SELECT 1 FROM lively WHERE lively.id = staged.rowid)`,
      );
    }
  }
  await rows('DROP TABLE lively');
}

async function withValues(rows: Query, merges: readonly Merge[]): Promise<ValuedMerge[]> {
  const byColumn = Map.groupBy(merges, ({ left }) => left);
  const valued: ValuedMerge[] = [];
  for (const [left, some] of byColumn) {
    const ids = some.map(({ top }) => top).join(', ');
    const found = await rows(`SELECT rowid, c${left} FROM staged WHERE list_contains([${ids}]::BIGINT[], rowid)`);
    const values = new Map(found.map(([rowid, value]) => [Number(rowid), value]));
    for (const merge of some) {
      const value = values.get(merge.top);
      if (typeof value === 'string' && value.trim() !== '') valued.push({ ...merge, value });
    }
  }
  return valued;
}

const NUMBER = new RegExp(`[0-9]([0-9.,'${SURE_POINT} \u00a0]*[0-9])?`, 'g');
const isNumber = (value: string) => styleOf([value.trim().replace(NUMBER, '0')]) !== null;

/** Years and numbers of groups stand left of all that is not merged. */
function isGroupNumber(
  { value, left }: ValuedMerge,
  columns: readonly PlannedColumn[],
  merges: readonly Merge[],
): boolean {
  const tall = new Set(merges.flatMap((merge) => (merge.bottom > merge.top ? merge.left : [])));
  const firstSingle = columns.find(({ index }) => !tall.has(index))?.index ?? Infinity;
  return left < firstSingle && /^\d{1,6}$/.test(value.trim());
}

/** "Closed" over the sums of three months would make them texts. */
async function holdsNumbers(rows: Query, text: string, firstRow: number): Promise<boolean> {
  const [[share]] = (await rows(
    `SELECT coalesce(avg(CASE WHEN regexp_matches(v, '^[^A-Za-z]*[0-9][^A-Za-z]*$') THEN 1 ELSE 0 END), 0)
     FROM (SELECT ${text} AS v FROM staged WHERE rowid >= ${firstRow}) WHERE v IS NOT NULL`,
  )) as [[number]];
  return share > 0.5;
}
