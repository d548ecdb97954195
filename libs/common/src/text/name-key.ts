import { fold } from './fold.js';

/** One sign each, so that a wrong letter weighs as much as in English; what sounds alike stays apart. */
const ARABIC = new Map(
  Object.entries({
    ا: 'a',
    ب: 'b',
    ت: 't',
    ث: '4',
    ج: 'j',
    ح: '7',
    خ: '5',
    د: 'd',
    ذ: '0',
    ر: 'r',
    ز: 'z',
    س: 's',
    ش: '6',
    ص: '9',
    ض: '8',
    ط: '1',
    ظ: '2',
    ع: '3',
    غ: 'g',
    ف: 'f',
    ق: 'q',
    ك: 'k',
    ل: 'l',
    م: 'm',
    ن: 'n',
    ه: 'h',
    و: 'w',
    ي: 'y',
  }),
);

/**
 * A name as names are compared for likeness: folded, in ASCII letters and digits, words parted by single blanks. pg_trgm
 * takes letters of other scripts for blanks wherever the database has the locale C, so they are spelled: an Arabic letter
 * by one sign, any other by two. '' when there is no letter or digit in it.
 */
export function nameKey(name: string): string {
  let key = '';
  for (const char of fold(name)) key += /[a-z0-9]/.test(char) ? char : (ARABIC.get(char) ?? spelled(char));
  return key.replace(/ +/g, ' ').trim();
}

function spelled(char: string): string {
  if (!/[\p{L}\p{N}]/u.test(char)) return ' ';
  const code = char.codePointAt(0)!;
  return String.fromCharCode(97 + (code % 26), 97 + (Math.floor(code / 26) % 26));
}
