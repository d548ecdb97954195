import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { findKindByFilename } from '@app/documents';
import type { SourcePage } from '@app/extraction/kit';
import { workbookFile } from '../../../../test/fixtures/documents/make-kinds.js';
import { makeMail } from '../../../../test/fixtures/documents/make-mail.js';
import { makePdf } from '../../../../test/fixtures/documents/make-pdf.js';
import { makeZip, wordParts } from '../../../../test/fixtures/documents/make-zip.js';
import { DocumentExtractor, extractDocument } from './document-extractor.js';
import type { ExtractionInput } from './document-extractor.js';
import type { ExtractedPage } from './extracted-page.js';
import { inAll } from '../../../../test/support/long.js';

const FIXTURES = resolve(__dirname, '../../../../test/fixtures/documents');
const CHILD_ENTRY = resolve(__dirname, '../../dist/pipeline/child/main.js');

const wordsOf = ({ text, words = [] }: SourcePage) => words.map(({ start, end }) => text.slice(start, end));

const labelled = (pages: ExtractedPage[]) => pages.map(({ label, text }) => `${label}: ${text.split('\n').at(-1)}`);

/** Reads by a program that says it is a reading process. */
const pretender = async (childEntry: string, program: string) => {
  const page =
    "const page = (number, text) => process.send({ type: 'page', page: { number, text, ocr: false }, progress: {} });";
  const attach =
    "const attach = () => process.send({ type: 'attached', file: { ordinal: 1, name: 'a.txt', mimeType: '', bytes: new Uint8Array([97]) } });";
  await writeFile(childEntry, `${page}\n${attach}\nprocess.on('message', (message) => {\n${program}\n});`);
  const pages: string[] = [];
  const input = { path: resolve(FIXTURES, 'rooms.csv'), kind: 'eml' as const, ocr: false };
  const onPage = ({ number, text }: ExtractedPage) => void pages.push(`${number} ${text}`);
  return { pages, ...(await extractDocument({ ...input, onPage }, { childEntry })) };
};

