import type { DuckDBConnection } from '@duckdb/node-api';
import type { Evidence, QueriedFile, ResultLimits } from '../query-messages.js';
import { quoteName as quote, quoteText } from './parse-statement.js';
import { runStatement } from './run-statement.js';
import { isFilled, isNode, type SyntaxNode } from './sql-guard.js';
import { fileAlias } from './workspace.js';

/** Rows of a table that are shown as evidence. */
const SHOWN_ROWS = 50;
/** Runs of rows that are named; further ones are left out. */
const SHOWN_SPANS = 50;

interface FoundTable {
  /** Position of its file. */
  file: number;
  name: string;
  alias: string;
}

/**
 * On which cells the result of a checked statement rests. Of a statement over one table: the rows that its WHERE keeps.
 * Of any other: the whole columns that it names.
 */
export async function findEvidence(
  connection: DuckDBConnection,
  statement: SyntaxNode,
  files: readonly QueriedFile[],
  limits: ResultLimits,
): Promise<Evidence[]> {
  const known = new Map<string, FoundTable>();
  for (const [file, { tables }] of files.entries())
    for (const { name, alias } of tables) known.set(alias.toLowerCase(), { file, name, alias });
  const named = collect(statement, 'table_name').map((name) => name.toLowerCase());
  const found = [...new Set(named)].flatMap((name) => known.get(name) ?? []);
  const mentioned = new Set(columnParts(statement).map((name) => name.toLowerCase()));
  const everything = hasStar(statement);
  const only = found.length === 1 ? simpleSelect(statement) : null;
  const all: Evidence[] = [];
  for (const table of found) {
    const own = await columnsOf(connection, table);
    const named = own.filter((column) => everything || mentioned.has(column.toLowerCase()));
    // A count of rows names none.
    const columns = named.length > 0 ? named : own;
    const whole = `${fileAlias(table.file)}.main.${quote(table.name)}`;
    const filtered = only === null ? null : await filteredSource(connection, table, only);
    const source = filtered ?? whole;
    const select = `SELECT ${columns.map(quote).join(', ')} FROM ${source} ORDER BY rowid LIMIT ${SHOWN_ROWS}`;
    const shown = await runStatement(connection, select, { ...limits, rows: SHOWN_ROWS });
    const spans = await runStatement(connection, filtered === null ? allRows(whole) : islands(source), {
      ...limits,
      rows: SHOWN_SPANS,
    });
    all.push({
      table: table.alias,
      columns,
      spans: spans.rows.map(([first, last]): [number, number] => [Number(first), Number(last)]),
      rows: shown.rows,
    });
  }
  return all;
}

const allRows = (source: string) => `SELECT 0, count(*) - 1 FROM ${source} HAVING count(*) > 0`;

/** Runs of neighbouring rows: within one, a row's number less its rank is the same. */
const islands = (source: string) => `
  SELECT min(id), max(id) FROM (SELECT rowid AS id, rowid - row_number() OVER (ORDER BY rowid) AS island FROM ${source})
  GROUP BY island ORDER BY 1 LIMIT ${SHOWN_SPANS}`;

/** The one SELECT of a statement over one table, without WITH, samples and nested queries; else null. */
function simpleSelect(statement: SyntaxNode): SyntaxNode | null {
  const node = statement['node'];
  if (!isNode(node) || node['type'] !== 'SELECT_NODE' || collect(node, 'cte_name').length > 0) return null;
  const { from_table: from, cte_map: queries, sample } = node;
  if (isFilled(sample) || (isNode(queries) && isFilled(queries['map']))) return null;
  const plain = isNode(from) && from['type'] === 'BASE_TABLE' && !isFilled(from['sample']);
  return plain && !contains(node, 'subquery') ? node : null;
}

/** The table itself, not its view, which has no row numbers, with the WHERE of the statement; null without one. */
async function filteredSource(
  connection: DuckDBConnection,
  table: FoundTable,
  select: SyntaxNode,
): Promise<string | null> {
  if (!isFilled(select['where_clause']) || !isNode(select['from_table'])) return null;
  const alias = isFilled(select['from_table']['alias']) ? select['from_table']['alias'] : table.alias;
  const at = { schema_name: 'main', catalog_name: fileAlias(table.file), table_name: table.name };
  const probe = {
    ...select,
    select_list: [
      {
        class: 'CONSTANT',
        type: 'VALUE_CONSTANT',
        alias: '',
        value: { type: { id: 'INTEGER', type_info: null }, is_null: false, value: 1 },
      },
    ],
    from_table: { ...select['from_table'], ...at, alias },
    modifiers: [],
    group_expressions: [],
    group_sets: [],
    having: null,
    qualify: null,
    aggregate_handling: 'STANDARD_HANDLING',
  };
  // Where a node has no place in the text, its number is more than JavaScript can hold.
  const tree = JSON.stringify({ error: false, statements: [{ node: probe }] }, (key, value: unknown) =>
    key === 'query_location' ? 0 : value,
  );
  const reader = await connection.runAndReadAll(`SELECT json_deserialize_sql(${quoteText(tree)}::JSON)`);
  const sql = String(reader.getRows()[0]?.[0]);
  return sql.slice(sql.indexOf(' FROM ') + ' FROM '.length);
}

async function columnsOf(connection: DuckDBConnection, { file, name }: FoundTable): Promise<readonly string[]> {
  const result = await connection.stream(`SELECT * FROM ${fileAlias(file)}.main.${quote(name)} LIMIT 0`);
  return result.columnNames();
}

function collect(value: unknown, key: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => collect(item, key));
  if (!isNode(value)) return [];
  const own = value[key];
  return [...(typeof own === 'string' ? [own] : []), ...Object.values(value).flatMap((item) => collect(item, key))];
}

function columnParts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(columnParts);
  if (!isNode(value)) return [];
  const own = value['class'] === 'COLUMN_REF' && Array.isArray(value['column_names']) ? value['column_names'] : [];
  return [...own.map(String), ...Object.values(value).flatMap(columnParts)];
}

/** Whether a list of columns is `*`; that of count(*) is none. */
function hasStar(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasStar);
  if (!isNode(value)) return false;
  return value['class'] === 'STAR' || Object.values(value).some(hasStar);
}

function contains(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return value.some((item) => contains(item, key));
  return isNode(value) && (isFilled(value[key]) || Object.values(value).some((item) => contains(item, key)));
}
