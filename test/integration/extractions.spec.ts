import { newId } from '@app/common';
import {
  type ClaimedItem,
  ExtractionFollowers,
  ExtractionJobsModule,
  Extractions,
  ExtractionTasks,
  extractionWork,
  type ExtractedValues,
  type NewExtraction,
  type ToldEvent,
} from '@app/extraction';
import { LiveModule } from '@app/live';
import { type Claim, GiveUpError, TryAgainError, WorkClaims, WorkPerformer } from '@app/work';
import { DataSource } from 'typeorm';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow, type DocumentsApp, startDocuments } from '../support/documents.js';
import { stride } from '../support/long.js';
import { madeColumn } from '../support/made-column.js';
import { Mortal } from '../support/mortal.js';
import { safetyNet } from '../support/until.js';

const COLUMNS = ['Number', 'Total'].map((name) => madeColumn(name));

/** What is read from a document: its name twice, or as often as rows are asked for. */
function read(name: string, rows = 1): ExtractedValues[] {
  const evidence = {
    status: 'anchored' as const,
    quote: name,
    spans: [],
    pageWidth: null,
    pageHeight: null,
    place: null,
    score: 1,
    ambiguous: false,
    method: 'rules' as const,
    anchor: 'exact' as const,
    reason: null,
    model: null,
  };
  return Array.from({ length: rows }, (_, at) => ({
    Number: { value: `${name} ${at}`, evidence },
    Total: { value: name, evidence },
  }));
}

const brief = (events: ToldEvent[]) =>
  events.map((event) => (event.type === 'row' ? event.row?.data.Number : `${event.type} ${event.progress.state}`));

