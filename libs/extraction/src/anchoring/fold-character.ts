/** What a character is for whoever compares words. */
export const KIND = {
  /** Not to be seen: direction marks, soft hyphens. */
  hidden: 0,
  blank: 1,
  /** Brackets, quotation marks, bullets, bars: they part, as blanks do. */
  other: 2,
  /** Between digits it matters. */
  separator: 3,
  dash: 4,
  letter: 5,
  digit: 6,
  /** Currencies, percent, signs of arithmetic and the like: compared as they are. */
  symbol: 7,
} as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

export interface Folded {
  kind: Kind;
  /** What stands for it; several for a ligature. */
  text: string;
}

/** Accents and signs of vowels, of scripts that can be read without; not those that make another syllable. */
const MARK =
  /(?=\p{Mn})(?!\u3099|\u309a)[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Greek}\p{Script=Cyrillic}]/gu;
const HIDDEN = /[\u00ad\u0640\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/u;
const DASH = /[\p{Pd}\u2212\u2043\ufe63\uff0d]/u;
/** Compared: without them `5 %` were 5, and `$5` as good as `€5`. */
const SYMBOL = /[\p{Sc}%‰٪@#&+<>=±×÷°§/\\≤≥≠√∞µ\p{No}\p{Nl}]/u;
const SEPARATORS: Record<string, string> = {
  '.': '.',
  ',': ',',
  ':': ':',
  '\u066b': '.',
  '\u066c': ',',
  "'": "'",
  '’': "'",
};
/** Letters that are written in more than one way, and by some extractors in another than by the reader. */
const LETTERS: Record<string, string> = {
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ٱ: 'ا',
  ı: 'i',
  ſ: 's',
};

const known = new Map<string, Folded>();

/** @param character one code point */
export function foldCharacter(character: string): Folded {
  let folded = known.get(character);
  if (folded === undefined) {
    folded = fold(character);
    // A document of a million different signs must not fill the memory.
    if (known.size < 20_000) known.set(character, folded);
  }
  return folded;
}

function fold(character: string): Folded {
  if (/\s/u.test(character)) return { kind: KIND.blank, text: '' };
  if (HIDDEN.test(character)) return { kind: KIND.hidden, text: '' };
  if (/\p{Nd}/u.test(character)) return { kind: KIND.digit, text: digitOf(character) };
  // Raised digits and fractions are no digits of the number before them.
  if (/[\p{No}\p{Nl}]/u.test(character)) return { kind: KIND.symbol, text: character };
  if (/[™®©℠]/u.test(character)) return { kind: KIND.other, text: '' };
  const plain = character.normalize('NFKC');
  if (plain !== character && plain.length === 1) return fold(plain);
  if (DASH.test(plain)) return { kind: KIND.dash, text: '-' };
  const separator = SEPARATORS[plain];
  if (separator !== undefined) return { kind: KIND.separator, text: separator };
  if (SYMBOL.test(plain)) return { kind: KIND.symbol, text: plain === '٪' ? '%' : plain };
  const letters = lettersOf(plain);
  if (letters !== '') return { kind: KIND.letter, text: letters };
  return { kind: isMark(character) ? KIND.hidden : KIND.other, text: '' };
}

function lettersOf(plain: string): string {
  const bare = plain.toLowerCase().normalize('NFD').replaceAll(MARK, '').normalize('NFC').replaceAll('ß', 'ss');
  return [...bare]
    .map((letter) => LETTERS[letter] ?? letter)
    .filter((letter) => /[\p{L}\p{M}\u{e000}-\u{f8ff}]/u.test(letter))
    .join('');
}

const isMark = (character: string) => character.replaceAll(MARK, '') === '';

/** Digits of one script follow each other, the zero first. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return character;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  // Mathematical digits stand in rows of ten without a gap between them.
  const value = code >= 0x1d7ce && code <= 0x1d7ff ? (code - 0x1d7ce) % 10 : code - zero;
  return String.fromCharCode(0x30 + value);
}
