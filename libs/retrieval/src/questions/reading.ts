import { analyse, termsOf } from '../analysis/analyse.js';
import { detectLanguage } from '../analysis/language.js';
import { QUESTION_LANGUAGES, saidLanguage, type QuestionLanguage } from './asking-words.js';

/**
 * How a question and all that may answer it are read: by the stems of one language, so that `Gebühren` is `Gebühr` and
 * `pagato` is `pagare` on both sides. One for each language; what it keeps are lists of this code.
 */
export class Reading {
  private readonly kept = new Map<string, unknown>();

  constructor(readonly language: QuestionLanguage) {}

  /** The terms of a text in order, repetitions included. */
  analyse(text: string): string[] {
    return this.language === 'en' || this.language === 'ar' ? analyse(text) : termsOf(text, this.language).terms;
  }

  /** @param key of a list of this code, never of what somebody wrote */
  cached<T>(key: string, make: () => T): T {
    if (!this.kept.has(key)) this.kept.set(key, make());
    return this.kept.get(key) as T;
  }
}

const READINGS = new Map(QUESTION_LANGUAGES.map((language) => [language, new Reading(language)]));

export function readingIn(language: QuestionLanguage): Reading {
  return READINGS.get(language)!;
}

/**
 * By the words a question is asked with; where it has none, as a few keywords do, by what was found for it.
 * @param found text of the best passage, if there is one
 */
export function readingOf(question: string, found = ''): Reading {
  const said = saidLanguage(question);
  if (said) return readingIn(said);
  const detected = detectLanguage(found);
  return readingIn(QUESTION_LANGUAGES.find((language) => language === detected) ?? 'en');
}
