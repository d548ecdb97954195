import type { AnswerLanguage } from '@app/common';
import type { QueryResult } from '../../query/query-messages.js';
import { describe } from './describe.js';
import type { ReadFacts } from './facts.js';
import { shownFigure } from './figures.js';
import type { ReadQuery, UnclearQuestion } from './reading.js';

const MOST_CHOICES = 20;

/** Asks a person back. */
export function clarificationText(unclear: UnclearQuestion, language: AnswerLanguage): string {
  return language === 'ar' ? inArabic(unclear) : inEnglish(unclear);
}

/** Asks back where the ways to reckon lead to different answers, with what each of them leads to. */
export function rivalsText(
  query: ReadQuery,
  { rows }: QueryResult,
  { rivals }: ReadFacts,
  language: AnswerLanguage,
): string {
  const { measure } = query;
  const ways = [{ aggregate: measure!.aggregate, rows }, ...rivals].map(({ aggregate, rows: found }) => {
    const said = describe({ ...query, measure: { ...measure!, aggregate } }, language);
    const first = found
      .slice(0, 3)
      .map(
        (row) =>
          `${shownFigure(row[0] ?? null, undefined)} (${shownFigure(row.at(-1) ?? null, measure?.column?.unit)})`,
      );
    return `- ${said}: **${first.join(', ')}**`;
  });
  const asked =
    language === 'ar'
      ? 'تختلف الإجابة باختلاف طريقة الحساب، فأيها تقصد؟'
      : 'The answer depends on how it is reckoned; which one do you mean?';
  return `${asked}\n\n${ways.join('\n')}`;
}

function inEnglish({ what, about, choices, readings = [] }: UnclearQuestion): string {
  const list = choices
    .slice(0, MOST_CHOICES)
    .map((choice) => `“${choice}”`)
    .join(', ');
  switch (what) {
    case 'table':
      return `Which table do you mean: ${list}?`;
    case 'readings':
      return `“${about}” can be read in several ways here; which one do you mean?\n\n${[...readings.map((reading) => describe(reading, 'en')), ...choices].map((way) => `- ${way}`).join('\n')}\n\nA value of the data can be written in quotation marks.`;
    case 'way':
      return `How is “${about}” to be reckoned: ${list}?`;
    case 'value':
      return `“${about}” can mean several things here: ${list}. Which one do you mean?`;
    case 'time':
      return list === '' ? `Of which year is “${about}”?` : `What do you mean by “${about}”: ${list}?`;
    case 'column':
      return list === ''
        ? `There is no column that suits “${about}”.`
        : `Which column do you mean by “${about}”: ${list}?`;
  }
}

function inArabic({ what, about, choices, readings = [] }: UnclearQuestion): string {
  const list = choices
    .slice(0, MOST_CHOICES)
    .map((choice) => `“${choice}”`)
    .join('، ');
  switch (what) {
    case 'table':
      return `أي جدول تقصد: ${list}؟`;
    case 'readings':
      return `يمكن فهم “${about}” هنا بعدة معان، فأيها تقصد؟\n\n${[...readings.map((reading) => describe(reading, 'ar')), ...choices].map((way) => `- ${way}`).join('\n')}\n\nيمكن كتابة قيمة من البيانات بين علامتي اقتباس.`;
    case 'way':
      return `كيف تُحسب “${about}”: ${list}؟`;
    case 'value':
      return `قد تعني “${about}” هنا عدة أشياء: ${list}. أيها تقصد؟`;
    case 'time':
      return list === '' ? `من أي سنة “${about}”؟` : `ماذا تقصد بـ “${about}”: ${list}؟`;
    case 'column':
      return list === '' ? `لا يوجد عمود مناسب لـ “${about}”.` : `أي عمود تقصد بـ “${about}”: ${list}؟`;
  }
}
