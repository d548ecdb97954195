import type { AnswerLanguage } from '@app/common';
import type { Cell, QueryResult } from '../../query/query-messages.js';
import { labelOf, type Filter, type Group, type Measure, type ReadQuery, type UnclearQuestion } from './reading.js';

const SHOWN_ROWS = 20;

const WORDS = {
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
    units: { year: 'year', quarter: 'quarter', month: 'month', week: 'week', day: 'day' },
    yearOf: 'year of',
    order: { asc: 'lowest first', desc: 'highest first' },
    first: (count: number) => `first ${count}`,
    nothing: 'No rows match.',
    read: 'Computed without a language model, understood as',
    more: (shown: number, all: string) => `The first ${shown} of ${all} rows.`,
    atLeast: 'more than',
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
    units: { year: 'السنة', quarter: 'ربع السنة', month: 'الشهر', week: 'الأسبوع', day: 'اليوم' },
    yearOf: 'سنة',
    order: { asc: 'الأدنى أولا', desc: 'الأعلى أولا' },
    first: (count: number) => `أول ${count}`,
    nothing: 'لا توجد صفوف مطابقة.',
    read: 'حُسبت الإجابة دون نموذج لغوي، وفُهم السؤال على أنه',
    more: (shown: number, all: string) => `أول ${shown} من ${all} صفوف.`,
    atLeast: 'أكثر من',
  },
} as const;

/** The answer from the rows, and how the question was understood, so that a wrong reading shows. */
export function readAnswer(query: ReadQuery, result: QueryResult, language: AnswerLanguage): string {
  const words = WORDS[language];
  const understood = `_${words.read}: ${describe(query, language)}._`;
  return `${figures(query, result, language)}\n\n${understood}`;
}

function figures(
  { measure, groups }: ReadQuery,
  { columns, rows, truncated }: QueryResult,
  language: AnswerLanguage,
): string {
  const words = WORDS[language];
  const [first] = rows;
  if (!first || (measure && groups.length === 0 && first[0] === null)) return words.nothing;
  if (measure && groups.length === 0) return `**${shown(first[0]!)}**`;
  if (measure && rows.length === 1) return `**${shown(first[0]!)}**: ${first.slice(1).map(shown).join(', ')}`;
  const lines = [
    line(columns.map(({ name }) => cellText(name))),
    line(columns.map(() => '---')),
    ...rows.slice(0, SHOWN_ROWS).map((row) => line(row.map(shown))),
  ];
  if (rows.length > SHOWN_ROWS || truncated) {
    const all = truncated ? `${words.atLeast} ${rows.length}` : String(rows.length);
    lines.push('', words.more(Math.min(rows.length, SHOWN_ROWS), all));
  }
  return lines.join('\n');
}

function describe({ table, measure, groups, filters, order, limit }: ReadQuery, language: AnswerLanguage): string {
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

function filterText({ column, op, value }: Filter, language: AnswerLanguage): string {
  const name = `“${labelOf(column)}”`;
  if (op === 'year') return `${WORDS[language].yearOf} ${name} = ${String(value)}`;
  const shown = Array.isArray(value) ? value.join(' / ') : String(value);
  return `${name} ${op === 'in' ? '=' : op} ${cellText(shown)}`;
}

export function clarificationText({ about, choices }: UnclearQuestion, language: AnswerLanguage): string {
  const list = choices.slice(0, 20).map((choice) => `“${choice}”`);
  if (about === '')
    return language === 'ar' ? `أي جدول تقصد: ${list.join('، ')}؟` : `Which table do you mean: ${list.join(', ')}?`;
  if (list.length === 0)
    return language === 'ar' ? `لا يوجد عمود مناسب لـ “${about}”.` : `There is no column that suits “${about}”.`;
  return language === 'ar'
    ? `أي عمود تقصد بـ “${about}”: ${list.join('، ')}؟`
    : `Which column do you mean by “${about}”: ${list.join(', ')}?`;
}

function shown(cell: Cell): string {
  if (cell === null) return '—';
  if (typeof cell === 'number')
    return cell.toLocaleString('en-US', { maximumFractionDigits: 4, useGrouping: Math.abs(cell) >= 10_000 });
  return cellText(typeof cell === 'object' ? JSON.stringify(cell) : String(cell));
}

function line(cells: string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** A cell cannot break out of its line. */
function cellText(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
}
