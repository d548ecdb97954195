import { UNSPACED_SCRIPTS } from '@app/common';

const WORD = 1;
const UNPARTED = 2;
const CURRENCY = 4;
const ASKED = 0x80;

const WORD_SIGNS = /[\p{L}\p{M}\p{N}]/u;
const UNPARTED_SIGNS = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');

/** By UTF-16 code unit, filled as they are asked for: patterns are slow where millions are looked at. */
const classes = new Uint8Array(0x10000);

function classOf(code: number): number {
  let found = classes[code] ?? 0;
  if (found === 0) {
    const character = String.fromCharCode(code);
    // Halves of characters beyond the first plane are letters, mostly.
    const isWord = WORD_SIGNS.test(character) || (code >= 0xd800 && code < 0xe000);
    found =
      ASKED |
      (isWord ? WORD : 0) |
      (UNPARTED_SIGNS.test(character) ? UNPARTED : 0) |
      (/\p{Sc}/u.test(character) ? CURRENCY : 0);
    classes[code] = found;
  }
  return found;
}

/** Letters, marks and digits. */
export const isOfWord = (code: number): boolean => (classOf(code) & WORD) !== 0;
/** Of a script that puts blanks between words. */
export const isOfPartedWord = (code: number): boolean => (classOf(code) & (WORD | UNPARTED)) === WORD;
export const isCurrency = (code: number): boolean => (classOf(code) & CURRENCY) !== 0;
