import type { PageRect, SourcePage } from '../source/source-page.js';
import type { TakenWords } from './taken-words.js';

type Taken = TakenWords['words'];

/** Share of the lower of two words by which they overlap on one line. */
const SAME_LINE = 0.4;
/** Share of a word up to which its rectangle is cut to what was taken of it. */
const PART = 0.7;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** Rectangles around words in the order of a quote: one for each line, more where a stranger's word would be in it. */
export function spansOf(page: SourcePage, taken: Taken, most: number): PageRect[] {
  const lines: { words: Taken; around: PageRect; lie: 'upright' | 'level' }[] = [];
  for (const [index, each] of taken.entries()) {
    const before = taken[index - 1];
    const rect = takenRect(page, each);
    const line = lines.at(-1);
    const lie = lieOf(page, each) ?? (before && lieOf(page, before)) ?? line?.lie ?? 'level';
    if (line && before && goesOn(page, before, each, lie === 'upright')) {
      line.lie = lie;
      line.words.push(each);
      line.around = around(line.around, rect);
    } else {
      if (lines.length > most) break;
      lines.push({ words: [each], around: rect, lie });
    }
  }
  const own = new Set(taken.map(({ at }) => at));
  const rects = lines.flatMap((line) =>
    hasStrangers(page, line.around, own) ? apart(page, line.words, own) : [line.around],
  );
  return rects.slice(0, most);
}

/** The words that stand together, and beside no stranger. */
function apart(page: SourcePage, words: Taken, own: ReadonlySet<number>): PageRect[] {
  const rects: PageRect[] = [];
  let tries = 0;
  for (const each of words) {
    const rect = takenRect(page, each);
    const last = rects.at(-1);
    const joined = last && around(last, rect);
    // Long lines of a page with many words are not looked at word by word.
    if (last && joined && (tries += 1) < 200 && !hasStrangers(page, joined, own)) rects[rects.length - 1] = joined;
    else rects.push(rect);
  }
  return rects;
}

function hasStrangers({ words = [] }: SourcePage, [x0, y0, x1, y1]: PageRect, own: ReadonlySet<number>): boolean {
  return words.some(({ rect }, at) => {
    if (own.has(at)) return false;
    const [x, y] = [(rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2];
    return x > x0 && x < x1 && y > y0 && y < y1;
  });
}

/** Whether a word stands on the line of the one before; `upright` lines run up or down. */
function goesOn(page: SourcePage, before: Taken[number], here: Taken[number], upright: boolean): boolean {
  const [a, b] = [before.word.rect, here.word.rect];
  if (upright && page.text.slice(before.word.end, here.word.start).includes('\n')) return false;
  const axis = upright ? 0 : 1;
  const overlap = Math.min(a[axis + 2] ?? 0, b[axis + 2] ?? 0) - Math.max(a[axis] ?? 0, b[axis] ?? 0);
  const smaller = Math.min((a[axis + 2] ?? 0) - (a[axis] ?? 0), (b[axis + 2] ?? 0) - (b[axis] ?? 0));
  return overlap > SAME_LINE * smaller;
}

/** How a word lies, which short ones do not tell. */
function lieOf(page: SourcePage, { word: { rect, start, end } }: Taken[number]): 'upright' | 'level' | null {
  const { width = 1, height = 1 } = page;
  const ratio = ((rect[3] - rect[1]) * height) / ((rect[2] - rect[0]) * width);
  if (end - start >= 3 && ratio > 1.25) return 'upright';
  return end - start >= 4 && ratio < 0.8 ? 'level' : null;
}

function around(a: PageRect, b: PageRect): PageRect {
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
}

/** Of a long word of which little was taken that part: some files have no blanks between their words. */
function takenRect({ text }: SourcePage, { word, from, to }: Taken[number]): PageRect {
  const { rect, start, end } = word;
  const size = end - start;
  if (to - from >= PART * size || size < 4 || rect[3] - rect[1] > rect[2] - rect[0]) return rect;
  const [x0, y0, x1, y1] = rect;
  const width = (x1 - x0) / size;
  return RIGHT_TO_LEFT.test(text.slice(start, end))
    ? [x1 - (to - start) * width, y0, x1 - (from - start) * width, y1]
    : [x0 + (from - start) * width, y0, x0 + (to - start) * width, y1];
}
