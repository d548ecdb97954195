import type { AskedColumn, AskedTable } from './asked-table.js';

/** Some 8,000 tokens: leaves room for the conversation in small context windows. */
const MAX_CHARACTERS = 24_000;
const SHOWN_VALUES = 20;
const SHOWN_CELL = 60;

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
  if (sample && table.sample.length > 0)
    lines.push('First rows:', ...table.sample.map((row) => plain(JSON.stringify(row.map(short)))));
  return [...lines, '</table>'].join('\n');
}

function columnText({ name, originalName, type, values }: AskedColumn, shown: number): string {
  const header = originalName !== '' && originalName !== name ? `, header ${JSON.stringify(plain(originalName))}` : '';
  const some = shown > 0 && values.length > 0 ? `, values ${plain(JSON.stringify(values.slice(0, shown)))}` : '';
  const rest = some !== '' && values.length > shown ? ' and others' : '';
  return `- ${JSON.stringify(name)} (${type})${header}${some}${rest}`;
}

function short(cell: unknown): unknown {
  return typeof cell === 'string' && cell.length > SHOWN_CELL ? `${cell.slice(0, SHOWN_CELL)}…` : cell;
}

/** A cell cannot end the table and speak outside it. */
export function plain(text: string): string {
  return text.replace(/<(?=\/?\s*(?:table|result))/gi, '‹');
}
