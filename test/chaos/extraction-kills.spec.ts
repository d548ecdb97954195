import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { FULL, rounds } from '../support/long.js';
import { until } from '../support/until.js';

const KILLS = FULL ? 50 : rounds(50, 2);
const DOCUMENTS = KILLS > 10 ? 120 : 20;
const TABLES = '/microservices/data-extractor';

interface Row {
  source_uid: string;
  data: Record<string, unknown>;
}

const numberOf = (document: number) => `INV-${1000 + document}`;
const fileOf = (document: number) =>
  new File([`Invoice number: ${numberOf(document)}\nTotal: ${document}.50 EUR\n`], `${document}.txt`);

describe('an indexer that is killed while it extracts', () => {
  let platform: HostedPlatform;
  let client: HttpClient;
  let tableId: string;
  beforeAll(async () => {
    const leases = { LEASE_SECONDS: '3', HEARTBEAT_SECONDS: '1', SWEEP_SECONDS: '1' };
    platform = await hostPlatform(['api'], leases);
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  const query = <T>(sql: string, values: unknown[] = []) => platform.database.dataSource.query<T[]>(sql, values);
  const waiting = async () => {
    const [row] = await query<{ count: number }>(
      `SELECT count(*)::int AS count FROM extraction_items WHERE state IN ('queued', 'processing')`,
    );
    return row!.count;
  };
  const rowsOf = async () => (await client.get<{ rows: Row[] }>(`${TABLES}/table/${tableId}`)).rows;

  const indexed = () =>
    query<{ uid: string; filename: string }>(
      `SELECT uid, filename FROM documents WHERE processing_state = 'completed'`,
    );

  async function addDocuments(): Promise<string[]> {
    const form = new FormData();
    for (let document = 0; document < DOCUMENTS; document += 1) form.append('files', fileOf(document));
    const headers = { authorization: `Token ${client.token}` };
    await fetch(`${platform.baseUrl}/semantic-search/upload/batch/`, { method: 'POST', headers, body: form });
    const indexer = await platform.host('indexer');
    await until(async () => (await indexed()).length === DOCUMENTS, 120_000);
    await indexer.stop();
    const documents = await indexed();
    return documents.toSorted((a, b) => parseInt(a.filename) - parseInt(b.filename)).map(({ uid }) => uid);
  }

  it('loses no row, doubles none and overwrites nothing that a person wrote', async () => {
    const uids = await addDocuments();
    const columns = [{ name: 'Invoice number' }, { name: 'Total', output_type: 'number' }, { name: 'Note' }];
    ({ table_id: tableId } = await client.post<{ table_id: string }>(`${TABLES}/create_table`, {
      table_name: 'Invoices',
      columns,
    }));
    const extract = () => client.post(`${TABLES}/table/${tableId}/extract`, { document_uids: uids, mode: 'all' });
    await extract();
    const edited = new Set<string>();
    let hits = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const indexer = await platform.start('indexer');
      if ((await waiting()) < DOCUMENTS / 2) await extract();
      // On a busy machine a whole round may end before the first row is there to be edited.
      if (kill === 1) await until(async () => (await rowsOf()).length > 0, 120_000);
      await sleep(Math.random() * 800);
      const row = (await rowsOf()).find(({ source_uid }) => !edited.has(source_uid));
      if (row) {
        await client.send('PATCH', `${TABLES}/table/${tableId}/rows/${row.source_uid}`, { data: { Total: 0.25 } });
        edited.add(row.source_uid);
      }
      const atWork = await query(`SELECT FROM extraction_items WHERE state = 'processing'`);
      await indexer.kill('SIGKILL');
      hits += atWork.length > 0 ? 1 : 0;
    }
    await platform.host('indexer');
    await until(async () => (await waiting()) === 0, 120_000);

    // What was hit alone again and again has failed with that reason, and waits for its owner to try again.
    const failed = await query<{ id: string; reason: string }>(
      `SELECT extraction_id AS id, last_error AS reason FROM extraction_items WHERE state = 'failed'`,
    );
    for (const { id, reason } of failed) {
      expect(reason).toMatch(/stopped unexpectedly/);
      await client.send('POST', `${TABLES}/table/${tableId}/extractions/${id}/retry`);
    }
    await until(async () => (await waiting()) === 0, 60_000);
    process.stdout.write(`chaos: ${KILLS} kills, ${hits} of them at work; ${failed.length} items were given up\n`);

    const rows = await rowsOf();
    expect(rows.map(({ source_uid }) => source_uid).toSorted()).toEqual(uids.toSorted());
    const read = new Map(rows.map(({ source_uid, data }) => [source_uid, data]));
    for (const [document, uid] of uids.entries())
      expect(read.get(uid)).toMatchObject({
        'Invoice number': numberOf(document),
        Total: edited.has(uid) ? 0.25 : document + 0.5,
      });
    expect(edited.size).toBeGreaterThan(0);

    const counts = await query<{ id: string }>(
      `SELECT e.id FROM extractions e WHERE e.state <> 'completed' OR e.completed <> e.total OR e.failed <> 0
         OR e.last_seq <> (SELECT count(*) FROM extraction_events v WHERE v.extraction_id = e.id)
         OR e.last_seq <> (SELECT max(v.seq) FROM extraction_events v WHERE v.extraction_id = e.id)`,
    );
    expect(counts).toEqual([]);
  });
});
