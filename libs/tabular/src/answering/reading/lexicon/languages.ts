import { DUTCH } from './dutch.js';
import { FRENCH } from './french.js';
import { GERMAN } from './german.js';
import { ITALIAN } from './italian.js';
import type { Language, LanguageCode, OtherLanguage } from './language.js';
import { PORTUGUESE } from './portuguese.js';
import { SPANISH } from './spanish.js';

export { LANGUAGE_CODES, type Language, type LanguageCode, type OtherLanguage } from './language.js';

/** All but English and Arabic, whose words stand in `lexicon.ts` and beside it. */
export const LANGUAGES: Readonly<Partial<Record<OtherLanguage, Language>>> = {
  de: GERMAN,
  fr: FRENCH,
  es: SPANISH,
  it: ITALIAN,
  pt: PORTUGUESE,
  nl: DUTCH,
};

/** Null for English and Arabic. */
export function languageNamed(code: LanguageCode): Language | null {
  return code === 'en' || code === 'ar' ? null : (LANGUAGES[code] ?? null);
}
