import { calendarOf } from './calendar.js';
import { changesIn } from './changing-words.js';
import { lexiconOf, LONGEST_PHRASE } from './lexicon.js';
import { LANGUAGE_CODES, languageNamed, type LanguageCode } from './lexicon/languages.js';
import type { Word } from './words.js';

/** Languages that share many words are tried one after another. */
const MOST = 3;

/**
 * The languages that have most of the words as words of asking, English first; each of them may be meant.
 * @param names of the table, which are likely written in the same
 * @returns none when no word tells
 */
export function languagesOf(words: readonly Word[], names = ''): LanguageCode[] {
  const codes = LANGUAGE_CODES.filter((code) => code === 'en' || languageNamed(code));
  const scores = codes.map((code) => ({ code, score: asking(words, code) }));
  const most = Math.max(...scores.map(({ score }) => score));
  if (most === 0) return [];
  const text = words.map((word) => word.text).join(' ');
  const own = scores.filter(({ score }) => score === most).map(({ code }) => code);
  // «No Porto» is "not Porto" in Spanish: of sisters that one in whose letters question or table are written.
  const [telling = own] = [text, names]
    .map((written) => own.filter((code) => languageNamed(code)?.letters.test(written)))
    .filter((codes) => codes.length > 0);
  return telling.slice(0, MOST);
}

/** How many words are words of asking in a language. */
function asking(words: readonly Word[], code: LanguageCode): number {
  const language = languageNamed(code);
  const lexicon = lexiconOf(code);
  const own = words.flatMap((word): Word[] => {
    const elided = word.quoted ? undefined : language?.elisions?.exec(word.plain)?.[0];
    const whole = { ...word, language: code };
    if (elided === undefined || elided === word.plain) return [whole];
    return [
      { ...whole, plain: elided },
      { ...whole, plain: word.plain.slice(elided.length) },
    ];
  });
  let count = 0;
  for (let at = 0; at < own.length;) {
    let length = Math.min(LONGEST_PHRASE, own.length - at);
    while (length > 0 && !isPhrase(own.slice(at, at + length), lexicon)) length--;
    const tells = length > 0 || isOther(own[at]!) || (!own[at]!.quoted && changesIn(code, own[at]!.plain));
    if (tells) count += Math.max(1, length);
    at += Math.max(1, length);
  }
  return count;
}

function isPhrase(words: readonly Word[], lexicon: ReturnType<typeof lexiconOf>): boolean {
  return (
    words.every(({ quoted, plain }) => !quoted && /\p{L}/u.test(plain)) &&
    lexicon.has(words.map(({ plain }) => plain).join(' '))
  );
}

function isOther(word: Word): boolean {
  if (word.quoted) return false;
  const { months, quarter } = calendarOf(word);
  if (months.has(word.plain) || quarter.has(word.plain)) return true;
  const language = languageNamed(word.language);
  if (!language) return false;
  if (Object.hasOwn(language.numbers, word.plain) || Object.hasOwn(language.factors, word.plain)) return true;
  const { before = [], behind = [] } = language.compounds ?? {};
  const joined = (head: string, whole: boolean) => whole && word.plain.length >= head.length + 3;
  return (
    before.some((head) =>
      joined(
        head,
        [head, language.respell(head)].some((one) => word.plain.startsWith(one)),
      ),
    ) || behind.some((tail) => joined(tail, word.plain.endsWith(tail)))
  );
}
