import type { AskedTable } from './asked-table.js';
import type { LanguageCode } from './reading/lexicon/languages.js';
import { labelOf, isKey, isNumeric, isTime } from './reading/reading.js';
import { textsOf } from './reading/texts/of-language.js';
import type { Texts } from './reading/texts/texts.js';

const MOST_WORDS = 5;
const LONGEST_WORD = 60;
const LONGEST_EXAMPLE = 120;

const ENGLISH: Texts['refusing'] = {
  refusal:
    'No language model is configured, and this question is not one of the simple ones that are answered without: counts, sums, averages, lowest and highest values of named columns, rows with named values.',
  unknown: (words) => `Neither a word of asking nor a name or value of the tables: ${words}.`,
  together:
    'Each of its words is known, but not what they mean together: shorter questions, one at a time, are understood best.',
  instead: (examples) => `What can be asked, for instance: ${examples}.`,
  rows: (table, condition) => `how many rows in ${table}${condition === '' ? '' : ` with ${condition}`}`,
  average: (column) => `average ${column}`,
  by: (column) => `by ${column}`,
  highest: (column) => `highest ${column}`,
  byYear: 'by year',
};
const ARABIC: Texts['refusing'] = {
  refusal:
    'لم يُضبط أي نموذج لغوي، وهذا السؤال ليس من الأسئلة البسيطة التي يُجاب عنها دونه: الأعداد والمجاميع والمتوسطات وأدنى القيم وأعلاها في أعمدة مسماة، والصفوف ذات القيم المسماة.',
  unknown: (words) => `ليست من كلمات السؤال ولا من أسماء الجداول أو قيمها: ${words}.`,
  together: 'كل كلمة منه معروفة، لكن معناها معا غير معروف: الأسئلة القصيرة، واحدا بعد آخر، تُفهم أكثر.',
  instead: (examples) => `مما يمكن السؤال عنه: ${examples}.`,
  rows: (table, condition) => `كم عدد الصفوف في ${table}${condition === '' ? '' : ` حيث ${condition}`}`,
  average: (column) => `متوسط ${column}`,
  by: (column) => `حسب ${column}`,
  highest: (column) => `أعلى ${column}`,
  byYear: 'حسب السنة',
};

/** Why a question was not read, and the nearest that would be, in the names of its tables. */
export function refusalText(unknown: readonly string[], tables: readonly AskedTable[], language: LanguageCode): string {
  const texts = textsOf(language)?.refusing ?? (language === 'ar' ? ARABIC : ENGLISH);
  const words = [...new Set(unknown)].slice(0, MOST_WORDS).map((word) => `“${word.slice(0, LONGEST_WORD)}”`);
  const why = words.length > 0 ? texts.unknown(words.join(', ')) : texts.together;
  const [table] = tables;
  const examples = table ? examplesOf(table, texts) : [];
  return [texts.refusal, why, ...(examples.length === 0 ? [] : [texts.instead(examples.join(', '))])].join(' ');
}

function examplesOf({ alias, columns }: AskedTable, texts: Texts['refusing']): string[] {
  const number = columns.find((column) => isNumeric(column) && !isKey(column));
  const text = columns.find(({ type, complete, unique }) => type === 'text' && complete === true && unique !== true);
  const value = text?.values[0];
  const time = columns.find(isTime);
  const average = number ? texts.average(labelOf(number)) : '';
  return [
    texts.rows(alias, text && value ? `${labelOf(text)} ${value}` : ''),
    ...(number ? [text ? `${average} ${texts.by(labelOf(text))}` : average, texts.highest(labelOf(number))] : []),
    ...(number && time && !text ? [`${average} ${texts.byYear}`] : []),
  ].map((example) => `“${example}”`.replace(/\s+/g, ' ').slice(0, LONGEST_EXAMPLE));
}

export function failedText(language: LanguageCode): string {
  const own = textsOf(language)?.failed;
  if (own !== undefined) return own;
  return language === 'ar'
    ? 'تعذرت الإجابة عن هذا السؤال من الجداول.'
    : 'This question could not be answered from the tables.';
}
