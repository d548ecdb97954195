import { isReckoned, type AskedColumn } from '../asked-table.js';
import type { LanguageCode } from './lexicon/languages.js';
import { wordsOfLanguage } from './texts/of-language.js';
import type { ReadFacts } from './facts.js';
import type { Cell } from '../../query/query-messages.js';
import { shownFigure, shownKey } from './figures.js';
import { uncovered } from './contrasts.js';
import { cellText } from './describe.js';
import { labelOf, type ReadQuery, isYearColumn } from './reading.js';
import { namesSeveral } from './several.js';

export const NOTICES = {
  en: {
    empty: (empty: number, all: number, label: string) =>
      `${empty} of the ${all} rows ${empty === 1 ? 'has' : 'have'} no “${label}” and ${empty === 1 ? 'is' : 'are'} left out of the figure.`,
    each: 'Those without any rows are left out of the average.',
    tied: (others: string) => `The same figure as the last one shown: ${others}.`,
    summed: (label: string) => `“${label}” was summed up, since the question does not say how to reckon.`,
    largest: (label: string, key: string, value: string) =>
      `By the largest single “${label}” it would be ${key} (${value}).`,
    ways: { sum: 'total', avg: 'average', max: 'highest', min: 'lowest' } as Record<string, string>,
    agreed: (ways: string, label: string) => `By the ${ways} “${label}” the answer is the same.`,
    guessed: (word: string, as: string) => `“${word}” was taken for “${as}”.`,
    whole: (value: string, label: string) =>
      `The rows of “${value}” in “${label}” are the sums of the others and are left out.`,
    row: (word: string, as: string) => `Each row of “${as}” was taken for one of “${word}”.`,
    several: (label: string) =>
      `Some cells of “${label}” name several values; each such combination counts as a value of its own.`,
    years: (label: string, from: string, to: string) =>
      `The rows of all of “${label}” from ${from} to ${to} are summed up together.`,
    partly: (labels: string, label: string, from: string, to: string) =>
      `The data do not cover ${labels} as a whole: “${label}” runs from ${from} to ${to}.`,
    totals: (labels: string) => `Rows of sums in the file are not counted as data: ${labels}.`,
    passed: (word: string, label: string, value: string) =>
      `“${word}” was read as a word of the question, not as the value ${value} of “${label}”; to mean the value, write it in quotation marks.`,
  },
  ar: {
    empty: (empty: number, all: number, label: string) =>
      `${empty} من ${all} صفوف ليس فيها “${label}”، فلم تدخل في الحساب.`,
    each: 'ما ليس له صفوف لا يدخل في المتوسط.',
    tied: (others: string) => `القيمة نفسها كالأخيرة المعروضة: ${others}.`,
    summed: (label: string) => `جُمعت قيم “${label}” لأن السؤال لا يذكر طريقة الحساب.`,
    largest: (label: string, key: string, value: string) =>
      `بحسب أكبر قيمة مفردة في “${label}” تكون ${key} (${value}).`,
    ways: { sum: 'مجموع', avg: 'متوسط', max: 'أعلى', min: 'أدنى' } as Record<string, string>,
    agreed: (ways: string, label: string) => `وبحسب ${ways} “${label}” الإجابة نفسها.`,
    guessed: (word: string, as: string) => `فُهمت “${word}” على أنها “${as}”.`,
    whole: (value: string, label: string) => `صفوف “${value}” في “${label}” مجاميع للأخرى، فلم تدخل في الحساب.`,
    row: (word: string, as: string) => `عُدّ كل صف من “${as}” واحدا من “${word}”.`,
    several: (label: string) => `في بعض خلايا “${label}” عدة قيم، وكل مجموعة منها تُحسب قيمة واحدة.`,
    years: (label: string, from: string, to: string) => `جُمعت صفوف “${label}” كلها من ${from} إلى ${to} معا.`,
    partly: (labels: string, label: string, from: string, to: string) =>
      `لا تغطي البيانات ${labels} كاملة: “${label}” من ${from} إلى ${to}.`,
    totals: (labels: string) => `صفوف المجاميع في الملف لا تُحسب ضمن البيانات: ${labels}.`,
    passed: (word: string, label: string, value: string) =>
      `فُهمت “${word}” كلمة من السؤال، لا القيمة ${value} في “${label}”؛ وإن قصدت القيمة فاكتبها بين علامتي اقتباس.`,
  },
} as const;

const SHOWN = 10;

