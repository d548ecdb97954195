import type { AskedColumn, AskedTable } from '../asked-table.js';
import type { Mark } from './mark-words.js';
import { isTime, labelOf, Unclear, type Filter } from './reading.js';

const TRUE = new Set(['true', 'yes', 'نعم', 'صحيح']);
const FALSE = new Set(['false', 'no', 'لا', 'خطا']);

/**
 * Takes the conditions out of a question: `status is open`, `amount over 100`, `Amman` where a column has it.
 * @returns what remains; null when a word is not understood. @throws Unclear
 */
export function readFilters(marks: readonly Mark[], table: AskedTable, filters: Filter[]): Mark[] | null {
  const rest: Mark[] = [];
  for (let at = 0; at < marks.length; at++) {
    const mark = marks[at]!;
    const condition = mark.kind === 'column' ? conditionAt(marks, at) : null;
    if (condition) {
      filters.push(condition.filter);
      at += condition.length - 1;
    } else if (mark.kind === 'value') {
      filters.push({ column: onlyColumn(mark), op: '=', value: mark.value });
    } else if (mark.kind === 'number' && isYear(mark.number) && !followsTop(marks, at)) {
      filters.push({ column: yearColumn(table), op: 'year', value: mark.number });
    } else if (mark.kind === 'unknown') {
      return null;
    } else {
      rest.push(mark);
    }
  }
  return mergeEquals(filters) ? rest : null;
}

/** "In Amman and Irbid" are both; two numbers or dates that one column should equal are not understood. */
function mergeEquals(filters: Filter[]): boolean {
  for (const column of new Set(filters.map((filter) => filter.column))) {
    const equal = filters.filter((filter) => filter.column === column && filter.op === '=');
    if (equal.length < 2) continue;
    const values = [...new Set(equal.map(({ value }) => value))];
    if (!values.every((value) => typeof value === 'string') || column.type !== 'text') return false;
    const others = filters.filter((filter) => !equal.includes(filter));
    const [only] = values;
    const merged: Filter =
      values.length === 1 ? { column, op: '=', value: only! } : { column, op: 'in', value: values };
    filters.splice(0, filters.length, ...others, merged);
  }
  return true;
}

interface Condition {
  filter: Filter;
  /** Of how many marks it is. */
  length: number;
}

/** A column, perhaps a sign or a comparison, and a value that the column can hold. */
function conditionAt(marks: readonly Mark[], at: number): Condition | null {
  const mark = marks[at];
  if (mark?.kind !== 'column' || mark.columns.length !== 1) return null;
  const column = mark.columns[0]!;
  let next = at + 1;
  let op: Filter['op'] = '=';
  let said = false;
  for (; marks[next]?.kind === 'filler' || marks[next]?.kind === 'equals' || marks[next]?.kind === 'compare'; next++) {
    const sign = marks[next]!;
    if (sign.kind === 'compare') op = sign.op;
    if (sign.kind !== 'filler') said = true;
  }
  const value = marks[next];
  const read = value && valueFor(column, value, said);
  if (read === null || read === undefined) return null;
  return { filter: { column, op, value: read }, length: next - at + 1 };
}

/** @param said whether the question compares, so that any word can be the value */
function valueFor(column: AskedColumn, mark: Mark, said: boolean): string | number | boolean | null {
  const words = mark.words.map(({ text }) => text).join(' ');
  switch (column.type) {
    case 'integer':
    case 'number':
      return mark.kind === 'number' && said ? mark.number : null;
    case 'boolean': {
      const norm = mark.words.map((word) => word.norm).join(' ');
      return TRUE.has(norm) ? true : FALSE.has(norm) ? false : null;
    }
    case 'date':
    case 'datetime':
      return mark.kind === 'date' && said ? mark.date : null;
    case 'text':
      if (mark.kind === 'value') return mark.columns.includes(column) ? mark.value : null;
      if (mark.kind === 'unknown' && mark.words.every(({ quoted }) => quoted)) return words;
      return said && (mark.kind === 'unknown' || mark.kind === 'number') ? words : null;
  }
}

function onlyColumn({ columns, value }: Extract<Mark, { kind: 'value' }>): AskedColumn {
  if (columns.length > 1) throw new Unclear(value, columns.map(labelOf));
  return columns[0]!;
}

function isYear(number: number): boolean {
  return Number.isInteger(number) && number >= 1900 && number <= 2100;
}

function followsTop(marks: readonly Mark[], at: number): boolean {
  const before = marks[at - 1];
  return before?.kind === 'top' || before?.kind === 'bottom' || before?.kind === 'aggregate';
}

function yearColumn({ columns }: AskedTable): AskedColumn {
  const dates = columns.filter(isTime);
  const [date, ...others] = dates;
  if (!date || others.length > 0) throw new Unclear('year', dates.map(labelOf));
  return date;
}
