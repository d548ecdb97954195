import type { AnchoredQuote, QuoteToAnchor } from './anchored-quote.js';
import { anchorQuotes } from './anchor-quotes.js';
import { pageOf, textOf } from './page.fixture.js';

const anchorIn = (text: string, quote: string, ocr = false): AnchoredQuote => {
  const [anchored] = anchorQuotes([textOf(text, { ocr })], [{ quote }]);
  return anchored!;
};

const spansOf = (page: ReturnType<typeof pageOf>, quote: string) =>
  anchorQuotes([page], [{ quote }])[0]!.spans.map(({ rect }) => rect.map((side) => Math.round(side * 1_000) / 10));

const rowsOf = (rows: readonly string[][]) =>
  pageOf(
    rows.flatMap((row, at) =>
      row.map((cell, column): [number, number, string] => [5 + column * 20, 10 + at * 3, cell]),
    ),
  );
const asked = (rows: readonly string[][]): QuoteToAnchor[] =>
  rows.flatMap((row, at) => row.map((quote, column) => ({ quote, row: at, column: `c${column}` })));
const note = (at: number, x: number) => ({
  start: at,
  end: at + 1,
  rect: [x, 0.098, x + 0.006, 0.104] as [number, number, number, number],
});

describe('a quote', () => {
  it('is found on a page that nobody can be shown, and has no place there', () => {
    const [anchored] = anchorQuotes([pageOf([[5, 10, 'Total 120']], { isUnshown: true })], [{ quote: 'Total 120' }]);
    expect(anchored).toMatchObject({ anchor: 'exact', page: 1, spans: [], pageWidth: null, pageHeight: null });
  });

  it.each([
    ['The fee is due on Friday.', 'fee is due', 'exact'],
    ['The fee\nis  due on Friday.', 'fee is due', 'exact'],
    ['The “fee” – due', 'The "fee" - due', 'normalised'],
    ['The office ﬁnally moved', 'finally moved', 'normalised'],
    ['Rechnungs-\nbetrag und Datum', 'Rechnungsbetrag und Datum', 'normalised'],
    ['soft\u00adhyphen here', 'softhyphen here', 'normalised'],
    ['Ｔｏｔａｌ：１２０', 'Total: 120', 'normalised'],
    ['المبلغ الإجمــالي ٥٠٠ ريال', 'المبلغ الاجمالي 500 ريال', 'normalised'],
    ['\ufefb يوجد', 'لا يوجد', 'normalised'],
    ['TOTAL AMOUNT', 'Total amount', 'normalised'],
    ['Totalamountdue 12', 'Total amount due 12', 'normalised'],
    ['H e l l o world', 'Hello world', 'normalised'],
    ['合計金額は五百円です', '金額', 'exact'],
    ['Zahlbar bis 1. März, Müller GmbH', 'Zahlbar bis 1. März, Muller GmbH', 'normalised'],
    ['The committee postponed the meeting', 'The committee postponned the meeting', 'fuzzy'],
  ])('in %j: %j is there, %s', (text, quote, anchor) => {
    expect(anchorIn(text, quote)).toMatchObject({ anchor, ambiguous: false, page: 1 });
  });

  it.each([
    ['Total 1,234.50', 'Total 1,234.51', 'another digit'],
    ['Total 1,234.50', '1.234,50', 'other marks'],
    ['Total 1,234.50', '234.50', 'a part of a number'],
    ['Total 1,234.50', '1,234', 'its beginning'],
    ['Total 1 234,50', '234,50', 'its group'],
    ['Total 1234', '12', 'its first digits'],
    ['Balance -5.00', '5.00', 'without its sign'],
    ['Balance 5.00', '-5.00', 'with a sign'],
    ['Balance 5.00', '(5.00)', 'in brackets'],
    ['Fee €500', '$500', 'another currency'],
    ['Fee 5', '5 %', 'with a unit'],
    ['on 12.03.2024', '03.2024', 'a part of a date'],
    ['area 10²', '102', 'a raised digit'],
    ['worth 5½', '51/2', 'a fraction'],
    ['rooms 12 5', '125', 'two numbers'],
    ['rooms 125', '12 5', 'one number'],
    ['the part of it', 'art', 'a part of a word'],
    ['signed by Anna Meyer', 'signed by Anna Maier', 'another name'],
    ['The tenant may sublet the flat to others', 'The tenant may not sublet the flat to others', 'a word more'],
    ['The tenant may not sublet the flat to others', 'The tenant may sublet the flat to others', 'a word less'],
    ['This is a typical arrangement of parties', 'This is atypical arrangement of the parties', 'another word'],
    ['costs were increased by the parties', 'costs were decreased by the parties', 'its opposite'],
    ['anything at all', '—', 'no letter or digit'],
    ['anything at all', '', 'nothing'],
    ['short word', 'shord', 'a slip in little'],
  ])('in %j: %j is not (%s)', (text, quote) => {
    expect(anchorIn(text, quote)).toMatchObject({ anchor: 'none', quote: '', page: null, spans: [] });
  });

  it('may differ in letters where the page was recognised, never in digits', () => {
    const text = 'Total arnount of the invoice 4711 for Rosenberg';
    expect(anchorIn(text, 'amount of the invoice 4711 for Rosenburg', true).anchor).toBe('fuzzy');
    expect(anchorIn(text, 'amount of the invoice 4712 for Rosenburg', true).anchor).toBe('none');
    expect(anchorIn('paid l00 euros to the agency', 'paid 100 euros to the agency', true).anchor).toBe('none');
  });

  it('comes back as it stands in the document, the sign of its numbers included', () => {
    expect(anchorIn('Loss (1,250) in May', '1,250').quote).toBe('(1,250)');
    expect(anchorIn('Rate 12 % a year', 'Rate 12').quote).toBe('Rate 12 %');
    expect(anchorIn('The “fee” is\ndue', 'the "fee" is due')).toMatchObject({
      quote: 'The “fee” is due',
      start: 0,
      end: 16,
    });
  });

  it('that is a copy of the document is none', () => {
    const text = 'the quick brown fox '.repeat(2_000);
    expect(anchorIn(text, text).anchor).toBe('none');
  });
});

