import { decodeText, detectEncoding } from './decode-text.js';
import { normaliseKeepingIndent, normaliseLine, normaliseText } from './normalise.js';
import { PageText } from './page-text.js';
import { cutLongText } from './cut-long-text.js';

describe('normalise', () => {
  it.each([
    ['a\u0000b\u0007c', 'abc'],
    ['soft\u00adhyphen', 'softhyphen'],
    ['  many \t blanks\u00a0here ', 'many blanks here'],
    ['cafe\u0301', 'caf\u00e9'],
    ['\ufb01ne e\ufb03cient', 'fine efficient'],
    ['\ufee3\ufeae\ufea3\ufe92\ufe8e', '\u0645\u0631\u062d\u0628\u0627'],
    ['\u202babc\u202c\u200f', 'abc'],
    ['half \ud800 pair', 'half pair'],
    ['whole \u{1d45d} pair', 'whole \u{1d45d} pair'],
  ])('line %j', (raw, clean) => expect(normaliseLine(raw)).toBe(clean));

  it('keeps one blank line between paragraphs and none at the ends', () => {
    expect(normaliseText('\r\n\r\n a \r\n\r\n\r\n b\u2028c \n')).toBe('a\n\nb\nc');
  });

  it('keeps the indentation of Markdown', () => {
    expect(normaliseKeepingIndent('- a\n    - b   c\n\n\n    code')).toBe('- a\n    - b c\n\n    code');
  });
});

describe('PageText', () => {
  it('gives offsets that fit the normalised text', () => {
    const page = new PageText();
    page.addLine('  Tra\u00advel   policy ', [0, 0, 1, 0.1]);
    page.endParagraph();
    page.addLine('\u0000', [0, 0, 0, 0]);
    page.addLine('infor', [0, 0.2, 1, 0.3]);
    page.addLine('mation \ufb01le', [0, 0.3, 1, 0.4], true);
    expect(page.text).toBe('Travel policy\n\ninformation file');
    expect(page.lines.map(({ start, end }) => page.text.slice(start, end))).toEqual([
      'Travel policy',
      'infor',
      'mation file',
    ]);
  });
});

describe('decodeText', () => {
  const arabic = 'سياسة السفر';
  // "سياسة السفر" in Windows-1256.
  const arabic1256 = Buffer.from('d3edc7d3c920c7e1d3ddd1', 'hex');
  it.each([
    ['utf-8', Buffer.from(`\ufeff${arabic}`), arabic],
    ['utf-16le', Buffer.from(`\ufeff${arabic}`, 'utf16le'), arabic],
    ['utf-16be', Buffer.from(`\ufeff${arabic}`, 'utf16le').swap16(), arabic],
    ['windows-1256', arabic1256, arabic],
    [
      'windows-1252',
      Buffer.from('Crème brûlée à la façon de l’été'.replace('’', "'"), 'latin1'),
      "Crème brûlée à la façon de l'été",
    ],
  ])('%s', (encoding, bytes, text) => {
    expect(detectEncoding(bytes)).toBe(encoding);
    expect(decodeText(bytes)).toBe(text);
  });
});

describe('cutLongText', () => {
  it('cuts at paragraphs and loses nothing but blanks', () => {
    const paragraphs = Array.from({ length: 400 }, (_, n) => `Paragraph ${n} ${'x'.repeat(700)}`);
    const pieces = cutLongText(paragraphs.join('\n\n'));
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.every((piece) => piece.length <= 100_000 && piece.startsWith('Paragraph'))).toBe(true);
    expect(pieces.join('\n\n')).toBe(paragraphs.join('\n\n'));
  });
});
