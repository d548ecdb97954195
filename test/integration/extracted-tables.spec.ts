import { AddressTrust } from '@app/access';
import { AuditLog } from '@app/audit';
import { newId, SystemClock } from '@app/common';
import {
  type CellEvidence,
  type CellValue,
  ExtractedCells,
  ExtractedRows,
  ExtractedTables,
  type ExtractedValues,
  type ExtractedWrite,
  type RowRecord,
  TableChanges,
  type TableColumn,
  TableGrants,
  TableRows,
  writeExtracted,
} from '@app/extraction';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';

const column = (name: string, outputType: TableColumn['outputType'] = 'string'): TableColumn => ({
  name,
  instruction: '',
  outputType,
  format: null,
  required: false,
  enum: null,
  reference: null,
});

const proof = (quote: string): CellEvidence => ({
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
});

const at = (sourceUid: string) => ({ sourceUid, rowId: null });

/** What was read: a proof for each value, none for a blank. */
const read = (values: Record<string, CellValue>): ExtractedValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const evidence = proof(String(value));
      return [name, { value, evidence: value === null ? { ...evidence, status: 'no_evidence', quote: '' } : evidence }];
    }),
  );

const items = (...names: string[]): ExtractedValues[] => names.map((Item, index) => read({ Item, Price: index }));

