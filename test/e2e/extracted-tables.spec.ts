import { newId } from '@app/common';
import { type CellEvidence, type CellValue, writeExtracted } from '@app/extraction';
import { read as readWorkbook, utils } from '@e965/xlsx';
import sharp from 'sharp';
import { startApi, type TestApi } from '../support/api.js';
import { upload } from '../support/documents-api.js';
import { HttpClient } from '../support/http-client.js';

const BASE = '/microservices/data-extractor';

interface Body {
  [field: string]: unknown;
}
interface Answer {
  status: number;
  body: Body;
}
interface RowBody extends Body {
  row_id: string;
  source_uid: string;
  data: Record<string, unknown>;
}

const proof = (quote: string, more: Partial<CellEvidence> = {}): CellEvidence => ({
  status: 'anchored',
  quote,
  spans: [{ page: 1, rect: [0.1, 0.2, 0.3, 0.25] }],
  pageWidth: 595,
  pageHeight: 842,
  place: null,
  score: 0.95,
  ambiguous: false,
  method: 'rules',
  anchor: 'exact',
  reason: null,
  model: null,
  ...more,
});

const send = async (client: HttpClient, method: string, path: string, body?: unknown): Promise<Answer> => {
  const response = await client.send(method, BASE + path, body);
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
};

const codeOf = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  return [status, body.code];
};

const names = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `c${index}` }));

/** What was read of an invoice. */
const invoice = (total: number): Record<string, [CellValue, CellEvidence]>[] => [
  {
    'No/رقم': ['A-1', proof('A-1', { ambiguous: true, score: 0.6 })],
    Total: [total, proof(String(total))],
    Due: [null, proof('', { status: 'no_evidence', spans: [], score: 0, anchor: 'none' })],
  },
];

