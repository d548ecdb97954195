import { chunkPages } from './chunk-pages.js';

const sentence = (i: number) => `Sentence number ${i} speaks of subject ${i % 7} at some length and then ends.`;
const long = Array.from({ length: 120 }, (_, i) => sentence(i) + (i % 9 === 8 ? '\n\n' : ' ')).join('');

describe('chunkPages', () => {
  it('leaves a page whole that is little longer than a passage', async () => {
    const text = 'The wing was tested in the tunnel at nine angles. '.repeat(38).trim();
    expect(text.length).toBeGreaterThan(1800);
    expect(await chunkPages([{ number: 1, text: `\n${text}\n` }])).toMatchObject([
      { start: 1, end: text.length + 1, text },
    ]);
    expect((await chunkPages([{ number: 1, text: `${text} ${text}` }])).length).toBeGreaterThan(1);
  });

  it('gives slices of the page that leave nothing out', async () => {
    const chunks = await chunkPages([{ number: 3, text: long }]);
    expect(chunks.length).toBeGreaterThan(4);
    let covered = 0;
    for (const [i, chunk] of chunks.entries()) {
      expect(chunk).toMatchObject({ ordinal: i, page: 3, text: long.slice(chunk.start, chunk.end) });
      expect(chunk.text.length).toBeLessThan(2000);
      expect(long.slice(covered, Math.max(covered, chunk.start)).trim()).toBe('');
      covered = chunk.end;
    }
    expect(long.slice(covered).trim()).toBe('');
  });

  it('overlaps by whole sentences', async () => {
    const chunks = await chunkPages([{ number: 1, text: long }]);
    const overlapping = chunks.filter((chunk, i) => i > 0 && chunk.start < chunks[i - 1]!.end);
    expect(overlapping.length).toBeGreaterThan(0);
    for (const chunk of overlapping) expect(chunk.text).toMatch(/^Sentence number/);
  });

  it('never crosses a page, passes over empty ones, and keeps labels', async () => {
    const chunks = await chunkPages([
      { number: 1, text: 'First page.' },
      { number: 2, text: ' \n ' },
      { number: 3, text: 'Third page.', label: 'Budget' },
    ]);
    expect(chunks.map(({ page, text, label }) => [page, text, label])).toEqual([
      [1, 'First page.', ''],
      [3, 'Third page.', 'Budget'],
    ]);
  });

  it('knows where its lines stand', async () => {
    const text = 'one line\ntwo lines';
    const lines = [
      { start: 0, end: 8, rect: [0.1, 0.1, 0.9, 0.15] as [number, number, number, number] },
      { start: 9, end: 18, rect: [0.1, 0.2, 0.9, 0.25] as [number, number, number, number] },
    ];
    const [chunk] = await chunkPages([{ number: 2, text, lines }]);
    expect(chunk!.spans).toEqual(lines.map(({ rect }) => ({ page: 2, rect })));
  });

  it('takes a page of one endless word, and one of megabytes', async () => {
    for (const text of ['x'.repeat(5000), 'سؤال '.repeat(100_000)]) {
      const chunks = await chunkPages([{ number: 1, text }]);
      expect(Math.max(...chunks.map((chunk) => chunk.text.length))).toBeLessThan(2000);
    }
  });
});