describe('its rectangles', () => {
  it('are one for each line', () => {
    const page = pageOf([
      [10, 10, 'the first line ends'],
      [10, 12, 'and goes on – here'],
    ]);
    expect(spansOf(page, 'line ends and goes on – here')).toEqual([
      [20, 10, 29, 11.5],
      [10, 12, 28, 13.5],
    ]);
  });

  it('take in no words of others', () => {
    const page = pageOf([
      [10, 10, 'Paid'],
      [30, 10, 'EUR'],
      [20, 10.2, 'never'],
    ]);
    expect(spansOf(page, 'Paid EUR')).toEqual([
      [10, 10, 14, 11.5],
      [30, 10, 33, 11.5],
    ]);
  });

  it('are cut to what was quoted of words without blanks', () => {
    expect(spansOf(pageOf([[10, 10, 'Totalamountdue:2400']]), 'amount due')).toEqual([[15, 10, 24, 11.5]]);
  });

  it('go from page to page, past heads and feet', () => {
    const pages = [1, 2, 3].map((number) => {
      const body: [number, number, string][] = [
        [10, 20, `${['first', 'other', 'third'][number - 1]} body starts`],
        [10, 40, `and ${['one', 'two', 'six'][number - 1]} ends here`],
      ];
      return pageOf([[10, 2, 'Confidential report'], ...body, [10, 95, `Page ${number}`]], { number });
    });
    const [anchored] = anchorQuotes(pages, [{ quote: 'and one ends here other body starts' }]);
    expect(anchored).toMatchObject({ anchor: 'exact', page: 1, quote: 'and one ends here other body starts' });
    expect(anchored!.spans.map(({ page }) => page)).toEqual([1, 2]);
  });

  it('follow the columns of lines that were read across them, and never run over the gutter', () => {
    const lines = [
      'alpha beta gamma delta epsilon',
      'zeta eta theta iota kappa',
      'lambda mu nu xi omicron',
      'pi rho sigma tau upsilon',
      'phi chi psi omega end',
      'one two three four five',
      'six seven eight nine ten',
    ];
    const page = pageOf(
      lines.flatMap((line, at): [number, number, string][] => [
        [5, 10 + at * 2, line],
        [55, 10 + at * 2, line.toUpperCase().replace(/\w+/g, (word) => `${word}R`)],
      ]),
    );
    expect(anchorQuotes([page], [{ quote: 'delta epsilon zeta eta' }])[0]).toMatchObject({
      anchor: 'exact',
      quote: 'delta epsilon zeta eta',
      spans: [{}, {}],
    });
    expect(anchorQuotes([page], [{ quote: 'delta epsilon ALPHAR BETAR' }])[0]!.anchor).toBe('none');
  });

  it('leave out notes behind words and numbers, which are none of their digits', () => {
    const page = pageOf([[10, 10, 'Sales1 grew in 20232 again']]);
    const [sales, grew, within, year, again] = page.words!;
    const words = [{ ...sales!, end: 5 }, note(5, 0.15), grew!, within!, { ...year!, end: 19 }, note(19, 0.29), again!];
    const anchored = anchorQuotes(
      [{ ...page, words }],
      [{ quote: 'Sales grew in 2023' }, { quote: '2023' }, { quote: '20232' }],
    );
    expect(anchored.map(({ anchor }) => anchor)).toEqual(['exact', 'exact', 'none']);
  });

  it('find Latin words in right-to-left lines as they are read', () => {
    const page = pageOf([]);
    const text = 'شركة Ltd Atrium في';
    const at = (word: string, x: number) => ({
      start: text.indexOf(word),
      end: text.indexOf(word) + word.length,
      rect: [x, 0.1, x + 0.05, 0.12] as [number, number, number, number],
    });
    const words = [at('شركة', 0.8), at('Ltd', 0.7), at('Atrium', 0.6), at('في', 0.5)];
    expect(anchorQuotes([{ ...page, text, words }], [{ quote: 'شركة Atrium Ltd' }])[0]).toMatchObject({
      anchor: 'exact',
      spans: [{ rect: [0.6, 0.1, expect.closeTo(0.85), 0.12] }],
    });
  });
});

