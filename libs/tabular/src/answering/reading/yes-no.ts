import type { AskedColumn } from '../asked-table.js';
import { LANGUAGES } from './lexicon/languages.js';
import type { Filter } from './reading.js';

const spelled = (which: 0 | 1, more: string) =>
  new Set([...Object.values(LANGUAGES).flatMap(({ truths }) => truths[which].split('|')), ...more.split(' ')]);

/** In the languages of questions, and in those that tables are written in beside them. Never S, O: these are also directions. */
const YES = spelled(0, 'yes true y j tak evet ano igen да ja نعم صحيح 是 はい');
const NO = spelled(1, 'no false n nie hayır ne nem нет nej nei لا خطأ 否 いいえ');

/** The cells of a column of texts that holds nothing but yes and no; null of any other. */
function yesAndNo({ type, values, complete }: AskedColumn): { yes: string[]; no: string[] } | null {
  if (type !== 'text' || complete !== true) return null;
  const said = (words: ReadonlySet<string>) => values.filter((value) => words.has(value.trim().toLowerCase()));
  const [yes, no] = [said(YES), said(NO)];
  return yes.length > 0 && no.length > 0 && yes.length + no.length === values.length ? { yes, no } : null;
}

/** Whether its cells say yes or no, as what they are or as words. */
export const isYesOrNo = (column: AskedColumn): boolean => column.type === 'boolean' || yesAndNo(column) !== null;

/** The condition that such a column says yes, or no. */
export function saying(column: AskedColumn, value: boolean): Filter {
  const cells = yesAndNo(column);
  return cells === null
    ? { kind: 'flag', column, value }
    : { kind: 'values', column, values: value ? cells.yes : cells.no, asked: 1 };
}

/** What is not a yes is a no, and no empty cell; null where the condition asks for neither. */
export function contraryOf(filter: Filter): Filter | null {
  if (filter.kind === 'flag') return { ...filter, value: !filter.value };
  const cells = filter.kind === 'values' && filter.negated !== true ? yesAndNo(filter.column) : null;
  if (cells === null || filter.kind !== 'values') return null;
  const asked = (own: readonly string[]) => filter.values.every((value) => own.includes(value));
  if (asked(cells.yes)) return saying(filter.column, false);
  return asked(cells.no) ? saying(filter.column, true) : null;
}
