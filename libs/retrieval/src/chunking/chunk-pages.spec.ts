import * as fc from 'fast-check';
import { chunkPages } from './chunk-pages.js';

const sentence = (i: number) => `Sentence number ${i} speaks of subject ${i % 7} at some length and then ends.`;
const long = Array.from({ length: 120 }, (_, i) => sentence(i) + (i % 9 === 8 ? '\n\n' : ' ')).join('');

const tableRows = (name: string) => [
  `${name} | Product | Revenue`,
  ...Array.from({ length: 150 }, (_, n) => `North | Pump ${n} | $${n}.5`),
];

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

  it('never crosses a page and passes over empty ones', async () => {
    const chunks = await chunkPages([
      { number: 1, text: 'First page.' },
      { number: 2, text: ' \n ' },
      { number: 3, text: 'Third page.', label: 'Budget' },
    ]);
    expect(chunks.map(({ page, text, context }) => [page, text, context])).toEqual([
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
    expect(chunk!.spans).toEqual(lines.map(({ rect, start, end }) => ({ page: 2, rect, start, end })));
  });

  it('never ends within a sentence, a number or a row', async () => {
    const paragraph = 'Am 31. März zahlte Dr. Müller ca. 300 Euro von $44.8 million, z. B. nach Art. 5 Abs. 2. ';
    for (const passage of await chunkPages([{ number: 1, text: paragraph.repeat(200) }]))
      expect(passage.text).toMatch(/^Am 31[^]*Abs\. 2\.$/);
    const table = [
      'Region | Product | Revenue',
      ...Array.from({ length: 300 }, (_, n) => `North | Pump. No ${n} | $${n}.5`),
    ];
    const chunks = await chunkPages([{ number: 1, text: table.join('\n') }]);
    expect(chunks.flatMap(({ text }) => text.split('\n'))).toEqual(table);
  });

  it('says the header of a table that goes on, and of no other', async () => {
    const text = `${tableRows('Region').join('\n')}\n\n${'After the first table there is a sentence. '.repeat(20)}\n\n${tableRows('Country').join('\n')}`;
    const chunks = await chunkPages([{ number: 1, text }]);
    const headers = chunks.map(({ context }) => /(Region|Country) \| Product/.exec(context)?.[1] ?? '');
    expect(headers[0]).toBe('');
    for (const [at, chunk] of chunks.entries()) {
      const begins = /^North \| Pump (\d+)/.exec(chunk.text);
      const table = chunk.start < text.indexOf('Country') ? 'Region' : 'Country';
      expect(headers[at]).toBe(begins ? table : '');
    }
    expect(new Set(headers)).toEqual(new Set(['', 'Region', 'Country']));
  });

  it('knows the title, the date and the headings of the document', async () => {
    const body = 'The notice period is three months for both parties. '.repeat(60);
    const text = `# Lease agreement\n\nBerlin, 31. März 2024\n\n## 2 Term\n\n${body}\n\n### 2.1 Renewal\n\n${body}`;
    const chunks = await chunkPages(
      [
        { number: 1, text },
        { number: 2, text: 'The page goes on.' },
      ],
      { filename: 'ACME_lease-2024.md' },
    );
    expect(chunks[0]!.context).toBe('Lease agreement · ACME lease 2024 · 31. März 2024');
    expect(chunks.at(-1)!.context).toBe('Lease agreement · ACME lease 2024 · 31. März 2024 · 2 Term › 2.1 Renewal');
  });

  it('takes no running header for a title or a heading, and keeps contexts short', async () => {
    const pages = Array.from({ length: 5 }, (_, at) => ({
      number: at + 1,
      text: `Confidential draft of 2024\n\n${at === 0 ? 'Annual Report of the Pump Works\n\n' : ''}The page says a sentence.`,
    }));
    const chunks = await chunkPages(pages, { filename: `${'very long name '.repeat(30)}.pdf` });
    for (const { context } of chunks) {
      expect(context).toMatch(/^Annual Report of the Pump Works · very long/);
      expect(context).not.toContain('onfidential');
      expect(context.length).toBeLessThanOrEqual(300);
    }
  });

  it('says no name that says nothing', async () => {
    for (const filename of [
      'scan001.pdf',
      'IMG_2034.jpg',
      '0190b3c2-7d1e-7c3a-9f00-1a2b3c4d5e6f.pdf',
      'Untitled 2.docx',
      '12.txt',
    ])
      expect((await chunkPages([{ number: 1, text: 'a sentence.' }], { filename }))[0]!.context).toBe('');
  });

  it.each([
    ['a word', 'x', 1700],
    ['Arabic', 'سؤال ', 1700],
    ['Chinese', '合同将于三月终止', 1700],
    ['Thai', 'สัญญาเช่าจะสิ้นสุด', 1700],
    ['pictures', '👩‍👩‍👧', 1700],
    ['letters with marks', 'e\u0301\u0323', 1700],
    ['numbers', '1 234,50 €\t', 1700],
    ['headings', 'H\n\n', 1700],
    ['lines', 'line\r\n', 1700],
    ['a row', 'a | b ', 4001],
  ])('takes a page of 300,000 characters of %s', async (_name, unit, most) => {
    const text = unit.repeat(300_000 / unit.length);
    const chunks = await chunkPages([{ number: 1, text }]);
    expect(Math.max(...chunks.map((chunk) => chunk.text.length))).toBeLessThan(most);
    for (const { text: passage } of chunks) {
      expect(passage.isWellFormed()).toBe(true);
      expect(passage).not.toMatch(/^[\p{M}\u200d]|\u200d$/u);
    }
  });

  it('gives exact offsets and leaves nothing out, whatever the text', async () => {
    const piece = fc.constantFrom(
      'Dr. A. ',
      '31. März ',
      '$44.8 million ',
      '\n',
      '\r\n',
      '\n\n',
      'a | b | c\n',
      'x'.repeat(900),
      '合同终止。',
      'สัญญา',
      '👩‍👩‍👧',
      'e\u0301',
      '# H\n\n',
      ' '.repeat(300),
      'The end is near. ',
    );
    const texts = fc
      .array(fc.oneof(piece, fc.string({ unit: 'grapheme', maxLength: 30 })), { maxLength: 60 })
      .map((all) => all.join('').repeat(8));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        let covered = 0;
        for (const [at, chunk] of (await chunkPages([{ number: 1, text }])).entries()) {
          expect(chunk.ordinal).toBe(at);
          expect(text.slice(chunk.start, chunk.end)).toBe(chunk.text);
          expect(chunk.text.trim()).toBe(chunk.text);
          expect(chunk.text).not.toMatch(/^[\udc00-\udfff]/);
          expect(text.slice(covered, Math.max(covered, chunk.start)).trim()).toBe('');
          covered = chunk.end;
        }
        expect(text.slice(covered).trim()).toBe('');
      }),
      { numRuns: 100, seed: 12 },
    );
  });
});