/** What must be said beside a figure, a sentence each. */
export function noticesOf(query: ReadQuery, facts: ReadFacts, language: LanguageCode): string[] {
  const { measure, groups, table, assumed, passedOver, order } = query;
  const words = wordsOfLanguage(NOTICES, 'notices', language);
  const notices: string[] = [];
  const keyOf = ([cell = null]: readonly Cell[]) =>
    groups[0]?.unit === undefined ? cellText(String(cell ?? '—')) : shownKey(cell, groups[0], language);
  const column = measure?.column;
  const empty = facts.matched - facts.filled;
  const reckoned = column ?? (measure === null && order?.column && isReckoned(order.column) ? order.column : null);
  if (reckoned && empty > 0 && facts.filled > 0) notices.push(words.empty(empty, facts.matched, labelOf(reckoned)));
  // A month without sales; a customer without any is not in the file at all.
  if (measure?.per && facts.matched > 0 && (measure.per.each.unit !== undefined || query.filters.length > 0))
    notices.push(words.each);
  if (facts.tied.length > 0) notices.push(words.tied(facts.tied.slice(0, SHOWN).map(keyOf).join(', ')));
  if (query.rivals.length > 0 && column)
    notices.push(words.agreed(query.rivals.map((way) => words.ways[way] ?? way).join(', '), labelOf(column)));
  if (assumed && column && measure.aggregate === 'sum' && !isOfOneRow(query)) {
    notices.push(words.summed(labelOf(column)));
    const { largest } = facts;
    if (largest && order && groups.length > 0 && order.direction === 'desc')
      notices.push(
        words.largest(labelOf(column), keyOf(largest), shownFigure(largest.at(-1) ?? null, column.unit, language)),
      );
  }
  const counted = measure?.aggregate === 'count_distinct' ? measure.column : null;
  const parted = new Set([...(counted ? [counted] : []), ...(measure ? groups.map((group) => group.column) : [])]);
  for (const own of parted) if (namesSeveral(own)) notices.push(words.several(labelOf(own)));
  const years = summedYears(query);
  if (years?.span) notices.push(words.years(labelOf(years), String(years.span[0]), String(years.span[1])));
  const partly = uncovered(query);
  if (partly) {
    const [from, to] = (partly.column.span ?? []).map((day) => String(day).slice(0, 10));
    notices.push(words.partly(partly.labels.map(cellText).join(', '), labelOf(partly.column), from ?? '', to ?? ''));
  }
  const totals = table.totalRows ?? [];
  if (totals.length > 0)
    notices.push(
      words.totals(
        totals
          .slice(0, SHOWN)
          .map(({ row, label }) => `“${cellText(label)}” (${row})`)
          .join(', '),
      ),
    );
  for (const filter of query.filters)
    if (filter.implied && filter.kind === 'values')
      notices.push(words.whole(cellText(filter.values.join(', ')), labelOf(filter.column)));
  for (const { word, as } of query.guesses)
    notices.push(as === table.alias ? words.row(cellText(word), as) : words.guessed(cellText(word), cellText(as)));
  const named = new Map(passedOver.map((passed) => [passed.word.toLowerCase(), passed]));
  for (const { word, column: own, value } of named.values())
    notices.push(words.passed(cellText(word), labelOf(own), cellText(value)));
  return notices;
}

/** Where each thing has a row a year, a sum over the years counts its people once for each: the column of years. */
function summedYears({ measure, groups, filters, edge, table, contrast }: ReadQuery): AskedColumn | null {
  if (measure?.aggregate !== 'sum' || edge || !table.columns.some(({ yearly }) => yearly)) return null;
  const year = table.columns.find((column) => column.type === 'integer' && isYearColumn(column));
  const [from, to] = year?.span ?? [];
  const said = [...groups, ...filters, ...(contrast?.sides[0].filters ?? [])].some(({ column }) => column === year);
  return !year || said || from === to ? null : year;
}

/** Whether there is nothing to sum up: each figure is of one row. */
function isOfOneRow({ groups, filters, contrast }: ReadQuery): boolean {
  const [group] = groups;
  if (contrast?.sides.every((side) => side.filters.some(({ column }) => column.unique === true))) return true;
  if (group) return groups.length === 1 && group.unit === undefined && group.column.unique === true;
  return filters.some(
    (filter) =>
      filter.kind === 'values' && !filter.negated && filter.values.length === 1 && filter.column.unique === true,
  );
}