describe('extractions', () => {
  let database: TestDatabase;
  let documents: DocumentsApp;
  let extractions: Extractions;
  let tasks: ExtractionTasks;
  let followers: ExtractionFollowers;
  let performer: WorkPerformer;
  let ann: number;
  const sql = <T = Record<string, unknown>>(text: string, values: unknown[] = []) =>
    database.dataSource.query<T[]>(text, values);

  beforeAll(async () => {
    database = await createTestDatabase();
    ann = await createUserRow(database);
    documents = await startDocuments(database, ann, {
      env: { SWEEP_SECONDS: '600' },
      imports: [LiveModule.forRoot(testConfig(database.url, {})), { module: ExtractionJobsModule }],
    });
    const { app } = documents;
    [extractions, tasks, followers] = [app.get(Extractions), app.get(ExtractionTasks), app.get(ExtractionFollowers)];
    performer = app.get(WorkPerformer);
  });
  afterAll(async () => {
    await documents.close();
    await database.drop();
  });
  beforeEach(async () => {
    await sql('DELETE FROM extracted_tables');
    await sql('DELETE FROM outbox_messages');
    ann = await createUserRow(database);
  });

  const addTable = async (ownerId = ann, rowMode = 'document') => {
    const id = newId();
    await sql('INSERT INTO extracted_tables (id, owner_id, name, columns, metadata) VALUES ($1, $2, $3, $4, $5)', [
      id,
      ownerId,
      'Invoices',
      JSON.stringify(COLUMNS),
      JSON.stringify({ row_mode: rowMode }),
    ]);
    return id;
  };
  const addDocuments = async (count: number, ownerId = ann) => {
    const uids: string[] = [];
    for (let at = 0; at < count; at += 1)
      uids.push((await documents.add({ ownerId, filename: `${at}.txt` })).document.uid);
    return uids;
  };
  const ask = (tableId: string, documentUids: string[], wanted: Partial<NewExtraction> = {}, userId = ann) =>
    extractions.request(userId, tableId, {
      documentUids,
      columns: null,
      mode: 'all',
      overwriteEdited: false,
      ocr: null,
      ...wanted,
    });
  const complete = async (claim: Claim<ClaimedItem>, rows = 1) =>
    tasks.complete(claim, await tasks.open(claim), read(claim.row.filename, rows));
  const perform = (work: (claim: Claim<ClaimedItem>) => Promise<void> = (claim) => complete(claim)) =>
    performer.perform(extractionWork, [newId()], (claim) => work(claim));
  const performAll = async (work?: (claim: Claim<ClaimedItem>) => Promise<void>) => {
    while (await perform(work));
  };
  const told = async (id: string, after = 0) => {
    const events: ToldEvent[] = [];
    for await (const event of followers.follow(id, after, safetyNet())) if (event) events.push(event);
    return events;
  };
  const stateOf = async (tableId: string, id: string) => {
    const { state, total, completed, failed, items } = await extractions.get(ann, tableId, id);
    return { state, counts: [total, completed, failed], items: items.map((item) => item.state) };
  };

  it('fill a row for each document, count what ended and tell of it without a gap', async () => {
    const tableId = await addTable();
    const uids = await addDocuments(2);
    const { id } = await ask(tableId, [...uids, uids[0]!.toUpperCase()]);
    expect(await stateOf(tableId, id)).toEqual({ state: 'accepted', counts: [2, 0, 0], items: ['queued', 'queued'] });
    const following = told(id);
    await performAll();
    expect(await stateOf(tableId, id)).toEqual({
      state: 'completed',
      counts: [2, 2, 0],
      items: ['completed', 'completed'],
    });
    const events = await following;
    expect(brief(events)).toEqual([
      '0.txt 0',
      'progress processing',
      '1.txt 0',
      'progress completed',
      'done completed',
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(brief(await told(id, 3))).toEqual(['progress completed', 'done completed']);
    expect(await told(id, 5)).toEqual([]);
    const { items } = await extractions.get(ann, tableId, id);
    expect(items[0]).toMatchObject({ sourceUid: uids[0], filename: '0.txt', cellsFilled: 2, cellsEmpty: 0 });
  });

  it('store nothing where somebody may not do it', async () => {
    const bob = await createUserRow(database);
    const tableId = await addTable();
    const [own] = await addDocuments(1);
    const [theirs] = await addDocuments(1, bob);
    await sql('INSERT INTO extracted_table_grants (table_id, user_id, role) VALUES ($1, $2, $3)', [
      tableId,
      bob,
      'viewer',
    ]);
    await expect(ask(tableId, [own!, theirs!])).rejects.toMatchObject({ code: 'document_not_readable' });
    await expect(ask(tableId, [newId()])).rejects.toMatchObject({ code: 'document_not_readable' });
    await expect(ask(tableId, [theirs!], {}, bob)).rejects.toMatchObject({ code: 'table_read_only' });
    await expect(ask(await addTable(bob), [own!])).rejects.toMatchObject({ code: 'table_not_yours' });
    await expect(ask(newId(), [own!])).rejects.toMatchObject({ code: 'table_not_found' });
    await expect(ask(tableId, [])).rejects.toMatchObject({ fields: { document_uids: expect.anything() as unknown } });
    await expect(ask(tableId, [own!], { columns: ['Nope'] })).rejects.toMatchObject({
      fields: { columns: ['The table has no column "Nope".'] },
    });
    expect(await sql('SELECT FROM extractions')).toEqual([]);
    expect(await sql('SELECT FROM extraction_items')).toEqual([]);
  });

  it('are the same one for the same key', async () => {
    const tableId = await addTable();
    const uids = await addDocuments(2);
    const first = await ask(tableId, uids, { requestKey: 'node 1' });
    const again = await ask(tableId, uids, { requestKey: 'node 1' });
    expect(again.id).toBe(first.id);
    expect((await ask(tableId, uids, { requestKey: 'node 2' })).id).not.toBe(first.id);
  });

  it('wait for each other where they read the same document into the same table', async () => {
    const tableId = await addTable();
    const uids = await addDocuments(1);
    const first = await ask(tableId, uids);
    const second = await ask(tableId, uids);
    const seen: string[][] = [];
    await perform(async (claim) => {
      await tasks.open(claim);
      expect(await perform()).toBe(false);
      seen.push([(await stateOf(tableId, first.id)).state, (await stateOf(tableId, second.id)).state]);
      await complete(claim);
    });
    expect(seen).toEqual([['processing', 'accepted']]);
    const jobs = await sql<{ job: string }>(`SELECT job FROM outbox_messages WHERE job = 'extract-document'`);
    expect(jobs.length).toBeGreaterThan(0);
    expect(await perform()).toBe(true);
    expect((await stateOf(tableId, second.id)).state).toBe('completed');
    expect(await sql('SELECT FROM extracted_rows')).toHaveLength(1);
  });

  it('take turns between people, however much one of them wants', async () => {
    const bob = await createUserRow(database);
    const [annsTable, bobsTable] = [await addTable(), await addTable(bob)];
    await ask(annsTable, await addDocuments(4));
    await ask(bobsTable, await addDocuments(2, bob), {}, bob);
    const order: string[] = [];
    await performAll(async (claim) => {
      order.push(claim.row.requestedBy === bob ? 'bob' : 'ann');
      await complete(claim);
    });
    expect(order).toEqual(['ann', 'bob', 'ann', 'bob', 'ann', 'ann']);
  });

  it('stop at once when they are cancelled, and go on when they are tried again', async () => {
    const tableId = await addTable();
    const { id } = await ask(tableId, await addDocuments(3));
    await perform();
    await perform(async (claim) => {
      await extractions.cancel(ann, tableId, id);
      await complete(claim);
    });
    expect(await stateOf(tableId, id)).toEqual({
      state: 'cancelled',
      counts: [3, 1, 0],
      items: ['completed', 'cancelled', 'cancelled'],
    });
    expect(await sql('SELECT FROM extracted_rows')).toHaveLength(1);
    expect(await perform()).toBe(false);
    expect(brief(await told(id)).at(-1)).toBe('done cancelled');
    expect((await extractions.cancel(ann, tableId, id)).state).toBe('cancelled');

    await extractions.retry(ann, tableId, id);
    await performAll();
    expect(await stateOf(tableId, id)).toMatchObject({ state: 'completed', counts: [3, 3, 0] });
    const events = await told(id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(events.filter(({ type }) => type === 'done')).toHaveLength(1);
    await expect(extractions.retry(ann, tableId, id)).rejects.toMatchObject({ code: 'nothing_to_retry' });
  });

  it('say which of their documents failed, and try those alone again', async () => {
    const tableId = await addTable();
    const { id } = await ask(tableId, await addDocuments(2));
    await performAll((claim) =>
      claim.row.filename === '0.txt' ? Promise.reject(new GiveUpError('It is torn.', 'damaged')) : complete(claim),
    );
    const { state, completed, failed, items } = await extractions.get(ann, tableId, id);
    expect({ state, completed, failed, errors: items.map(({ lastError }) => lastError) }).toEqual({
      state: 'partial',
      completed: 1,
      failed: 1,
      errors: ['It is torn.', ''],
    });
    const bob = await createUserRow(database);
    await sql('INSERT INTO extracted_table_grants (table_id, user_id, role) VALUES ($1, $2, $3)', [
      tableId,
      bob,
      'editor',
    ]);
    await expect(extractions.retry(bob, tableId, id)).rejects.toMatchObject({ code: 'not_requester' });
    const names: string[] = [];
    await extractions.retry(ann, tableId, id);
    await performAll(async (claim) => {
      names.push(claim.row.filename);
      await complete(claim);
    });
    expect(names).toEqual(['0.txt']);
    expect(await stateOf(tableId, id)).toMatchObject({ state: 'completed', counts: [2, 2, 0] });
  });

  it('end without a trace with their table, also in the middle, and read by the columns that there are', async () => {
    const tableId = await addTable();
    const { id } = await ask(tableId, await addDocuments(2));
    await perform(async (claim) => {
      const task = await tasks.open(claim);
      await sql(`UPDATE extracted_tables SET columns = jsonb_set(columns, '{0,instruction}', '"The other"')`);
      await expect(tasks.complete(claim, task, read('x'))).rejects.toBeInstanceOf(TryAgainError);
      await complete(claim);
    });
    await perform(async (claim) => {
      const task = await tasks.open(claim);
      await sql('DELETE FROM extracted_tables');
      await tasks.complete(claim, task, read('x'));
    });
    expect(await sql('SELECT FROM extracted_rows')).toEqual([]);
    expect(await told(id)).toEqual([]);
  });

  it('fail where the right to write has ended meanwhile, or all of the columns', async () => {
    const bob = await createUserRow(database);
    const tableId = await addTable();
    await sql('INSERT INTO extracted_table_grants (table_id, user_id, role) VALUES ($1, $2, $3)', [
      tableId,
      bob,
      'editor',
    ]);
    const asked = await ask(tableId, await addDocuments(1, bob), {}, bob);
    const own = await ask(tableId, await addDocuments(1), { columns: ['total'] });
    const late = await ask(tableId, await addDocuments(1), { columns: ['total'] });
    await sql('DELETE FROM extracted_table_grants');
    let isRead = false;
    await performAll(async (claim) => {
      if (claim.row.extractionId !== own.id || isRead) return complete(claim);
      const task = await tasks.open(claim);
      isRead = true;
      await sql(`UPDATE extracted_tables SET columns = columns - 1`);
      // Its columns are gone since: what was read of them is no row without values.
      await tasks.complete(claim, task, read('x'));
    });
    expect(isRead).toBe(true);
    const errors = [asked, own, late].map(
      async ({ id }) => (await extractions.get(ann, tableId, id)).items[0]!.lastError,
    );
    expect(await Promise.all(errors)).toEqual([
      'Whoever asked for it may not write to the table any more.',
      'The table has none of the columns any more.',
      'The table has none of the columns any more.',
    ]);
    expect(await sql('SELECT FROM extracted_rows')).toEqual([]);
  });

  it('lose, double and overwrite nothing, whenever their worker dies', async () => {
    const mortal = new Mortal(documents.app.get(DataSource));
    const claims = documents.app.get(WorkClaims);
    for (let at = 0, died = true; died; at += stride(3)) {
      const tableId = await addTable(ann, 'items');
      const [uid] = await addDocuments(1);
      const { id } = await ask(tableId, [uid!]);
      await performAll((claim) => complete(claim, 3));
      await sql(`UPDATE extracted_rows SET data = data || '{"Total": "mine"}' WHERE position = 1`);
      await sql(`UPDATE extracted_cells SET edited_at = now(), method = 'person' WHERE column_name = 'Total'
        AND row_id IN (SELECT id FROM extracted_rows WHERE position = 1)`);
      const again = await ask(tableId, [uid!]);
      died = await mortal.dies(at, () => perform((claim) => complete(claim, 3)));
      for (let round = 0; round < 3; round += 1) {
        await sql(
          `UPDATE extraction_items SET leased_until = now() - interval '1 second' WHERE leased_until IS NOT NULL`,
        );
        await sql('UPDATE extraction_items SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL');
        await claims.showLost(extractionWork);
        await performAll((claim) => complete(claim, 3));
      }
      const rows = await sql<{ data: object }>('SELECT data FROM extracted_rows ORDER BY position');
      expect({ at, rows: rows.map(({ data }) => data) }).toEqual({
        at,
        rows: [0, 1, 2].map((row) => ({ Number: `0.txt ${row}`, Total: row === 1 ? 'mine' : '0.txt' })),
      });
      expect(await stateOf(tableId, again.id)).toEqual({ state: 'completed', counts: [1, 1, 0], items: ['completed'] });
      const events = await told(again.id);
      expect(events.map(({ seq, type }) => `${seq} ${type}`)).toEqual([
        '1 row',
        '2 row',
        '3 row',
        '4 progress',
        '5 done',
      ]);
      expect((await extractions.get(ann, tableId, id)).state).toBe('completed');
      await sql('DELETE FROM extracted_tables');
    }
  });
});