describe('extracted tables', () => {
  let api: TestApi;
  let owner: HttpClient;
  let friend: HttpClient;
  let stranger: HttpClient;
  beforeAll(async () => {
    api = await startApi();
    [owner, friend, stranger] = await Promise.all([api.signUp(), api.signUp(), api.signUp()]);
  });
  afterAll(() => api.stop());

  const create = async (columns: unknown[], more: object = {}, by = owner): Promise<string> => {
    const { status, body } = await send(by, 'POST', '/create_table', { table_name: 'Invoices', columns, ...more });
    expect([status, body]).toEqual([200, { table_id: expect.any(String) }]);
    return body.table_id as string;
  };
  const rowsOf = async (id: string, query = '', by = owner): Promise<RowBody[]> =>
    (await send(by, 'GET', `/table/${id}${query}`)).body.rows as RowBody[];
  const extract = (tableId: string, sourceUid: string, values: Record<string, [CellValue, CellEvidence]>[]) =>
    api.database.dataSource.transaction((tx) =>
      writeExtracted(tx, {
        tableId,
        sourceUid,
        documentUid: sourceUid,
        filename: 'page.png',
        rows: values.map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, [value, evidence]]) => [name, { value, evidence }])),
        ),
        columns: null,
        mode: 'all',
        overwriteEdited: false,
      }),
    );
  const picture = async (by = owner): Promise<string> => {
    const pixels = sharp({ create: { width: 60, height: 80, channels: 3, background: '#fff' } });
    const file = new File([new Uint8Array(await pixels.png().toBuffer())], 'page.png');
    const { status, body } = await upload(by, file, { train_after_upload: 'false', ocr: 'true' });
    expect(status).toBe(201);
    return body.uid;
  };

  it('are created, listed, read, changed and deleted', async () => {
    const id = await create(
      [
        { name: ' Invoice no. ', instruction: 'The number' },
        { name: 'Total', output_type: 'number', format: 'currency' },
      ],
      {
        rows: [{ source_uid: 'a/b', filename: 'a.pdf', data: { 'invoice no': 7, total: '1.234,56' } }, { data: {} }],
        metadata: { row_mode: 'document', column_widths: { Total: 90 } },
      },
    );
    const { status, body } = await send(owner, 'GET', `/table/${id}`);
    expect(status).toBe(200);
    const rows = body.rows as RowBody[];
    expect(body).toMatchObject({
      table_id: id,
      table_name: 'Invoices',
      email: `${owner.username}@test.example`,
      organization_name: expect.any(String),
      columns: [
        {
          name: 'Invoice no',
          instruction: 'The number',
          output_type: 'string',
          format: null,
          required: false,
          enum: null,
          reference: null,
        },
        { name: 'Total', instruction: '', output_type: 'number', format: 'currency' },
      ],
      metadata: { row_mode: 'document', column_widths: { Total: 90 } },
      my_role: 'owner',
      rows_count: 2,
      extraction: null,
    });
    expect(rows).toMatchObject([
      { source_uid: 'a/b', filename: 'a.pdf', data: { 'Invoice no': '7', Total: 1234.56 }, processed_at: null },
      { data: {}, filename: '' },
    ]);
    expect(rows[1]!.source_uid).not.toBe('');
    const listed = (await send(owner, 'GET', '/tables')).body;
    expect(listed).toMatchObject({ count: 1, tables: [{ table_id: id, rows_count: 2, rows: [] }] });
    expect((await send(owner, 'GET', '/tables?organization_name=nobody')).body).toEqual({ count: 0, tables: [] });
    const other = await create([{ name: 'A' }]);
    const several = await send(owner, 'GET', `/table?ids=${other},${id}`);
    expect(several.body).toMatchObject({ count: 2, tables: [{ table_id: other, rows: [] }, { table_id: id }] });
    expect((several.body.tables as { rows: unknown[] }[])[1]!.rows).toHaveLength(2);

    const updated = await send(owner, 'PUT', `/update_table/${id}`, {
      table_name: 'Bills',
      columns: [
        { name: 'TOTAL', output_type: 'number' },
        { name: 'Due', format: 'date' },
      ],
      metadata: { note: 'x' },
      rows: [],
    });
    expect(updated).toEqual({
      status: 200,
      body: {
        table_id: id,
        existing_rows: 2,
        columns_added: ['Due'],
        columns_removed: ['Invoice no'],
        warning: 'The values of "Invoice no" were deleted from 2 rows.',
      },
    });
    expect((await send(owner, 'GET', `/table/${id}`)).body).toMatchObject({
      table_name: 'Bills',
      metadata: { row_mode: 'document', column_widths: { Total: 90 }, note: 'x' },
      rows: [{ data: { TOTAL: 1234.56 } }, { data: {} }],
    });
    const replaced = { rows: [{ data: { due: '3 March 2026' } }], replace_rows: true };
    expect((await send(owner, 'PUT', `/update_table/${id}`, replaced)).body).toMatchObject({
      existing_rows: 1,
      warning: null,
    });
    expect(await rowsOf(id)).toMatchObject([{ data: { Due: '2026-03-03' } }]);
    await send(owner, 'PUT', `/update_table/${id}`, { rows: [], replace_rows: true });
    expect(await rowsOf(id)).toEqual([]);

    expect(await send(owner, 'DELETE', `/table/${id}`)).toEqual({
      status: 200,
      body: { message: 'Table deleted.', table_id: id, deleted: { rows: 0, highlights: 0 } },
    });
    expect(await codeOf(send(owner, 'GET', `/table/${id}`))).toEqual([404, 'table_not_found']);
  });

  it('say what is wrong with what they are given, and write none of it', async () => {
    const columns = [{ name: 'A', output_type: 'number' }];
    const refused: [object, object][] = [
      [{ columns }, { table_name: ['This field is required.'] }],
      [{ table_name: 'T' }, { columns: ['This field is required.'] }],
      [{ table_name: 'T', columns: [] }, { columns: ['This list may not be empty.'] }],
      [{ table_name: 'T', columns: names(201) }, { columns: ['Ensure this field has no more than 200 elements.'] }],
      [
        { table_name: 'T', columns: [{ name: 'Total' }, { name: 'to.tal' }] },
        { 'columns.1.name': ['"total" and "Total" are the same name.'] },
      ],
      [
        { table_name: 'T', columns: [{ name: 'A', output_type: 'date' }] },
        { 'columns.0.output_type': ['"date" is not a valid choice.'] },
      ],
      [{ table_name: 'T', columns, rows: [7] }, { 'rows.0': ['Invalid data. Expected a dictionary, but got int.'] }],
      [{ table_name: 'T', columns, rows: [{}, { data: { A: 'many' } }] }, { 'rows.1.data.A': [expect.any(String)] }],
      [
        { table_name: 'T', columns, rows: [{ data: { B: 1 } }] },
        { 'rows.0.data.B': ['The table has no such column.'] },
      ],
      [
        { table_name: 'T', columns, rows: [{ data: { A: 1, 'a.': 2 } }] },
        { 'rows.0.data.a.': ['"A" is given twice.'] },
      ],
      [
        { table_name: 'T', columns, rows: [{ source_uid: 'x'.repeat(10_000) }] },
        { 'rows.0.source_uid': [expect.any(String)] },
      ],
      [{ table_name: 'T\0', columns }, { table_name: ['Null characters are not allowed.'] }],
      [{ table_name: 'T', columns, rows: [{ data: { A: '\0' } }] }, { rows: ['Null characters are not allowed.'] }],
      [
        { table_name: 'T', columns, metadata: { a: '\ud800' } },
        { metadata: ['Surrogate characters are not allowed.'] },
      ],
      [{ table_name: 'T', columns, metadata: { a: 'x'.repeat(70_000) } }, { metadata: [expect.any(String)] }],
      [{ table_name: 'T', columns, metadata: { row_mode: 'all' } }, { 'metadata.row_mode': [expect.any(String)] }],
      [{ table_name: 'T', columns, metadata: 'x' }, { metadata: [expect.any(String)] }],
      [{ table_name: 'T', columns, workflow_id: newId() }, { workflow_id: ['There is no such workflow.'] }],
      [
        {
          table_name: 'T',
          columns: [{ name: 'R', output_type: 'reference', reference: { table_id: newId(), column: 'A' } }],
        },
        { 'columns.0.reference.table_id': ['There is no such table.'] },
      ],
    ];
    const before = (await send(owner, 'GET', '/tables')).body.count;
    for (const [body, fields] of refused)
      expect([fields, await send(owner, 'POST', '/create_table', body)]).toEqual([
        fields,
        { status: 400, body: fields },
      ]);
    const deep = `{"table_name":"T","columns":[{"name":"A"}],"metadata":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`;
    const raw = (body: string) =>
      fetch(`${api.baseUrl}${BASE}/create_table`, {
        method: 'POST',
        headers: { authorization: `Token ${owner.token}`, 'content-type': 'application/json' },
        body,
      });
    expect((await raw(deep)).status).toBe(400);
    expect(
      (await raw('{"table_name":"T","columns":[{"name":"A","output_type":"number"}],"rows":[{"data":{"A":1e999}}]}'))
        .status,
    ).toBe(400);
    expect((await raw(`{"table_name":"T","columns":[{"name":"__proto__"}]}`)).status).toBe(400);
    expect((await send(owner, 'GET', '/tables')).body.count).toBe(before);

    const id = await create(columns, { rows: [{ source_uid: 's', data: { A: 1 } }] });
    const tooMany = Array.from({ length: 100_001 }, (_, row) => ({ source_uid: `s${row}`, data: { A: row } }));
    expect(await send(owner, 'PUT', `/update_table/${id}`, { rows: tooMany, replace_rows: true })).toEqual({
      status: 400,
      body: { rows: ['Ensure this field has no more than 100000 elements.'] },
    });
    expect((await send(owner, 'PUT', `/update_table/${id}`, { replace_rows: true })).status).toBe(400);
    const wrong = { rows: [{ data: { A: 2 } }, { data: { A: 'x' } }], replace_rows: true };
    expect((await send(owner, 'PUT', `/update_table/${id}`, { ...wrong, table_name: 'U' })).status).toBe(400);
    expect((await send(owner, 'GET', `/table/${id}`)).body).toMatchObject({
      table_name: 'Invoices',
      rows: [{ data: { A: 1 } }],
    });
    for (const data of [{}, { A: 'x' }, { B: 1 }, { filename: 'x' }, { processed_at: null }, { Created_At: 1 }, 'x'])
      expect((await send(owner, 'PATCH', `/table/${id}/rows/s`, { data })).status).toBe(400);
    expect((await send(owner, 'PATCH', `/table/${id}/rows/s`, {})).body).toEqual({ data: ['This field is required.'] });
    expect(await codeOf(send(owner, 'PATCH', `/table/${id}/rows/t`, { data: { A: 1 } }))).toEqual([
      404,
      'row_not_found',
    ]);
    expect(await codeOf(send(owner, 'DELETE', `/table/${id}/rows/${'x'.repeat(9_000)}`))).toEqual([
      404,
      'row_not_found',
    ]);
    expect(await codeOf(send(owner, 'GET', '/table'))).toEqual([400, undefined]);
    expect(await codeOf(send(owner, 'GET', '/table?ids='))).toEqual([400, undefined]);
    expect((await send(owner, 'GET', `/table/${id}?limit=0`)).status).toBe(400);
    // An id that is empty names nothing, least of all the list.
    expect((await send(owner, 'GET', '/tables_database/')).status).toBe(404);
    expect((await send(owner, 'GET', '/table/?ids=x')).status).toBe(404);
    // Names that mean something to JavaScript are names.
    const odd = await create([
      { name: 'constructor' },
      { name: 'toString' },
      { name: 'valueOf', output_type: 'number' },
    ]);
    await send(owner, 'PUT', `/update_table/${odd}`, {
      rows: [{ source_uid: 's', data: { constructor: 'x' } }],
      replace_rows: true,
    });
    await send(owner, 'PATCH', `/table/${odd}/rows/s`, { data: { valueOf: 3 } });
    expect((await rowsOf(odd))[0]!.data).toEqual({ constructor: 'x', valueOf: 3 });
  });

  it('show nothing to strangers, and to others what they were granted, until the next request', async () => {
    const id = await create([{ name: 'A' }], { rows: [{ source_uid: 's', data: { A: 'x' } }] });
    const readings = [
      ['GET', `/table/${id}`],
      ['GET', `/table?ids=${id}`],
      ['GET', `/table/${id}/export`],
      ['GET', `/table/${id}/highlights`],
      ['GET', `/table/${id}/review`],
      ['GET', `/table/${id}/changes`],
    ] as const;
    const writings = [
      ['PUT', `/update_table/${id}`, { table_name: 'Mine' }],
      ['PATCH', `/table/${id}/rows/s`, { data: { A: 'y' } }],
      ['DELETE', `/table/${id}/rows/s`, undefined],
      ['POST', `/table/${id}/rows/s/cells/A/verify`, { verified: true }],
      ['POST', `/table/${id}/changes/${newId()}/undo`, undefined],
    ] as const;
    const owning = [
      ['DELETE', `/table/${id}`, undefined],
      ['GET', `/table/${id}/grants`, undefined],
      ['POST', `/table/${id}/grants`, { emails: ['a@b.example'], role: 'viewer' }],
    ] as const;
    const friendId = (await friend.get<{ info: { id: number } }>('/users/me/')).info.id;
    for (const [method, path, body] of [...readings, ...writings, ...owning])
      expect([path, ...(await codeOf(send(stranger, method, path, body)))]).toEqual([path, 403, 'table_not_yours']);
    for (const ids of [`${id},${newId()}`, newId(), 'nothing'])
      expect(await codeOf(send(owner, 'GET', `/table?ids=${ids}`))).toEqual([403, 'table_not_yours']);
    expect(await codeOf(send(stranger, 'GET', `/table/${newId()}`))).toEqual([404, 'table_not_found']);
    expect((await send(stranger, 'GET', '/table/nothing')).status).toBe(404);

    const emails = [`${friend.username}@test.example`, 'no@body.example'];
    expect(await send(owner, 'POST', `/table/${id}/grants`, { emails, role: 'viewer' })).toEqual({
      status: 200,
      body: { added: [emails[0]], updated: [], not_found: [emails[1]], detail: '1 added, 0 updated, 1 not found.' },
    });
    expect(
      await send(owner, 'POST', `/table/${id}/grants`, { emails: [`${owner.username}@test.example`], role: 'editor' }),
    ).toMatchObject({
      status: 400,
      body: { code: 'cannot_add_owner' },
    });
    for (const [method, path] of readings.filter(([, path]) => !path.endsWith('export')))
      expect([path, (await send(friend, method, path)).status]).toEqual([path, 200]);
    expect((await send(friend, 'GET', '/tables')).body).toMatchObject({ count: 1, tables: [{ my_role: 'viewer' }] });
    for (const [method, path, body] of writings)
      expect([path, ...(await codeOf(send(friend, method, path, body)))]).toEqual([path, 403, 'table_read_only']);
    for (const [method, path, body] of owning)
      expect([path, ...(await codeOf(send(friend, method, path, body)))]).toEqual([path, 403, 'not_table_owner']);
    expect(await codeOf(send(friend, 'DELETE', `/table/${id}/grants/${friendId + 1_000}`))).toEqual([
      403,
      'not_table_owner',
    ]);

    expect((await send(owner, 'POST', `/table/${id}/grants`, { emails, role: 'editor' })).body).toMatchObject({
      updated: [emails[0]],
    });
    const listed = await owner.get<object[]>(`${BASE}/table/${id}/grants`);
    expect(listed).toEqual([
      {
        user: { id: friendId, username: friend.username, email: emails[0] },
        role: 'editor',
        role_label: 'Can edit',
        created_at: expect.any(String),
      },
    ]);
    expect((await send(friend, 'PATCH', `/table/${id}/rows/s`, { data: { A: 'y' } })).status).toBe(200);
    expect((await send(owner, 'DELETE', `/table/${id}/grants/${friendId}`)).status).toBe(204);
    expect(await codeOf(send(owner, 'DELETE', `/table/${id}/grants/${friendId}`))).toEqual([404, 'grant_not_found']);
    expect(await codeOf(send(friend, 'GET', `/table/${id}`))).toEqual([403, 'table_not_yours']);
    expect(await codeOf(send(friend, 'PATCH', `/table/${id}/rows/s`, { data: { A: 'z' } }))).toEqual([
      403,
      'table_not_yours',
    ]);
    await send(owner, 'POST', `/table/${id}/grants`, { emails, role: 'viewer' });
    expect((await send(friend, 'DELETE', `/table/${id}/grants/${friendId}`)).status).toBe(204);

    const nobody = await HttpClient.signUp(api.baseUrl);
    await api.database.dataSource.query(`UPDATE users SET email = '' WHERE username = $1`, [nobody.username]);
    for (const path of ['/tables', '/tables_database', `/table/${newId()}`])
      expect([path, ...(await codeOf(send(nobody, 'GET', path)))]).toEqual([path, 403, 'email_required']);
  });

  it('tell where values stand; what a person changes has no proof, and stays', async () => {
    const uid = await picture();
    const id = await create([{ name: 'No/رقم' }, { name: 'Total', output_type: 'number' }, { name: 'Due' }]);
    await extract(id, uid, invoice(7));
    const highlights = async (query: string, by = owner) =>
      (await send(by, 'GET', `/table/${id}/highlights${query}`)).body as {
        success: boolean;
        result: Body & { highlights: Body[] };
      };
    const { success, result } = await highlights(`?source_uid=${uid}`);
    expect(success).toBe(true);
    expect(result).toMatchObject({
      table_id: id,
      source_uid: uid,
      filename: 'page.png',
      file_path: `/media/documents/${uid}/page.png`,
      truncated: false,
    });
    expect((await fetch(result.file_url as string)).status).toBe(200);
    expect(result.highlights.map(({ column_name: name, status }) => [name, status])).toEqual([
      ['Due', 'no_evidence'],
      ['No/رقم', 'anchored'],
      ['Total', 'anchored'],
    ]);
    expect(result.highlights[2]).toMatchObject({
      value: 7,
      quote: '7',
      spans: [{ page: 1, rect: [0.1, 0.2, 0.3, 0.25] }],
      page_width: 595,
      page_height: 842,
      score: 0.95,
      ambiguous: false,
      method: 'rules',
      anchor: 'exact',
      verified_by: null,
      model: null,
    });
    expect((await highlights('?column_name=total')).result.highlights).toHaveLength(1);
    expect((await highlights('?source_uid=nothing')).result).toMatchObject({ file_url: null, highlights: [] });

    const review = async (query = '') =>
      (await send(owner, 'GET', `/table/${id}/review${query}`)).body as { count: number; results: Body[] };
    const queue = await review();
    expect(queue.results.map(({ column_name: name }) => name)).toEqual(['Due', 'No/رقم']);
    expect(queue.results[1]).toMatchObject({
      source_uid: uid,
      row_id: expect.any(String),
      value: 'A-1',
      quote: 'A-1',
      ambiguous: true,
      page: 1,
      rect: [0.1, 0.2, 0.3, 0.25],
      page_url: expect.stringContaining(`/media/thumbnails/${uid}/1-1280.webp?`),
      file_url: expect.stringContaining(`/media/documents/${uid}/page.png?`),
    });
    expect((await review('?status=ambiguous')).count).toBe(1);
    expect((await review('?status=no_evidence&column=due')).count).toBe(1);
    expect((await review('?status=unanchored')).count).toBe(0);
    expect((await send(owner, 'GET', `/table/${id}/review?status=bad`)).status).toBe(400);

    // Who sees the table does not see the document by that.
    await send(owner, 'POST', `/table/${id}/grants`, { emails: [`${friend.username}@test.example`], role: 'editor' });
    expect((await highlights(`?source_uid=${uid}`, friend)).result).toMatchObject({ file_path: null, file_url: null });
    const verify = `/table/${id}/rows/${uid}/cells/${encodeURIComponent('No/رقم')}/verify`;
    expect(await send(friend, 'POST', verify, { verified: true })).toMatchObject({
      status: 200,
      body: { column_name: 'No/رقم', quote: 'A-1', verified_by: friend.username },
    });
    expect((await review()).count).toBe(1);
    expect(
      (await send(owner, 'POST', `/table/${id}/rows/${uid}/cells/Nothing/verify`, { verified: true })).status,
    ).toBe(404);

    const edited = await send(owner, 'PATCH', `/table/${id}/rows/${uid}`, { data: { Total: '8', due: null } });
    expect(edited).toMatchObject({
      status: 200,
      body: { source_uid: uid, data: { 'No/رقم': 'A-1', Total: 8, Due: null }, updated_rows: 1 },
    });
    expect((await highlights('')).result.highlights.map(({ column_name: name }) => name)).toEqual(['No/رقم']);
    expect((await review()).count).toBe(0);
    await extract(id, uid, invoice(9));
    expect((await rowsOf(id))[0]!.data).toEqual({ 'No/رقم': 'A-1', Total: 8, Due: null });

    const undo = `/table/${id}/changes/${String(edited.body.change_id)}/undo`;
    await send(owner, 'PATCH', `/table/${id}/rows/${uid}`, { data: { due: 'now' } });
    expect(await send(owner, 'POST', undo)).toMatchObject({
      status: 200,
      body: { restored: 1, skipped: [{ column_name: 'Due', reason: 'changed_since' }] },
    });
    expect(await codeOf(send(owner, 'POST', undo))).toEqual([409, 'change_undone']);
    expect((await rowsOf(id))[0]!.data).toEqual({ 'No/رقم': 'A-1', Total: 7, Due: 'now' });
    expect((await highlights('?column_name=Total')).result.highlights).toMatchObject([{ quote: '7' }]);
    expect((await send(owner, 'GET', `/table/${id}/changes`)).body).toMatchObject({
      count: 2,
      results: [
        {
          user: { username: owner.username },
          changes: [{ column_name: 'Due', before: null, after: 'now' }],
          undone_at: null,
        },
        { undone_at: expect.any(String) },
      ],
    });

    // The document goes, its rows stay.
    for (const path of ['delete/', 'permanent-delete/'])
      expect((await owner.send('DELETE', `/semantic-search/${uid}/${path}`)).status).toBe(200);
    expect((await highlights(`?source_uid=${uid}`)).result).toMatchObject({ filename: 'page.png', file_url: null });
    const gone = await send(owner, 'DELETE', `/table/${id}/rows/${uid}`);
    expect(gone).toMatchObject({ status: 200, body: { table_id: id, source_uid: uid, deleted_rows: 1 } });
    expect(await rowsOf(id)).toEqual([]);
  });

  it('have rows that are paged, filtered, and changed one by one though they share a source', async () => {
    const uid = 'سطر/ 50% of?#';
    const rows = [1, 2, 3].map((n) => ({ source_uid: uid, data: { A: n, B: `line ${n}` } }));
    const id = await create([{ name: 'A', output_type: 'number' }, { name: 'B' }], {
      rows: [...rows, { data: { B: '100%' } }],
    });
    const first = (await send(owner, 'GET', `/table/${id}?limit=2`)).body;
    expect((first.rows as RowBody[]).map(({ data }) => data.A)).toEqual([1, 2]);
    const second = (await send(owner, 'GET', `/table/${id}?limit=2&cursor=${String(first.next_cursor)}`)).body;
    expect(second).toMatchObject({
      rows_count: 4,
      next_cursor: null,
      rows: [{ data: { A: 3 } }, { data: { B: '100%' } }],
    });
    expect(await rowsOf(id, '?query=LINE')).toHaveLength(3);
    expect(await rowsOf(id, '?query=%25')).toHaveLength(1);
    expect(await rowsOf(id, '?query=_')).toHaveLength(0);
    const at = `/table/${id}/rows/${encodeURIComponent(uid)}`;
    const rowId = (first.rows as RowBody[])[1]!.row_id;
    expect((await send(owner, 'PATCH', at, { data: { B: 'mine' }, row_id: rowId })).body).toMatchObject({
      row_id: rowId,
      updated_rows: 1,
    });
    expect((await rowsOf(id)).map(({ data }) => data.B)).toEqual(['line 1', 'mine', 'line 3', '100%']);
    expect(await rowsOf(id, '?status=edited')).toHaveLength(1);
    expect((await send(owner, 'PATCH', at, { data: { A: null } })).body).toMatchObject({ updated_rows: 3 });
    expect(await codeOf(send(owner, 'DELETE', `${at}?row_id=${newId()}`))).toEqual([404, 'row_not_found']);
    expect((await send(owner, 'DELETE', `${at}?row_id=${rowId}`)).body).toMatchObject({
      deleted_rows: 1,
      source_uid: uid,
    });
    expect((await send(owner, 'DELETE', at)).body).toMatchObject({ deleted_rows: 2 });
    expect((await send(owner, 'GET', `/table/${id}`)).body).toMatchObject({ rows_count: 1 });
  });

  it('lose nothing when several people change a row at once', async () => {
    const columns = Array.from({ length: 8 }, (_, index) => ({ name: `c${index}` }));
    const id = await create(columns, { rows: [{ source_uid: 's' }] });
    const answers = await Promise.all(
      columns.map(({ name }) => send(owner, 'PATCH', `/table/${id}/rows/s`, { data: { [name]: name } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(columns.map(() => 200));
    expect((await rowsOf(id))[0]!.data).toEqual(Object.fromEntries(columns.map(({ name }) => [name, name])));
    const deletes = await Promise.all([1, 2, 3].map(() => send(owner, 'DELETE', `/table/${id}/rows/s`)));
    expect(deletes.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    expect((await send(owner, 'GET', `/table/${id}`)).body).toMatchObject({ rows_count: 0, rows: [] });
  });

  it('become a workbook with types, without formulas, with a sheet of evidence', async () => {
    const columns = [
      { name: '=المبلغ', output_type: 'number' },
      { name: 'التاريخ', format: 'date' },
      { name: 'ملاحظة' },
      { name: 'نعم', output_type: 'boolean' },
      { name: 'قائمة', output_type: 'list' },
    ];
    const texts = ['=1+1', '+962', '-x', '@a', '\tx', ' =2', 'plain', '_x0041_ <&"'];
    const id = await create(columns, {
      table_name: 'فواتير [2026]',
      rows: texts.map((text) => ({
        data: { '=المبلغ': -5.5, التاريخ: '2026-03-01', ملاحظة: `${text}\u200b`, نعم: true, قائمة: ['a', 'b'] },
      })),
    });
    const uid = await picture();
    await extract(id, uid, [{ '=المبلغ': [-7, proof('=-7')], ملاحظة: ['x', proof('@cmd')] }]);
    const response = await owner.send('GET', `${BASE}/table/${id}/export`);
    expect(response.headers.get('content-type')).toBe(
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    );
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; .*xlsx/);
    const book = readWorkbook(Buffer.from(await response.arrayBuffer()), {
      cellDates: true,
      cellNF: true,
      cellFormula: true,
    });
    expect(book.SheetNames).toEqual(['فواتير  2026', 'Evidence']);
    const sheet = book.Sheets[book.SheetNames[0]!]!;
    const lines = utils.sheet_to_json<unknown[]>(sheet, { header: 1, UTC: true });
    expect(lines[0]).toEqual([
      "'=المبلغ",
      'التاريخ',
      'ملاحظة',
      'نعم',
      'قائمة',
      'filename',
      'source_uid',
      'processed_at',
    ]);
    expect(lines[1]!.slice(0, 5)).toEqual([-5.5, new Date('2026-03-01T00:00:00Z'), expect.any(String), true, 'a; b']);
    const cells = Object.values(sheet).filter((cell: { t?: string }) => typeof cell.t === 'string') as {
      t: string;
      f?: string;
      v: unknown;
    }[];
    expect(cells.filter(({ f }) => f !== undefined)).toEqual([]);
    expect(cells.filter(({ t, v }) => t === 's' && /^\s*[=+\-@]/.test(String(v)))).toEqual([]);
    expect(lines.slice(1, 9).map((line) => String(line[2]).replace('\u200b', ''))).toEqual(
      ["'=1+1", "'+962", "'-x", "'@a", "'\tx", "' =2", 'plain', '_x0041_ <&"'].map((text) =>
        text.replace("'\tx", 'x').replace("' =2", "'=2"),
      ),
    );
    const proofs = utils.sheet_to_json<Record<string, unknown>>(book.Sheets.Evidence!);
    expect(proofs).toMatchObject([
      {
        source_uid: uid,
        document: 'page.png',
        row: 10,
        column: "'=المبلغ",
        value: -7,
        status: 'anchored',
        page: 1,
        quote: "'=-7",
        method: 'rules',
      },
      { column: 'ملاحظة', value: 'x', quote: "'@cmd" },
    ]);
  });

  it('are put together under a name', async () => {
    const [a, b] = [await create([{ name: 'A' }]), await create([{ name: 'A' }])];
    const theirs = await create([{ name: 'A' }], {}, friend);
    expect(await codeOf(send(owner, 'POST', '/tables_database', { name: 'D', table_ids: [a, theirs] }))).toEqual([
      403,
      'table_not_yours',
    ]);
    expect((await send(owner, 'POST', '/tables_database', { name: '' })).status).toBe(400);
    const made = await send(owner, 'POST', '/tables_database', { name: 'D', table_ids: [b, a, b] });
    const id = String(made.body.tables_database_id);
    expect(made).toMatchObject({
      status: 200,
      body: {
        name: 'D',
        table_ids: [b, a],
        tables_count: 2,
        email: `${owner.username}@test.example`,
        created_at: expect.any(String),
      },
    });
    expect((await send(owner, 'GET', '/tables_database')).body).toMatchObject({
      count: 1,
      tables_databases: [{ tables_database_id: id }],
    });
    expect((await send(owner, 'GET', `/tables_database/${id}`)).body).toEqual(made.body);
    expect((await send(owner, 'PUT', `/tables_database/${id}`, { name: 'E' })).body).toMatchObject({
      name: 'E',
      table_ids: [b, a],
    });
    expect((await send(owner, 'PUT', `/tables_database/${id}`, { table_ids: [a] })).body).toMatchObject({
      name: 'E',
      tables_count: 1,
    });
    for (const [method, body] of [['GET'], ['PUT', { name: 'X' }], ['DELETE']] as const)
      expect(await codeOf(send(friend, method, `/tables_database/${id}`, body))).toEqual([
        403,
        'tables_database_not_yours',
      ]);
    expect(await codeOf(send(owner, 'GET', `/tables_database/${newId()}`))).toEqual([404, 'tables_database_not_found']);
    await send(owner, 'DELETE', `/table/${a}`);
    expect((await send(owner, 'GET', `/tables_database/${id}`)).body).toMatchObject({ table_ids: [] });
    expect(await send(owner, 'DELETE', `/tables_database/${id}`)).toEqual({
      status: 200,
      body: { message: 'Table database deleted.', tables_database_id: id },
    });
    expect((await send(owner, 'GET', `/table/${b}`)).status).toBe(200);
  });

  it('go with the workflow that made them, as far as they are its owner’s', async () => {
    const workflow = { name: 'W', json: { name: 'W', version: '1', entry: [], nodes: [], edges: [] } };
    const started = await owner.post<{ id?: string; workflow_id?: string }>('/microservices/workflow/start/', workflow);
    const workflowId = started.id ?? started.workflow_id!;
    const id = await create([{ name: 'A' }], { workflow_id: workflowId, rows: [{}] });
    expect(
      (
        await send(friend, 'POST', '/create_table', {
          table_name: 'T',
          columns: [{ name: 'A' }],
          workflow_id: workflowId,
        })
      ).status,
    ).toBe(400);
    await owner.post(`/microservices/workflow/${workflowId}/collaborators/`, {
      emails: [`${friend.username}@test.example`],
      role: 'editor',
    });
    const theirs = await create([{ name: 'A' }], { workflow_id: workflowId }, friend);
    const impact = await owner.get<Body>(`/microservices/workflow/${workflowId}/delete-impact/`);
    expect(impact.extractor_tables_deleted).toEqual([{ table_id: id, table_name: 'Invoices', rows_count: 1 }]);
    const deleted = await owner.send('DELETE', `/microservices/workflow/${workflowId}/permanent-delete/`);
    expect(await deleted.json()).toMatchObject({ deleted: { extractor_tables: 1 } });
    expect((await send(owner, 'GET', `/table/${id}`)).status).toBe(404);
    expect((await send(friend, 'GET', `/table/${theirs}`)).status).toBe(200);
  });

  it('are nobody’s where there is no extractor', async () => {
    const replica = await api.startReplica({ EXTRACTOR: 'none' });
    try {
      const headers = { authorization: `Token ${owner.token}` };
      const response = await fetch(`${replica.baseUrl}${BASE}/tables`, { headers });
      expect([response.status, await response.json()]).toMatchObject([503, { code: 'extractor_not_configured' }]);
    } finally {
      await replica.stop();
    }
  });
});
