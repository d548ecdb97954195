import { analyse, termsOf } from '../analysis/analyse.js';
import { detectLanguage, type LanguageCode } from '../analysis/language.js';
import { plainLetters } from '../analysis/stemming.js';
import { stopWordsOf } from '../analysis/stop-word-lists.js';
import {
  askingWordsIn,
  isInBareScript,
  QUESTION_LANGUAGES,
  saidLanguage,
  type QuestionLanguage,
} from './asking-words.js';

/**
 * How a question and all that may answer it are read: by the stems of one language, so that `Gebühren` is `Gebühr` and
 * `pagato` is `pagare` on both sides. One for each language; what it keeps are lists of this code.
 */
export class Reading {
  private readonly kept = new Map<string, unknown>();

  /**
   * @param other a language of which we know neither relatives of words nor kinds of answers: what answers a question has
   *   its very words
   */
  constructor(
    readonly language: QuestionLanguage,
    readonly other: LanguageCode | null = null,
  ) {}

  /** The terms of a text in order, repetitions included. */
  analyse(text: string): string[] {
    const language = this.other ?? this.language;
    return language === 'en' || language === 'ar' ? analyse(text) : termsOf(text, language).terms;
  }

  /** Whether a word only asks or joins others, in a language that has no list of asking words. */
  isStopWord(word: string): boolean {
    return this.other !== null && stopWordsOf(this.other).has(plainLetters(word));
  }

  /** @param key of a list of this code, never of what somebody wrote */
  cached<T>(key: string, make: () => T): T {
    if (!this.kept.has(key)) this.kept.set(key, make());
    return this.kept.get(key) as T;
  }
}

const READINGS = new Map(QUESTION_LANGUAGES.map((language) => [language, new Reading(language)]));
const OTHERS = new Map<LanguageCode, Reading>();

export function readingIn(language: QuestionLanguage): Reading {
  return READINGS.get(language)!;
}

/** Of a language without asking words, relatives and kinds of answers of its own; English ones do no harm. */
function readingOfOther(language: LanguageCode): Reading {
  const known = OTHERS.get(language) ?? new Reading('en', language);
  OTHERS.set(language, known);
  return known;
}

/**
 * By the words a question is asked with; where it has none, as a few keywords do, by what was found for it.
 * @param found text of the best passage, if there is one
 */
export function readingOf(question: string, found = ''): Reading {
  const other = otherLanguage(question, found);
  if (other) return readingOfOther(other);
  const said = saidLanguage(question);
  if (said) return readingIn(said);
  const detected = detectLanguage(found);
  return readingIn(QUESTION_LANGUAGES.find((language) => language === detected) ?? 'en');
}

function isOther(language: LanguageCode | null): language is LanguageCode {
  return language !== null && QUESTION_LANGUAGES.every((known) => known !== language);
}

/** Swedish, Polish, Japanese and the like; null where a question may as well be of a language with words of its own. */
function otherLanguage(question: string, found: string): LanguageCode | null {
  const detected = detectLanguage(question);
  if (isInBareScript(question)) return detected;
  const words = question.slice(0, 1000).match(/[\p{L}\p{M}]+/gu) ?? [];
  const asking = askingWordsIn(words);
  if (isOther(detected)) {
    const stops = stopWordsOf(detected);
    const count = words.filter((word) => stops.has(plainLetters(word))).length;
    if (count > 0 && count >= asking) return detected;
  }
  const written = asking === 0 ? detectLanguage(found) : null;
  return isOther(written) ? written : null;
}
