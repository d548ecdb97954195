import type { LanguageCode } from './lexicon/languages.js';
import { wordsOfLanguage } from './texts/of-language.js';
import type { Cell, QueryResult } from '../../query/query-messages.js';
import { incompletenessText } from '../incompleteness.js';
import { toUnit } from './amounts.js';
import { cellText, describe, filterText, headingOf } from './describe.js';
import type { ReadFacts } from './facts.js';
import { shownFigure, shownKey } from './figures.js';
import { measureAlias } from './reading-sql.js';
import { labelOf, type Contrast, type ReadQuery } from './reading.js';
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
    yes: 'Yes',
    no: 'No',
    above: (first: string, second: string, by: string) => `${first} is ${by} above ${second}.`,
    below: (first: string, second: string, by: string) => `${first} is ${by} below ${second}.`,
    same: (first: string, second: string) => `${first} and ${second} are the same.`,
    points: 'percentage points',
    noRows: (label: string) => `No rows match for ${label}, so there is nothing to compare with.`,
    noValue: (label: string) => `The rows for ${label} have no value, so there is nothing to compare with.`,
  },
  ar: {
    nothing: 'لا توجد صفوف مطابقة.',
    none: (condition: string) => `لا يوجد صف فيه ${condition}.`,
    together: 'لكل شرط صفوف، لكن لا صف يحققها كلها.',
    empty: (label: string) => `توجد صفوف مطابقة، لكن لا قيمة في أي منها في “${label}”.`,
    read: 'حُسبت الإجابة دون نموذج لغوي، وفُهم السؤال على أنه',
    more: (shown: number, all: string) => `أول ${shown} من ${all} صفوف.`,
    atLeast: 'أكثر من',
    yes: 'نعم',
    no: 'لا',
    above: (first: string, second: string, by: string) => `${first} أعلى من ${second} بمقدار ${by}.`,
    below: (first: string, second: string, by: string) => `${first} أدنى من ${second} بمقدار ${by}.`,
    same: (first: string, second: string) => `${first} و${second} متساويان.`,
    points: 'نقطة مئوية',
    noRows: (label: string) => `لا توجد صفوف مطابقة لـ ${label}، فلا مقارنة ممكنة.`,
    noValue: (label: string) => `لا قيمة في صفوف ${label}، فلا مقارنة ممكنة.`,
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

function usedColumns({ table, measure, groups, filters, order, contrast }: ReadQuery) {
  if (measure === null && groups.length === 0) return table.columns;
  const columns = [
    measure?.column,
    measure?.per?.each.column,
    order?.column,
    ...groups.map(({ column }) => column),
    ...[...filters, ...(contrast?.sides[0].filters ?? [])].map(({ column }) => column),
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
  if (query.contrast) return contrastText(query, query.contrast, first, facts, language);
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

/** Both figures, and how far the first is from the second. */
function contrastText(
  query: ReadQuery,
  { sides, asks }: Contrast,
  [one = null, other = null, difference = null, percent = null]: readonly Cell[],
  facts: ReadFacts,
  language: LanguageCode,
): string {
  const words = wordsOfLanguage(ANSWER, 'answer', language);
  const unit = measured(query)?.unit;
  const [first, second] = sides.map(({ label }) => `“${cellText(label)}”`) as [string, string];
  const figure = (cell: Cell) => shownFigure(cell, unit, language);
  const figures = `**${cellText(sides[0].label)}: ${figure(one)}**\n**${cellText(sides[1].label)}: ${figure(other)}**`;
  const missing = [one, other].flatMap((cell, at) =>
    cell !== null
      ? []
      : [facts.sides?.[at] === 0 ? words.noRows([first, second][at]!) : words.noValue([first, second][at]!)],
  );
  if (missing.length > 0 || typeof difference !== 'number')
    return [figures.replace('\n', '  \n'), ...missing].join('\n\n');
  // What is left of decimals that do not add up exactly is no difference.
  const isSame = Math.abs(difference) <= 1e-9 * Math.max(Math.abs(Number(one)), Math.abs(Number(other)));
  const far = Math.abs(difference);
  // Of percent a percentage can be understood in two ways.
  const isPercent = query.measure?.column !== null && unit !== undefined && toUnit(unit) === '%';
  const share = typeof percent === 'number' ? ` (${shownFigure(rounded(Math.abs(percent)), '%', language)})` : '';
  const by = isPercent ? `${shownFigure(far, undefined, language)} ${words.points}` : `${figure(far)}${share}`;
  const said = isSame ? words.same(first, second) : words[difference > 0 ? 'above' : 'below'](first, second, by);
  const isSo = !isSame && (asks === '>') === difference > 0;
  const answer = asks === null ? said : `**${isSo ? words.yes : words.no}.** ${said}`;
  return `${answer}\n\n${figures.replace('\n', '  \n')}`;
}

function rounded(percent: number): number {
  return Math.round(percent * 100) / 100;
}

/** Counts have no unit of the column's. */
function measured({ measure }: ReadQuery): { unit?: string } | null | undefined {
  if (measure?.aggregate === 'share') return { unit: '%' };
  const counts = measure?.aggregate.startsWith('count') === true || measure?.per?.total.startsWith('count') === true;
  return measure && !counts ? measure.column : null;
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