describe('what stands in several places', () => {
  const ITEMS = [
    ['Chair', '2', '50.00', '100.00'],
    ['Desk', '1', '50.00', '50.00'],
    ['Lamp', '2', '10.00', '20.00'],
    ['Chair', '2', '50.00', '100.00'],
  ];

  it('is ambiguous, whatever page was said', () => {
    const pages = [textOf('pay within 30 days'), textOf('within 30 days', { number: 2 })];
    expect(anchorQuotes(pages, [{ quote: 'within 30 days' }])[0]).toMatchObject({ ambiguous: true, page: 1 });
    expect(anchorQuotes(pages, [{ quote: 'within 30 days', page: 2 }])[0]).toMatchObject({ ambiguous: true, page: 2 });
  });

  it('is told by its row and column among line items', () => {
    const quotes = asked(ITEMS);
    const anchored = anchorQuotes([rowsOf(ITEMS)], quotes);
    for (const [at, { ambiguous, spans }] of anchored.entries()) {
      expect([at, ambiguous, Math.round(spans[0]!.rect[1] * 100), Math.round(spans[0]!.rect[0] * 100)]).toEqual([
        at,
        false,
        10 + Math.floor(at / 4) * 3,
        5 + (at % 4) * 20,
      ]);
    }
  });

  it('stays ambiguous where a row is missing', () => {
    const anchored = anchorQuotes([rowsOf(ITEMS)], [{ quote: 'Chair', row: 0, column: 'c0' }]);
    expect(anchored[0]!.ambiguous).toBe(true);
  });

  it('is one place where it was printed twice to look bold', () => {
    const page = pageOf([
      [10, 10, 'Total due'],
      [10, 10.1, 'Total due'],
    ]);
    expect(anchorQuotes([page], [{ quote: 'Total due' }])[0]).toMatchObject({ anchor: 'exact', ambiguous: false });
  });
});

describe('worksheets', () => {
  const text = 'Name | Price\nName: Desk; Price: 40\nName: Lamp; Price: 40';
  const cells = [
    ['A1', 'Name', 0],
    ['B1', 'Price', 7],
    ['A2', 'Desk', 19],
    ['B2', '40', 32],
    ['A3', 'Lamp', 41],
    ['B3', '40', 54],
  ].map(([address, word, start]) => ({
    address: String(address),
    start: Number(start),
    end: Number(start) + String(word).length,
  }));
  const page = textOf(text, { cells, label: 'Stock' });

  it('give sheet and cell, of several the one that holds the value', () => {
    const [lamp, row, price] = anchorQuotes(
      [page],
      [{ quote: 'Lamp' }, { quote: 'Name: Lamp; Price: 40', value: '40' }, { quote: '40' }],
    );
    expect(lamp).toMatchObject({ anchor: 'exact', place: { sheet: 'Stock', cell: 'A3' }, spans: [] });
    expect(row!.place).toEqual({ sheet: 'Stock', cell: 'B3' });
    expect(price).toMatchObject({ ambiguous: true, place: { cell: 'B2' } });
  });

  it('tell equal cells by their rows', () => {
    const quotes = [
      ['Desk', '40'],
      ['Lamp', '40'],
    ].flatMap((row, at) => row.map((quote, column) => ({ quote, row: at, column: String(column) })));
    expect(anchorQuotes([page], quotes).map(({ place, ambiguous }) => [place?.cell, ambiguous])).toEqual([
      ['A2', false],
      ['B2', false],
      ['A3', false],
      ['B3', false],
    ]);
  });
});
