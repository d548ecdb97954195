import { fold } from '@app/common';
import { termsOfToken } from './analyse.js';
import { compoundPrefixes, isCompounding } from './compounds.js';
import { fillerWeights } from './filler.js';
import { instructs } from './instructing-words.js';
import { detectLanguage, type LanguageCode } from './language.js';
import { otherSpellings } from './spellings.js';
import { stopWordsOf } from './stop-word-lists.js';
import { plainLetters } from './stemming.js';
import { isCode, JOINER, joined, light, TOKEN } from './tokens.js';
import { contentWords, isUnspaced } from './unspaced.js';

/** A word of a question, and all that may stand for it in an index; it counts once, however many of them are there. */
export interface QuestionWord {
  /** As it was written, folded. */
  word: string;
  /** Terms: its stems in the languages of the documents, and its other spellings. */
  terms: readonly string[];
  /** Beginnings of terms that hold the word as a part, which counts for less. */
  prefixes: readonly string[];
  /** 0 to 1: less for what only says what to do. */
  weight: number;
  /** A guess at how a code is written elsewhere: counts when it is found, and is not missed when it is not. */
  optional: boolean;
}

/** No more words of a question are looked at: half of them from its beginning, half from its end. */
const MOST_WORDS = 400;
/** Between sentences, and between what is asked for and what it is about. */
const SEGMENT_END = /[.:;?!\n\u061f\u061b]\s|\n/u;

/**
 * The words of a question that matter, in order and once each.
 * @param languages that the documents are in
 */
export function questionWords(question: string, languages: readonly LanguageCode[]): QuestionWord[] {
  const all = [...new Set<LanguageCode>(['en', ...languages])];
  const tokens = tokensOf(question);
  const asked = questionLanguage(question, tokens, all);
  const told = tokens.filter(({ token }) => !isStopWord(token, asked, all));
  const kept = told.length > 0 ? told : tokens;
  const instructing = [...new Set<LanguageCode>(['en', asked ?? 'en'])];
  const weights = fillerWeights(
    kept.map(({ token, segment }) => ({ segment, instructs: instructs(token, instructing) })),
  );
  const words = new Map<string, QuestionWord>();
  const parts = compoundsOf(asked, tokens);
  for (const [at, { token }] of kept.entries())
    for (const word of [...wordsOf(token, all), ...spacedCode(kept, at, all)])
      add(words, { ...word, weight: weights[at]!, ...(parts(kept[at]!) ? {} : { prefixes: [] }) });
  return [...words.values()];
}

interface Token {
  token: string;
  segment: number;
}

function tokensOf(question: string): Token[] {
  const composed = question.normalize('NFKC').replaceAll(/[\u2019\u02bc]/g, "'");
  const tokens: Token[] = [];
  let [segment, end] = [0, 0];
  for (const match of composed.matchAll(TOKEN)) {
    if (SEGMENT_END.test(`${composed.slice(end, match.index)} `)) segment++;
    end = match.index + match[0].length;
    for (const token of toldIn(match[0])) tokens.push({ token, segment });
  }
  if (tokens.length <= MOST_WORDS) return tokens;
  return [...tokens.slice(0, MOST_WORDS / 2), ...tokens.slice(-MOST_WORDS / 2)];
}

/** Of a run of letters without spaces what it speaks of, unless it speaks of nothing. */
function toldIn(token: string): string[] {
  if (!isUnspaced(token)) return [token];
  const groups = contentWords(token).map((words) => words.join(''));
  return groups.length > 0 ? groups : [token];
}

/** The language whose stop words the question has most of; what the detector says where that leaves it open. */
function questionLanguage(
  question: string,
  tokens: readonly Token[],
  languages: readonly LanguageCode[],
): LanguageCode | null {
  const detected = detectLanguage(question);
  const plain = tokens.slice(0, 100).map(({ token }) => plainLetters(token));
  const counted = [...new Set([...languages, ...(detected ? [detected] : [])])].map((language) => {
    const stops = stopWordsOf(language);
    return { language, count: plain.filter((word) => stops.has(word)).length };
  });
  const most = Math.max(...counted.map(({ count }) => count));
  if (most === 0) return detected;
  const best = counted.filter(({ count }) => count === most).map(({ language }) => language);
  if (detected && best.includes(detected)) return detected;
  return best.length === 1 ? best[0]! : null;
}

/** Fewer words may be in any language. */
const SENTENCE = 4;

