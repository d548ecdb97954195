import type { QueryResult } from '../../query/query-messages.js';
import { describe, describeThings } from './describe.js';
import { LANGUAGE_CODES, type LanguageCode } from './lexicon/languages.js';
import { textsOf } from './texts/of-language.js';
import type { Texts } from './texts/texts.js';
import type { ReadFacts } from './facts.js';
import { shownFigure, shownKey } from './figures.js';
import { amongSeveral } from './several.js';
import type { ReadQuery, UnclearQuestion } from './reading.js';

const MOST_CHOICES = 20;

/** Asks a person back. */
export function clarificationText(unclear: UnclearQuestion, language: LanguageCode): string {
  const texts = textsOf(language);
  if (texts) return inOther(unclear, texts, language);
  return language === 'ar' ? inArabic(unclear) : inEnglish(unclear);
}

/** Asks back where the ways to reckon lead to different answers, with what each of them leads to. */
export function rivalsText(
  query: ReadQuery,
  { rows }: QueryResult,
  { rivals }: ReadFacts,
  language: LanguageCode,
): string {
  const { measure } = query;
  const ways = [{ aggregate: measure!.aggregate, rows }, ...rivals].map(({ aggregate, rows: found }) => {
    const said = describe({ ...query, measure: { ...measure!, aggregate } }, language);
    const first = found
      .slice(0, 3)
      .map(
        (row) =>
          `${shownKey(row[0] ?? null, query.groups[0], language)} (${shownFigure(row.at(-1) ?? null, measure?.column?.unit, language)})`,
      );
    return `- ${said}: **${first.join(', ')}**`;
  });
  return `${whichWay(language)}\n\n${ways.join('\n')}`;
}

/** Asks back where a condition is true of some rows of a thing and not of all of them, with what either leads to. */
export function thingsText(query: ReadQuery, result: QueryResult, facts: ReadFacts, language: LanguageCode): string {
  const ways: [string, QueryResult['rows']][] = [
    [describe(query, language), result.rows],
    [describeThings(query, language), facts.things ?? []],
  ];
  const lines = ways.map(([said, rows]) => {
    const names = rows.slice(0, MOST_CHOICES).map((row) => shownFigure(row[0] ?? null, undefined, language));
    return `- ${said}: **${names.length === 0 ? '—' : names.join(', ')}${rows.length > names.length ? ', …' : ''}**`;
  });
  return `${whichWay(language)}\n\n${lines.join('\n')}`;
}

/** Asks back where cells name what is asked for alone and beside other things, with what either leads to. */
export function amongText(query: ReadQuery, result: QueryResult, facts: ReadFacts, language: LanguageCode): string {
  const wider = amongSeveral(query) ?? query;
  const ways: [ReadQuery, QueryResult['rows']][] = [
    [query, result.rows],
    [wider, facts.among ?? []],
  ];
  const unit = query.measure?.column?.unit;
  const lines = ways.map(([way, rows]) => {
    const shown = rows.slice(0, MOST_CHOICES).map((row) => {
      const [first = null, ...others] = row;
      if (way.contrast)
        return row
          .slice(0, 2)
          .map((cell) => shownFigure(cell, unit, language))
          .join(' / ');
      if (others.length === 0) return shownFigure(first, query.measure ? unit : undefined, language);
      const key = shownFigure(first, undefined, language);
      return query.measure ? `${key} (${shownFigure(row.at(-1) ?? null, unit, language)})` : key;
    });
    return `- ${describe(way, language)}: **${shown.length === 0 ? '—' : shown.join(', ')}${rows.length > shown.length ? ', …' : ''}**`;
  });
  return `${whichWay(language)}\n\n${lines.join('\n')}`;
}

/** Whether an answer asks which of several ways to reckon is meant. */
export function asksWhichWay(answer: string): boolean {
  return (['en', ...LANGUAGE_CODES] as const).some((language) => answer.startsWith(whichWay(language)));
}

function whichWay(language: LanguageCode): string {
  return (
    textsOf(language)?.asking.rivals ??
    (language === 'ar'
      ? 'تختلف الإجابة باختلاف طريقة الحساب، فأيها تقصد؟'
      : 'The answer depends on how it is reckoned; which one do you mean?')
  );
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

function inOther(
  { what, about: asked, choices, readings = [] }: UnclearQuestion,
  texts: Texts,
  language: LanguageCode,
): string {
  const { asking, description } = texts;
  const measures: Record<string, string | undefined> = { ...description.measures };
  // Where nothing is named, it is about the way to reckon.
  const about = (Object.hasOwn(measures, asked) ? measures[asked] : undefined) ?? asked;
  const own = choices.map((choice) => translated(choice, what, asking));
  const list = own
    .slice(0, MOST_CHOICES)
    .map((choice) => `“${choice}”`)
    .join(', ');
  switch (what) {
    case 'table':
      return asking.table(list);
    case 'readings': {
      const ways = [...readings.map((reading) => describe(reading, language)), ...own].map((way) => `- ${way}`);
      return [asking.readings(about), ways.join('\n'), asking.quote].join('\n\n');
    }
    case 'way':
      return asking.way(about, list);
    case 'value':
      return asking.value(about, list);
    case 'time':
      return list === '' ? asking.ofYear(about) : asking.time(about, list);
    case 'column':
      return list === '' ? asking.noColumn(about) : asking.column(about, list);
  }
}

/** What a person is shown to choose from, in its order. */
export function choicesOf({ what, choices, readings = [] }: UnclearQuestion, language: LanguageCode): string[] {
  const texts = textsOf(language);
  const own = texts ? choices.map((choice) => translated(choice, what, texts.asking)) : choices;
  return [...readings.map((reading) => describe(reading, language)), ...own];
}

/** Choices begin with an English word where they say how to reckon, or when. */
function translated(choice: string, what: UnclearQuestion['what'], { ways, times }: Texts['asking']): string {
  const words: Record<string, string> = what === 'way' ? ways : what === 'time' ? times : {};
  const [first = '', ...rest] = choice.split(' ');
  return Object.hasOwn(words, first) ? [words[first], ...rest].join(' ') : choice;
}
