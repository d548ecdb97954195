import type { LanguageCode } from './lexicon/languages.js';
import { wordsOfLanguage } from './texts/of-language.js';
import type { Cell, QueryResult } from '../../query/query-messages.js';
import { incompletenessText } from '../incompleteness.js';
import { cellText, describe, filterText, headingOf } from './describe.js';
import type { ReadFacts } from './facts.js';
import { shownFigure, shownKey } from './figures.js';
import { measureAlias } from './reading-sql.js';
import { labelOf, type ReadQuery } from './reading.js';
import { noticesOf } from './notices.js';

const SHOWN_ROWS = 20;

export const ANSWER = {
  en: {
    nothing: 'No rows match.',
    none: (condition: string) => `No row has ${condition}.`,
    together: 'Each condition has rows, but none has all of them.',
    empty: (label: string) => `Rows match, but none of them has a value in “${label}”.`,
    read: 'Computed without a language model, understood as',
    more: (shown: number, all: string) => `The first ${shown} of ${all} rows.`,
    atLeast: 'more than',
  },
  ar: {
    nothing: 'لا توجد صفوف مطابقة.',
    none: (condition: string) => `لا يوجد صف فيه ${condition}.`,
    together: 'لكل شرط صفوف، لكن لا صف يحققها كلها.',
    empty: (label: string) => `توجد صفوف مطابقة، لكن لا قيمة في أي منها في “${label}”.`,
    read: 'حُسبت الإجابة دون نموذج لغوي، وفُهم السؤال على أنه',
    more: (shown: number, all: string) => `أول ${shown} من ${all} صفوف.`,
    atLeast: 'أكثر من',
  },
} as const;

/** The answer from the rows, what must be known of it, and how the question was understood, so that a wrong reading shows. */
export function readAnswer(query: ReadQuery, result: QueryResult, facts: ReadFacts, language: LanguageCode): string {
  const words = wordsOfLanguage(ANSWER, 'answer', language);
  const understood = `_${words.read}: ${describe(query, language)}._`;
  const notices = [...noticesOf(query, facts, language), incompletenessText(usedColumns(query), language)];
  return [figures(query, result, facts, language), ...notices.filter((notice) => notice !== ''), understood].join(
    '\n\n',
  );
}

function usedColumns({ table, measure, groups, filters, order }: ReadQuery) {
  if (measure === null && groups.length === 0) return table.columns;
  const columns = [
    measure?.column,
    order?.column,
    ...groups.map(({ column }) => column),
    ...filters.map(({ column }) => column),
  ];
  return columns.flatMap((column) => column ?? []);
}

function figures(query: ReadQuery, result: QueryResult, facts: ReadFacts, language: LanguageCode): string {
  const { measure, groups, size } = query;
  const { columns, rows, truncated } = result;
  const words = wordsOfLanguage(ANSWER, 'answer', language);
  const [first] = rows;
  // Nothing is no figure: neither 0 nor an empty sum.
  if (!first || facts.matched === 0) return nothing(query, facts, language);
  if (measure && groups.length === 0 && first[0] === null)
    return measure.column ? words.empty(labelOf(measure.column)) : words.nothing;
  const shown = columns.map(({ name }, at) => {
    const group = groups[at];
    if (group?.unit !== undefined) return (cell: Cell) => shownKey(cell, group, language);
    const column =
      measure && name === measureAlias(measure)
        ? measured(query)
        : query.table.columns.find((own) => own.name === name);
    return (cell: Cell) => shownFigure(cell, column?.unit, language);
  });
  const cell = (row: Cell[], at: number) => shown[at]!(row[at]!);
  if (measure && (groups.length === 0 || size?.counted)) return `**${cell(first, 0)}**`;
  if (measure && rows.length === 1)
    return `**${cell(first, 0)}**: ${first
      .slice(1)
      .map((_, at) => cell(first, at + 1))
      .join(', ')}`;
  const lines = [
    line(columns.map(({ name }, at) => cellText(headingOf(query, name, at, language)))),
    line(columns.map(() => '---')),
    ...rows.slice(0, SHOWN_ROWS).map((row) => line(row.map((_, at) => cell(row, at)))),
  ];
  if (rows.length > SHOWN_ROWS || truncated) {
    // Rows as they stand: it was counted how many they are.
    const plain = measure === null && groups.length === 0 && query.limit === null;
    const all = plain ? String(facts.matched) : truncated ? `${words.atLeast} ${rows.length}` : String(rows.length);
    lines.push('', words.more(Math.min(rows.length, SHOWN_ROWS), all));
  }
  return lines.join('\n');
}

/** Counts have no unit of the column's. */
function measured({ measure }: ReadQuery): { unit?: string } | null | undefined {
  if (measure?.aggregate === 'share') return { unit: '%' };
  return measure && !measure.aggregate.startsWith('count') ? measure.column : null;
}

function nothing({ filters }: ReadQuery, { alone }: ReadFacts, language: LanguageCode): string {
  const words = wordsOfLanguage(ANSWER, 'answer', language);
  const missing = filters.filter((_, at) => alone[at] === 0).map((filter) => words.none(filterText(filter, language)));
  const why = missing.length > 0 ? missing : filters.length > 1 ? [words.together] : [];
  return [words.nothing, ...why].join(' ');
}

function line(cells: string[]): string {
  return `| ${cells.join(' | ')} |`;
}
