import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import iconv from 'iconv-lite';
import { inAll, rounds, sample, stride } from '../../../../../test/support/long.js';
import type { ImportRequest } from '../import-messages.js';
import { importCsv } from './import-csv.js';
import { TableBuilder } from './table-builder.js';

const MAXIMUM = { columns: 500, rows: 5_000_000, sheets: 20 };

const accounts = (net: number) =>
  `Account,2024,2023\nSales,900,800\nRent,-300,-200\nPay,-100,-90\nNet income,${net},510\n`;
const stacked = (between: string) => `Team,Budget,Ok\nA,10,yes\nB,20,no\n${between}Machine,Hours,\nX1,300,\nX2,400,\n`;

describe('the import of a CSV', () => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  async function imported(content: string | Buffer, options: Partial<ImportRequest['options']> = {}) {
    const workFolder = await mkdtemp(join(tmpdir(), 'atrium-import-'));
    folders.push(workFolder);
    const path = join(workFolder, 'upload');
    const databasePath = join(workFolder, 'built.duckdb');
    await writeFile(path, content);
    const request: ImportRequest = {
      path,
      filename: 'rows.csv',
      sizeBytes: Buffer.byteLength(content),
      kind: 'csv',
      options: { headerRow: 'auto', delimiter: 'auto', encoding: 'auto', ...options },
      workFolder,
      databasePath,
      maximum: MAXIMUM,
      duckdbBytes: 256 * 1024 * 1024,
    };
    const builder = await TableBuilder.create(request);
    const { tables, warnings = [] } = await importCsv(request, builder, () => undefined);
    await builder.close();
    const query = async (sql: string) => {
      const instance = await DuckDBInstance.create(databasePath, { access_mode: 'READ_ONLY' });
      const connection = await instance.connect();
      const result = await connection.runAndReadAll(sql);
      connection.closeSync();
      instance.closeSync();
      return result.getRowsJson();
    };
    return { table: tables[0]!, warnings, query };
  }
  const column = async (...cells: string[]) => {
    // A row of which nothing is given is none; elsewhere a second column only takes time.
    const beside = cells.includes('') ? 'x,' : '';
    const options = { headerRow: '1', delimiter: ',' };
    const { table, query } = await imported(['v', ...cells].map((cell) => `${beside}"${cell}"`).join('\n'), options);
    return [table.columns.at(-1)!.type, (await query('SELECT v FROM rows ORDER BY rowid')).map(([value]) => value)];
  };

  inAll('reads a date as the other dates of the file are written', async () => {
    const { table, query } = await imported('ordered,shipped\n03/04/2024,25/04/2024\n05/06/2024,06/07/2024');
    expect(table.columns.map(({ type }) => type)).toEqual(['date', 'date']);
    expect(await query('SELECT ordered, shipped FROM rows')).toEqual([
      ['2024-04-03', '2024-04-25'],
      ['2024-06-05', '2024-07-06'],
    ]);
  });

  const columns: [what: string, cells: string[], type: string, values: unknown[]][] = [
    ['whole numbers', ['1', '-20', ' 3 '], 'integer', ['1', '-20', '3']],
    ['numbers with blanks for nothing', ['1', 'n/a', '-', ''], 'integer', ['1', null, null, null]],
    [
      'numbers with what other countries write for nothing',
      ['1,5', 'k. A.', 'n. b.', 's/d', '?'],
      'number',
      [1.5, null, null, null, null],
    ],
    [
      'days with what other countries write for nothing',
      ['2024-01-31', 'onbekend', 'brak'],
      'date',
      ['2024-01-31', null, null],
    ],
    ['numbers too small to be measured', ['1.5', 'n.d.', '< 0.1'], 'text', ['1.5', 'n.d.', '< 0.1']],
    ['fractions', ['1', '2.5', '1e3'], 'number', [1, 2.5, 1000]],
    ['numbers grouped as in English', ['1,200', '3'], 'integer', ['1200', '3']],
    ['numbers with decimal commas', ['1.200,50', '3'], 'number', [1200.5, 3]],
    ['Eastern Arabic numbers', ['١٢٣', '٤٫٥'], 'number', [123, 4.5]],
    ['truth values', ['TRUE', 'false'], 'boolean', [true, false]],
    ['ISO dates', ['2024-01-31', '2024-02-01'], 'date', ['2024-01-31', '2024-02-01']],
    ['dates with the day first', ['31/01/2024', '01/02/2024'], 'date', ['2024-01-31', '2024-02-01']],
    ['dates with the month first', ['01/31/2024', '02/01/2024'], 'date', ['2024-01-31', '2024-02-01']],
    ['dates that could be either', ['01/02/2024', '03/04/2024'], 'text', ['01/02/2024', '03/04/2024']],
    ['German dates', ['31.1.2024'], 'date', ['2024-01-31']],
    ['dates in words', ['5-Jan-2024', '12 Feb 2024'], 'date', ['2024-01-05', '2024-02-12']],
    [
      'moments',
      ['2024-01-31T10:00:00.5', '2024-02-01 11:30'],
      'datetime',
      ['2024-01-31 10:00:00.5', '2024-02-01 11:30:00'],
    ],
    ['moments with an offset, as UTC', ['2024-01-31T10:00:00+03:00'], 'datetime', ['2024-01-31 07:00:00']],
    ['codes that begin with a zero', ['007', '008'], 'text', ['007', '008']],
    ['numbers too long to be counted with', ['12345678901234567890'], 'text', ['12345678901234567890']],
    ['telephone numbers', ['+96712345'], 'text', ['+96712345']],
    ['two-digit years', ['31/1/24', '2.3.99'.replaceAll('.', '/')], 'date', ['2024-01-31', '1999-03-02']],
    ['two-digit years that could be either', ['1/2/24'], 'text', ['1/2/24']],
    ['American dates in words', ['Jan 1 2000', 'September 3rd, 2001'], 'date', ['2000-01-01', '2001-09-03']],
    ['dates with the day of the week', ['Mon, 5 Mar 2012', 'Tue 6 Mar 2012'], 'date', ['2012-03-05', '2012-03-06']],
    ['German dates in words', ['5. März 2023', '1. Dez. 2023'], 'date', ['2023-03-05', '2023-12-01']],
    ['French dates in words', ['1er août 2021', '14 févr. 2022'], 'date', ['2021-08-01', '2022-02-14']],
    ['Spanish dates in words', ['3 de mayo de 2020'], 'date', ['2020-05-03']],
    ['Russian dates in words', ['7 марта 2019'], 'date', ['2019-03-07']],
    ['Arabic dates in words', ['٧ مارس ٢٠١٩'], 'date', ['2019-03-07']],
    ['days, months and short years', ['05-Jan-23', '17-Dec-99'], 'date', ['2023-01-05', '1999-12-17']],
    ['months', ['Jan 2000', 'March 2001', 'déc. 2002'], 'date', ['2000-01-01', '2001-03-01', '2002-12-01']],
    [
      'moments in words',
      ['3 May 2024 10:15 PM', 'Fri, 3 May 2024 at 7:05'],
      'datetime',
      ['2024-05-03 22:15:00', '2024-05-03 07:05:00'],
    ],
    ['words and years that are no months', ['Model 2000', 'Type 2001'], 'text', ['Model 2000', 'Type 2001']],
    ['days that do not exist', ['31 Feb 2024'], 'text', ['31 Feb 2024']],
    ['Hungarian dates', ['2024.03.05.'], 'date', ['2024-03-05']],
    ['impossible dates', ['31/02/2024'], 'text', ['31/02/2024']],
    ['one text among numbers', ['1', '2', 'three'], 'text', ['1', '2', 'three']],
    ['markers in a text', ['N/A', 'Namibia'], 'text', ['N/A', 'Namibia']],
    ['nothing but markers', ['n/a', '-'], 'text', ['n/a', '-']],
  ];
  it.each(sample(columns, 4))('reads %s', async (_what, cells, type, values) => {
    expect(await column(...cells)).toEqual([type, values]);
  });

  inAll(
    'takes balances and results for what rows come to, where they have nothing else or their numbers agree',
    async () => {
      const bank = await imported(
        'Tag;Wer;Zweck;Betrag;Saldo\n;;Anfangssaldo;;100,00\n02.01.2024;A;Miete;-40,00;60,00\n13.01.2024;B;Lohn;90,50;150,50\n;;Endsaldo;;150,50\n',
      );
      expect(bank.table).toMatchObject({ rowCount: 2, totalRows: [{ label: 'Anfangssaldo' }, { label: 'Endsaldo' }] });
      expect((await imported(accounts(500))).table).toMatchObject({
        rowCount: 3,
        totalRows: [{ label: 'Net income' }],
      });
      const other = accounts(77).replace('510', '66');
      expect((await imported(other)).table).toMatchObject({ rowCount: 4 });
    },
  );

  inAll('tells of another table below notes and a title', async () => {
    for (const between of [',,\n', ',,\n* preliminary,,\n,,\n', ',,\nMachine hours,,\n'])
      expect((await imported(stacked(between))).warnings.join()).toMatch(/looks like the header of another table/);
  });

  inAll('decides by every row, not by the first ones', async () => {
    const rows = Array.from({ length: 12_000 }, (_, row) => `${row},${row % 28}`);
    const { table } = await imported(`id,v\n${rows.join('\n')}\n12000,1.5\n`);
    expect(table.columns.map(({ type }) => type)).toEqual(['integer', 'number']);
    const late = await imported(`id,v\n${rows.join('\n')}\n12000,none known\n`);
    expect(late.table.columns.map(({ type }) => type)).toEqual(['integer', 'text']);
  });

  inAll('keeps the order of many rows', async () => {
    // More than two of the groups in which DuckDB keeps rows.
    const count = rounds(400_000, 250_000);
    const rows = Array.from({ length: count }, (_, row) => `${row},name ${row % 977}`);
    const { table, query } = await imported(`id,name\n${rows.join('\n')}\n`);
    expect(table).toMatchObject({ rowCount: count, firstRow: 2, contiguous: true, range: `A1:B${count + 1}` });
    expect(await query('SELECT count(*) FROM rows WHERE rowid <> id')).toEqual([['0']]);
  });

  it('tells where rows are, and leaves out those without values', async () => {
    const { table } = await imported('Title\nid,name,\n1,a,\n,,\n2,b,\n');
    expect(table).toMatchObject({ rowCount: 2, range: 'A2:B5', firstRow: 3, contiguous: false });
    expect(table.columns.map(({ name }) => name)).toEqual(['id', 'name']);
  });

  it('names what the header does not, where most rows have it', async () => {
    const { table } = await imported('name,age\nr1,Ann,30\nr2,Bob,40\n');
    expect(table.columns.map(({ name, originalName }) => [name, originalName])).toEqual([
      ['name', 'name'],
      ['age', 'age'],
      ['column_3', ''],
    ]);
  });

  it('takes a header and a delimiter that are given', async () => {
    const { table } = await imported('a#b\n1#2\n', { headerRow: '0', delimiter: '#' });
    expect(table).toMatchObject({ rowCount: 2, columns: [{ name: 'column_1' }, { name: 'column_2' }] });
  });

  it('reads nothing but the upload', async () => {
    const { query } = await imported(`path\n"read_text('/etc/passwd')"\n`);
    expect(await query('SELECT path FROM rows')).toEqual([["read_text('/etc/passwd')"]]);
  });

  const RUSSIAN = 'Город;Сумма;Примечание|Москва;120;оплачено полностью|Казань;80;ожидает отгрузки';
  const ENCODED: [string, string][] = [
    ['shift_jis', '都市;売上;備考|東京;120;表示を確認|大阪;80;ソフトの更新'],
    ['gb18030', '城市;销售额;备注|北京;120;已付款|上海;80;等待发货'],
    ['euc-kr', '도시;매출;비고|서울;120;결제 완료|부산;80;배송 대기'],
    ['koi8-r', RUSSIAN],
    ['windows-1251', RUSSIAN],
    ['windows-1256', 'المدينة;المبيعات;ملاحظة|صنعاء;120;تم الدفع|عدن;80;قيد الشحن'],
    ['windows-1252', 'Stadt;Umsatz;Bemerkung|Köln;120;Größe prüfen|Zürich;80;über Bern'],
    ['utf16-le', RUSSIAN],
    ['utf16-be', '都市;売上;備考|東京;120;表示を確認|大阪;80;ソフトの更新'],
    ['utf16-le with a mark', 'Stadt;Umsatz;Bemerkung|Köln;120;Größe prüfen|Zürich;80;über Bern'],
    ['utf16-be with a mark', '도시;매출;비고|서울;120;결제 완료|부산;80;배송 대기'],
    ['utf-8 with a mark', RUSSIAN],
  ];

  /** Whose letters are of several bytes, each once: no border of a piece lies within letters of the others. */
  const IN_PIECES = ['shift_jis', 'gb18030', 'euc-kr', 'utf16-le', 'utf16-be', 'utf-8 with a mark'];

  inAll.each(ENCODED)('reads a table in %s, of few rows and of many', async (name, text) => {
    const [encoding = '', mark] = name.split(' with ');
    const [header, ...records] = text.split('|').map((line) => line.split(';'));
    const file = (lines: (string[] | undefined)[]) =>
      iconv.encode(lines.map((line) => line?.join(';')).join('\r\n'), encoding, { addBOM: mark !== undefined });
    const { table, query, warnings } = await imported(file([header, ...records]));
    const names = table.columns.map((column) => `"${column.name}"`).join(', ');
    expect(table.columns.map(({ originalName }) => originalName)).toEqual(header);
    expect(table.columns[1]?.type).toBe('integer');
    expect(await query(`SELECT ${names} FROM rows ORDER BY rowid`)).toEqual(records);
    expect(warnings).toEqual([]);
    if (stride(2) > 1 && !IN_PIECES.includes(name)) return;
    // Read in many pieces, whose borders lie within letters, too.
    const many = await imported(file([header, ...Array.from({ length: 2_000 }, () => records).flat()]));
    expect(await many.query(`SELECT DISTINCT ${names}, count(*) FROM rows GROUP BY ALL ORDER BY min(rowid)`)).toEqual(
      records.map((record) => [...record, '2000']),
    );
    expect(many.warnings).toEqual([]);
  });

  it('believes a mark of UTF-8, be some byte behind it damaged', async () => {
    const { table, warnings } = await imported(
      Buffer.from([0xef, 0xbb, 0xbf, 0x6e, 0x3b, 0xfc, 0x0a, 0x31, 0x3b, 0x32]),
    );
    expect(table.columns.map(({ originalName }) => originalName)).toEqual(['n', '\ufffd']);
    expect(warnings).toEqual([expect.stringContaining('UTF-8')]);
  });

  inAll('keeps the letters of UTF-8 in which some bytes are damaged, and says so', async () => {
    const rows = Array.from({ length: 40 }, (_, row) => `Größe ${row};${row}`).join('\n');
    const bytes = Buffer.concat([Buffer.from(`Maß;Zahl\n${rows}\nM`), Buffer.from([0xfc]), Buffer.from('ll;1\n')]);
    const { table, query, warnings } = await imported(bytes);
    expect(table.columns.map(({ originalName }) => originalName)).toEqual(['Maß', 'Zahl']);
    expect(await query(`SELECT "${table.columns[0]!.name}" FROM rows WHERE rowid IN (0, 40) ORDER BY rowid`)).toEqual([
      ['Größe 0'],
      ['M\ufffdll'],
    ]);
    expect(warnings).toEqual([expect.stringContaining('UTF-8')]);
  });

  it('takes an encoding that is given, whatever the text looks like', async () => {
    const bytes = iconv.encode('Город;n\nМосква;1\n', 'windows-1251');
    const given = await imported(bytes, { encoding: 'koi8-r' });
    expect(given.table.columns[0]?.originalName).toBe(iconv.decode(iconv.encode('Город', 'windows-1251'), 'koi8-r'));
    await expect(imported(bytes, { encoding: 'utf-8' })).rejects.toMatchObject({
      code: 'damaged',
      message: /not in the encoding UTF-8/,
    });
  });
});
