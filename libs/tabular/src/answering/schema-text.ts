import { cutText } from '@app/common';
import type { AskedColumn, AskedTable } from './asked-table.js';

/** Some 8,000 tokens: leaves room for the conversation in small context windows. */
const MAX_CHARACTERS = 24_000;
const SHOWN_VALUES = 20;
const SHOWN_CELL = 60;
const SHOWN_TOTALS = 10;

/** The tables as a model is told of them; the less important parts are left out where there is too much. */
export function schemaText(tables: readonly AskedTable[]): string {
  const levels = [
    { values: SHOWN_VALUES, sample: true },
    { values: 5, sample: false },
    { values: 0, sample: false },
  ];
  const [full, short, bare] = levels.map((level) => tables.map((table) => tableText(table, level)).join('\n\n'));
  const text =
    [full, short, bare].find((version) => version!.length <= MAX_CHARACTERS) ?? bare!.slice(0, MAX_CHARACTERS);
  return text;
}

function tableText(table: AskedTable, { values, sample }: { values: number; sample: boolean }): string {
  const from = table.sheet === null ? table.filename : `${table.filename}, sheet ${table.sheet}`;
  const lines = [
    `<table name=${JSON.stringify(table.alias)} rows="${table.rowCount}" file=${JSON.stringify(plain(from))}>`,
    ...table.columns.map((column) => columnText(column, values)),
  ];
  const totals = table.totalRows ?? [];
  if (totals.length > 0) {
    const named = totals
      .slice(0, SHOWN_TOTALS)
      .map(({ row, label }) => `${row} ${JSON.stringify(plain(String(short(label))))}`);
    lines.push(
      `Rows of sums in the file, which are not rows of this table (row of the sheet, label): ${named.join(', ')}${totals.length > SHOWN_TOTALS ? ' and others' : ''}.`,
    );
  }
  if (sample && table.sample.length > 0)
    lines.push('First rows:', ...table.sample.map((row) => plain(JSON.stringify(row.map(short)))));
  return [...lines, '</table>'].join('\n');
}

function columnText(
  { name, originalName, type, values, complete, unit, headerPath, missingFormulas }: AskedColumn,
  shown: number,
): string {
  const header = originalName !== '' && originalName !== name ? `, header ${JSON.stringify(plain(originalName))}` : '';
  const path =
    headerPath && headerPath.length > 1 ? `, under the headers ${plain(JSON.stringify(headerPath.map(short)))}` : '';
  const counted =
    unit === undefined
      ? ''
      : unit === '%'
        ? ', in percent (10 stands for 10 %)'
        : `, in ${JSON.stringify(plain(String(short(unit))))}`;
  const missing = missingFormulas ? `, incomplete: ${missingFormulas} cells with formulas have no value` : '';
  const some = shown > 0 && values.length > 0 ? `, values ${plain(JSON.stringify(values.slice(0, shown)))}` : '';
  const rest = some !== '' && (values.length > shown || complete === false) ? ' and others' : '';
  return `- ${JSON.stringify(name)} (${type})${header}${path}${counted}${missing}${some}${rest}`;
}

/** What is to be known of the figures of a result: units, and what is missing. '' for nothing. */
export function schemaFacts(columns: readonly AskedColumn[]): string {
  const told = columns.filter(({ unit, missingFormulas }) => unit !== undefined || missingFormulas);
  return told.length === 0
    ? ''
    : ['About columns of the statement:', ...told.map((column) => columnText(column, 0))].join('\n');
}

function short(cell: unknown): unknown {
  return typeof cell === 'string' && cell.length > SHOWN_CELL ? `${cutText(cell, SHOWN_CELL)}…` : cell;
}

/** A cell cannot end the table and speak outside it. */
export function plain(text: string): string {
  return text.replace(/<(?=\/?\s*(?:table|result))/gi, '‹');
}
