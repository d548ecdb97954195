import type { AskedColumn, AskedTable } from '../asked-table.js';
import type { Comparison } from './lexicon.js';
import type { Mark } from './mark-words.js';
import { isNumeric, labelOf, Unclear, type Filter, type GroupSize } from './reading.js';

type MarkOf<K extends Mark['kind']> = Extract<Mark, { kind: K }>;

const OPPOSITE: Record<Comparison, Comparison> = { '>': '<=', '<': '>=', '>=': '<', '<=': '>' };

/** The condition for all other rows; a bound becomes the bound on the other side, as what has no number has neither. */
export function turned(filter: Filter): Filter {
  if (filter.kind === 'compare') return { ...filter, op: OPPOSITE[filter.op] };
  if (filter.kind === 'flag') return { ...filter, value: !filter.value };
  return { ...filter, negated: true };
}

/** "Without a price". @throws Unclear where zeros may be meant as well, or several columns */
export function nothingIn({ columns, family }: MarkOf<'column'>, about: string): Filter {
  const [column, ...others] = columns;
  if (!column || others.length > 0) throw new Unclear(about, (family ?? columns).map(labelOf));
  const [low, high] = column.span ?? [];
  if (isNumeric(column) && Number(low) <= 0 && Number(high) >= 0)
    throw new Unclear(about, [`${labelOf(column)} = 0`, `${labelOf(column)} = —`], 'value');
  return { kind: 'empty', column };
}

/** The column that "contains" is said of where none is named. @throws Unclear */
export function textColumn({ columns }: AskedTable, about: string): AskedColumn {
  const texts = columns.filter(({ type }) => type === 'text');
  const names = texts.filter(({ name }) => /(^|_)(name|title)$/i.test(name));
  const [column, ...others] = names.length > 0 ? names : texts;
  if (!column || others.length > 0) throw new Unclear(about, texts.map(labelOf));
  return column;
}

/** "More than 5 airports": of how many rows, or how many different values, a group is. */
export function groupSize(
  { op }: MarkOf<'compare'>,
  { amount }: MarkOf<'amount'>,
  [noun, behind]: readonly Mark[],
): GroupSize | null {
  if (amount.unit !== null || !Number.isInteger(amount.number) || noun === undefined) return null;
  const { number } = amount;
  if (noun.kind === 'table' || noun.kind === 'rows') return { op, number, column: null };
  if (noun.kind !== 'column' || noun.family !== undefined || behind !== undefined) return null;
  const [column, ...others] = noun.columns;
  const plural = noun.words.at(-1)!.norm.endsWith('s');
  return column?.type === 'text' && others.length === 0 && plural ? { op, number, column } : null;
}
