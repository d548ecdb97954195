import type { LanguageCode } from './lexicon/languages.js';
import { textsOf } from './texts/of-language.js';

const MOST_WORDS = 5;
const LONGEST_WORD = 60;
const ENGLISH = {
  refusal:
    'No language model is configured, and this question is not one of the simple ones that are answered without: counts, sums, averages, lowest and highest values of named columns.',
  unknown: (words: string) => `Neither a word of asking nor a name or value of the tables: ${words}.`,
};
const ARABIC = {
  refusal:
    'لم يُضبط أي نموذج لغوي، وهذا السؤال ليس من الأسئلة البسيطة التي يُجاب عنها دونه: الأعداد والمجاميع والمتوسطات وأدنى القيم وأعلاها في أعمدة مسماة.',
  unknown: (words: string) => `ليست من كلمات السؤال ولا من أسماء الجداول أو قيمها: ${words}.`,
};

/** Why a question is not answered without a model. @param unknown words that mean nothing here */
export function refusalText(unknown: readonly string[], language: LanguageCode): string {
  const texts = textsOf(language) ?? (language === 'ar' ? ARABIC : ENGLISH);
  const words = [...new Set(unknown)].slice(0, MOST_WORDS).map((word) => `“${word.slice(0, LONGEST_WORD)}”`);
  return words.length === 0 ? texts.refusal : `${texts.refusal} ${texts.unknown(words.join(', '))}`;
}

export function failedText(language: LanguageCode): string {
  const own = textsOf(language)?.failed;
  if (own !== undefined) return own;
  return language === 'ar'
    ? 'تعذرت الإجابة عن هذا السؤال من الجداول.'
    : 'This question could not be answered from the tables.';
}
