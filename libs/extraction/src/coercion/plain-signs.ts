/** Zero of Arabic, Persian, Devanagari, Bengali, Thai, Burmese and full-width digits. Others are no digits to us. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0x1040, 0xff10];

/** One sign for each meaning. */
const SIGNS: readonly [from: string, to: string][] = [
  ['’ʼ‘＇´`', "'"],
  ['−–‒﹣－‑‐', '-'],
  ['\u00a0\u202f\u2007\u2009\u2008\u200a\u2002\u2003\u2004\u2005\u2006\u3000\t', ' '],
  ['٪﹪％', '%'],
  ['（', '('],
  ['）', ')'],
  ['．', '.'],
  ['，', ','],
  ['／', '/'],
  ['：', ':'],
  ['＋', '+'],
];
const PLAIN = new Map(SIGNS.flatMap(([from, to]) => [...from].map((sign) => [sign, to] as const)));

/** Marks of direction say in which order signs are shown, not which they are. */
const UNSEEN = /[\u200b-\u200f\u061c\u202a-\u202e\u2060\u2066-\u2069\ufeff\u00ad]/g;
/** Arabic has signs of its own between groups and before decimals: nothing else is meant by them. */
const ARABIC_DECIMAL = '٫';
const ARABIC_GROUP = '٬';

/** The text with the digits, blanks, dashes and quotes of ASCII. Arabic separators stay: they leave no doubt. */
export function plainSigns(text: string): string {
  let plain = '';
  for (const sign of text.replace(UNSEEN, '')) {
    const code = sign.codePointAt(0) ?? 0;
    if (code < 0x80 && sign !== '\t' && sign !== '`') {
      plain += sign;
      continue;
    }
    const zero = ZEROS.find((first) => code >= first && code < first + 10);
    plain += zero === undefined ? (PLAIN.get(sign) ?? sign) : String(code - zero);
  }
  return plain;
}

export { ARABIC_DECIMAL, ARABIC_GROUP };
