import * as fc from 'fast-check';
import { findTables, type SegmentedLine } from './page-tables.js';

const WIDTH_OF_LETTER = 5;

/** Rows of cells at given places; '' leaves a cell out. */
function line(y: number, cells: [x: number, text: string][]): SegmentedLine {
  const segments = cells
    .filter(([, text]) => text !== '')
    .map(([x, text]) => ({ text, x0: x, x1: x + text.length * WIDTH_OF_LETTER, y0: y, y1: y + 10 }));
  return { segments };
}

const grid = (xs: number[], rows: string[][], step = 14) =>
  rows.map((row, at) =>
    line(
      700 - at * step,
      row.map((text, column) => [xs[column] ?? 0, text]),
    ),
  );

const cellsOf = (lines: SegmentedLine[]) => findTables(lines).map(({ rows }) => rows.map(({ cells }) => cells));

describe('findTables', () => {
  it('reads rows and columns, with cells that are empty or go on in the next line', () => {
    const rows = [
      ['Item', 'Description', 'Price'],
      ['A-17', 'Rope, forty metres', '24.00'],
      ['', 'with two hooks', ''],
      ['A-18', '', '310.00'],
      ['A-19', 'Fender', '12.50'],
    ];
    const before = line(730, [[70, 'What the shop beside the harbour sells.']]);
    expect(findTables([before, ...grid([70, 140, 330], rows, 11)])[0]).toMatchObject({ first: 1, end: 6 });
    expect(cellsOf([before, ...grid([70, 140, 330], rows, 11)])).toEqual([
      [
        ['Item', 'Description', 'Price'],
        ['A-17', 'Rope, forty metres with two hooks', '24.00'],
        ['A-18', '', '310.00'],
        ['A-19', 'Fender', '12.50'],
      ],
    ]);
  });

  it('puts headings in the middle of their columns to them, whatever the width of the cells below', () => {
    const rows = [
      ['Rated voltage', '230', 'V AC'],
      ['Maximum flow rate of water', '18.4', 'm³/h'],
      ['Weight', '23.7', 'kg'],
    ];
    const heading = line(714, [
      [150, 'Parameter'],
      [280, 'HP-350'],
      [400, 'Unit'],
    ]);
    expect(cellsOf([heading, ...grid([70, 320, 400], rows)])).toEqual([[['Parameter', 'HP-350', 'Unit'], ...rows]]);
    // Columns of which each row fills one are two.
    const paid = [
      ['Date', 'Debit', 'Credit'],
      ['1 May', '10.00', ''],
      ['2 May', '', '20.00'],
      ['3 May', '', '5.00'],
    ];
    expect(cellsOf(grid([70, 140, 330], paid))).toEqual([paid]);
  });

  it('takes cells that were written one by one for a row', () => {
    const rows = [
      ['Year', 'Sold'],
      ['2022', '41'],
      ['2023', '44'],
    ];
    const single = rows.flatMap((row, at) =>
      row.map((text, column) => line(700 - at * 14, [[70 + column * 100, text]])),
    );
    expect(cellsOf(single)).toEqual([rows]);
  });

  it('begins right-to-left rows on the right', () => {
    const rows = [
      ['السعر', 'المدينة'],
      ['75', 'أوسلو'],
      ['50', 'برغن'],
    ];
    expect(cellsOf(grid([70, 300], rows))).toEqual([rows.map((row) => row.toReversed())]);
  });

  it.each([
    [
      'the columns of an article, one after the other',
      [0, 1].flatMap((c) =>
        grid(
          [60 + c * 250],
          Array.from({ length: 9 }, () => ['what should become of the old crane']),
        ),
      ),
    ],
    [
      'the columns of an article, side by side',
      grid(
        [60, 310],
        Array.from({ length: 9 }, () => ['what should become of the old crane', 'the council met on the third of May']),
      ),
    ],
    [
      'a numbered list',
      grid(
        [70, 100],
        [
          ['1.', 'Wash hands.'],
          ['2.', 'Dry them.'],
          ['3.', 'Go home.'],
        ],
      ),
    ],
    [
      'a list with bullets',
      grid(
        [70, 100],
        [
          ['•', 'Wash hands.'],
          ['•', 'Dry them.'],
          ['•', 'Go home.'],
        ],
      ),
    ],
    [
      'two rows',
      grid(
        [70, 200],
        [
          ['From', 'To'],
          ['Oslo', 'Bergen'],
        ],
      ),
    ],
    [
      'rows far from each other',
      grid(
        [70, 200],
        [
          ['a', 'b'],
          ['c', 'd'],
          ['e', 'f'],
        ],
        80,
      ),
    ],
    [
      'prose',
      grid(
        [70],
        Array.from({ length: 9 }, () => ['The council met on the third of May to discuss the harbour.']),
      ),
    ],
  ])('leaves %s alone', (_, lines) => expect(findTables(lines)).toEqual([]));

  it('ends a table where a wide cell would join two of its columns', () => {
    const rows = grid(
      [70, 140, 300],
      [
        ['a', 'b', 'c'],
        ['d', 'e', 'f'],
        ['g', 'h', 'i'],
      ],
    );
    const wide = line(658, [
      [70, 'these words reach beyond'],
      [400, 'k'],
    ]);
    expect(findTables([...rows, wide])).toMatchObject([{ first: 0, end: 3 }]);
  });

  it('loses, adds and doubles no word, whatever the lines', () => {
    const cell = fc.tuple(
      fc.integer({ min: 0, max: 500 }),
      fc.constantFrom('a', 'bb ccc', '12.5', 'أ', '', 'long words of prose here'),
    );
    const lines = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.array(cell, { maxLength: 5 })), {
      maxLength: 25,
    });
    fc.assert(
      fc.property(lines, (drawn) => {
        const given = drawn.map(([y, cells]) =>
          line(
            800 - y * 12,
            cells.toSorted((a, b) => a[0] - b[0]),
          ),
        );
        let at = 0;
        for (const { first, end, rows } of findTables(given)) {
          expect(first).toBeGreaterThanOrEqual(at);
          at = end;
          const words = given
            .slice(first, end)
            .flatMap(({ segments }) => segments.flatMap(({ text }) => text.split(' ')));
          const found = rows
            .flatMap(({ cells }) => cells.flatMap((text) => text.split(' ')))
            .filter((word) => word !== '');
          expect(found.toSorted()).toEqual(words.filter((word) => word !== '').toSorted());
        }
      }),
      { numRuns: 300, seed: 12 },
    );
  });
});
