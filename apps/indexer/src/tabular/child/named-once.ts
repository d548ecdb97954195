import { textOf } from './column-types.js';
import { isBareTotal } from './total-labels.js';
import type { Candidate } from './total-rows.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import type { Query } from './typed-column.js';

/** Groups are named in one of the first columns. */
const NAMING_COLUMNS = 5;

/**
 * Pivot tables name a group in its first row alone, and its sum below it: "North", blanks, "North total". The blanks are
 * rows of that group, which would be missed by whoever asks for it. Nothing else tells such a blank from one that is meant.
 * @param condition true for the rows of the table, without those of sums
 * @returns the columns in which blanks were filled
 */
export async function fillNamedOnce(
  rows: Query,
  { padded }: StagedTable,
  columns: readonly PlannedColumn[],
  totals: readonly Candidate[],
  condition: string,
  firstRow: number,
): Promise<PlannedColumn[]> {
  const named = totals.filter(({ label }) => !isBareTotal(label));
  if (named.length === 0) return [];
  const naming = columns.slice(0, NAMING_COLUMNS);
  const places = await placesOf(rows, naming, totals);
  const filled: PlannedColumn[] = [];
  for (const [place, column] of naming.entries()) {
    const cell = textOf(`c${column.index}`, padded);
    for (const { rowid, label } of named.filter((total) => places.get(total.rowid) === place)) {
      const before = totals.filter((total) => total.rowid < rowid && (places.get(total.rowid) ?? 0) <= place);
      const from = Math.max(firstRow, ...before.map((total) => total.rowid + 1));
      const group = await findGroup(rows, `${condition} AND rowid < ${rowid}`, cell, { from, label });
      if (group === null) continue;
      const blanks = `${condition} AND rowid > ${group} AND rowid < ${rowid} AND ${cell} IS NULL`;
      const [[count] = []] = await rows(`SELECT count(*) FROM staged WHERE ${blanks}`);
      if (Number(count) === 0) continue;
      await rows(
        `UPDATE staged SET c${column.index} = (SELECT c${column.index} FROM staged WHERE rowid = ${group}) WHERE ${blanks}`,
      );
      if (!filled.includes(column)) filled.push(column);
    }
  }
  return filled;
}

/** In which of the columns the labels of sums stand. */
async function placesOf(
  rows: Query,
  naming: readonly PlannedColumn[],
  totals: readonly Candidate[],
): Promise<Map<number, number>> {
  const cells = naming.map(({ index }) => `c${index}`).join(', ');
  const ids = totals.map(({ rowid }) => rowid).join(', ');
  const found = await rows(
    `SELECT rowid, to_json([${cells}])::VARCHAR FROM staged WHERE list_contains([${ids}]::BIGINT[], rowid)`,
  );
  const labels = new Map(totals.map(({ rowid, label }) => [rowid, label]));
  return new Map(
    found.map(([rowid, json]) => {
      const own = JSON.parse(String(json)) as (string | null)[];
      return [Number(rowid), own.findIndex((cell) => cell?.trim() === labels.get(Number(rowid)))];
    }),
  );
}

/** The first row of what the label sums up, if it alone has its name; a group may hold sums of parts. */
async function findGroup(
  rows: Query,
  above: string,
  cell: string,
  { from, label }: { from: number; label: string },
): Promise<number | null> {
  const [last] = await rows(
    `SELECT rowid, ${cell} FROM staged WHERE ${above} AND ${cell} IS NOT NULL ORDER BY rowid DESC LIMIT 1`,
  );
  if (!last || !isSumOf(label, String(last[1]))) return null;
  const [first] = await rows(`SELECT min(rowid) FROM staged WHERE ${above} AND rowid >= ${from}`);
  // Blanks above the name, or below other sums, are of no group that is known.
  const isWhole = first?.[0] !== null && Number(last[0]) <= Number(first?.[0]);
  return isWhole ? Number(last[0]) : null;
}

function isSumOf(label: string, name: string): boolean {
  const [said, named] = [label.trim().toLowerCase(), name.trim().toLowerCase()];
  const rest = said.startsWith(named)
    ? said.slice(named.length)
    : said.endsWith(named)
      ? said.slice(0, -named.length)
      : '';
  return isBareTotal(rest.replace(/^[\s:–-]+|[\s:–-]+$|(?<=\S)\s(?:für|of|for|de|von)\s*$/gu, ''));
}
