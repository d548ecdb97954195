/** Greek letters of the font Symbol by the Latin ones in whose places they are, from A and from a. */
const CAPITALS = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ';
const SMALL = 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ';
/** What follows from 0xa0 on; a blank where there is a piece of a larger sign. */
const SIGNS = [
  '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓',
  '°±″≥×∝∂•÷≠≡≈… ↵ ',
  'ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉',
  '∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓',
  '◊⟨®©™∑          ',
  ' ⟩∫',
].join('');
const SIGNS_FROM = 0xa0;

/** Signs of forms and lists; what only decorates is none of the text. */
const DINGBATS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  wingdings: {
    0x6c: '●',
    0x6e: '■',
    0x6f: '☐',
    0x70: '☐',
    0x71: '☐',
    0x72: '☐',
    0x78: '☒',
    0xa7: '▪',
    0xa8: '☐',
    0xdf: '←',
    0xe0: '→',
    0xe1: '↑',
    0xe2: '↓',
    0xe8: '→',
    0xfb: '✗',
    0xfc: '✓',
    0xfd: '☒',
    0xfe: '☑',
  },
  'wingdings 2': { 0x4f: '✗', 0x50: '✓', 0x51: '☒', 0x52: '☑', 0x53: '☒', 0x54: '☒', 0xa3: '☐' },
};

/**
 * What a sign of a symbol font is in Unicode, '' where it is nothing that can be said. Its number lies in the private area or
 * is that of the letter in whose place it is drawn.
 * @param code hexadecimal
 */
export function symbolOf(font: string, code: string): string {
  const point = Number.parseInt(code, 16);
  if (Number.isNaN(point) || point > 0xffff) return '';
  const place = point >= 0xf000 && point <= 0xf0ff ? point - 0xf000 : point;
  const name = font.trim().toLowerCase();
  const known = name === 'symbol' ? greekOrSign(place) : DINGBATS[name]?.[place];
  if (known !== undefined) return known;
  // In a font for which nothing is known, the private area means nothing to anybody else.
  return point < 0xe000 && !/^(?:symbol|wingdings|webdings)/.test(name) ? String.fromCodePoint(point) : '';
}

function greekOrSign(place: number): string | undefined {
  if (place >= 0x41 && place <= 0x5a) return CAPITALS[place - 0x41];
  if (place >= 0x61 && place <= 0x7a) return SMALL[place - 0x61];
  if (place >= SIGNS_FROM) return SIGNS[place - SIGNS_FROM]?.trim();
  return /[\d()+,./:;<=>[\]{|}?!%&_]/.test(String.fromCharCode(place)) ? String.fromCharCode(place) : undefined;
}
