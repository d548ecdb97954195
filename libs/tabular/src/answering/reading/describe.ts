import type { AnswerLanguage } from '@app/common';
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
    },
    rows: 'rows',
    values: 'different values of',
    of: 'of table',
    where: 'where',
    and: 'and',
    by: 'by',
    within: 'in',
    units: { year: 'year', quarter: 'quarter', month: 'month', week: 'week', day: 'day' },
    order: { asc: 'lowest first', desc: 'highest first' },
    first: (count: number) => `first ${count}`,
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
    },
    rows: 'الصفوف',
    values: 'القيم المختلفة في',
    of: 'من الجدول',
    where: 'حيث',
    and: 'و',
    by: 'حسب',
    within: 'ضمن',
    units: { year: 'السنة', quarter: 'ربع السنة', month: 'الشهر', week: 'الأسبوع', day: 'اليوم' },
    order: { asc: 'الأدنى أولا', desc: 'الأعلى أولا' },
    first: (count: number) => `أول ${count}`,
  },
} as const;

/** In words, how a question was understood: every condition of it is there. */
export function describe(
  { table, measure, groups, filters, order, limit }: ReadQuery,
  language: AnswerLanguage,
): string {
  const words = WORDS[language];
  const keys = groups.map((group) => groupText(group, language)).join(', ');
  const what = measure ? measureText(measure, language) : groups.length > 0 ? `${words.values} ${keys}` : words.rows;
  const parts = [what, `${words.of} “${table.alias}”`];
  if (filters.length > 0)
    parts.push(`${words.where} ${filters.map((filter) => filterText(filter, language)).join(` ${words.and} `)}`);
  if (measure && groups.length > 0) parts.push(`${words.by} ${keys}`);
  const by = order?.column ? ` (“${labelOf(order.column)}”)` : '';
  if (order) parts.push(`— ${words.order[order.direction]}${by}`);
  if (limit !== null) parts.push(`— ${words.first(limit)}`);
  return parts.join(' ');
}

function measureText({ aggregate, column }: Measure, language: AnswerLanguage): string {
  const text = WORDS[language].measures[aggregate];
  return column === null ? text : `${text} “${labelOf(column)}”`;
}

function groupText({ column, unit }: Group, language: AnswerLanguage): string {
  return unit === undefined ? `“${labelOf(column)}”` : `${WORDS[language].units[unit]} (“${labelOf(column)}”)`;
}

export function filterText(filter: Filter, language: AnswerLanguage): string {
  const name = `“${labelOf(filter.column)}”`;
  switch (filter.kind) {
    case 'values':
      return `${name} = ${cellText(filter.values.join(' / '))}`;
    case 'text':
      return `${name} = ${cellText(filter.value)}`;
    case 'numbers':
      return `${name} = ${filter.numbers.join(' / ')}`;
    case 'compare':
      return `${name} ${filter.op} ${filter.shown === String(filter.number) ? filter.shown : `${filter.number}${/[^\d.,]/.test(filter.shown) ? ` (${cellText(filter.shown)})` : ''}`}`;
    case 'flag':
      return `${name} = ${filter.value}`;
    case 'periods':
      return `${name} ${WORDS[language].within} ${filter.periods.map(({ label }) => label).join(' / ')}`;
    case 'moment':
      return `${name} ${cellText(filter.shown)}`;
  }
}

/** A cell cannot break out of its line. */
export function cellText(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
}
