import type { AskedColumn } from '../asked-table.js';
import type { LanguageCode } from './lexicon/languages.js';
import { wordsOfLanguage } from './texts/of-language.js';
import { measureAlias } from './reading-sql.js';
import { isQuotient } from './quotients.js';
import { askedThings, isBound } from './things.js';
import { labelOf, type Filter, type Group, type Measure, type ReadQuery } from './reading.js';

export const WORDS = {
  en: {
    measures: {
      count: 'number of rows',
      count_distinct: 'number of different values of',
      sum: 'sum of',
      avg: 'average of',
      min: 'lowest',
      max: 'highest',
      median: 'median of',
      share: 'share in percent of',
    },
    not: 'not',
    matches: { contains: 'contains', starts: 'starts with', ends: 'ends with' },
    having: 'with',
    groups: 'number of',
    size: 'rows',
    sizeOf: 'different values of',
    rows: 'rows',
    values: 'different values of',
    of: 'of table',
    where: 'where',
    and: 'and',
    by: 'by',
    within: 'in',
    against: 'compared with',
    difference: 'difference',
    percent: 'difference in percent',
    units: {
      decade: 'decade',
      weekday: 'weekday',
      year: 'year',
      quarter: 'quarter',
      month: 'month',
      week: 'week',
      day: 'day',
    },
    edge: { asc: 'of the first', desc: 'of the last' },
    each: 'of each',
    order: { asc: 'lowest first', desc: 'highest first' },
    first: (count: number) => `first ${count}`,
    place: (place: number) => `number ${place}`,
  },
  ar: {
    measures: {
      count: 'عدد الصفوف',
      count_distinct: 'عدد القيم المختلفة في',
      sum: 'مجموع',
      avg: 'متوسط',
      min: 'أدنى',
      max: 'أعلى',
      median: 'وسيط',
      share: 'النسبة المئوية من',
    },
    not: 'ليس',
    matches: { contains: 'يحتوي على', starts: 'يبدأ بـ', ends: 'ينتهي بـ' },
    having: 'له',
    groups: 'عدد',
    size: 'صفوف',
    sizeOf: 'قيم مختلفة في',
    rows: 'الصفوف',
    values: 'القيم المختلفة في',
    of: 'من الجدول',
    where: 'حيث',
    and: 'و',
    by: 'حسب',
    within: 'ضمن',
    against: 'مقارنة بـ',
    difference: 'الفرق',
    percent: 'الفرق بالمئة',
    units: {
      decade: 'العقد',
      weekday: 'يوم الأسبوع',
      year: 'السنة',
      quarter: 'ربع السنة',
      month: 'الشهر',
      week: 'الأسبوع',
      day: 'اليوم',
    },
    edge: { asc: 'لأول', desc: 'لآخر' },
    each: 'لكل',
    order: { asc: 'الأدنى أولا', desc: 'الأعلى أولا' },
    first: (count: number) => `أول ${count}`,
    place: (place: number) => `رقم ${place}`,
  },
} as const;

/** In words, how a question was understood: every condition of it is there. */
export function describe(
  { table, measure, groups, filters, order, limit, offset, shown, size, edge, contrast }: ReadQuery,
  language: LanguageCode,
): string {
  const words = wordsOfLanguage(WORDS, 'description', language);
  const keys = groups.map((group) => groupText(group, language)).join(', ');
  const rows = shown ? shown.map((column) => `“${labelOf(column)}”`).join(', ') : words.rows;
  const of =
    size?.column && `${measure?.aggregate === 'sum' ? words.measures.sum : words.sizeOf} “${labelOf(size.column)}”`;
  const bounds = size ? ` ${words.having} ${size.op} ${size.number} ${of ?? words.size}` : '';
  const what = size?.counted
    ? `${words.groups} ${keys}${bounds}`
    : measure
      ? measureText(measure, language)
      : groups.length > 0
        ? `${words.values} ${keys}`
        : rows;
  const parts = [what, `${words.of} “${table.alias}”`];
  if (filters.length > 0)
    parts.push(`${words.where} ${filters.map((filter) => filterText(filter, language)).join(` ${words.and} `)}`);
  if (measure && groups.length > 0 && !size?.counted) parts.push(`${words.by} ${keys}${bounds}`);
  if (edge) {
    const of = edge.of.map((column) => `“${labelOf(column)}”`).join(', ');
    parts.push(`— ${words.edge[edge.direction]} “${labelOf(edge.time)}”${of === '' ? '' : ` ${words.each} ${of}`}`);
  }
  if (contrast) {
    const sides = contrast.sides.map((side) =>
      side.filters.map((own) => filterText(own, language)).join(` ${words.and} `),
    );
    parts.push(`— ${sides.join(` ${words.against} `)}`);
  }
  const by = order?.column ? ` (“${labelOf(order.column)}”)` : '';
  if (order) parts.push(`— ${words.order[order.direction]}${by}`);
  if (limit !== null) parts.push(offset > 0 ? `— ${words.place(offset + 1)}` : `— ${words.first(limit)}`);
  return parts.join(' ');
}

