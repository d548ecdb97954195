import type { Query, RowsAsked, TypedColumn } from './typed-column.js';
import { quoteText } from './names.js';
import { isBareFigure, isMeanLabel, TOTAL_LABEL } from './total-labels.js';
import type { PlannedColumn } from './staged-table.js';

/** Labels stand in one of the first columns. */
const LABEL_COLUMNS = 5;
/** Rows labelled like this by the thousand are no sums. */
const MOST_CANDIDATES = 1_000;
/** Of a longer table only the beginning and the end are looked through. */
const LOOKED_THROUGH = 300_000;
const LOOKED_AT_ENDS = 2_000;
/** Sums in one query. */
const COLUMNS_PER_QUERY = 60;

/** A row whose label says that it sums up others. */
export interface Candidate {
  rowid: number;
  label: string;
  /** Whether nothing stands left of the label. */
  first: boolean;
  /** Whether what stands left of it stands there in the row above too: the group that it sums up. */
  grouped: boolean;
}

/** SQL of a cell that may be such a label, else NULL. */
const label = (cell: string) =>
  `CASE WHEN length(${cell}) <= 80 AND regexp_full_match(lower(trim(${cell}, ' \t\u00a0')), ${quoteText(TOTAL_LABEL)}) THEN trim(${cell}, ' \t\u00a0') END`;

/** Rows that may be sums, by their labels. */
export async function findCandidates(
  rows: Query,
  columns: readonly PlannedColumn[],
  { condition, rowCount }: RowsAsked,
  ends: { first: number; last: number },
): Promise<Candidate[]> {
  const looked = columns.slice(0, LABEL_COLUMNS).map(({ index }) => `c${index}`);
  const near =
    rowCount > LOOKED_THROUGH
      ? ` AND (rowid < ${ends.first + LOOKED_AT_ENDS} OR rowid > ${ends.last - LOOKED_AT_ENDS})`
      : '';
  const kept = `(SELECT rowid AS id, [${looked.join(', ')}] AS cells, coalesce(${looked.map(label).join(', ')}) AS label
       FROM staged WHERE ${condition}${near})`;
  const found = await rows(
    `SELECT id, label, to_json(cells)::VARCHAR, to_json(above)::VARCHAR
     FROM (SELECT *, lag(cells) OVER (ORDER BY id) AS above FROM ${kept}) WHERE label IS NOT NULL
     ORDER BY id LIMIT ${MOST_CANDIDATES + 1}`,
  );
  if (found.length > MOST_CANDIDATES || found.length >= rowCount) return [];
  return found.map(([rowid, text, cells, above]) => ({
    rowid: Number(rowid),
    label: String(text),
    ...standing(String(text), cellsOf(cells), cellsOf(above)),
  }));
}

const cellsOf = (json: unknown) =>
  ((JSON.parse(String(json)) as (string | null)[] | null) ?? []).map((cell) => cell?.trim() ?? '');

function standing(label: string, cells: readonly string[], above: readonly string[]) {
  const at = cells.indexOf(label);
  const left = cells.slice(0, at);
  return {
    first: left.every((cell) => cell === ''),
    grouped: left.every((cell, column) => cell === '' || cell === above[column]),
  };
}

/** SQL that leaves out rows. Not with IN, see `valueTextOf`. */
export const without = (condition: string, rowids: readonly number[]): string =>
  rowids.length === 0 ? condition : `${condition} AND NOT list_contains([${rowids.join(', ')}]::BIGINT[], rowid)`;

/** Sums and counts over the rows between two candidates. */
interface Segment {
  count: number;
  sums: number[];
  /** How many rows have a number, by column: the mean is that of these. */
  filled: number[];
}

/**
 * Which candidates are sums indeed: their numbers are the sums (or means) of rows above or below, or they name nothing
 * besides "total" and lack every word that rows of data have.
 * @param typed as all rows but the candidates have it
 */
