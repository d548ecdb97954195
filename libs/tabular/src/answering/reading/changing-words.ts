import { LANGUAGES, type LanguageCode } from './lexicon/languages.js';
import { normalise, type Word } from './words.js';

/**
 * Words that turn a question into another one. They are not understood, so that such a question is not read at all; where
 * one of them is a value of the data, too, it is hardly meant as that unless it is written like one.
 */
const CHANGING = new Set(
  `not no non never without except excluding exclude excludes exclusive excepting but minus less other others another besides
   unlike versus vs compared compare than neither nor first last next previous prior past current recent if unless almost
   about approximately roughly ratio percent percentage share growth difference increase decrease change rank cumulative
   running second third both either half twice double missing empty null blank unknown none nothing outside until within
   only every consecutive change latest oldest newest
   لا ليس ليست غير عدا ماعدا باستثناء بدون الا دون سوي اول اخر السابق السابقه الماضي الماضيه القادم فرق نسبه نمو مقارنه`
    .split(/\s+/)
    .map(normalise),
);

const OTHERS = new Map<LanguageCode, ReadonlySet<string>>(
  Object.entries(LANGUAGES).map(([code, { changing, respell }]) => [
    code as LanguageCode,
    new Set(
      changing
        .split(/\s+/)
        .map(normalise)
        .flatMap((word) => [word, respell(word)]),
    ),
  ]),
);

export function changesIn(code: LanguageCode, plain: string): boolean {
  return (OTHERS.get(code) ?? CHANGING).has(plain);
}

/** Whether it is such a word, and neither in quotation marks nor with a capital. */
export function changesMeaning(words: readonly Word[]): boolean {
  const [word, ...more] = words;
  return (
    word !== undefined &&
    more.length === 0 &&
    !word.quoted &&
    !/^\p{Lu}/u.test(word.text) &&
    (OTHERS.get(word.language) ?? CHANGING).has(word.plain)
  );
}
