import { AuditLog } from '@app/audit';
import { newId, SystemClock } from '@app/common';
import {
  type DeskCall,
  DeskChanges,
  ExtractedRows,
  ExtractedTables,
  MAX_CHANGED,
  TableChanges,
  type TableColumn,
  TableDesk,
  TableRows,
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

describe('a table at the hands of an agent', () => {
  let database: TestDatabase;
  let tables: ExtractedTables;
  let desk: TableDesk;
  let turnChanges: DeskChanges;
  let changes: TableChanges;
  let stored: TableRows;
  let rows: ExtractedRows;
  let userId: number;
  let tableId: string;
  let turnId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    const audit = new AuditLog(dataSource);
    tables = new ExtractedTables(dataSource, audit);
    turnChanges = new DeskChanges(dataSource);
    desk = new TableDesk(dataSource, turnChanges, audit, new SystemClock());
    changes = new TableChanges(dataSource);
    stored = new TableRows(dataSource);
    rows = new ExtractedRows(dataSource, audit, new SystemClock());
  });
  beforeEach(async () => {
    userId = await createUserRow(database);
    turnId = newId();
    const given = ['a', 'b'].map((uid) => ({ source_uid: uid, data: { No: uid, Total: 1 } }));
    const table = { name: 'T', columns: [column('No'), column('Total', 'number')], rows: given };
    tableId = await tables.create({ userId, username: 'u' }, { ...table, metadata: {}, workflowId: null });
  });
  afterAll(() => database.drop());

  const call = (key: string): DeskCall => ({ tableId, userId, turnId, key });
  const there = () => stored.page(userId, tableId, {}, null, 1_000);
  const dataOf = async () => (await there()).map(({ data }) => data);
  const kept = () =>
    database.dataSource.query<{ id: string; changes: unknown[] }[]>(
      'SELECT id, changes FROM extracted_table_changes WHERE table_id = $1 ORDER BY id',
      [tableId],
    );

  it('carries out each call once, whoever repeats it, and at once', async () => {
    const add = () => desk.add(call('1.1'), [{ values: { No: 'new' }, filename: '' }]);
    const [one, two] = await Promise.all([add(), add()]);
    expect(two).toEqual(one);
    expect(await add()).toEqual(one);
    expect(await there()).toHaveLength(3);
    expect((await tables.get(userId, tableId)).rowsCount).toBe(3);
    await desk.delete(call('1.2'), one.row_ids as string[]);
    // Its row is gone, and it is done all the same.
    expect(await desk.delete(call('1.2'), one.row_ids as string[])).toEqual({ deleted_rows: 1 });
    expect(await kept()).toHaveLength(1);
    expect((await kept())[0]!.changes).toHaveLength(2);
  });

  it('is not done anew by a repetition after somebody has undone it', async () => {
    const [row] = await there();
    const edit = () => desk.edit(call('1.1'), [{ rowId: row!.id, values: { Total: 5 } }]);
    await edit();
    const { id } = (await turnChanges.ofTurn(userId, tableId, turnId))!;
    await changes.undo(userId, tableId, id);
    expect(await edit()).toEqual({ changed_cells: 1, had_the_value_before: 0 });
    expect((await dataOf())[0]).toEqual({ No: 'a', Total: 1 });
    expect(await turnChanges.ofTurn(userId, tableId, turnId)).toBeNull();
    // What the turn does from then on is a change of its own.
    await desk.edit(call('2.1'), [{ rowId: row!.id, values: { Total: 6 } }]);
    expect(await kept()).toHaveLength(2);
  });

  it('undoes what a turn did to the same cell, and leaves what others changed since', async () => {
    const [a, b] = await there();
    await desk.edit(call('1.1'), [{ rowId: a!.id, values: { Total: 2 } }]);
    await desk.edit(call('1.2'), [
      { rowId: a!.id, values: { Total: 3 } },
      { rowId: b!.id, values: { Total: 9 } },
    ]);
    const { row_ids: added } = await desk.add(call('1.3'), [
      { values: { No: 'x' }, filename: '' },
      { values: { No: 'y' }, filename: '' },
    ]);
    const [x, y] = added as string[];
    await rows.edit({ userId, username: 'u' }, tableId, { sourceUid: 'b', rowId: null }, { Total: 10 });
    await rows.edit({ userId, username: 'u' }, tableId, { sourceUid: x!, rowId: null }, { Total: 11 });
    const { id } = (await turnChanges.ofTurn(userId, tableId, turnId))!;
    const outcome = await changes.undo(userId, tableId, id);
    expect(outcome).toEqual({
      restored: 3,
      skipped: [
        { sourceUid: 'b', rowId: b!.id, column: 'Total', reason: 'changed_since' },
        { sourceUid: x, rowId: x, column: null, reason: 'changed_since' },
      ],
    });
    expect(await dataOf()).toEqual([
      { No: 'a', Total: 1 },
      { No: 'b', Total: 10 },
      { No: 'x', Total: 11 },
    ]);
    expect((await there()).map((row) => row.id)).not.toContain(y);
    expect((await tables.get(userId, tableId)).rowsCount).toBe(3);
  });

  it('records nothing of a call that changes nothing, or fails', async () => {
    const [a] = await there();
    expect(await desk.edit(call('1.1'), [{ rowId: a!.id, values: { Total: 1 } }])).toEqual({
      changed_cells: 0,
      had_the_value_before: 1,
    });
    await expect(desk.edit(call('1.2'), [{ rowId: a!.id, values: { Total: 'x' } }])).rejects.toMatchObject({
      code: 'invalid',
    });
    await expect(desk.verify(call('1.3'), [{ rowId: a!.id, column: 'None' }], true)).rejects.toMatchObject({
      code: 'invalid',
    });
    await expect(desk.delete({ ...call('1.4'), userId: userId + 1 }, [a!.id])).rejects.toMatchObject({
      code: 'table_not_yours',
    });
    expect(await kept()).toEqual([]);
  });

  it('changes no more in one turn than can be undone', async () => {
    await database.dataSource.query(
      `INSERT INTO extracted_table_changes (id, table_id, user_id, turn_id, changes)
       SELECT $1, $2, $3, $4, jsonb_agg('{"type": "none"}'::jsonb) FROM generate_series(1, $5::int)`,
      [newId(), tableId, userId, turnId, MAX_CHANGED],
    );
    const [a] = await there();
    await expect(desk.edit(call('1.1'), [{ rowId: a!.id, values: { Total: 7 } }])).rejects.toMatchObject({
      code: 'turn_change_limit',
    });
    expect((await dataOf())[0]).toEqual({ No: 'a', Total: 1 });
  });

  it('vouches for values as their person, and takes it back', async () => {
    const [a] = await there();
    const at = { rowId: a!.id, column: 'no' };
    expect(await desk.verify(call('1.1'), [at, at], true)).toEqual({ verified_cells: 1 });
    const [known] = await desk.evidence(userId, tableId, [a!.id]);
    expect(known!.cells).toMatchObject([{ column_name: 'No', verified_by: userId, edited_at: null }]);
    const { id } = (await turnChanges.ofTurn(userId, tableId, turnId))!;
    await changes.undo(userId, tableId, id);
    expect((await desk.evidence(userId, tableId, [a!.id]))[0]!.cells).toEqual([]);
  });
});
