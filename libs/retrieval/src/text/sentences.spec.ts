import * as fc from 'fast-check';
import type { LanguageCode } from '../analysis/language.js';
import { isHeading, sentenceRanges, sentencesOf } from './sentences.js';
import { rounds, sample } from '../../../../test/support/long.js';

/** Sentences parted by ` // `. */
const CORPUS: [LanguageCode, string][] = [
  ['de', 'Der Vertrag endet am 31. März 2024. // Danach gilt ca. 300 Euro Miete. // Die Kosten fielen auch.'],
  [
    'de',
    'Dr. Müller und Prof. Dr. Schmidt, z. B. in Berlin, haften gem. Art. 5 Abs. 2 Nr. 3 BGB. // Im 3. Quartal war es so.',
  ],
  ['de', 'Der Umsatz stieg auf 3 Mio. Euro. // Der Gewinn fiel um 12. // Die Kosten auch. // Siehe u. a. § 5.'],
  ['de', 'Die USt-IdNr. DE811907980 und Kundennr. K-409 gelten. // Das ist die Nr. // Die Art. M8x40 fehlt.'],
  ['en', 'See document no. DS-HP350-07, revision C. // The answer is no. // Please ask.'],
  ['de', 'Das gilt i. d. R. ab 1. Januar. // Mieter zahlen d. h. Eigentümer erhalten Geld.'],
  ['en', 'The U.S. Senate met Dr. J. Smith at 5 p.m. // The vote by Apple Inc. was No. 5 on p. 3, cf. Fig. 2.'],
  [
    'en',
    'See e.g. Smith et al. 2020. // It costs $3.5 million, see https://a.b.c/d. // Really? // Yes! // "Fine." // He left...',
  ],
  [
    'en',
    'Mr. and Mrs. Jones of St. Albans paid 1,200.50 vs. 900. // We live in the U.S. // The answer is no. // That is all.',
  ],
  [
    'en',
    'Yahoo! was sold for approx. 5 billion. // "What?" he asked. // And then… nothing. // Chapter 3 of vol. 2 says so.',
  ],
  [
    'fr',
    'M. Dupont habite au 5 bd. Voltaire, cf. art. 3. // Le bail se termine le 31 mars. // La S.A.R.L. Martin paie env. 300 euros p. ex. en mars.',
  ],
  [
    'es',
    'El Sr. García pagó aprox. 300 euros a la S.A. Pérez, EE. UU., pág. 3. // ¿Cuándo termina? // Termina mañana.',
  ],
  ['it', 'Il Sig. Rossi, ai sensi dell’art. 5, paga ca. 300 euro. // Il contratto scade il 31 marzo.'],
  ['pt', 'O Sr. Silva paga aprox. 300 euros, cf. art. 5, n. 3. // A empresa fica na Av. Paulista.'],
  ['nl', 'Dhr. Jansen betaalt ca. 300 euro, bijv. per 31 maart, o.a. volgens art. 5. // Het contract eindigt dan.'],
  ['ar', 'قال د. أحمد علي إن العقد ينتهي في 31 مارس. // انظر ص. 5 من التقرير. // هل هذا صحيح؟ // نعم.'],
  ['ru', 'Договор г. Москва, ул. Ленина, д. 5, т. е. здесь. // Он подписан.'],
  ['hi', 'यह एक वाक्य है। // यह दूसरा है।'],
];

describe('sentencesOf', () => {
  it.each(CORPUS)('parts %s: %s', (language, marked) => {
    const sentences = marked.split(' // ');
    expect(sentencesOf(sentences.join(' '), language)).toEqual(sentences);
  });

  it('finds out the language', () => {
    expect(
      sentencesOf('Die Miete endet am 31. März und beträgt ca. 300 Euro im 2. Quartal. Danach ist Schluss.'),
    ).toHaveLength(2);
  });

  it('parts where no white space is', () => {
    expect(sentencesOf('合同于三月结束。谢谢！', 'zh')).toEqual(['合同于三月结束。', '谢谢！']);
    expect(sentencesOf('次の契約は「未定です。」と言った。終わり。', 'ja')).toEqual([
      '次の契約は「未定です。」と言った。',
      '終わり。',
    ]);
  });

  it('knows sentences in small letters alone', () => {
    const text = 'the wing was tested at mach 2.5 . it stalled at 12 degrees, cf. fig. 3 . no flutter was seen .';
    expect(sentencesOf(text, 'en')).toEqual([
      'the wing was tested at mach 2.5 .',
      'it stalled at 12 degrees, cf. fig. 3 .',
      'no flutter was seen .',
    ]);
  });

  it('leaves rows, items and leaders whole', () => {
    const text =
      'Name | Note\nDr. A. B. | Ends. Then. More\nName: Ann; Note: Ends. Then; City: Rome\nName: Bob; Note: no; City: Oslo\n- one\n- two\nContents ........ 4';
    expect(sentencesOf(text, 'en')).toEqual(text.split('\n'));
  });

  it('gives ranges that hold all but white space, whatever the text', () => {
    const piece = fc.constantFrom(
      'Dr. ',
      '31. ',
      'März ',
      'U.S. ',
      '…',
      '...',
      '。',
      '؟ ',
      '\n',
      '\r\n',
      ' | ',
      '😀',
      'e\u0301',
      '  ',
      'z. B. ',
      ')',
      '"',
      '# ',
      '1. ',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.oneof(piece, fc.string({ unit: 'grapheme', maxLength: 8 }))).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom<LanguageCode>('en', 'de', 'ar'), (text, language) => {
        let covered = 0;
        for (const { start, end } of sentenceRanges(text, language)) {
          expect(text.slice(covered, start).trim()).toBe('');
          expect(end).toBeGreaterThan(start);
          expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
          covered = end;
        }
        expect(text.slice(covered).trim()).toBe('');
      }),
      { numRuns: rounds(200, 200, 50), seed: 12 },
    );
  });

  it.each(
    sample(
      [
        ['one word', 'x'],
        ['dots', '.'],
        ['dots and spaces', '. '],
        ['initials', 'A. '],
        ['brackets behind a mark', '.)'],
        ['line feeds', 'a\n'],
        ['spaces', ' '],
        ['joined letters', 'a\u0301'],
        ['opening quotes', '"'],
        ['bars', ' | '],
        ['fields', 'a: b; '],
      ],
      4,
    ),
  )('takes a million characters of %s', (_name, unit) => {
    const text = unit.repeat(1_000_000 / unit.length);
    expect(sentenceRanges(`${text}b`, 'de').at(-1)?.end).toBe(text.length + 1);
  });
});

describe('isHeading', () => {
  it.each([
    ['3.1 Purpose', true],
    ['# Summary', true],
    ['It ends here.', false],
    ['North | 5', false],
    ['- an item', false],
  ])('%s: %s', (line, expected) => {
    expect(isHeading(line)).toBe(expected);
  });
});