export async function confirmTotals(
  rows: Query,
  candidates: readonly Candidate[],
  typed: readonly TypedColumn[],
  condition: string,
): Promise<Candidate[]> {
  const numeric = typed.filter(({ reading }) => reading?.type === 'integer' || reading?.type === 'number');
  if (numeric.length === 0) return [];
  const data = without(
    condition,
    candidates.map(({ rowid }) => rowid),
  );
  const own = await valuesOf(rows, candidates, numeric, condition);
  const segments = await segmentsOf(rows, candidates, numeric, data);
  const lacking = await lackingWords(rows, candidates, typed, condition, data);
  const confirmed = new Set<number>();
  // Places in `segments`: a group begins where the last confirmed sum ended, or at the beginning.
  let groupStart = 0;
  let grandStart = 0;
  for (const [at, { label, first, grouped }] of candidates.entries()) {
    const mean = isMeanLabel(label);
    const spans = [
      [groupStart, at],
      [0, at],
      [grandStart, at],
      [at + 1, candidates.length],
      [at + 1, at + 1],
    ] as const;
    const matched = spans.findIndex(([from, to]) =>
      agrees(own[at]!, total(segments.slice(from, to + 1)), mean, first || (grouped && confirmed.size > 0)),
    );
    const known = matched !== -1 && (first || grouped || lacking[at]! > 0);
    const stands = first && lacking[at] === Infinity && isBareFigure(label) && own[at]!.some((value) => value !== null);
    if (!known && !stands) continue;
    confirmed.add(at);
    if (mean) continue;
    if (matched === 1 && groupStart > 0) grandStart = at + 1;
    groupStart = at + 1;
  }
  return candidates.filter((_, at) => confirmed.has(at));
}

function total(segments: readonly Segment[]): Segment {
  const [first] = segments;
  const of = (which: 'sums' | 'filled') =>
    (first?.[which] ?? []).map((_, column) => segments.reduce((sum, one) => sum + one[which][column]!, 0));
  return { count: segments.reduce((sum, { count }) => sum + count, 0), sums: of('sums'), filled: of('filled') };
}

/** Whether the numbers of a row are those of a sum; prices and shares, which nobody adds up, may differ. */
function agrees(
  values: readonly (number | null)[],
  { count, sums, filled }: Segment,
  mean: boolean,
  first: boolean,
): boolean {
  const given = values.flatMap((value, column) =>
    value === null || value === 0 ? [] : [{ value, expected: mean ? sums[column]! / filled[column]! : sums[column]! }],
  );
  const equal = given.filter(({ value, expected }) => Math.abs(value - expected) <= tolerance(value, count, mean));
  if (count === 0 || equal.length === 0) return false;
  // The sum of one row is that row again: then every number has to agree.
  return count === 1
    ? first && equal.length === given.length && !mean
    : equal.length * 2 >= given.length || equal.length >= 2;
}

/** Sums are shown rounded, and of rounded numbers. */
function tolerance(value: number, count: number, mean: boolean): number {
  const [, decimals = ''] = String(value).split('.');
  const step = decimals === '' ? 0 : 10 ** -decimals.length;
  return Math.abs(value) * 1e-9 + (mean ? Math.max(step, 0.01) * 0.51 : step * 0.51 * Math.min(count, 4));
}

async function valuesOf(
  rows: Query,
  candidates: readonly Candidate[],
  numeric: readonly TypedColumn[],
  condition: string,
): Promise<(number | null)[][]> {
  const values: (number | null)[][] = candidates.map(() => []);
  const ids = `list_contains([${candidates.map(({ rowid }) => rowid).join(', ')}]::BIGINT[], rowid)`;
  for (let start = 0; start < numeric.length; start += COLUMNS_PER_QUERY) {
    const some = numeric.slice(start, start + COLUMNS_PER_QUERY);
    const cells = some.map(ownValue);
    const found = await rows(`SELECT ${cells.join(', ')} FROM staged WHERE ${condition} AND ${ids} ORDER BY rowid`);
    for (const [at, row] of found.entries())
      values[at]!.push(...row.map((value) => (value === null ? null : Number(value))));
  }
  return values;
}

