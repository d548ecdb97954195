import { quoteText } from './names.js';

/** A decimal point that no reader takes for a separator of groups: written for numbers that are numbers in the file. */
export const SURE_POINT = '\u{E0F1}';

const digitsOf = (zero: number) => String.fromCodePoint(...Array.from({ length: 10 }, (_, digit) => zero + digit));

/** Arabic, Persian, Devanagari, Bengali, Thai, Burmese and full-width digits. */
const OTHER_DIGITS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0x1040, 0xff10].map(digitsOf);
/** One sign for each meaning: the first of a pair may be any of several characters. */
const SIGNS: [string, string][] = [
  ['٫', SURE_POINT],
  ['٬’ʼ‘＇', "'"],
  ['−–‒﹣－', '-'],
  ['\u00a0\u202f\u2007\u2009\u2008\u200a\u2002\u3000', '\u00a0'],
  ['٪％﹪', '%'],
  ['（', '('],
  ['）', ')'],
  ['．', '.'],
  ['，', ','],
];
/** They only say in which direction a text runs, or nothing at all. */
const UNSEEN = '\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff';

const FROM = OTHER_DIGITS.join('') + SIGNS.map(([from]) => from).join('') + UNSEEN;
const TO = '0123456789'.repeat(OTHER_DIGITS.length) + SIGNS.map(([from, to]) => to.repeat([...from].length)).join('');

/** A pattern for texts in which numbers may be written with other characters than those of ASCII. */
export const HAS_OTHER_SIGNS = `[${FROM.replaceAll('-', '\\-')}]`;

/** A pattern for texts in which there is a digit of any script. */
export const HAS_DIGIT = `[0-9${OTHER_DIGITS.join('')}]`;

/** SQL of the text with the digits and signs of ASCII; groups apart by no-break spaces, where they are by any kind of it. */
export const plainSigns = (text: string): string => `translate(${text}, ${quoteText(FROM)}, ${quoteText(TO)})`;

/** SQL of a text as people are to read it. */
export const withoutSurePoint = (text: string): string => `replace(${text}, '${SURE_POINT}', '.')`;

/** A number that is one in the file, for a cell of a staged table. */
export const sureNumber = (value: number): string => String(value).replace('.', SURE_POINT);
