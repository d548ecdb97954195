import { nearestNames, plainly } from '@app/workflow-definition';
import { isJson, type Json, textsIn } from '../json.js';
import type { KnownTableFile } from './known-things.js';

const SHOWN = 8;
/** Longer ones are left to the database: what looks for names in them would take long. */
const MAX_LENGTH = 10_000;
const QUOTED = /'(?:[^']|'')*'/g;
const COMMENT = /--[^\n]*|\/\*[\s\S]*?\*\//g;
const TABLE =
  /\b(?:from|join)\s+(?:"([^"]+)"|([\p{L}_][\p{L}\p{N}_]*))(?![\p{L}\p{N}_]|\s*[.(])(?:\s+(?:as\s+)?([\p{L}_][\p{L}\p{N}_]*))?/giu;
/** `FROM` that names no table. */
const OTHER_FROM = /\b(?:extract|trim|substring|overlay)\s*\([^()]*\)|\bdistinct\s+from\b/giu;
const COLUMN = /(?:"([^"]+)"|\b([\p{L}_][\p{L}\p{N}_]*))\.(?:"([^"]+)"|([\p{L}_][\p{L}\p{N}_]*))/gu;
const WITH = /(?:\bwith\s+(?:recursive\s+)?|,\s*)(?:"([^"]+)"|([\p{L}_][\p{L}\p{N}_]*))\s*(?:\([^)]*\)\s*)?as\s*\(/giu;

/**
 * Names of tables, and of columns that are told with their table, that the files of a query do not have. Whether it is
 * SQL at all, and columns without their table, only the database can tell.
 */
export function checkSql(
  params: Json,
  files: readonly KnownTableFile[],
  report: (code: string, path: string, message: string) => void,
): void {
  const { sql } = params;
  if (typeof sql !== 'string' || sql.length > MAX_LENGTH || sql.includes('{{') || isJson(params.file_uids)) return;
  const chosen = new Set(textsIn(params.file_uids));
  const asked = files.filter(({ uid }) => chosen.has(uid));
  // A file that only the run knows may have any table.
  if (asked.length === 0 || asked.length < chosen.size) return;
  const tables = asked.flatMap((file) => file.tables);
  const text = sql.replaceAll(COMMENT, ' ').replaceAll(QUOTED, "''").replaceAll(OTHER_FROM, ' ');
  const own = new Set([...text.matchAll(WITH)].map((match) => plainly(match[1] ?? match[2]!)));
  const columns = new Map<string, readonly string[]>();
  const missing = new Set<string>();
  for (const [, quoted, bare, alias] of text.matchAll(TABLE)) {
    const name = quoted ?? bare!;
    if (own.has(plainly(name))) continue;
    const table = tables.find((known) => known.name.toLowerCase() === name.toLowerCase() || isLater(name, known.name));
    if (!table) missing.add(name);
    else
      for (const label of [name, ...(alias && !KEYWORDS.has(alias.toLowerCase()) ? [alias] : [])])
        columns.set(
          label.toLowerCase(),
          table.columns.map((column) => column.name),
        );
  }
  for (const name of missing)
    report(
      'unknown_table',
      'params.sql',
      unknown(
        'table',
        name,
        tables.map((table) => table.name),
      ),
    );
  const told = new Set<string>();
  for (const [, quotedTable, bareTable, quotedColumn, bareColumn] of text.matchAll(COLUMN)) {
    const known = columns.get((quotedTable ?? bareTable!).toLowerCase());
    const column = quotedColumn ?? bareColumn!;
    if (!known || told.has(column) || known.some((name) => name.toLowerCase() === column.toLowerCase())) continue;
    told.add(column);
    report('unknown_column', 'params.sql', unknown('column', column, known));
  }
}

const KEYWORDS = new Set(
  'where join left right inner outer full cross natural on using group order limit having union except intersect window qualify'.split(
    ' ',
  ),
);

/** A table that two files have is called by a number in the later one. */
function isLater(name: string, table: string): boolean {
  return name.toLowerCase().startsWith(table.toLowerCase()) && /^_?\d+$/.test(name.slice(table.length));
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const near = nearestNames(name, known, SHOWN);
  const shown = near.length > 0 ? near : known.slice(0, 20);
  return `There is no ${what} ${JSON.stringify(name)}. There ${shown.length === 1 ? 'is' : 'are'}: ${shown.join(', ')}.`;
}