/** SQL of a number of a candidate. Sums are often formatted otherwise than what they sum up: without its unit, or with one. */
function ownValue({ reading, text, unit }: TypedColumn): string {
  const bare = `regexp_replace(${text}, '^[^-0-9(+]+|[^-0-9)]+$', '', 'g')`;
  const forms = [text, bare, ...(unit === undefined ? [] : [`${bare} || ${quoteText(unit)}`])];
  const values = forms.map(
    (form) => `WHEN ${reading!.fits(`(${form})`)} THEN CAST(${reading!.value(`(${form})`)} AS DOUBLE)`,
  );
  return `CASE ${values.join(' ')} END`;
}

/** The rows above the first candidate, between each two, and below the last. */
async function segmentsOf(
  rows: Query,
  candidates: readonly Candidate[],
  numeric: readonly TypedColumn[],
  data: string,
): Promise<Segment[]> {
  const segments: Segment[] = Array.from({ length: candidates.length + 1 }, () => ({
    count: 0,
    sums: [],
    filled: [],
  }));
  const place = `list_aggregate(list_transform([${candidates.map(({ rowid }) => rowid).join(', ')}]::BIGINT[], lambda x: CASE WHEN x < rowid THEN 1 ELSE 0 END), 'sum')`;
  for (let start = 0; start < numeric.length; start += COLUMNS_PER_QUERY) {
    const some = numeric.slice(start, start + COLUMNS_PER_QUERY);
    const numbers = some.map(({ reading, text }) => `CAST(${reading!.value(`(${text})`)} AS DOUBLE)`);
    const sums = [
      ...numbers.map((number) => `coalesce(sum(${number}), 0)`),
      ...numbers.map((number) => `count(${number})`),
    ];
    const found = await rows(
      `SELECT ${place} AS place, count(*), ${sums.join(', ')} FROM staged WHERE ${data} GROUP BY place`,
    );
    for (const segment of segments)
      for (const figures of [segment.sums, segment.filled]) figures.push(...some.map(() => 0));
    for (const [at, count, ...values] of found) {
      const segment = segments[Number(at)]!;
      segment.count = Number(count);
      segment.sums.splice(start, some.length, ...values.slice(0, some.length).map(Number));
      segment.filled.splice(start, some.length, ...values.slice(some.length).map(Number));
    }
  }
  return segments;
}

/** Of each candidate: how many words it lacks that every row of data has; Infinity when these are all besides its label. */
async function lackingWords(
  rows: Query,
  candidates: readonly Candidate[],
  typed: readonly TypedColumn[],
  condition: string,
  data: string,
): Promise<number[]> {
  const words = typed.filter(({ reading }) => reading?.type !== 'number' && reading?.type !== 'integer');
  const some = words.slice(0, COLUMNS_PER_QUERY);
  if (some.length < 2) return candidates.map(() => 0);
  const [always] = await rows(
    `SELECT ${some.map(({ text }) => `count(*) = count(${text})`).join(', ')} FROM staged WHERE ${data}`,
  );
  const full = some.filter((_, at) => Boolean(always![at]));
  if (full.length === 0) return candidates.map(() => 0);
  const ids = `list_contains([${candidates.map(({ rowid }) => rowid).join(', ')}]::BIGINT[], rowid)`;
  const found = await rows(
    `SELECT ${full.map(({ text }) => `CASE WHEN (${text}) IS NULL THEN 1 ELSE 0 END`).join(' + ')} FROM staged WHERE ${condition} AND ${ids} ORDER BY rowid`,
  );
  return found.map(([empty]) => (Number(empty) > 0 && Number(empty) >= full.length - 1 ? Infinity : Number(empty)));
}
