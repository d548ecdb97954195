import type { AskedColumn, AskedTable } from '../asked-table.js';
import type { Comparison } from './lexicon.js';
import type { Mark } from './mark-words.js';
import { askBack, columnOptions, type Option } from './asking-back.js';
import { isMeasured } from './conditions.js';
import { contraryOf, isYesOrNo, saying } from './yes-no.js';
import { isNumeric, labelOf, type Filter, type GroupSize } from './reading.js';

type MarkOf<K extends Mark['kind']> = Extract<Mark, { kind: K }>;

const OPPOSITE: Record<Comparison, Comparison> = { '>': '<=', '<': '>=', '>=': '<', '<=': '>' };

/** What people write where there is nothing to write, or nothing is known. */
const NOTHING =
  /^(?:none|no|nil|n\/?a|n\.\s?a\.|-+|[—–−?/.…]|\.{2,3}|nothing|null|0|unknown|missing|(?:not|un)\s?(?:known|available)|k\.?\s?a\.?|n\.?\s?[bv]\.?|n\.\s?[dn]\.|nd|keine?(?:\s(?:angaben?|daten))?|nein|nichts|fehlt|unbekannt|aucune?|non|rien|inconnue?|ningun[oa]?|ningún|nada|desconocid[oa]|s\/d|s\.\s?d\.|sin\sdatos|nessun[oa]?|niente|nulla|geen|nee|niets|onbekend|n\.?v\.?t\.?|nenhuma?|não|sem\sdados|brak|nie|yok|нет|لا|لا يوجد|لا شيء)$/iu;

/** The condition for all other rows; a bound becomes the bound on the other side, as what has no number has neither. */
export function turned(filter: Filter): Filter {
  if (filter.kind === 'compare' || filter.kind === 'average') return { ...filter, op: OPPOSITE[filter.op] };
  const { negated, ...bare } = filter;
  // "Not unpaid"
  if (negated) return bare;
  return contraryOf(filter) ?? { ...filter, negated: true };
}

/** "Without a price". @throws Unclear where zeros may be meant as well, or several columns */
export function nothingIn({ columns, family }: MarkOf<'column'>, about: string, table: AskedTable): Filter {
  const [first, ...more] = columns;
  const column = first && more.length === 0 ? first : askBack(table, about, columnOptions(family ?? columns));
  // "Without a scholarship": the answer is no, rather than missing.
  if (isYesOrNo(column)) return saying(column, false);
  const [low, high] = column.span ?? [];
  if (isNumeric(column) && Number(low) <= 0 && Number(high) >= 0)
    return askBack(table, about, [zero(column), empty(column)], 'value');
  // "No damage" may be written as a word.
  const nothing = column.values.filter((value) => NOTHING.test(value.trim()));
  if (column.type === 'text' && (nothing.length > 0 || family !== undefined)) {
    const words = nothing.map((value): Option<Filter> => [
      `${labelOf(column)} = ${value}`,
      { kind: 'values', column, values: [value], asked: 1 },
    ]);
    return askBack(table, about, [...words, empty(column)], 'value');
  }
  return { kind: 'empty', column };
}

const zero = (column: AskedColumn): Option<Filter> => [
  `${labelOf(column)} = 0`,
  { kind: 'numbers', column, numbers: [0], shown: ['0'] },
];
const empty = (column: AskedColumn): Option<Filter> => [`${labelOf(column)} = —`, { kind: 'empty', column }];

/** The column that "contains" is said of where none is named. @throws Unclear */
export function textColumn(table: AskedTable, about: string): AskedColumn {
  const texts = table.columns.filter(({ type }) => type === 'text');
  const names = texts.filter(({ name }) => /(^|_)(name|title)$/i.test(name));
  const [column, ...others] = names.length > 0 ? names : texts;
  return column && others.length === 0 ? column : askBack(table, about, columnOptions(texts));
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
  const plural = noun.words[0]!.language !== 'en' || noun.words.at(-1)!.norm.endsWith('s');
  return column?.type === 'text' && others.length === 0 && plural ? { op, number, column } : null;
}

/** The one column of numbers that stands behind an amount: "more than 200 horsepower". */
export function numbersIn(mark: Mark | undefined): AskedColumn | null {
  if (mark?.kind !== 'column') return null;
  const [column, ...others] = mark.columns;
  return column && others.length === 0 && isMeasured(column) ? column : null;
}