/** The same where its conditions are meant of each thing as a whole. */
export function describeThings(query: ReadQuery, language: LanguageCode): string {
  const things = askedThings(query);
  if (!things) return describe(query, language);
  const words = wordsOfLanguage(WORDS, 'description', language);
  const conditions = things.doubtful.map((filter) => {
    if (isBound(filter)) return wholeText(filter, language);
    const { negated, ...condition } = filter;
    const other: Filter = negated ? condition : { ...filter, negated: true };
    return `0 ${words.size} (${filterText(other, language)})`;
  });
  const rest = describe({ ...query, filters: things.plain }, language);
  return `${rest} ${words.having} ${conditions.join(` ${words.and} `)}`;
}

/** Of all rows of a thing together. */
function wholeText(filter: Filter, language: LanguageCode): string {
  const { column } = filter;
  const name = measureText({ aggregate: isQuotient(column) ? 'ratio' : 'sum', column }, language);
  return conditionText(filter, language, name);
}

function measureText({ aggregate, column, part, per }: Measure, language: LanguageCode): string {
  const { measures, by } = wordsOfLanguage(WORDS, 'description', language);
  if (aggregate === 'ratio') return ratioText(column, measures.sum);
  const text = measures[aggregate];
  if (per) {
    const whole = measureText({ aggregate: per.total, column }, language);
    return `${text} (${whole} ${by} ${groupText(per.each, language)})`;
  }
  if (aggregate === 'share') {
    const of = column ? `“${labelOf(column)}”` : wordsOfLanguage(WORDS, 'description', language).rows;
    return part ? `${text} ${of} (${part.map((filter) => filterText(filter, language)).join(`, `)})` : `${text} ${of}`;
  }
  return column === null ? text : `${text} “${labelOf(column)}”`;
}

function ratioText(column: AskedColumn | null, sum: string): string {
  const { first, second } = column!.arithmetic!;
  return `${sum} “${labelOf(first)}” ÷ ${sum} “${labelOf(second)}”`;
}

/** What stands above a column of the answer: the header of the file, or what was computed. @param name of the result */
export function headingOf(
  { table, measure, groups, contrast, shown, order }: ReadQuery,
  name: string,
  at: number,
  language: LanguageCode,
): string {
  const words = wordsOfLanguage(WORDS, 'description', language);
  if (contrast) return contrast.sides[at]?.label ?? (at === 2 ? words.difference : words.percent);
  const group = groups[at];
  if (group) return group.unit === undefined ? labelOf(group.column) : words.units[group.unit];
  if (measure && name === measureAlias(measure)) {
    if (measure.per || measure.aggregate === 'ratio') return measureText(measure, language);
    const of = measure.column ? labelOf(measure.column) : measure.aggregate === 'share' ? words.rows : '';
    return `${words.measures[measure.aggregate]} ${of}`.trim();
  }
  const columns = [...table.columns, ...(shown ?? []), ...(order?.column ? [order.column] : [])];
  const column = columns.find((own) => own.name === name);
  return column ? labelOf(column) : name;
}

function groupText({ column, unit }: Group, language: LanguageCode): string {
  return unit === undefined
    ? `“${labelOf(column)}”`
    : `${wordsOfLanguage(WORDS, 'description', language).units[unit]} (“${labelOf(column)}”)`;
}

/** Without words of any language. */
export function describeFilter(filter: Filter): string {
  return filterText(filter, 'en');
}

export function filterText(filter: Filter, language: LanguageCode): string {
  const text = conditionText(filter, language);
  return filter.negated ? `${wordsOfLanguage(WORDS, 'description', language).not} (${text})` : text;
}

function conditionText(filter: Filter, language: LanguageCode, name = `“${labelOf(filter.column)}”`): string {
  switch (filter.kind) {
    case 'values':
      return `${name} = ${cellText(filter.values.join(' / '))}`;
    case 'text':
      return `${name} = ${cellText(filter.value)}`;
    case 'matches':
      return `${name} ${wordsOfLanguage(WORDS, 'description', language).matches[filter.way]} “${cellText(filter.value)}”`;
    case 'among':
      return `${name} ${wordsOfLanguage(WORDS, 'description', language).matches.contains} “${cellText(filter.values.join(' / '))}”`;
    case 'empty':
      return `${name} = —`;
    case 'numbers':
      return `${name} = ${filter.numbers.join(' / ')}`;
    case 'compare':
      return `${name} ${filter.op} ${filter.shown === String(filter.number) ? filter.shown : `${filter.number}${/[^\d.,]/.test(filter.shown) ? ` (${cellText(filter.shown)})` : ''}`}`;
    case 'average':
      return `${name} ${filter.op} ${wordsOfLanguage(WORDS, 'description', language).measures.avg} ${name}`;
    case 'flag':
      return `${name} = ${filter.value}`;
    case 'periods':
      return `${name} ${wordsOfLanguage(WORDS, 'description', language).within} ${filter.periods.map(({ label }) => label).join(' / ')}`;
    case 'moment':
      return `${name} ${cellText(filter.shown)}`;
  }
}

/** A cell cannot break out of its line. */
export function cellText(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
}
