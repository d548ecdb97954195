import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { findKindByFilename } from '@app/documents';
import { makePdf } from '../../../../test/fixtures/documents/make-pdf.js';
import { makeTiff } from '../../../../test/fixtures/documents/make-tiff.js';
import { DocumentExtractor } from './document-extractor.js';
import type { ExtractionInput, ExtractorOptions } from './document-extractor.js';
import type { ExtractedPage } from './extracted-page.js';

const CHILD_ENTRY = resolve(__dirname, '../../dist/pipeline/child/main.js');

const ENGLISH = [
  'The harbour office keeps a list of all boats that stay longer than',
  'three nights. Whoever arrives after nine in the evening writes the',
  'name of the boat into the book beside the door.',
];
const GERMAN = [
  'Die Prüfung der Jahresabschlüsse hat ergeben, dass die Rückstellungen',
  'für Gewährleistungen zu niedrig waren. Größere Ausgaben müssen künftig',
  'vom Aufsichtsrat genehmigt werden; während der Übergangszeit gilt das nicht.',
];

/** A4 at 200 dpi, which a scanner gives when it is to be quick: every page here is looked at in several ways. */
const WIDTH = 1654;

const extractor = (options: Partial<ExtractorOptions> = {}) =>
  new DocumentExtractor({ childEntry: CHILD_ENTRY, ...options });

async function read(by: DocumentExtractor, path: string, input: Partial<ExtractionInput> = {}) {
  const pages: ExtractedPage[] = [];
  const kind = findKindByFilename(path)?.id ?? 'text';
  await by.extract({ path, kind, ocr: true, onPage: (page) => void pages.push(page), ...input });
  return pages;
}

/** As the text layer of a font whose codes are not those of its letters. */
const shifted = (text: string) =>
  text.replace(/[a-z]/gi, (letter) => String.fromCharCode(letter.toLowerCase().charCodeAt(0) - 29));

const page = (width: number, shade: number) => ({ pixels: Buffer.alloc(width * 90, shade), width, height: 90 });

