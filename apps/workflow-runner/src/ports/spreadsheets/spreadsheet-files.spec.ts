import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { FileStorage } from '@app/integrations';
import { ToolError } from '@app/workflow-definition';
import { read, utils, write } from '@e965/xlsx';
import { makeZip } from '../../../../../test/fixtures/documents/make-zip.js';
import type { ReadableFiles } from '../readable-files.js';
import { SpreadsheetFiles } from './spreadsheet-files.port.js';
import { stopwatch } from '../../../../../test/support/timing.js';
import { inAll, sample } from '../../../../../test/support/long.js';

const ENTRY = resolve(__dirname, '../../../dist/ports/spreadsheets/child/main.js');
const viewer = { userId: 1 };
const { signal } = new AbortController();

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ToolError)) throw new Error(`No ToolError: ${String(error)}`);
  return error.code;
}

describe('spreadsheets, read in a process of their own', () => {
  let folder: string;
  let sheets: SpreadsheetFiles;
  const options = { sheet: '', hasHeader: true, limit: 100 };
  const add = (name: string, content: string | Buffer) => writeFile(join(folder, name), content);

  beforeAll(async () => {
    if (!existsSync(ENTRY)) throw new Error('Build the apps first: tsc -b apps/workflow-runner');
    folder = await mkdtemp(join(tmpdir(), 'atrium-sheets-'));
    const files = {
      find: async (_viewer: unknown, name: string) => ({
        name,
        storageKey: name,
        mimeType: '',
        sizeBytes: (await stat(join(folder, name))).size,
        open: () => createReadStream(join(folder, name)),
      }),
    } as unknown as ReadableFiles;
    const storage = {
      localPath: (key: string) => Promise.resolve({ path: join(folder, key), release: () => Promise.resolve() }),
    } as unknown as FileStorage;
    sheets = new SpreadsheetFiles(files, storage, ENTRY);
    const book = utils.book_new();
    utils.book_append_sheet(
      book,
      utils.aoa_to_sheet(
        [
          ['name', 'price', 'name', null, 'when', 'ok'],
          ['Rome', 3.5, 'x', 1, new Date(Date.UTC(2026, 0, 31)), true],
          [],
          ['Oslo', null, 'y', 2, new Date(Date.UTC(2026, 0, 31, 12, 30)), false],
        ],
        { cellDates: true, UTC: true },
      ),
      'Prices',
    );
    utils.book_append_sheet(book, utils.aoa_to_sheet([['a'], [1]]), 'Second');
    await add('book.xlsx', write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer);
    await add('book.ods', write(book, { type: 'buffer', bookType: 'ods' }) as Buffer);
    await add('book.xls', write(book, { type: 'buffer', bookType: 'biff8' }) as Buffer);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('as rows with the types of their cells', async () => {
    const found = await sheets.read(viewer, 'book.xlsx', options, signal);
    expect(found).toMatchObject({ sheet: 'Prices', sheets: ['Prices', 'Second'], truncated: false });
    expect(found.columns).toEqual(['name', 'price', 'name_2', 'column_4', 'when', 'ok']);
    expect(found.rows).toEqual([
      { name: 'Rome', price: 3.5, name_2: 'x', column_4: 1, when: '2026-01-31', ok: true },
      { name: 'Oslo', price: null, name_2: 'y', column_4: 2, when: '2026-01-31T12:30:00.000Z', ok: false },
    ]);
    for (const name of ['book.ods', 'book.xls'])
      expect((await sheets.read(viewer, name, options, signal)).rows).toHaveLength(2);
  });

  it.each(sample(['xlsx', 'xls', 'ods'] as const, 3))('with moments to the millisecond: %s', async (bookType) => {
    const start = Date.UTC(2026, 9, 25);
    const moments = Array.from({ length: 96 }, (_, quarter) => start + quarter * 900_000).concat(start + 86_399_999);
    const sheet = utils.aoa_to_sheet([['at'], ...moments.map((at) => [(at - Date.UTC(1899, 11, 30)) / 86_400_000])]);
    for (const index of moments.keys()) sheet[`A${index + 2}`].z = 'yyyy-mm-dd hh:mm:ss.000';
    const book = utils.book_new();
    utils.book_append_sheet(book, sheet, 'Moments');
    await add(`moments.${bookType}`, write(book, { type: 'buffer', bookType }) as Buffer);
    const { rows } = await sheets.read(viewer, `moments.${bookType}`, options, signal);
    expect(rows).toEqual(moments.map((at) => ({ at: at === start ? '2026-10-25' : new Date(at).toISOString() })));
  });

  it.each(sample(['xlsx', 'xls', 'ods'] as const, 3))(
    'with times of the day and how long things take: %s',
    async (bookType) => {
      const cells: [number, string, unknown][] = [
        [0, 'hh:mm', '00:00:00'],
        [8.5 / 24, 'hh:mm', '08:30:00'],
        [14.25 / 24, 'h:mm AM/PM', '14:15:00'],
        [2.5 / 24, 'hh:mm:ss', '02:30:00'],
        [26.5 / 24, '[h]:mm:ss', '26:30:00'],
        [45_000 + 8.5 / 24, 'hh:mm', '2023-03-15T08:30:00.000Z'],
        [0.5, 'yyyy-mm-dd', 0.5],
      ];
      const sheet = utils.aoa_to_sheet([['at'], ...cells.map(([days]) => [days])]);
      for (const [index, [, format]] of cells.entries()) sheet[`A${index + 2}`].z = format;
      const book = utils.book_new();
      utils.book_append_sheet(book, sheet, 'Times');
      await add(`times.${bookType}`, write(book, { type: 'buffer', bookType }) as Buffer);
      const expected = cells.map(([, , at]) => ({ at }));
      expect((await sheets.read(viewer, `times.${bookType}`, options, signal)).rows).toEqual(expected);
      const json = await sheets.convert(viewer, `times.${bookType}`, { to: 'json', sheet: '' }, signal);
      expect(JSON.parse(Buffer.from(json.bytes).toString())).toEqual(expected);
    },
  );

  it('by name or number of the sheet, with or without a header, up to a limit', async () => {
    expect((await sheets.read(viewer, 'book.xlsx', { ...options, sheet: 'Second' }, signal)).rows).toEqual([{ a: 1 }]);
    expect((await sheets.read(viewer, 'book.xlsx', { ...options, sheet: '2' }, signal)).rows).toEqual([{ a: 1 }]);
    expect(await codeOf(sheets.read(viewer, 'book.xlsx', { ...options, sheet: 'x' }, signal))).toBe('sheet_not_found');
    const bare = await sheets.read(viewer, 'book.xlsx', { ...options, sheet: '2', hasHeader: false }, signal);
    expect(bare).toMatchObject({ columns: ['column_1'], rows: [{ column_1: 'a' }, { column_1: 1 }] });
    const cut = await sheets.read(viewer, 'book.xlsx', { ...options, limit: 1 }, signal);
    expect(cut).toMatchObject({ rows: [{ name: 'Rome' }], truncated: true });
    await add('many.csv', `a\n${'1\n'.repeat(5_000)}`);
    const some = await sheets.read(viewer, 'many.csv', { ...options, limit: 4_000 }, signal);
    expect([some.count, some.truncated]).toEqual([4_000, true]);
    const all = await sheets.read(viewer, 'many.csv', { ...options, limit: 5_000 }, signal);
    expect([all.count, all.truncated]).toEqual([5_000, false]);
  });

  const texts: [name: string, bytes: Buffer][] = [
    ['comma.csv', Buffer.from('a,b\n007,"x, y"\n')],
    ['semicolon.csv', Buffer.from('a;b\n007;"x, y"\n')],
    ['tab.tsv', Buffer.from('a\tb\n007\tx, y\n')],
    ['bom.csv', Buffer.from('\ufeffa,b\n007,"x, y"\n')],
    ['utf16.csv', Buffer.from('\ufeffa,b\n007,"x, y"\n', 'utf16le')],
  ];
  it.each(sample(texts, 4))('%s keeps its texts as they are', async (name, bytes) => {
    await add(name, bytes);
    expect((await sheets.read(viewer, name, options, signal)).rows).toEqual([{ a: '007', b: 'x, y' }]);
  });

  inAll('in another encoding', async () => {
    await add('latin.csv', Buffer.from('a\ncaf\u00e9\n', 'latin1'));
    expect((await sheets.read(viewer, 'latin.csv', options, signal)).rows).toEqual([{ a: 'caf\u00e9' }]);
  });

  inAll('into other formats and back', async () => {
    const csv = await sheets.convert(viewer, 'book.xlsx', { to: 'csv', sheet: '2' }, signal);
    expect([csv.name, csv.mimeType, Buffer.from(csv.bytes).toString()]).toEqual(['book.csv', 'text/csv', 'a\n1']);
    const json = await sheets.convert(viewer, 'book.xlsx', { to: 'json', sheet: '' }, signal);
    expect(JSON.parse(Buffer.from(json.bytes).toString())).toMatchObject([{ name: 'Rome' }, { name: 'Oslo' }]);
    const ods = await sheets.convert(viewer, 'book.xlsx', { to: 'ods', sheet: '' }, signal);
    expect(read(ods.bytes).SheetNames).toEqual(['Prices', 'Second']);
    const html = await sheets.convert(viewer, 'book.xlsx', { to: 'html', sheet: '' }, signal);
    expect(Buffer.from(html.bytes).toString()).toContain('<td');
  });

  it('that are none are refused', async () => {
    await add('broken.xlsx', Buffer.from('PK\u0003\u0004nonsense'));
    await add('picture.png', Buffer.from('x'));
    expect(await codeOf(sheets.read(viewer, 'broken.xlsx', options, signal))).toBe('invalid_spreadsheet');
    expect(await codeOf(sheets.read(viewer, 'picture.png', options, signal))).toBe('invalid_spreadsheet');
  });

  inAll('whose cells lie as far apart as can be do no harm', async () => {
    await add('wide.xlsx', farApart());
    expect(await codeOf(sheets.convert(viewer, 'wide.xlsx', { to: 'csv', sheet: '' }, signal))).toBe(
      'spreadsheet_too_large',
    );
    const read = sheets.read(viewer, 'wide.xlsx', options, signal);
    expect((await read).count).toBeLessThanOrEqual(1);
  });

  it('that take long are left when their node is stopped', async () => {
    const rows = Array.from({ length: 300_000 }, (_, index) => `${index},text ${index},x`);
    await add('long.csv', `a,b,c\n${rows.join('\n')}`);
    const controller = new AbortController();
    const took = stopwatch();
    const reading = sheets.convert(viewer, 'long.csv', { to: 'xlsx', sheet: '' }, controller.signal);
    setTimeout(() => controller.abort(new Error('stopped')), 200);
    await expect(reading).rejects.toThrow('stopped');
    expect(took()).toBeLessThan(3_000);
    expect((await sheets.read(viewer, 'book.xlsx', options, signal)).rows).toHaveLength(2);
  });

  inAll('of one person do not keep those of others waiting', async () => {
    const rows = Array.from({ length: 300_000 }, (_, index) => `${index},text ${index},x`);
    await add('long.csv', `a,b,c\n${rows.join('\n')}`);
    const stopped = new AbortController();
    const heavy = Array.from({ length: 6 }, () =>
      sheets.convert(viewer, 'long.csv', { to: 'xlsx', sheet: '' }, stopped.signal).catch(() => 'stopped'),
    );
    const first = await Promise.race([...heavy, sheets.read({ userId: 2 }, 'book.xlsx', options, signal)]);
    expect(first).toMatchObject({ count: 2 });
    stopped.abort(new Error('stopped'));
    await Promise.all(heavy);
    expect((await sheets.read(viewer, 'book.xlsx', options, signal)).count).toBe(2);
  });
});

const part = (name: string, xml: string) => ({ name, data: Buffer.from(`<?xml version="1.0"?>${xml}`) });

const cell = (name: string) => `<c r="${name}" t="inlineStr"><is><t>x</t></is></c>`;

/** Cells in A1 and in the last one that there is. */
function farApart(): Buffer {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  return makeZip([
    part(
      '[Content_Types].xml',
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/></Types>`,
    ),
    part(
      '_rels/.rels',
      `<Relationships xmlns="${relationships}"><Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ),
    part(
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    part(
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${relationships}"><Relationship Id="r1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ),
    part(
      'xl/worksheets/sheet1.xml',
      `<worksheet xmlns="${main}"><dimension ref="A1:XFD1048576"/><sheetData><row r="1">${cell('A1')}</row><row r="1048576">${cell('XFD1048576')}</row></sheetData></worksheet>`,
    ),
  ]);
}