/**
 * Which words are looked for as parts of compounds. In a sentence of a language without them, what looks like a name may
 * be a word of another one; the others would only cost time in large scopes, and find what they do not mean.
 */
function compoundsOf(asked: LanguageCode | null, tokens: readonly Token[]): (token: Token) => boolean {
  if (asked === null || isCompounding(asked) || tokens.length < SENTENCE) return () => true;
  return (token) => token !== tokens[0] && /^\p{Lu}/u.test(token.token);
}

function isStopWord(token: string, asked: LanguageCode | null, languages: readonly LanguageCode[]): boolean {
  const word = plainLetters(token);
  if (asked) return stopWordsOf(asked).has(word);
  return languages.every((language) => stopWordsOf(language).has(word));
}

function* wordsOf(token: string, languages: readonly LanguageCode[]): Generator<QuestionWord> {
  if (!JOINER.test(token)) {
    yield* partOf(token, languages);
    return;
  }
  const whole = joined(light(token, 'en'));
  const spelled = whole === null ? [] : languages.flatMap((language) => termsOfToken(whole, language));
  if (isCode(token)) yield { ...wordOf(token, [...termsOfToken(fold(token), 'en').slice(0, 1), ...spelled]) };
  else if (spelled.length > 0) yield { ...wordOf(token, spelled), optional: true };
  for (const part of token.split(JOINER)) yield* partOf(part, languages);
}

function* partOf(part: string, languages: readonly LanguageCode[]): Generator<QuestionWord> {
  const each = languages.map((language) => ({
    language,
    terms: termsOfToken(language === 'en' ? fold(part) : light(part, language), language),
  }));
  const pairs = Math.max(...each.map(({ terms }) => terms.length));
  // Letters of scripts without spaces are words of their own, the same in every language.
  if (pairs > 1) for (const term of each[0]!.terms) yield wordOf(term, [term]);
  else if (pairs === 1) {
    const elsewhere = otherSpellings(fold(part)).flatMap((other) => termsOfToken(other, 'en'));
    const terms = [...each.flatMap((one) => one.terms), ...respelled(part), ...elsewhere];
    const prefixes = each.flatMap(({ language, terms: own }) =>
      own.flatMap((term) => compoundPrefixes(term, plainLetters(light(part, language)), language)),
    );
    yield { ...wordOf(part, terms), prefixes: [...new Set(prefixes)] };
  }
}

function wordOf(word: string, terms: readonly string[]): QuestionWord {
  return { word: fold(word), terms: [...new Set(terms)], prefixes: [], weight: 1, optional: false };
}

const SPELLED: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa', æ: 'ae' };

/** Terms of English analysis for a name as it is written with umlauts, and without: `Müller`, `Mueller`. */
function respelled(word: string): string[] {
  const lower = light(word, 'en');
  const spelled = [lower.replaceAll(/[äöüøåæ]/g, (letter) => SPELLED[letter]!), plainLetters(lower)];
  // Only of names: `value` and `issue` are words of their own.
  if (/^\p{Lu}/u.test(word)) spelled.push(lower.replaceAll(/(?<![aeq])([aou])e/g, '$1'));
  return spelled.filter((other) => other !== lower).flatMap((other) => termsOfToken(fold(other), 'en'));
}

/** A code that was written with spaces: `AX 9000 B7`. */
function* spacedCode(
  tokens: readonly Token[],
  at: number,
  languages: readonly LanguageCode[],
): Generator<QuestionWord> {
  for (const length of [2, 3]) {
    const run = tokens.slice(at, at + length).map(({ token }) => token);
    const code = run.join('');
    const mixed = /\p{N}/u.test(code) && /\p{L}/u.test(code) && run.every((part) => /^[\p{L}\p{N}]{1,6}$/u.test(part));
    if (run.length < length || !mixed || code.length < 4 || code.length > 16) continue;
    const terms = languages.slice(0, 1).flatMap((language) => termsOfToken(fold(code), language));
    yield { ...wordOf(code, terms), optional: true };
  }
}

/** Once each; what is said again outside of an instruction weighs as it does there. */
function add(words: Map<string, QuestionWord>, word: QuestionWord): void {
  if (word.terms.length === 0) return;
  const key = word.terms.toSorted().join(' ');
  const known = words.get(key);
  if (!known) words.set(key, word);
  else if (known.weight < word.weight) words.set(key, { ...known, weight: word.weight });
}
