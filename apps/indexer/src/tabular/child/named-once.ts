import { textOf } from './column-types.js';
import { quoteText } from './names.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import { isBareTotal } from './total-labels.js';
import type { Candidate } from './total-rows.js';
import type { Query, RowsAsked } from './typed-column.js';

/** Groups are named in one of the first columns. */
const NAMING_COLUMNS = 5;
/** Pivot tables are for people. */
const LOOKED_THROUGH = 50_000;

interface Row {
  rowid: number;
  cells: (string | null)[];
  /** Of a row of sums. */
  label: string | null;
}

interface Group {
  name: string;
  /** The row that names it, and that of its sum. */
  from: number;
  to: number;
}

/**
 * Pivot tables name a group in its first row alone, and its sum below it: "North", blanks, "North total". The blanks are
 * rows of that group, which would be missed by whoever asks for it. Nothing else tells such a blank from one that is meant.
 * @param asked the rows of the table, with those of sums
 * @returns the columns in which blanks were filled
 */
export async function fillNamedOnce(
  rows: Query,
  { padded }: StagedTable,
  columns: readonly PlannedColumn[],
  totals: readonly Candidate[],
  { condition, rowCount }: RowsAsked,
): Promise<PlannedColumn[]> {
  if (rowCount > LOOKED_THROUGH || totals.every(({ label }) => isBareTotal(label))) return [];
  const naming = columns.slice(0, NAMING_COLUMNS);
  const cells = naming.map(({ index }) => textOf(`c${index}`, padded));
  const found = await rows(
    `SELECT rowid, to_json([${cells.join(', ')}])::VARCHAR FROM staged WHERE ${condition} ORDER BY rowid`,
  );
  const labels = new Map(totals.map(({ rowid, label }) => [rowid, label]));
  const read = found.map(([rowid, json]): Row => {
    const own = (JSON.parse(String(json)) as (string | null)[]).map((cell) => cell?.trim() || null);
    return { rowid: Number(rowid), cells: own, label: labels.get(Number(rowid)) ?? null };
  });
  const filled: PlannedColumn[] = [];
  for (const [place, column] of naming.entries()) {
    const groups = groupsOf(read, place);
    for (const { name, from, to } of groups)
      await rows(
        `UPDATE staged SET c${column.index} = ${quoteText(name)} WHERE ${condition} AND rowid > ${from} AND rowid < ${to} AND ${cells[place]} IS NULL`,
      );
    if (groups.length > 0) filled.push(column);
  }
  return filled;
}

/** Stretches whose first row alone has a name in that column, up to the row that sums up just that name. */
function groupsOf(rows: readonly Row[], place: number): Group[] {
  const groups: Group[] = [];
  let stretch: { name: string | null; from: number; blanks: number; isOne: boolean } | null = null;
  for (const { rowid, cells, label } of rows) {
    const cell = cells[place] ?? null;
    if (label === null) {
      if (stretch === null) stretch = { name: cell, from: rowid, blanks: 0, isOne: true };
      else if (cell === null) stretch.blanks += 1;
      else stretch.isOne = false;
      continue;
    }
    const at = cells.indexOf(label);
    // Sums of parts stand further right.
    if (at > place) continue;
    if (at === place && stretch?.name && stretch.isOne && stretch.blanks > 0 && isSumOf(label, stretch.name))
      groups.push({ name: stretch.name, from: stretch.from, to: rowid });
    stretch = null;
  }
  return groups;
}

function isSumOf(label: string, name: string): boolean {
  const [said, named] = [label.toLowerCase(), name.toLowerCase()];
  const isBehind = !said.startsWith(named) && said.endsWith(named);
  if (!isBehind && !said.startsWith(named)) return false;
  const rest = isBehind ? said.slice(0, -named.length) : said.slice(named.length);
  return isBareTotal(rest.replace(/^[\s:–-]+|[\s:–-]+$/g, '').replace(/\s(?:für|of|for|de|von)$/, ''));
}
