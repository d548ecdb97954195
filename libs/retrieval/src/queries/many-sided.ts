import { QUESTION_LANGUAGES, questionLanguage, type QuestionLanguage } from '../questions/asking-words.js';
import { questionsIn } from '../questions/several-questions.js';
import { isLong, termsOf } from './leaning.js';

/** What stands between two things that are asked for. */
const JOINING: Record<QuestionLanguage, string> = {
  en: 'and|or',
  de: 'und|oder|sowie',
  fr: 'et|ou',
  es: 'y|e|o|u',
  it: 'e|ed|o',
  pt: 'e|ou',
  nl: 'en|of',
  ar: 'أو|أم',
};
const JOINED = new Map(
  QUESTION_LANGUAGES.map((language) => [
    language,
    new RegExp(
      `[\\p{L}\\p{N}]\\s*(?:[,;،؛、]|(?<![\\p{L}\\p{M}])(?:${JOINING[language]})(?![\\p{L}\\p{M}])|\\sو(?=\\p{L})|[和与與及])\\s*[\\p{L}\\p{N}]`,
      'iu',
    ),
  ]),
);
const YEAR = /(?<!\d)(?:19|20)\d\d(?!\d)/g;
/** Asks for one thing beside another. */
const COMPARES =
  /(?<![\p{L}\p{M}])(?:vs|versus|compar\p{L}*|differ\p{L}*|both|each|respectively|vergl\p{L}*|untersch\p{L}*|beide[mnrs]?|jeweils|gegenüber|différ\p{L}*|chacun\p{L}*|diferenc\p{L}*|ambos|ambas|cada|confront\p{L}*|differenz\p{L}*|entrambi|verschil\p{L}*|vergelijk\p{L}*|قارن|مقارنة|الفرق|كلا|كل من|сравн\p{L}*)(?![\p{L}\p{M}])|比较|比較|違い/iu;
/** One thing needs a word at least, and two the word that is asked of them. */
const FEWEST_TERMS = 3;

/**
 * Whether a question may ask for several things, by its words: it compares, lists, or is several questions. Rather yes
 * than no: whoever is asked then may find that it is one.
 */
export function asksForSeveral(question: string): boolean {
  if (isLong(question)) return false;
  if (questionsIn(question).length > 1) return true;
  const years = new Set(question.match(YEAR));
  const joins = JOINED.get(questionLanguage(question))!.test(question) || years.size > 1;
  if (!joins && !COMPARES.test(question)) return false;
  return termsOf(question).length >= FEWEST_TERMS;
}
