import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { utils, write, type BookType, type WorkSheet } from '@e965/xlsx';
import { makeZip } from '../../../../../test/fixtures/documents/make-zip.js';
import type { ImportRequest } from '../import-messages.js';
import { importWorkbook } from './import-workbook.js';
import { TableBuilder } from './table-builder.js';

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** An XLSX of one sheet, from the inside of its `sheetData`. */
function xlsx(rows: string, { shared = '', workbookPr = '', prefix = '' } = {}): Buffer {
  const p = prefix === '' ? '' : `${prefix}:`;
  const xmlns = `xmlns${prefix === '' ? '' : `:${prefix}`}="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`;
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="${target}"/>`;
  return makeZip([
    {
      name: '_rels/.rels',
      data: `<Relationships>${relation('a', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      data: `<${p}workbook ${xmlns} xmlns:r="${TYPES}">${workbookPr}<${p}sheets><${p}sheet name="One" sheetId="1" r:id="x"/></${p}sheets></${p}workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: `<Relationships>${relation('x', 'worksheet', '/xl/sheets/first.xml')}${relation('s', 'sharedStrings', 'strings.xml')}${relation('t', 'styles', 'styles.xml')}</Relationships>`,
    },
    { name: 'xl/strings.xml', data: `<${p}sst ${xmlns}>${shared}</${p}sst>` },
    {
      name: 'xl/styles.xml',
      data: `<${p}styleSheet ${xmlns}><${p}cellStyleXfs><${p}xf numFmtId="14"/></${p}cellStyleXfs><${p}numFmts><${p}numFmt numFmtId="165" formatCode="d/m/yy h:mm"/></${p}numFmts><${p}cellXfs><${p}xf numFmtId="0"/><${p}xf numFmtId="14"/><${p}xf numFmtId="165"/></${p}cellXfs></${p}styleSheet>`,
    },
    {
      name: 'xl/sheets/first.xml',
      data: `<${p}worksheet ${xmlns}><${p}sheetData>${rows}</${p}sheetData></${p}worksheet>`,
    },
  ]);
}

const sheet = (): WorkSheet =>
  utils.aoa_to_sheet([
    ['Stock of the year'],
    [],
    ['Item', 'Price', 'Since', 'Sold'],
    ['Tea, "green"', 12.5, { t: 'n', v: 45_292, z: 'd/m/yyyy' }, true],
    [],
    ['قهوة', 7, { t: 'n', v: 45_293, z: 'd/m/yyyy' }, false],
  ]);

describe('the import of a workbook', () => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  async function imported(bytes: Buffer, kind = 'xlsx', headerRow = 'auto') {
    const workFolder = await mkdtemp(join(tmpdir(), 'atrium-import-'));
    folders.push(workFolder);
    const path = join(workFolder, 'upload');
    const databasePath = join(workFolder, 'built.duckdb');
    await writeFile(path, bytes);
    const request: ImportRequest = {
      path,
      filename: 'book.xlsx',
      sizeBytes: bytes.length,
      kind,
      options: { headerRow, delimiter: 'auto', encoding: 'auto' },
      workFolder,
      databasePath,
      maximum: { columns: 500, rows: 5_000_000, sheets: 20 },
      duckdbBytes: 256 * 1024 * 1024,
    };
    const builder = await TableBuilder.create(request);
    const contents = await importWorkbook(request, builder, () => undefined);
    await builder.close();
    const rowsOf = async (table: string) => {
      const instance = await DuckDBInstance.create(databasePath, { access_mode: 'READ_ONLY' });
      const connection = await instance.connect();
      const result = await connection.runAndReadAll(`SELECT * FROM ${table} ORDER BY rowid`);
      connection.closeSync();
      instance.closeSync();
      return result.getRowsJson();
    };
    return { ...contents, rowsOf };
  }

  it.each(['xlsx', 'biff8', 'ods'] as BookType[])('reads the same from %s', async (bookType) => {
    const book = utils.book_new();
    utils.book_append_sheet(book, sheet(), 'Stock');
    const bytes = write(book, { type: 'buffer', bookType }) as Buffer;
    const { tables, sheets, rowsOf } = await imported(bytes, bookType === 'biff8' ? 'xls' : bookType);
    expect(sheets).toEqual([{ name: 'Stock', rows: 6, columns: 4, usedRange: 'A1:D6' }]);
    expect(tables).toEqual([
      {
        name: 'stock',
        sheet: 'Stock',
        rowCount: 2,
        range: 'A3:D6',
        firstRow: 4,
        contiguous: false,
        columns: [
          { name: 'item', originalName: 'Item', type: 'text', nullable: false },
          { name: 'price', originalName: 'Price', type: 'number', nullable: false },
          { name: 'since', originalName: 'Since', type: 'date', nullable: false },
          { name: 'sold', originalName: 'Sold', type: 'boolean', nullable: false },
        ],
      },
    ]);
    expect(await rowsOf('stock')).toEqual([
      ['Tea, "green"', 12.5, '2024-01-01', true],
      ['قهوة', 7, '2024-01-02', false],
    ]);
  });

  it('understands what other programs write: inline texts, hints, formulas, errors, cells without names', async () => {
    const { rowsOf, tables } = await imported(
      xlsx(
        `<x:row r="3"><x:c r="B3" t="s"><x:v>0</x:v></x:c><x:c t="inlineStr"><x:is><x:r><x:t>Wh</x:t></x:r><x:r><x:t>en</x:t></x:r></x:is></x:c><x:c t="str"><x:f>1&amp;"x"</x:f><x:v>Note</x:v></x:c></x:row>
         <x:row><x:c r="B4"><x:v>0.30000000000000004</x:v></x:c><x:c s="1"><x:v>1</x:v></x:c><x:c t="e"><x:v>#DIV/0!</x:v></x:c></x:row>
         <x:row><x:c r="B5"><x:f>SUM(B4)</x:f><x:v>2</x:v></x:c><x:c s="2"><x:v>2.5</x:v></x:c><x:c t="inlineStr"><x:is><x:t>a_x000D_b &lt;c&gt;</x:t></x:is></x:c></x:row>`,
        {
          prefix: 'x',
          workbookPr: '<x:workbookPr date1904="1"/>',
          shared: '<x:si><x:r><x:t>金額</x:t></x:r><x:rPh sb="0" eb="2"><x:t>キンガク</x:t></x:rPh></x:si>',
        },
      ),
    );
    expect(tables[0]).toMatchObject({ range: 'B3:D5', firstRow: 4, contiguous: true });
    expect(tables[0]!.columns.map(({ name, type }) => [name, type])).toEqual([
      ['金額', 'number'],
      ['when_', 'datetime'],
      ['note', 'text'],
    ]);
    expect(await rowsOf('one')).toEqual([
      [0.300_000_000_000_000_04, '1904-01-02 00:00:00', null],
      [2, '1904-01-03 12:00:00', 'a\rb <c>'],
    ]);
  });

  it('is not made to write without end by a small file', async () => {
    const far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="A1048576"><v>2</v></c></row>';
    const { tables } = await imported(xlsx(far));
    expect(tables[0]).toMatchObject({ rowCount: 2, range: 'A1:A1048576', contiguous: false });
    await expect(imported(xlsx(far.repeat(50)))).rejects.toThrow('more rows than Excel can show');
    await expect(imported(xlsx('<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>'))).rejects.toThrow(
      '16384 columns. At most 500',
    );
    const cells = Array.from({ length: 400 }, () => '<c t="s"><v>0</v></c>').join('');
    const shared = `<si><t>${'x'.repeat(100_000)}</t></si>`;
    await expect(imported(xlsx(`<row>${cells}</row>`, { shared }))).rejects.toThrow('more than 16 MB of text in row 1');
  });

  it('refuses document type declarations and files that are no workbook', async () => {
    const evil = xlsx('<row><c t="inlineStr"><is><t>a</t></is></c></row>', {
      workbookPr: '',
      shared: '<!DOCTYPE a [<!ENTITY b "c">]>',
    });
    await expect(imported(evil)).rejects.toThrow();
    await expect(imported(makeZip([{ name: 'xl/workbook.xml', data: '<workbook/>' }]))).rejects.toThrow(
      'names no sheets',
    );
  });
});
