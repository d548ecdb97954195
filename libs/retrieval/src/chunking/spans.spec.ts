import { spansOf, spansOfQuote } from './spans.js';

const text = 'the first line\nthe second line\nthe third line';
const lines = ['first', 'second', 'third'].map((word, at) => {
  const start = text.indexOf(`the ${word}`);
  return {
    start,
    end: start + `the ${word} line`.length,
    rect: [0.1, 0.1 + at / 10, 0.9, 0.15 + at / 10] as [number, number, number, number],
  };
});
const page = { number: 3, text, lines };

describe('spansOfQuote', () => {
  const start = lines[1]!.start;
  const passage = { text: text.slice(start), start, spans: spansOf(page, start, text.length) };

  it('has the lines of the passage alone', () => {
    expect(passage.spans.map(({ rect }) => rect)).toEqual([lines[1]!.rect, lines[2]!.rect]);
  });

  it('gives whole lines exactly', () => {
    expect(spansOfQuote(passage, 0, 'the second line'.length)).toEqual([
      { page: 3, rect: lines[1]!.rect, approximate: false },
    ]);
  });

  it('narrows a line to the part that is quoted, and says so', () => {
    const at = passage.text.indexOf('second');
    const [span, ...others] = spansOfQuote(passage, at, at + 'second'.length);
    expect(others).toEqual([]);
    expect(span!.approximate).toBe(true);
    expect(span!.rect[0]).toBeCloseTo(0.1 + (0.8 * 4) / 15);
    expect(span!.rect[2]).toBeCloseTo(0.1 + (0.8 * 10) / 15);
  });

  it('counts from the right where the line is read so', () => {
    const line = 'ينتهي العقد';
    const spans = [{ page: 1, rect: [0, 0, 1, 0.1] as [number, number, number, number], start: 0, end: line.length }];
    const [span] = spansOfQuote({ text: line, start: 0, spans }, 0, 5);
    expect(span!.rect[0]).toBeCloseTo(6 / 11);
    expect(span!.rect[2]).toBeCloseTo(1);
  });

  it('gives the lines of the passage where they have no offsets', () => {
    const spans = [{ page: 1, rect: lines[0]!.rect }];
    expect(spansOfQuote({ text, start: 0, spans }, 0, 3)).toEqual([{ ...spans[0], approximate: true }]);
  });
});
