import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { utils, write, type WorkSheet } from '@e965/xlsx';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { inAll, rounds, sample } from '../support/long.js';
import { until } from '../support/until.js';
import { callTables, csv, importTable, imported, uploadTable, type TabularBody } from '../support/tabular-api.js';

const ORDERS =
  'Order ID,Customer,Total,Ordered on,Paid,Code,group\n' +
  '1,"Smith, John",12.5,2024-01-05,true,007,a\n' +
  '2,Ann,"1,200.00",2024-02-29,false,008,b\n' +
  '3,"said ""no""",N/A,2024-03-01,true,009,\n';

const typesOf = ({ tables }: TabularBody) => tables[0]!.columns.map(({ name, type }) => [name, type]);

const column = (name: string, original_name: string, type: string, nullable = false) => ({
  name,
  original_name,
  type,
  nullable,
});

function workbook(sheets: Record<string, WorkSheet>): File {
  const book = utils.book_new();
  for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name);
  return new File([new Uint8Array(write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer)], 'book.xlsx');
}

/** What Excel writes for a workbook with a password: the old container around an encrypted package. */
function encryptedPackage(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4096);
  bytes.set(Buffer.from('d0cf11e0a1b11ae1', 'hex'));
  const entry = Buffer.alloc(66);
  entry.write('EncryptedPackage', 'utf16le');
  entry.writeUInt16LE(34, 64);
  bytes.set(entry, 1024);
  return bytes;
}

// Imports are processes of their own, which take their time on a busy machine.

