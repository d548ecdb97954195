import { LANGUAGES } from '../analysis/language.js';

/** Arabic has two sets of names; the second one is used in the Levant and Iraq. */
const LOCALES = [...LANGUAGES, 'ar-SY', 'de-AT'];
const LETTERS = /^\p{L}[\p{L}\p{M}]{2,}\.?$|^\p{Script=Arabic}+ \p{Script=Arabic}+$/u;

function* namesOf(locale: string): Generator<[name: string, month: number]> {
  for (const month of ['long', 'short'] as const) {
    const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month, calendar: 'gregory', timeZone: 'UTC' });
    for (let at = 0; at < 12; at++) {
      const part = format.formatToParts(Date.UTC(2024, at, 15)).find(({ type }) => type === 'month')!;
      if (LETTERS.test(part.value)) yield [part.value.toLowerCase().replace(/\.$/, ''), at + 1];
    }
  }
}

/** Names of months, long and short, of every language that is told apart: lower case, without a dot; with its number. */
export const MONTHS: ReadonlyMap<string, number> = new Map(LOCALES.flatMap((locale) => [...namesOf(locale)]));
