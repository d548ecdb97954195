import { textOf } from './column-types.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import type { Query, RowsAsked } from './typed-column.js';

/** Notes below a table are few. */
const MOST_NOTES = 20;
/** A table of two columns has rows with one cell of its own: there only what also reads like a note is one. */
const NARROW = 2;

/** How notes begin: "Source: …", "Stand 31.12.", "* preliminary", "(1) without VAT". */
const BEGINNING = new RegExp(
  String.raw`^([*†‡¹²³]|\(?\d\)\s|(${[
    'sources?|notes?|remarks?|footnotes?|prepared (by|on)|printed|generated|exported|created (by|on)|report(ed)? (by|date)|as of|confidential|legend|end of (report|file|data)',
    'quellen?|hinweise?|anmerkung(en)?|bemerkung(en)?|fußnoten?|erstellt|gedruckt|stand|vertraulich|legende|ende',
    'remarques?|établi|imprimé|édité|généré|confidentiel|légende|fin',
    'fuentes?|notas?|observaci(ón|ones)|elaborado|impreso|generado|confidencial|leyenda|fin del',
    'fonte|fonti|osservazioni',
    'المصدر|ملاحظة|ملاحظات|أعده|تاريخ التقرير',
  ].join('|')})(?![\p{L}\p{N}]))`,
  'iu',
);

/** A row below the data that names something about the table. */
export interface Note {
  rowid: number;
  text: string;
  /** Whether it stands apart: below a blank row. */
  apart: boolean;
  /** Below a table of two columns. */
  narrow: boolean;
}

/**
 * The last rows of a table that hold one cell, or a name with a colon and what it is, where the table is wider: what a
 * title is above a table. They may also be rows about which little is known.
 */
export async function findNotes(
  rows: Query,
  { padded }: StagedTable,
  columns: readonly PlannedColumn[],
  { condition, rowCount }: RowsAsked,
): Promise<Note[]> {
  if (columns.length < NARROW) return [];
  const cells = columns.map(({ index }) => textOf(`c${index}`, padded));
  const last = await rows(
    `SELECT rowid, to_json([${cells.join(', ')}])::VARCHAR FROM staged WHERE ${condition} ORDER BY rowid DESC LIMIT ${MOST_NOTES + 1}`,
  );
  const notes: Note[] = [];
  for (const [at, [rowid, json]] of last.entries()) {
    const filled = (JSON.parse(String(json)) as (string | null)[]).flatMap((cell) => cell?.trim() || []);
    const [first = ''] = filled;
    const named = filled.length === 2 && columns.length > NARROW + 1 && /[:：]$/u.test(first);
    if (!(filled.length === 1 || named) || !/\p{L}/u.test(first)) {
      // So many rows with one cell are data, as are all of them.
      return notes.length >= MOST_NOTES || notes.length >= rowCount ? [] : notes.toReversed();
    }
    const above = last[at + 1]?.[0];
    const apart = above !== undefined && Number(rowid) - Number(above) > 1;
    notes.push({ rowid: Number(rowid), text: filled.join(' '), apart, narrow: columns.length === NARROW });
  }
  return [];
}

/**
 * Those that are notes indeed: from the first on that stands below a row of sums, below a blank row, or reads like a
 * note; what follows a note is one. A last row with a name alone, close below the others, is a row.
 * @param totals the rows of sums
 */
export function confirmNotes(notes: readonly Note[], totals: ReadonlySet<number>): Note[] {
  const from = notes.findIndex(({ rowid, text, apart, narrow }) => {
    const isBelow = apart || totals.has(rowid - 1);
    return narrow
      ? BEGINNING.test(text) && (isBelow || /^[^:：]{2,30}[:：]/u.test(text))
      : isBelow || BEGINNING.test(text);
  });
  return from === -1 ? [] : notes.slice(from);
}