describe('table files over HTTP', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;
  let stranger: HttpClient;
  beforeAll(async () => {
    platform = await hostPlatform(['api']);
    owner = await HttpClient.signUp(platform.baseUrl);
    stranger = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  const keysOf = async (uid: string) => {
    const [row] = await platform.database.dataSource.query<{ storage_key: string; database_key: string | null }[]>(
      'SELECT storage_key, database_key FROM tabular_files WHERE uid = $1',
      [uid],
    );
    return [row!.storage_key, row!.database_key!].map((key) => join(platform.env.STORAGE_DIR!, key));
  };

  describe('of which nothing is imported yet', () => {
    it.each([
      ['nothing', null, {}, 'path: This field is required.'],
      ['an empty file', csv(''), {}, 'The file is empty.'],
      ['a text', csv('a,b', 'notes.txt'), {}, 'Only tables are taken here'],
      [
        'a picture under a false name',
        csv(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0]), 'a.csv'),
        {},
        'not a CSV file',
      ],
      ['an impossible folder', csv('a,b'), { folder: 'a/../b' }, 'folder: '],
      ['an impossible header row', csv('a,b'), { header_row: '-1' }, 'header_row: '],
      ['an impossible delimiter', csv('a,b'), { delimiter: 'x' }, 'delimiter: '],
      ['an unknown encoding', csv('a,b'), { encoding: 'klingon' }, 'encoding: The encoding "klingon" is not known.'],
    ])('refuses %s', async (_what, file, fields, reason) => {
      const { status, body } = await uploadTable(owner, file, fields);
      expect(status).toBe(400);
      expect(body.reasons.join(' ')).toContain(reason);
      expect(body.detail).toBe(body.reasons.join(' '));
    });

    it('refuses a workbook with a password, and a form beyond 200 MB before it is sent', async () => {
      const locked = await uploadTable(owner, csv(encryptedPackage(), 'locked.xlsx'));
      expect(locked).toMatchObject({ status: 400, body: { reasons: [expect.stringContaining('password')] } });
      const status = await new Promise<number>((done, fail) => {
        const headers = {
          authorization: `Token ${owner.token}`,
          'content-type': 'multipart/form-data; boundary=b',
          'content-length': String(203 * 1024 * 1024),
        };
        const sent = request(`${platform.baseUrl}/database-search/upload/`, { method: 'POST', headers }, (response) => {
          done(response.statusCode ?? 0);
          sent.destroy();
        });
        sent.on('error', fail);
        sent.write('--b\r\n');
      });
      expect(status).toBe(413);
    });

    it('hides a file from strangers and from the other store', async () => {
      const { uid } = (await uploadTable(owner, csv('a\n1\n'))).body;
      const calls: [HttpClient, string, string, unknown, 'database-search' | 'spreadsheet-search'][] = [
        [stranger, 'GET', `documents/${uid}/`, undefined, 'database-search'],
        [stranger, 'PUT', `${uid}/update/`, { folder: 'x' }, 'database-search'],
        [stranger, 'DELETE', `${uid}/delete/`, undefined, 'database-search'],
        [stranger, 'POST', `${uid}/retry/`, {}, 'database-search'],
        [owner, 'GET', `documents/${uid}/`, undefined, 'spreadsheet-search'],
        [owner, 'DELETE', `${uid}/delete/`, undefined, 'spreadsheet-search'],
      ];
      for (const [client, method, path, body, store] of calls)
        expect(await callTables(client, method, path, body, store)).toMatchObject({
          status: 404,
          body: { detail: 'File not found.', code: 'document_not_found' },
        });
      expect((await callTables(owner, 'GET', `documents/${uid}/`)).status).toBe(200);
      expect((await callTables(owner, 'DELETE', `${uid}/delete/`)).status).toBe(200);
    });

    it('moves and removes folders', async () => {
      const client = await HttpClient.signUp(platform.baseUrl);
      const folders = async () => {
        const files = await client.get<TabularBody[]>('/database-search/documents/');
        return files.map(({ folder }) => folder).toSorted();
      };
      for (const folder of ['a', 'a/b', 'a/b/c', 'ab', '']) await uploadTable(client, csv('x\n1\n'), { folder });
      const move = (from: unknown, to: unknown) => callTables(client, 'POST', 'folder/move/', { from, to });
      expect(await move('a', 'z/y')).toEqual({
        status: 200,
        body: { status: 'moved', count: 3, from: 'a', to: 'z/y' },
      });
      expect(await folders()).toEqual(['', 'ab', 'z/y', 'z/y/b', 'z/y/b/c']);
      expect(await move('z/y', '')).toMatchObject({ status: 200, body: { count: 3 } });
      expect(await folders()).toEqual(['', '', 'ab', 'b', 'b/c']);
      expect(await move('b', 'b/d')).toMatchObject({
        status: 400,
        body: { error: expect.any(String), code: 'folder_into_itself' },
      });
      expect(await move('b', 'b')).toMatchObject({ status: 400, body: { code: 'folder_into_itself' } });
      expect(await move(undefined, 'x')).toMatchObject({ status: 400, body: { from: ['This field is required.'] } });
      expect(await move('/', 'x')).toMatchObject({ status: 400, body: { from: [expect.any(String)] } });
      expect(await move('nowhere', 'x')).toMatchObject({ status: 404, body: { code: 'folder_not_found' } });
      const remove = (query: string, body?: unknown) => callTables(client, 'DELETE', `folder/delete/${query}`, body);
      expect(await remove('')).toMatchObject({ status: 400, body: { folder: ['This field is required.'] } });
      expect(await remove('?folder=nowhere')).toMatchObject({ status: 404, body: { code: 'folder_not_found' } });
      expect(await remove('', { folder: 'b' })).toEqual({ status: 200, body: { status: 'deleted', count: 2 } });
      expect(await remove('?folder=')).toEqual({ status: 200, body: { status: 'deleted', count: 2 } });
      expect(await folders()).toEqual(['ab']);
      expect((await remove('?folder=ab')).status).toBe(200);
    });

    inAll('loses no file when two moves of one folder cross', async () => {
      const client = await HttpClient.signUp(platform.baseUrl);
      const places = Array.from({ length: 12 }, (_, index) => `start/${index}`);
      await Promise.all(places.map((folder) => uploadTable(client, csv('x\n1\n'), { folder })));
      const answers = await Promise.all(
        ['left', 'right', 'left', 'right'].map((to) =>
          callTables(client, 'POST', 'folder/move/', { from: 'start', to }),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
      const files = await client.get<TabularBody[]>('/database-search/documents/');
      const tops = new Set(files.map(({ folder }) => folder.split('/')[0]));
      expect(files).toHaveLength(12);
      expect(tops.size).toBe(1);
      expect(new Set(files.map(({ folder }) => folder)).size).toBe(12);
      expect((await callTables(client, 'DELETE', `folder/delete/?folder=${[...tops][0]}`)).status).toBe(200);
    });
  });

  describe('that are imported', () => {
    // Only now: each import is a process of its own, and none of the files above needs one.
    beforeAll(async () => void (await platform.host('indexer')));

    it('takes a CSV, types its columns, and gives the file back', async () => {
      const { status, body } = await uploadTable(owner, csv(ORDERS, 'Orders 2024.csv'), { folder: ' /Sales//2024/ ' });
      expect(status).toBe(201);
      expect(body).toEqual({
        uid: expect.any(String),
        filename: 'Orders 2024.csv',
        folder: 'Sales/2024',
        path: `/media/tables/${body.uid}/Orders%202024.csv`,
        size_bytes: ORDERS.length,
        processing_state: expect.stringMatching(/^(queued|processing|completed)$/),
        status: expect.any(String),
        last_error: '',
        tables: expect.any(Array),
        created_at: expect.any(String),
        updated_at: expect.any(String),
        upload_id: expect.any(String),
        warnings: [],
      });
      const file = await imported(owner, body.uid);
      expect(file).toMatchObject({
        processing_state: 'completed',
        status: 'Imported and ready for questions.',
        last_error: '',
      });
      expect(file.tables).toEqual([
        {
          name: 'orders_2024',
          sheet: null,
          row_count: 3,
          columns: [
            column('order_id', 'Order ID', 'integer'),
            column('customer', 'Customer', 'text'),
            column('total', 'Total', 'number', true),
            column('ordered_on', 'Ordered on', 'date'),
            column('paid', 'Paid', 'boolean'),
            column('code', 'Code', 'text'),
            column('group_', 'group', 'text', true),
          ],
        },
      ]);
      const { url } = await owner.get<{ url: string }>(`/media/sign/?path=${encodeURIComponent(file.path)}`);
      expect(await (await fetch(url)).text()).toBe(ORDERS);
      expect((await stranger.send('GET', `/media/sign/?path=${encodeURIComponent(file.path)}`)).status).toBe(404);
    });

    inAll('makes a table of each sheet: below its title, dates as dates, with its used range', async () => {
      const sales = utils.aoa_to_sheet([
        ['Sales of the year'],
        [],
        ['Day', 'Region', 'Amount', 'Numbers as text', 'SeenAt'],
        [{ t: 'n', v: 45_292, z: 'yyyy-mm-dd' }, 'شمال', 12.25, '٤٢', { t: 'n', v: 45_292.5, z: 'yyyy-mm-dd hh:mm' }],
        [{ t: 'n', v: 45_293, z: 'yyyy-mm-dd' }, 'جنوب', 7, '٧', { t: 'n', v: 45_293.25, z: 'yyyy-mm-dd hh:mm' }],
      ]);
      const names = utils.aoa_to_sheet([
        ['رقم الطلب', 'اسم العميل', 'اسم العميل'],
        [1, 'سارة', 'أحمد'],
      ]);
      const book = workbook({ Sales: sales, أسماء: names, Empty: utils.aoa_to_sheet([]) });
      const file = await importTable(owner, book, {}, 'spreadsheet-search');
      expect(file.last_error).toBe('');
      expect(file.sheets).toEqual([
        { name: 'Sales', rows: 5, columns: 5, used_range: 'A1:E5' },
        { name: 'أسماء', rows: 2, columns: 3, used_range: 'A1:C2' },
        { name: 'Empty', rows: 0, columns: 0, used_range: '' },
      ]);
      expect(file.tables.map(({ name, sheet, row_count }) => [name, sheet, row_count])).toEqual([
        ['sales', 'Sales', 2],
        ['أسماء', 'أسماء', 1],
      ]);
      expect(typesOf(file)).toEqual([
        ['day', 'date'],
        ['region', 'text'],
        ['amount', 'number'],
        ['numbers_as_text', 'integer'],
        ['seen_at', 'datetime'],
      ]);
      expect(file.tables[1]!.columns.map(({ name }) => name)).toEqual(['رقم_الطلب', 'اسم_العميل', 'اسم_العميل_2']);
    });

    const ENCODED: [string, () => Uint8Array<ArrayBuffer>, string, string][] = [
      ['UTF-16', () => new Uint8Array(Buffer.from('\ufeffالمدينة,عدد\nصنعاء,3\n', 'utf16le')), 'المدينة', 'integer'],
      // "مدينة;عدد" and "عدن;1,5" in windows-1256, where commas are decimal
      [
        'windows-1256',
        () =>
          new Uint8Array([
            0xe3, 0xcf, 0xed, 0xe4, 0xc9, 0x3b, 0xda, 0xcf, 0xcf, 0x0a, 0xda, 0xcf, 0xe4, 0x3b, 0x31, 0x2c, 0x35, 0x0a,
          ]),
        'مدينة',
        'number',
      ],
      ['UTF-8 with a mark', () => new TextEncoder().encode('\ufeffville|nombre\nMâcon|1\n'), 'ville', 'integer'],
    ];
    // import-csv.spec.ts has these and more of them; one of them here shows that the processes do as it says.
    it.each(ENCODED.slice(0, rounds(3, 1)))('reads %s', async (_what, bytes, name, type) => {
      const file = await importTable(owner, csv(bytes()));
      expect(file).toMatchObject({ processing_state: 'completed', last_error: '' });
      expect(file.tables[0]!.columns.map((column) => column.type)).toEqual(['text', type]);
      expect(file.tables[0]!.columns[0]!.original_name).toBe(name);
    });

    inAll('keeps rows with too few cells, and a header without rows', async () => {
      const short = await importTable(owner, csv('a,b,c\n1,2\n4,5,6\n7,8,9,,\n,,\n'));
      expect(short.tables[0]).toMatchObject({ row_count: 3, columns: [{}, {}, { name: 'c', nullable: true }] });
      const bare = await importTable(owner, csv('a,b,c\n'));
      expect(bare).toMatchObject({ processing_state: 'completed', tables: [{ row_count: 0 }], warnings: [] });
    });

    inAll(
      'keeps a row with too many cells, computes formulas, and tells of units, sums and what is missing',
      async () => {
        const long = await importTable(owner, csv('a,b,price\nx,2,$3\ny,4,$5,6\nTotal,6,$3\n'));
        expect(long).toMatchObject({
          processing_state: 'completed',
          status: 'Imported and ready for questions; see the warnings.',
          tables: [
            { columns: [{}, {}, { unit: '$' }, { name: 'whole_row' }], total_rows: [{ row: 4, label: 'Total' }] },
          ],
          warnings: [expect.stringContaining('1 row has more cells than the header, which has 3 (row 3)')],
        });
        const sheet = utils.aoa_to_sheet([
          ['Item', 2023, null],
          [null, 'Q1', 'Q2'],
          ['a', 5, { t: 'n', f: 'B3*2' }],
          ['b', 6, { t: 'n', f: 'NOW()' }],
        ]);
        sheet['!merges'] = [utils.decode_range('B1:C1'), utils.decode_range('A1:A2')];
        const file = await importTable(owner, workbook({ S: sheet }));
        expect(file.tables[0]!.columns).toMatchObject([
          { name: 'item' },
          { name: 'c_2023_q1', header_path: ['2023', 'Q1'] },
          { name: 'c_2023_q2', header_path: ['2023', 'Q2'], missing_formulas: 1 },
        ]);
        expect(file.last_error).toBe('');
      },
    );

    const refused: [what: string, file: File, fields: Record<string, string>, reason: string][] = [
      ['blank lines only', csv('\n\n  \n'), {}, 'no rows'],
      [
        '501 columns',
        csv(Array.from({ length: 501 }, (_, index) => `c${index}`).join(',')),
        {},
        '501 columns. At most 500',
      ],
      ['a quotation mark left open', csv('a,b\n1,"2\n3,4\n'), {}, 'Row 2 has a quotation mark that is never closed.'],
      [
        'the wrong delimiter',
        csv('a,b\n1,2\n3,4\n'),
        { delimiter: ';' },
        '";" does not part the rows of this file; "," does.',
      ],
      [
        'the wrong encoding',
        csv(new Uint8Array([0x61, 0x0a, 0xe9, 0x0a])),
        { encoding: 'utf-8' },
        'not in the encoding UTF-8',
      ],
      ['a header below the end', csv('a,b\n1,2\n'), { header_row: '50' }, 'Row 50'],
      [
        '21 sheets',
        workbook(
          Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`S${index}`, utils.aoa_to_sheet([['a']])])),
        ),
        {},
        '21 sheets. At most 20',
      ],
      ['a workbook without cells', workbook({ Nothing: utils.aoa_to_sheet([]) }), {}, 'no cells with a value'],
    ];
    it.each(sample(refused, 5))('says why it cannot import %s', async (_what, file, fields, reason) => {
      const body = await importTable(owner, file, fields);
      expect(body).toMatchObject({ processing_state: 'failed', status: 'Could not be imported.', tables: [] });
      expect(body.last_error).toContain(reason);
    });

    inAll('imports again with other options, and answers by the former tables until then', async () => {
      const wrong = await importTable(owner, csv('x;y\n1;2\n'), { delimiter: ';', header_row: 'none' });
      expect(wrong.tables[0]).toMatchObject({ row_count: 2, columns: [{ name: 'column_1' }, { name: 'column_2' }] });
      const before = await keysOf(wrong.uid);
      const [first, second] = await Promise.all([
        callTables(owner, 'POST', `${wrong.uid}/retry/`, { header_row: 1 }),
        callTables(owner, 'POST', `${wrong.uid}/retry/`, { header_row: 1 }),
      ]);
      // The first import can be over before the second is asked for.
      expect([first!.status, second!.status]).toContain(202);
      for (const { status, body } of [first!, second!])
        if (status === 202) expect(body.tables).toHaveLength(1);
        else expect({ status, code: body.code }).toEqual({ status: 409, code: 'not_retryable' });
      const right = await imported(owner, wrong.uid);
      expect(right.tables[0]).toMatchObject({ row_count: 1, columns: [{ name: 'x' }, { name: 'y' }] });
      const after = await keysOf(wrong.uid);
      // The former tables go after the new ones are answered from.
      await until(() => !existsSync(before[1]!));
      expect(existsSync(before[0]!)).toBe(true);
      expect(after.map((path) => existsSync(path))).toEqual([true, true]);
      expect(await callTables(owner, 'POST', `${wrong.uid}/retry/`, { delimiter: 'x' })).toMatchObject({
        status: 400,
        body: { delimiter: [expect.any(String)] },
      });
    });

    inAll('lists a store newest first, apart from the other and from other people', async () => {
      const client = await HttpClient.signUp(platform.baseUrl);
      const uids = [];
      for (const name of ['first.csv', 'second.csv'])
        uids.unshift((await importTable(client, csv('a\n1\n', name))).uid);
      const sheet = await importTable(client, csv('a\n1\n'), {}, 'spreadsheet-search');
      const listed = await client.get<TabularBody[]>('/database-search/documents/');
      expect(listed.map(({ uid }) => uid)).toEqual(uids);
      expect(listed[0]).not.toHaveProperty('sheets');
      const spreadsheets = await client.get<TabularBody[]>('/spreadsheet-search/documents/');
      expect(spreadsheets).toMatchObject([{ uid: sheet.uid, sheets: [] }]);
      expect(await stranger.get('/database-search/documents/')).toEqual([]);
    });

    it('changes the folder of a file and nothing else of it', async () => {
      const file = await importTable(owner, csv('a\n1\n', 'moving.csv'));
      const moved = await callTables(owner, 'PUT', `${file.uid}/update/`, { ...file, folder: '/New//place/' });
      expect(moved).toMatchObject({ status: 200, body: { folder: 'New/place', tables: file.tables } });
      const renamed = await callTables(owner, 'PUT', `${file.uid}/update/`, { folder: '', filename: 'other.csv' });
      expect(renamed).toMatchObject({ status: 400, body: { error: expect.any(String), code: 'rename_not_allowed' } });
      const missing = await callTables(owner, 'PUT', `${file.uid}/update/`, {});
      expect(missing).toMatchObject({ status: 400, body: { folder: ['This field is required.'] } });
    });

    it('removes a file for good, with all its bytes', async () => {
      const { uid } = await importTable(owner, csv('a\n1\n'));
      const paths = await keysOf(uid);
      expect(paths.map((path) => existsSync(path))).toEqual([true, true]);
      expect(await callTables(owner, 'DELETE', `${uid}/delete/`)).toEqual({
        status: 200,
        body: { status: 'deleted', uid },
      });
      expect(paths.map((path) => existsSync(path))).toEqual([false, false]);
      expect((await callTables(owner, 'DELETE', `${uid}/delete/`)).status).toBe(404);
    });
  });
});
