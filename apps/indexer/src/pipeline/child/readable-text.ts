/** What a text layer is worth: fonts that lack the table to Unicode give characters that are not what the page shows. */
export type TextWorth = 'readable' | 'doubtful' | 'garbage';

/** Fewer of anything say nothing about a page. */
const MIN_LETTERS = 60;
const MIN_MARKS = 100;
const MIN_WORDS = 40;
/** Leaders of a table of contents, lines to fill in and rules of a drawn table. */
const FILLING = /[.\u00b7\u2026_=*\-\u2010-\u2015\u2500-\u257f~|]/u;
const VOWEL = /[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœ]/iu;

/**
 * - `garbage`: mostly private-use, control and replacement characters;
 * - `doubtful`: many of them, or marks where letters should be, or letters that no language would put so (codes that were
 *   shifted, letters of another alphabet's code page).
 *
 * Only Latin letters are weighed: other scripts have no vowels to count, or thousands of letters.
 */
export function judgeText(text: string): TextWorth {
  let [marks, unknown, filling, digits, letters, latin, accented, spelt] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (const character of text) {
    if (/\s/u.test(character)) continue;
    marks += 1;
    if (isUnknown(character.codePointAt(0) ?? 0)) unknown += 1;
    else if (FILLING.test(character)) filling += 1;
    else if (/\p{N}/u.test(character)) digits += 1;
    else if (/[\p{L}\p{M}]/u.test(character)) letters += 1;
    if (/\p{Script=Latin}/u.test(character)) latin += 1;
    if (/[À-ÖØ-öø-ÿ]/u.test(character)) accented += 1;
    if (/[ß\u2010-\u206f€]/u.test(character)) spelt += 1;
  }
  if (unknown > marks * 0.4) return 'garbage';
  if (unknown > marks * 0.1) return 'doubtful';
  const signs = marks - filling - digits - letters - unknown - spelt;
  if (marks - filling >= MIN_MARKS && signs > (marks - filling) * 0.5) return 'doubtful';
  if (latin >= MIN_LETTERS && accented > latin * 0.45) return 'doubtful';
  return latin >= MIN_LETTERS && latin > letters * 0.8 && hasNoVowels(text) ? 'doubtful' : 'readable';
}

function isUnknown(code: number): boolean {
  // PDFium's own marks of hyphens and line ends are no text.
  const isControl = (code < 0x20 && code !== 0x02) || (code >= 0x7f && code < 0xa0);
  const isPrivate = (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000;
  return isControl || isPrivate || code === 0xfffd || code === 0xfffe || code === 0xffff;
}

/** Many words cannot be spoken. */
function hasNoVowels(text: string): boolean {
  const words = text.match(/\p{Script=Latin}{3,24}/gu) ?? [];
  if (words.length < MIN_WORDS) return false;
  return words.filter((word) => !VOWEL.test(word)).length > words.length * 0.35;
}