describe('extracted tables', () => {
  let database: TestDatabase;
  let tables: ExtractedTables;
  let rows: ExtractedRows;
  let cells: ExtractedCells;
  let changes: TableChanges;
  let stored: TableRows;
  let actor: { userId: number; username: string };

  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    const audit = new AuditLog(dataSource);
    tables = new ExtractedTables(dataSource, audit);
    rows = new ExtractedRows(dataSource, audit, new SystemClock());
    cells = new ExtractedCells(dataSource, new SystemClock());
    changes = new TableChanges(dataSource);
    stored = new TableRows(dataSource);
  });
  beforeEach(async () => {
    const userId = await createUserRow(database);
    actor = { userId, username: 'somebody' };
  });
  afterAll(() => database.drop());

  const create = (columns: TableColumn[], given: unknown[] | null = null, metadata = {}) =>
    tables.create(actor, { name: 'T', columns, rows: given, metadata, workflowId: null });
  const write = (tableId: string, values: ExtractedValues[], more: Partial<ExtractedWrite> = {}) =>
    database.dataSource.transaction((tx) =>
      writeExtracted(tx, {
        tableId,
        sourceUid: 's',
        documentUid: null,
        filename: 'a.pdf',
        rows: values,
        columns: null,
        mode: 'all',
        overwriteEdited: false,
        ...more,
      }),
    );
  const rowsOf = async (tableId: string): Promise<RowRecord[]> => {
    const found = await stored.page(actor.userId, tableId, {}, null, 1_000);
    return found.toSorted((a, b) => a.position - b.position);
  };
  const dataOf = async (tableId: string) => (await rowsOf(tableId)).map(({ data }) => data);
  const proofsOf = async (tableId: string) =>
    (await cells.highlights(actor.userId, tableId, { sourceUid: null, column: null })).cells.map(
      ({ column: name, quote }) => `${name}: ${quote}`,
    );

  it('are written by an extraction as a whole; twice is the same as once', async () => {
    const id = await create([column('No'), column('Total', 'number')]);
    const values = [read({ No: 'A', Total: 7 })];
    const first = await write(id, values);
    const before = await rowsOf(id);
    expect(await write(id, values)).toEqual(first);
    expect(first).toEqual({ cellsFilled: 2, cellsEmpty: 0, rowIds: [before[0]!.id] });
    expect((await rowsOf(id)).map(({ id: rowId, data }) => [rowId, data])).toEqual(
      before.map(({ id: rowId, data }) => [rowId, data]),
    );
    expect((await tables.get(actor.userId, id)).rowsCount).toBe(1);
    expect(await proofsOf(id)).toEqual(['No: A', 'Total: 7']);
  });

  it('keep what a person edited or verified, unless told otherwise', async () => {
    const id = await create([column('No'), column('Total', 'number'), column('Date')]);
    await write(id, [read({ No: 'A', Total: 7, Date: 'd' })]);
    await rows.edit(actor, id, at('s'), { total: '1.234,56' });
    await cells.verify(actor, id, { sourceUid: 's', column: 'Date', rowId: null }, true);
    expect(await proofsOf(id)).toEqual(['Date: d', 'No: A']);
    expect(await write(id, [read({ No: 'B', Total: 8, Date: 'e' })])).toMatchObject({ cellsFilled: 3 });
    expect(await dataOf(id)).toEqual([{ No: 'B', Total: 1234.56, Date: 'd' }]);
    await write(id, [read({ No: 'B', Total: 8, Date: 'e' })], { overwriteEdited: true });
    expect(await dataOf(id)).toEqual([{ No: 'B', Total: 8, Date: 'e' }]);
  });

  it('are filled where they are empty alone, when that is asked for', async () => {
    const id = await create([column('No'), column('Total', 'number'), column('Date')]);
    await write(id, [read({ No: 'A', Total: null, Date: null })]);
    await rows.edit(actor, id, at('s'), { Date: null });
    const { cellsFilled, cellsEmpty } = await write(id, [read({ No: 'B', Total: 8, Date: 'e' })], { mode: 'missing' });
    // That it is empty is what the person said.
    expect(await dataOf(id)).toEqual([{ No: 'A', Total: 8, Date: null }]);
    expect([cellsFilled, cellsEmpty]).toEqual([2, 1]);
    await write(id, [], { mode: 'missing' });
    expect(await dataOf(id)).toHaveLength(1);
  });

  it('have line items that come and go; those that somebody worked on stay with their line', async () => {
    const id = await create([column('Item'), column('Price', 'number')], null, { row_mode: 'items' });
    const { rowIds } = await write(id, items('a', 'b', 'c'));
    await database.dataSource.query(
      `UPDATE extracted_cells SET edited_at = now() WHERE row_id = $1 AND column_name = 'Price'`,
      [rowIds[1]],
    );
    await database.dataSource.query(`UPDATE extracted_rows SET data = data || '{"Price": 99}' WHERE id = $1`, [
      rowIds[1],
    ]);
    const second = await write(id, items('new', 'a', 'b', 'b', 'd'));
    expect(await dataOf(id)).toEqual([
      { Item: 'new', Price: 0 },
      { Item: 'a', Price: 1 },
      { Item: 'b', Price: 99 },
      { Item: 'b', Price: 3 },
      { Item: 'd', Price: 4 },
    ]);
    expect(second.rowIds[2]).toBe(rowIds[1]);
    await write(id, items('z'));
    expect(await dataOf(id)).toEqual([
      { Item: 'z', Price: 0 },
      { Item: 'b', Price: 99 },
    ]);
    await write(id, items('z'), { overwriteEdited: true });
    expect(await dataOf(id)).toEqual([{ Item: 'z', Price: 0 }]);
    expect((await tables.get(actor.userId, id)).rowsCount).toBe(1);
  });

  it('take what was read for their columns as they are now', async () => {
    const id = await create([column('No'), column('Old'), column('Total')]);
    await tables.update(actor, id, { columns: [column('No'), column('Total', 'number'), column('New')] });
    await write(id, [read({ No: 'A', Old: 'x', Total: 'many' })]);
    expect(await dataOf(id)).toEqual([{ No: 'A', Total: null }]);
    const { items: queue } = await cells.review(
      actor.userId,
      id,
      { status: null, column: 'total' },
      { page: 1, pageSize: 10 },
    );
    expect(queue).toMatchObject([{ value: null, quote: 'many', score: 0, reason: 'not_a_number' }]);
    await tables.delete(actor, id);
    await expect(write(id, [read({ No: 'A' })])).rejects.toMatchObject({ code: 'table_not_found' });
    const left = await database.dataSource.query<unknown[]>('SELECT FROM extracted_cells WHERE table_id = $1', [id]);
    expect(left).toEqual([]);
  });

  it('hold what Postgres cannot hold as something else', async () => {
    const id = await create([column('No'), column('Blob', 'object')]);
    await write(id, [
      { No: { value: 'a\0b\ud800', evidence: proof('q\0uote') }, ...read({ Blob: { 'k\0': '\udfff' } }) },
    ]);
    expect(await rowsOf(id)).toHaveLength(1);
    expect((await proofsOf(id)).at(-1)).toBe('No: q\ufffduote');
  });

  it('follow their columns: values go with them, and are read anew in another type', async () => {
    const id = await create(
      [column('a'), column('B'), column('C')],
      [
        { source_uid: '1', data: { a: '5', B: 'x', C: '1.234,5' } },
        { source_uid: '2', data: { a: '6', B: 'y', C: 'many' } },
      ],
    );
    const updated = await tables.update(actor, id, {
      columns: [column('A'), column('C', 'number'), column('constructor')],
    });
    expect(updated).toEqual({
      tableId: id,
      existingRows: 2,
      columnsAdded: ['constructor'],
      columnsRemoved: ['B'],
      warning:
        'The values of "B" were deleted from 2 rows. 1 values of "C" cannot be read in their new type, and were kept as they are.',
    });
    expect(await dataOf(id)).toEqual([
      { A: '5', C: 1234.5 },
      { A: '6', C: 'many' },
    ]);
    await rows.edit(actor, id, at('1'), { constructor: 'mine' });
    expect((await dataOf(id))[0]).toEqual({ A: '5', C: 1234.5, constructor: 'mine' });
  });

  it('give back what was changed, with its proof; what was changed again since stays', async () => {
    const id = await create([column('No'), column('Total', 'number')]);
    await write(id, [read({ No: 'A', Total: 7 })]);
    const first = await rows.edit(actor, id, at('s'), { No: 'B', Total: 8 });
    await rows.edit(actor, id, at('s'), { Total: 9 });
    const undone = await changes.undo(actor.userId, id, first.changeId!);
    expect(undone).toMatchObject({ restored: 1, skipped: [{ column: 'Total', reason: 'changed_since' }] });
    expect(await dataOf(id)).toEqual([{ No: 'A', Total: 9 }]);
    expect(await proofsOf(id)).toEqual(['No: A']);
    await expect(changes.undo(actor.userId, id, first.changeId!)).rejects.toMatchObject({ code: 'change_undone' });

    const { changeId } = await rows.delete(actor, id, at('s'));
    expect(await dataOf(id)).toEqual([]);
    expect(await changes.undo(actor.userId, id, changeId!)).toEqual({ restored: 1, skipped: [] });
    expect(await dataOf(id)).toEqual([{ No: 'A', Total: 9 }]);
    expect(await proofsOf(id)).toEqual(['No: A']);
    expect((await tables.get(actor.userId, id)).rowsCount).toBe(1);
  });

  it('lose no change to one that is made at the same moment', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `c${index}`);
    const id = await create(
      names.map((name) => column(name)),
      [{ source_uid: 's', data: {} }],
    );
    await Promise.all([
      ...names.map((name) => rows.edit(actor, id, at('s'), { [name]: name })),
      write(id, [read(Object.fromEntries(names.map((name) => [name, 'machine'])))], { mode: 'missing' }),
    ]);
    expect(await dataOf(id)).toEqual([Object.fromEntries(names.map((name) => [name, name]))]);
  });

  it('count their rows right when they are replaced beside an extraction', async () => {
    const id = await create([column('No')], [{ source_uid: 'a', data: { No: 'old' } }]);
    const replace = (No: string) => tables.update(actor, id, { rows: [{ source_uid: No, data: { No } }] });
    await Promise.all([
      replace('x'),
      write(
        id,
        items('1', '2').map(() => read({ No: 'machine' })),
      ),
      replace('y'),
    ]);
    const found = await rowsOf(id);
    expect((await tables.get(actor.userId, id)).rowsCount).toBe(found.length);
    // What came last is there, and of what came before it nothing but what came after the other replacement.
    const replaced = found.filter(({ sourceUid }) => sourceUid !== 's').map(({ data }) => data.No);
    expect(['x', 'y']).toEqual(expect.arrayContaining(replaced));
    expect(replaced).toHaveLength(1);
    expect([0, 2]).toContain(found.length - 1);
  });

  it('are of those who were given access, as long as they have it', async () => {
    const id = await create([column('No')], [{ source_uid: 's', data: { No: 'A' } }]);
    const friend = { userId: await createUserRow(database), username: 'friend' };
    const [{ email }] = await database.dataSource.query<[{ email: string }]>('SELECT email FROM users WHERE id = $1', [
      friend.userId,
    ]);
    const grants = new TableGrants(database.dataSource, new AuditLog(database.dataSource), new AddressTrust(false));
    await expect(rows.edit(friend, id, at('s'), { No: 'B' })).rejects.toMatchObject({ code: 'table_not_yours' });
    expect(await grants.add(actor, id, [email.toUpperCase(), 'no@body.example'], 'viewer')).toEqual({
      added: [email.toUpperCase()],
      updated: [],
      notFound: ['no@body.example'],
    });
    expect((await tables.get(friend.userId, id)).role).toBe('viewer');
    await expect(rows.edit(friend, id, at('s'), { No: 'B' })).rejects.toMatchObject({ code: 'table_read_only' });
    expect(await grants.add(actor, id, [email], 'editor')).toMatchObject({ added: [], updated: [email] });
    await rows.edit(friend, id, at('s'), { No: 'B' });
    await expect(tables.delete(friend, id)).rejects.toMatchObject({ code: 'not_table_owner' });
    await grants.remove(actor, id, friend.userId);
    await expect(rows.edit(friend, id, at('s'), { No: 'C' })).rejects.toMatchObject({ code: 'table_not_yours' });
    await expect(tables.get(friend.userId, newId())).rejects.toMatchObject({ code: 'table_not_found' });
  });

  it('hold keys of another table in columns that refer to it', async () => {
    const suppliers = await create([column('Name')], [{ data: { Name: 'Müller GmbH' } }, { data: { Name: 'شركة' } }]);
    const supplier = { ...column('Supplier', 'reference'), reference: { tableId: suppliers, column: 'name' } };
    const id = await create([supplier], [{ source_uid: 's', data: { Supplier: ' müller  gmbh ' } }]);
    expect(await dataOf(id)).toEqual([{ Supplier: 'Müller GmbH' }]);
    await expect(rows.edit(actor, id, at('s'), { Supplier: 'Meier' })).rejects.toMatchObject({
      fields: { 'data.Supplier': ['There is no row with this key in the table that the column refers to.'] },
    });
    await write(id, [read({ Supplier: 'Nobody' })]);
    expect(await dataOf(id)).toEqual([{ Supplier: null }]);
    const stranger = { userId: await createUserRow(database), username: 'stranger' };
    const theirs = { name: 'T', columns: [supplier], rows: null, metadata: {}, workflowId: null };
    await expect(tables.create(stranger, theirs)).rejects.toMatchObject({
      fields: { 'columns.0.reference.table_id': ['There is no such table.'] },
    });
  });
});
