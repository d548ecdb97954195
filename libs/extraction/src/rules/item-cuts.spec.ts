import { madeColumn as column } from '../../../../test/support/made-column.js';
import type { SourcePage } from '../source/source-page.js';
import { extractByRules } from './extract-by-rules.js';

const money = (name: string) => column(name, { outputType: 'number', format: 'currency' });
const ASKED = [
  column('Part No.'),
  column('Description'),
  column('Quantity', { outputType: 'number' }),
  column('UOM'),
  money('Unit price'),
  money('Extended'),
];
type Align = 'left' | 'right' | 'center';
const LETTER = 5;
const GAP = 4;

/** A table as narrow as its words: blanks between its columns are narrower than those between words. */
function dense(
  heads: string[],
  rows: string[][],
  aligned: Align[],
  head: Align = 'left',
  line = 14,
  gap = GAP,
): SourcePage {
  const lines = [heads, ...rows].map((row) => row.map((cell) => cell.split('\n')));
  const widths = heads.map((_, at) => Math.max(...lines.flatMap((row) => (row[at] ?? []).map((one) => one.length))));
  let all = '';
  let y = 40;
  const words: SourcePage['words'] = [];
  for (const [index, row] of lines.entries()) {
    const height = Math.max(...row.map((cell) => cell.length));
    let left = 30;
    for (const [at, cell] of row.entries()) {
      const align = index === 0 ? head : (aligned[at] ?? 'left');
      for (const [below, one] of cell.entries()) {
        const free = ((widths[at] ?? 0) - one.length) * LETTER;
        const x = left + (align === 'left' ? 0 : align === 'right' ? free : free / 2);
        for (const [number, match] of [...one.matchAll(/\S+/g)].entries()) {
          all += (all === '' ? '' : number > 0 || below === 0 ? ' ' : '\n') + match[0];
          const x0 = x + match.index * LETTER;
          const top = y + below * 10;
          words.push({
            start: all.length - match[0].length,
            end: all.length,
            rect: [x0 / 900, top / 800, (x0 + match[0].length * LETTER) / 900, (top + 9) / 800],
          });
        }
      }
      left += (widths[at] ?? 0) * LETTER + gap;
    }
    y += line + (height - 1) * 10;
    all += '\n';
  }
  return { number: 1, text: all, ocr: false, width: 900, height: 800, words };
}

const read = (page: SourcePage) =>
  extractByRules({ pages: [page], columns: ASKED, rowMode: 'items' }).map((row) =>
    ASKED.map(({ name }) => row[name]?.value),
  );

const HEADS = ['Line', 'Part No.', 'Description', 'Qty', 'UOM', 'Unit Price', 'Extended'];
const ROWS = [
  ['1', 'HX-100', 'Hex standoff M3', '8,670', 'EA', '0.12', '1,040.40'],
  ['2', 'HX-204', 'Hex standoff M4 nickel plated', '500', 'EA', '0.31', '155.00'],
  ['3', 'WS-12', 'Washer set', '20', 'BOX', '4.50', '90.00'],
];
const VALUES = [
  ['HX-100', 'Hex standoff M3', 8670, 'EA', 0.12, 1040.4],
  ['HX-204', 'Hex standoff M4 nickel plated', 500, 'EA', 0.31, 155],
  ['WS-12', 'Washer set', 20, 'BOX', 4.5, 90],
];
const LEFT: Align[] = HEADS.map(() => 'left');
const NUMBERS: Align[] = ['left', 'left', 'left', 'right', 'left', 'right', 'right'];
const CENTER: Align[] = HEADS.map(() => 'center');

it.each<[string, Align[], Align]>([
  ['left', LEFT, 'left'],
  ['left below centred headings', LEFT, 'center'],
  ['numbers right', NUMBERS, 'left'],
  ['numbers right below centred headings', NUMBERS, 'center'],
  ['in the middle', CENTER, 'center'],
])('columns closer than words, %s', (_, aligned, head) => {
  expect(read(dense(HEADS, ROWS, aligned, head))).toEqual(VALUES);
});

it('with headings and descriptions of several lines', () => {
  const heads = ['Line', 'Part\nNo.', 'Description', 'Qty', 'UOM', 'Unit\nPrice', 'Extended'];
  const rows = ROWS.map((row) => row.with(2, (row[2] ?? '').replace(' standoff ', ' standoff\n')));
  expect(read(dense(heads, rows, NUMBERS, 'left', 22, 8))).toEqual(VALUES);
});

it('gives no number of a part that goes over two lines: its dash may be lost', () => {
  const rows = ROWS.map((row) => row.with(1, (row[1] ?? '').replace('-', '\n')));
  expect(read(dense(HEADS, rows, NUMBERS, 'left', 22)).map(([part]) => part)).toEqual([null, null, null]);
});

it('keeps a note below an item whole', () => {
  const page = dense(
    HEADS,
    [...ROWS.slice(0, 2), ['', '', 'as agreed with Mr Smith on the phone for all of it']],
    LEFT,
  );
  expect(read(page).map((row) => row.slice(2))).toEqual(VALUES.slice(0, 2).map((row) => row.slice(2)));
});

it('parts headings that are no labels that anybody knows', () => {
  const heads = ['Line', 'Part No.', 'Description', 'Qty', 'UOM', 'Bin code', 'Unit Price', 'Extended'];
  const rows = ROWS.map((row) => [...row.slice(0, 5), 'R7', ...row.slice(5)]);
  expect(read(dense(heads, rows, [], 'left', 14, 9))).toEqual(VALUES);
});

it('takes no line of labels for a row of a table of words', () => {
  const heads = ['Subject', 'Description', 'Grade'];
  const page = dense(
    heads,
    [
      ['Physics', 'Optics', 'A'],
      ['Received:', '', 'Date:'],
    ],
    [],
    'left',
    14,
    40,
  );
  const asked = [column('Subject'), column('Description')];
  const rows = extractByRules({ pages: [page], columns: asked, rowMode: 'items' });
  expect(rows.map((row) => row.Subject?.value)).toEqual(['Physics']);
});

it('takes no words within an item for a sum', () => {
  const rows = ROWS.map((row) => row.with(2, `${row[2] ?? ''}, total 5 m`));
  expect(read(dense(HEADS, rows, LEFT)).map(([, words]) => words)).toEqual(
    VALUES.map(([, words]) => `${String(words)}, total 5 m`),
  );
});
