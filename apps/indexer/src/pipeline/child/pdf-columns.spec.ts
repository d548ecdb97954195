import { readColumns, type PlacedLine } from './pdf-columns.js';
import { textOf } from './pdf-lines.js';

const WIDTH_OF_LETTER = 5;
const STEP = 12;

const REPORT =
  'The harbour council met on the third of May to discuss what should become of the old crane, which has stood on the quay since 1911. Members were divided about whether it could be saved at a reasonable price. The engineer who had examined it reported that rust had reached the inner beams. A restoration would take two summers. Others asked that the money be spent on the ferry landing instead, and on the road that leads there. The mayor proposed a vote in autumn.';
const HEBREW = Array.from(
  { length: 9 },
  () => 'המועצה של הנמל נפגשה כדי לדון בגורלו של המנוף הישן שעומד על הרציף',
).join(' ');

/** As a paragraph of so many letters a line. @param hyphenated words are divided where they do not fit */
function wrap(text: string, letters: number, hyphenated = false): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    const grown = line === '' ? word : `${line} ${word}`;
    const room = letters - line.length - 2;
    if (grown.length <= letters) lines[lines.length - 1] = grown;
    else if (hyphenated && room > 1 && /^[a-z]{6,}$/.test(word)) {
      lines[lines.length - 1] = `${line} ${word.slice(0, room)}-`;
      lines.push(word.slice(room));
    } else lines.push(word);
  }
  return lines;
}

/** Rows of pieces as PDFium gives them, each a line. @returns what comes of their lines */
function read(rows: string[][], xs: number[], steps = rows.map(() => STEP)): string[] {
  let text = '';
  let y = 700;
  const lines = rows.map((row, at): PlacedLine => {
    y -= steps[at] ?? STEP;
    const first = text.length;
    const segments = row.flatMap((piece, column) => {
      if (piece === '') return [];
      if (text.length > first) text += ' ';
      const [from, x0] = [text.length, xs[column] ?? 0];
      text += piece;
      const x1 = x0 + piece.length * WIDTH_OF_LETTER;
      return [{ text: piece, ranges: [[from, text.length] as [number, number]], x0, x1, y0: y, y1: y + 10 }];
    });
    const end = text.length;
    text += '\n';
    return { first, end, isHyphenated: false, segments };
  });
  const codes = Uint16Array.from(text, (letter) => letter.charCodeAt(0));
  return readColumns(codes, lines).map(
    ({ first, end, isHyphenated }) => textOf(codes.subarray(first, end)) + (isHyphenated ? '=' : ''),
  );
}

const sideBySide = (...columns: string[][]) =>
  Array.from({ length: Math.max(...columns.map(({ length }) => length)) }, (_, row) =>
    columns.map((column) => column[row] ?? ''),
  );

const across = (rows: string[][]) => rows.map((row) => row.filter((piece) => piece !== '').join(' '));

describe('columns that are drawn side by side', () => {
  const lines = wrap(REPORT, 40);
  const half = Math.ceil(lines.length / 2);

  it('are read one after the other, between what reaches over both', () => {
    const rows = [['What should become of the crane', ''], ...sideBySide(lines.slice(0, half), lines.slice(half))];
    const wide = 'The second part, about what all of this would cost the town in one year';
    expect(read([...rows, [wide, '']], [60, 280])).toEqual([rows[0]?.[0], ...lines, wide]);
  });

  it('may be three, and of different lengths', () => {
    const narrow = wrap(`${REPORT} ${REPORT}`, 28);
    const third = Math.floor(narrow.length / 3) + 1;
    const columns = [narrow.slice(0, third), narrow.slice(third, 2 * third), narrow.slice(2 * third)];
    expect(read(sideBySide(...columns), [50, 215, 380])).toEqual(narrow);
  });

  it('go on around a picture', () => {
    const left = [...lines.slice(0, 3), '', '', '', ...lines.slice(3)];
    const right = [...lines, ...lines.slice(0, 3)];
    expect(read(sideBySide(left, right), [60, 280])).toEqual([...left.filter(Boolean), ...right]);
    const below = ['', '', '', '', ...lines];
    expect(read(sideBySide(below, right), [60, 280])).toEqual([...below.filter(Boolean), ...right]);
  });

  it('have words that go on in the next line of their column', () => {
    const divided = wrap(`${REPORT} ${REPORT}`, 34, true);
    const at = Math.ceil(divided.length / 2);
    const found = read(sideBySide(divided.slice(0, at), divided.slice(at)), [60, 280]);
    const left = divided.slice(0, at);
    expect(left.filter((line) => line.endsWith('-')).length).toBeGreaterThan(2);
    expect(found.slice(0, at)).toEqual(left.map((line) => line.replace(/-$/, '=')));
  });

  it('begin on the right in scripts that do', () => {
    const words = wrap(HEBREW, 40);
    const [right, left] = [words.slice(0, half), words.slice(half)];
    const rows = sideBySide(left, right);
    expect(read(rows, [60, 280])).toEqual(words);
  });

  const cells = REPORT.split('. ').map((sentence) => wrap(`${sentence}.`, 36));
  const pairs = cells.slice(1).map((cell, at) => sideBySide(cell, cells[at] ?? []));
  it.each([
    ['a table of sentences', pairs.flat(), undefined],
    [
      'a table of sentences with room between its rows',
      pairs.flat(),
      pairs.flatMap((rows) => rows.map((_, at) => (at === 0 ? STEP + 6 : STEP))),
    ],
    [
      'questions and answers',
      Array.from({ length: 6 }, () => ['Does the lift work on Sundays, too?', 'Yes, until six in the evening.']),
      undefined,
    ],
    [
      'a form',
      Array.from({ length: 6 }, () => ['Name of the applicant and of the child:', 'Anna Maria Vogt']),
      undefined,
    ],
    [
      'addresses',
      sideBySide(
        ['Harbour Office', 'Attn Ms Anna Vogt', 'Quay Street 4', '26121 Oldenburg', 'Germany'],
        ['Vogt Moebel GmbH', 'Purchasing', 'Lange Strasse 17', '20095 Hamburg', 'Germany'],
      ),
      undefined,
    ],
    ['a glossary', sideBySide(['Berth', '', '', 'Draught', '', '', 'Fairway'], lines.slice(0, 7)), undefined],
    ['few lines', sideBySide(lines.slice(0, 4), lines.slice(4, 8)), undefined],
  ])('are not taken for what %s has', (_, rows, steps) => expect(read(rows, [60, 280], steps)).toEqual(across(rows)));

  it('are not what a line of thousands of pieces has', () => {
    const rows = [Array.from({ length: 9000 }, () => 'a'), ...Array.from({ length: 9000 }, () => ['a'])];
    expect(read(rows, rows[0]?.map((_, at) => at * 20) ?? [])).toHaveLength(9001);
  });
});