describe('DocumentExtractor', () => {
  let extractor: DocumentExtractor;
  let folder: string;
  beforeAll(async () => {
    if (!existsSync(CHILD_ENTRY)) throw new Error('Build first: these tests run the compiled reading process.');
    extractor = new DocumentExtractor({ childEntry: CHILD_ENTRY });
    folder = await mkdtemp(join(tmpdir(), 'extractor-'));
  });
  afterAll(async () => {
    extractor.close();
    await rm(folder, { recursive: true });
  });

  async function read(file: string, input: Partial<ExtractionInput> = {}, by = extractor): Promise<ExtractedPage[]> {
    const pages: ExtractedPage[] = [];
    const path = resolve(FIXTURES, file);
    const kind = findKindByFilename(file)?.id ?? 'text';
    const onPage = (page: ExtractedPage) => void pages.push(page);
    const { pageCount } = await by.extract({ path, kind, ocr: false, onPage, ...input });
    expect(pageCount).toBe(pages.length);
    return pages;
  }

  const readPages = async (file: string, ocr = false): Promise<SourcePage[]> => {
    const pages: SourcePage[] = [];
    const kind = findKindByFilename(file)?.id ?? 'text';
    await extractor.readPages({ path: resolve(FIXTURES, file), kind, ocr, onPage: (page) => void pages.push(page) });
    return pages;
  };

  it('reads a PDF by pages, with lines that can be shown on the page', async () => {
    const pages = await read('demo/office-handbook.pdf');
    expect(pages.map((page) => page.text.split('\n')[0])).toEqual([
      'Welcome to Larkspur Maps',
      'Travel policy',
      'Equipment and security',
    ]);
    const { text, lines = [] } = pages[1] ?? { text: '' };
    const hotel = lines.find(({ start, end }) => text.slice(start, end).startsWith('A hotel may cost up to 140 euros'));
    // Left margin of 64 points on a page of 595 by 842, in the upper half.
    expect(hotel?.rect[0]).toBeCloseTo(64 / 595, 2);
    expect(hotel?.rect[1]).toBeGreaterThan(0.2);
    expect(hotel?.rect[3]).toBeLessThan(0.4);
  });

  it('draws a page in colour, apart from what it draws in grey to be recognised', async () => {
    const path = resolve(FIXTURES, 'demo/office-handbook.pdf');
    const image = await extractor.draw({ path, kind: 'pdf', page: 1, width: 320 });
    const { width, channels } = await sharp(image).metadata();
    expect([width, channels]).toEqual([320, 3]);
    await expect(extractor.draw({ path, kind: 'pdf', page: 4, width: 320 })).rejects.toMatchObject({ code: 'empty' });
    const signPath = join(folder, 'sign.png');
    await sharp({ create: { width: 20, height: 20, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } }).toFile(
      signPath,
    );
    const sign = await extractor.draw({ path: signPath, kind: 'png', page: 1, width: 160 });
    expect([...(await sharp(sign).raw().toBuffer()).subarray(0, 3)]).toEqual([255, 255, 255]);
    const scanned = resolve(FIXTURES, 'scanned.pdf');
    expect(
      (await sharp(await extractor.draw({ path: scanned, kind: 'pdf', page: 1, width: 160 })).metadata()).width,
    ).toBe(160);
  });

  it('gives rectangles of turned pages as they are displayed', async () => {
    const [page] = await read('rotated.pdf');
    const [x0, y0, x1, y1] = page?.lines?.[0]?.rect ?? [0, 0, 0, 0];
    // Turned by 90 degrees, the first line runs down the right side.
    expect(x0).toBeGreaterThan(0.85);
    expect(y1 - y0).toBeGreaterThan(x1 - x0);
  });

  it.each([
    ['demo/expense-guide.docx', 2, 'Norway | 75 euros | 50 euros', undefined],
    ['demo/first-week.md', 1, '- Walk one of our routes', undefined],
    ['spring-meeting.pptx', 3, 'Cycling maps sold 41,000 copies', 'Spring meeting'],
    ['stock.xlsx', 4, 'Sheet: W-02; Region: Sandholm; Printed: 6500; Price: 9.5', 'Stock'],
    ['rooms.csv', 1, 'Room: Tropic; north side; Floor: 2', undefined],
    ['travel-ar.txt', 1, 'سياسة السفر', undefined],
  ])('reads %s', async (file, count, text, label) => {
    const pages = await read(file);
    expect(pages).toHaveLength(count);
    expect(pages.map((page) => page.text).join('\n')).toContain(text);
    expect(pages[0]?.label).toBe(label);
  });

  it('recognises a scanned page, and says when OCR was off', async () => {
    const [page] = await readPages('scanned.pdf', true);
    expect(page).toMatchObject({ ocr: true, text: expect.stringContaining('Thursday, 12 March, at 11:15') });
    expect(wordsOf(page!)).toEqual(expect.arrayContaining(['fire', 'drill', 'March,']));
    expect(page?.words?.every(({ rect }) => rect.every((part) => part > 0 && part < 1))).toBe(true);
    await expect(read('scanned.pdf')).rejects.toMatchObject({ code: 'empty', message: /OCR was off/ });
    await expect(read('demo/notice-board.png')).rejects.toMatchObject({ code: 'empty', message: /OCR was off/ });
  });

  it('reads the places of words beside the same text', async () => {
    const pages = await readPages('demo/office-handbook.pdf');
    expect(pages.map(({ text }) => text)).toEqual((await read('demo/office-handbook.pdf')).map(({ text }) => text));
    const [page] = pages;
    expect(page).toMatchObject({
      number: 1,
      ocr: false,
      width: expect.closeTo(595.28),
      height: expect.closeTo(841.89),
    });
    expect(wordsOf(page!)).toEqual(page!.text.split(/\s+/));
    expect(wordsOf(page!)[0]).toBe('Welcome');
    // 64 to 149 points from the left, below the top margin of 59 points.
    expect(page!.words?.[0]?.rect.map((side) => Math.round(side * 100))).toEqual([11, 7, 25, 10]);
    expect((await read('demo/office-handbook.pdf'))[0]).not.toHaveProperty('geometry');
  });

  it('reads words of turned pages as they are displayed', async () => {
    const [turned] = await readPages('rotated.pdf');
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = turned?.words?.[0]?.rect ?? [];
    expect([turned?.width, x0 > 0.85, (y1 - y0) * 595 > (x1 - x0) * 842]).toEqual([expect.closeTo(841.89), true, true]);
  });

  it('reads the cells of worksheets', async () => {
    const [page] = await readPages('stock.xlsx');
    expect(page?.label).toBe('Stock');
    expect(
      page?.cells?.slice(0, 6).map(({ start, end, address }) => `${address} ${page.text.slice(start, end)}`),
    ).toEqual([
      'A1 Sheet',
      'B1 Region',
      'C1 Printed',
      'D1 Price',
      expect.stringMatching(/^A2 /),
      expect.stringMatching(/^B2 /),
    ]);
    expect((await readPages('rooms.csv'))[0]?.cells?.[0]?.address).toBe('A1');
  });

  inAll('finds quotes in what was read, in a process of its own', async () => {
    const pages = await readPages('demo/office-handbook.pdf');
    const quotes = [{ quote: 'A hotel may cost up to 140 euros' }, { quote: 'A hotel may cost up to 150 euros' }];
    const [found, invented] = await extractor.anchor({ pages, quotes });
    expect(found).toMatchObject({ anchor: 'exact', page: 2, pageWidth: expect.closeTo(595.28), spans: [{ page: 2 }] });
    expect(found?.spans[0]?.rect[0]).toBeCloseTo(64 / 595, 2);
    expect(invented?.anchor).toBe('none');
    const controller = new AbortController();
    const stopped = extractor.anchor({ pages, quotes, signal: controller.signal });
    controller.abort(new Error('stopped by its owner'));
    await expect(stopped).rejects.toThrow('stopped by its owner');
    const strict = new DocumentExtractor({ childEntry: CHILD_ENTRY, limits: { rssBytes: 30_000_000 } });
    await expect(strict.anchor({ pages, quotes })).rejects.toMatchObject({ code: 'out_of_memory' });
    strict.close();
  });

  it.each([
    ['encrypted.pdf', 'encrypted', /password/],
    ['damaged.pdf', 'damaged', /damaged/],
    ['no-pages.pdf', 'empty', /no pages/],
  ])('explains %s', async (file, code, message) => {
    await expect(read(file)).rejects.toMatchObject({ code, message, permanent: true });
  });

  it('refuses archives that lie, before a parser sees them', async () => {
    const path = join(folder, 'liar.docx');
    const bomb = { name: 'word/x.xml', data: Buffer.alloc(1_000_000), declaredSize: 10 };
    await writeFile(path, makeZip([...wordParts('<w:p/>'), bomb]));
    await expect(read(path)).rejects.toMatchObject({ code: 'too_large', permanent: true });
    await writeFile(path, makeZip(wordParts('<w:p><w:r>')));
    await expect(read(path)).rejects.toMatchObject({ code: expect.stringMatching(/damaged|empty/) });
  });

  inAll('hands over one page at a time and waits for each', async () => {
    let inside = 0;
    const onPage = async () => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise((done) => setTimeout(done, 10));
      inside -= 1;
    };
    await extractor.extract({ path: resolve(FIXTURES, 'stock.xlsx'), kind: 'xlsx', ocr: false, onPage });
    const onBroken = jest.fn().mockRejectedValue(new Error('no database'));
    await expect(read('stock.xlsx', { onPage: onBroken })).rejects.toThrow('no database');
    await expect(read('rooms.csv')).resolves.toHaveLength(1);
  });

  inAll('stops at once when aborted, and goes on with the next document', async () => {
    const controller = new AbortController();
    const onPage = () => controller.abort(new Error('stopped by its owner'));
    const reading = read('demo/office-handbook.pdf', { signal: controller.signal, onPage });
    await expect(reading).rejects.toThrow('stopped by its owner');
    await expect(read('demo/office-handbook.pdf')).resolves.toHaveLength(3);
  });

  it.each([
    ['timed_out', { pageMs: 1 }, false],
    ['out_of_memory', { rssBytes: 30_000_000 }, true],
  ])('kills a process that breaks a limit: %s', async (code, limits, permanent) => {
    const strict = new DocumentExtractor({ childEntry: CHILD_ENTRY, limits });
    const image = { path: resolve(FIXTURES, 'demo/notice-board.png'), kind: 'png' as const, ocr: true };
    await expect(strict.extract({ ...image, onPage: () => undefined })).rejects.toMatchObject({ code, permanent });
    strict.close();
  });

  it('reports a process that dies as worth a retry', async () => {
    const childEntry = join(folder, 'dies.mjs');
    await writeFile(childEntry, "process.on('message', () => process.kill(process.pid, 'SIGSEGV'));");
    const input = { path: resolve(FIXTURES, 'rooms.csv'), kind: 'csv' as const, ocr: false, onPage: () => undefined };
    await expect(extractDocument(input, { childEntry })).rejects.toMatchObject({ code: 'crashed', permanent: false });
  });

  describe('what is attached to an e-mail', () => {
    const pdf = makePdf([{ runs: [{ x: 72, y: 700, text: 'Total due: 4,711 euros' }] }]);
    const bomb = { name: 'word/x.xml', data: Buffer.alloc(1_000_000), declaredSize: 10 };

    inAll('is read by the process that reads the mail', async () => {
      const path = join(folder, 'files.eml');
      const inner = makeMail([{ name: 'prices.xlsx', bytes: workbookFile('xlsx', [['Item'], ['Lamp']]) }]);
      const parts = [
        { name: 'invoice.pdf', bytes: pdf },
        { name: 'liar.docx', bytes: makeZip([...wordParts('<w:p/>'), bomb]) },
        { name: 'fwd.eml', bytes: inner },
        { name: 'rooms.csv', bytes: 'Room,Beds\nBlue,2\n' },
      ];
      await writeFile(path, makeMail(parts, { subject: 'Invoice' }));
      expect(labelled(await read(path))).toEqual([
        'Invoice: Attachments: invoice.pdf, liar.docx, fwd.eml, rooms.csv',
        'invoice.pdf, page 1: Total due: 4,711 euros',
        'fwd.eml: Files: Attachments: prices.xlsx',
        'fwd.eml / prices.xlsx: Sheet1: Lamp',
        'rooms.csv: Room: Blue; Beds: 2',
        expect.stringMatching(/not read.*liar\.docx: This file cannot be opened safely/),
      ]);
      const cells = (await readPages(path)).flatMap((page) =>
        (page.cells ?? []).map(({ start, end, address }) => `${address} ${page.text.slice(start, end)}`),
      );
      expect(cells).toEqual(['A1 Item', 'A2 Lamp', 'A1 Room', 'B1 Beds', 'A2 Blue', 'B2 2']);
    });

    inAll('is recognised where it is a picture that is no logo, beside the message or within it', async () => {
      const path = join(folder, 'scan.eml');
      const bytes = readFileSync(resolve(FIXTURES, 'demo/notice-board.png'));
      const photo = Buffer.concat([bytes, Buffer.alloc(100_000)]);
      const parts = [
        { name: 'logo.png', bytes: photo.subarray(0, 90_000), id: 'logo@mail' },
        { name: 'photo.png', bytes: photo, id: 'photo@mail' },
        { name: 'notice.png', bytes },
      ].map((part) => ({ ...part, type: 'image/png' }));
      const body = '<p>Look:</p><img src="cid:logo@mail"><img src="cid:photo@mail">';
      await writeFile(path, makeMail(parts, { type: 'text/html', body }));
      const [, ...scans] = await read(path, { ocr: true, languages: ['eng'] });
      const text = expect.stringContaining('east staircase');
      expect(scans).toMatchObject(['photo.png', 'notice.png'].map((label) => ({ label, ocr: true, text })));
      expect(await read(path)).toMatchObject([{}, { text: expect.not.stringContaining('photo.png') }]);
    });

    inAll('ends where it took the process down; the rest of the mail is read by another', async () => {
      const found = await pretender(
        join(folder, 'dies-once.mjs'),
        `if (message.type === 'extract') {
          page(1, 'mail');
          const [stop] = message.request.stops;
          if (stop === undefined) return attach();
          page(2, 'first page');
          page(3, 'ended after ' + stop.pages);
          process.send({ type: 'done', pageCount: 3, notice: stop.message, tainted: false });
        } else if (message.type === 'screened') {
          page(2, 'first page');
          setTimeout(() => process.kill(process.pid, 'SIGKILL'), 100);
        }`,
      );
      expect(found).toEqual({
        pages: ['1 mail', '2 first page', '3 ended after 1'],
        pageCount: 3,
        notice: 'The file could not be read: reading it stopped unexpectedly.',
      });
    });

    inAll('never takes the mail with it', async () => {
      const found = await pretender(
        join(folder, 'dies-ever.mjs'),
        `if (message.type === 'extract') {
          page(1, 'mail');
          attach();
        } else if (message.type === 'screened') process.kill(process.pid, 'SIGKILL');`,
      );
      expect(found).toEqual({
        pages: ['1 mail'],
        pageCount: 1,
        notice: expect.stringMatching(/^Indexed, but not all that is attached was read\. The file could not be read/),
      });
    });
  });
});