/** 8 by 8 pixels of 24 bits: the upper half red, the lower blue. */
function smallBmp(): Buffer {
  const bytes = Buffer.alloc(54 + 8 * 24);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(8, 18);
  bytes.writeInt32LE(8, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  for (let at = 0; at < 64; at += 1) bytes[54 + at * 3 + (at < 32 ? 0 : 2)] = 255;
  return bytes;
}

describe('recognising text', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recognition-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** A page as a scanner sees it, drawn by a process of its own. */
  async function scan(lines: string[]): Promise<Buffer> {
    const path = join(folder, 'page.pdf');
    await writeFile(path, makePdf([{ runs: lines.map((text, at) => ({ x: 70, y: 740 - at * 18, text, size: 12 })) }]));
    const drawing = extractor();
    const picture = await drawing.draw({ path, kind: 'pdf', page: 1, width: WIDTH });
    drawing.close();
    return Buffer.from(picture);
  }

  async function save(name: string, bytes: Buffer): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, bytes);
    return path;
  }

  it('reads the same scan first of all, in a warm process, and after a kill', async () => {
    const path = await save('scan.webp', await scan(ENGLISH));
    const by = extractor();
    const first = await read(by, path);
    expect(first[0]?.text).toContain('stay longer than');
    const controller = new AbortController();
    setImmediate(() => controller.abort(new Error('killed')));
    await expect(read(by, path, { signal: controller.signal })).rejects.toThrow('killed');
    expect(await read(by, path)).toEqual(first);
    by.close();
  });

  /** A reading process that takes far more memory than it may, as long as it has no more room than this. */
  async function greedy(heapMb: number): Promise<string> {
    const path = join(folder, `greedy-${heapMb}.mjs`);
    await writeFile(
      path,
      `import ${JSON.stringify(pathToFileURL(CHILD_ENTRY).href)};
       const room = Number(/--max-old-space-size=(\\d+)/.exec(process.execArgv.join(' '))[1]);
       process.prependListener('message', ({ type }) => {
         if (type !== 'extract' || room > ${heapMb}) return;
         globalThis.held = Array.from({ length: 10 }, () => Buffer.alloc(60_000_000, 1));
         Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
       });`,
    );
    return path;
  }

  it('recognises at a second try, with more room, what ran out of memory at the first', async () => {
    const path = resolve(__dirname, '../../../../test/fixtures/documents/demo/notice-board.png');
    const limits = { heapMb: 512, rssBytes: 420_000_000 };
    const once = extractor({ childEntry: await greedy(512), limits });
    const pages = await read(once, path);
    once.close();
    expect(pages.map(({ number, ocr }) => [number, ocr])).toEqual([[1, true]]);
    expect(pages[0]?.text).toContain('east staircase');
    const always = extractor({ childEntry: await greedy(4096), limits });
    await expect(read(always, path)).rejects.toMatchObject({ code: 'out_of_memory' });
    always.close();
  });

  it('reads the rows of a PDF as rows, each with its place', async () => {
    const rows = [
      ['Region', 'Q1 2023', 'Q2 2023'],
      ['North and East', '1,204', '1,310'],
      ['South', '987', '1,002'],
    ];
    const cells = rows.flatMap((row, at) =>
      row.map((text, column) => ({ x: 70 + column * 130, y: 700 - at * 16, text })),
    );
    const path = await save('rows.pdf', makePdf([{ runs: [{ x: 70, y: 740, text: ENGLISH[0] ?? '' }, ...cells] }]));
    const by = extractor();
    const [page] = await read(by, path);
    by.close();
    expect(page?.text).toBe(`${ENGLISH[0]}\n\n${rows.map((row) => row.join(' | ')).join('\n')}`);
    const places = page?.lines?.map(({ start, end, rect }) => [page.text.slice(start, end), rect] as const) ?? [];
    const [, south] = places.find(([text]) => text.startsWith('South')) ?? [];
    expect(south?.[0]).toBeCloseTo(70 / 595, 2);
    expect(south?.[3]).toBeCloseTo((842 - 668) / 842, 2);
  });

  it('says so when a text layer cannot be read and OCR was off', async () => {
    const lines = Array.from({ length: 4 }, () => ENGLISH).flat();
    const runs = lines.map((text, at) => ({ x: 70, y: 740 - at * 18, text, size: 12 }));
    const garbage = makePdf([{ runs: runs.map((run) => ({ ...run, text: shifted(run.text) })) }, { runs }]);
    const path = await save('shifted.pdf', garbage);
    const by = extractor();
    const { notice } = await by.extract({ path, kind: 'pdf', ocr: false, onPage: () => undefined });
    by.close();
    expect(notice).toMatch(/1 page has a text layer that cannot be read.*OCR on/);
  });

  it('opens every page of a TIFF, and a BMP', async () => {
    const tiff = await save('pages.tiff', makeTiff([page(120, 255), page(60, 10)]));
    const bmp = await save('dots.bmp', smallBmp());
    const by = extractor();
    const second = await by.draw({ path: tiff, kind: 'tiff', page: 2, width: 500 });
    const dots = await by.draw({ path: bmp, kind: 'bmp', page: 1, width: 500 });
    by.close();
    expect(await sharp(second).metadata()).toMatchObject({ width: 60, height: 90 });
    expect((await sharp(second).stats()).channels[0]?.mean).toBeLessThan(30);
    const { data, info } = await sharp(dots).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([8, 8]);
    // Red stands on top, although the rows of the file run from the bottom.
    expect([(data[0] ?? 0) > 200, (data[info.channels * 60 + 2] ?? 0) > 200]).toEqual([true, true]);
  });

  it.each([[270, -2]])(
    'reads a page that lies turned by %i and %i degrees, with lines where they are seen',
    async (turn, skew) => {
      const straight = sharp(await scan(GERMAN)).rotate(turn);
      const turned = sharp(await straight.toBuffer()).rotate(skew, { background: 'white' });
      const path = await save(`turned-${turn}.png`, await turned.png().toBuffer());
      const by = extractor();
      const [page] = await read(by, path, { languages: ['eng', 'ara', 'deu'] });
      by.close();
      expect(page?.text).toContain('Prüfung der Jahresabschlüsse');
      // The text stands at the top of the page; that is where the lines are after turning it.
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = page?.lines?.[0]?.rect ?? [];
      if (turn === 180) expect(y0).toBeGreaterThan(0.8);
      else expect(1 - x1).toBeGreaterThan(0.8);
      expect(Math.max(x1 - x0, y1 - y0)).toBeLessThan(0.85);
    },
  );
});
