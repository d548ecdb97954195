import { EventStream } from '../support/event-stream.js';
import { fixture, note, upload } from '../support/documents-api.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { ScriptedLlm } from '../support/scripted-llm.js';
import { until } from '../support/until.js';
import { ask, startWorkflow } from '../support/workflow-api.js';
import { inAll } from '../support/long.js';

const TABLES = '/microservices/data-extractor';

interface Extraction {
  id: string;
  state: string;
  total: number;
  completed: number;
  failed: number;
  items: { source_uid: string; filename: string; state: string; last_error: string; cells_filled: number }[];
}

interface Table {
  rows: { source_uid: string; data: Record<string, unknown> }[];
}

interface Highlight {
  column_name: string;
  status: string;
  quote: string;
  reason: string | null;
}

const invoice = (number: number) =>
  note(
    `To whom it may concern. We write about matter M-${number}, for which ${number},50 EUR are open.`,
    `m${number}.txt`,
  );

const cell = (column: string, value: string, quote: string) => ({ column, value, quote, page: 1 });

/** Reads the matter, and gives a quote for the sum that says another one. */
function readDocument(prompt: string): string {
  const [, number] = /matter M-(\d+)/.exec(prompt) ?? [];
  if (number === undefined) return JSON.stringify({ rows: [] });
  const said = new Map([
    ['Matter', cell('', `M-${number}`, `We write about matter M-${number}`)],
    ['Open', cell('', `9${number}.50`, `for which ${number},50 EUR are open`)],
  ]);
  const asked = [...prompt.matchAll(/"column":"(c\d+)","name":"([^"]+)"/g)];
  const cells = asked.flatMap(([, column, name]) => {
    const one = said.get(name!);
    return one ? [{ ...one, column: column! }] : [];
  });
  return JSON.stringify({ rows: [{ cells }] });
}

describe('extractions', () => {
  const llm = new ScriptedLlm();
  let platform: HostedPlatform;
  let client: HttpClient;
  let stranger: HttpClient;

  const COLUMNS = [
    { name: 'Matter', instruction: 'What the letter is about, by its number' },
    { name: 'Open', instruction: 'The sum that is owed', output_type: 'number' },
  ];
  const createTable = async (who = client) =>
    (await who.post<{ table_id: string }>(`${TABLES}/create_table`, { table_name: 'Matters', columns: COLUMNS }))
      .table_id;
  const add = async (file: File) => (await upload(client, file)).body.uid;
  const start = async (tableId: string, body: object, who = client) =>
    ask(who, 'POST', `${TABLES}/table/${tableId}/extract`, body);
  const read = (tableId: string, id: unknown) =>
    client.get<Extraction>(`${TABLES}/table/${tableId}/extractions/${id as string}`);
  const isOver = async (tableId: string, id: unknown) => {
    const { state } = await read(tableId, id);
    return state !== 'accepted' && state !== 'processing';
  };
  const follow = (tableId: string, id: unknown, lastId?: string) =>
    new EventStream(`${platform.baseUrl}${TABLES}/table/${tableId}/extractions/${id as string}/events`, client, lastId);

  beforeAll(async () => {
    await llm.start();
    llm.answersPlain(({ request }) => readDocument(JSON.stringify(request.messages).replaceAll('\\"', '"')));
    platform = await hostPlatform(['api', 'workflow-runner'], llm.env);
    [client, stranger] = await Promise.all([HttpClient.signUp(platform.baseUrl), HttpClient.signUp(platform.baseUrl)]);
  });
  afterAll(async () => {
    await platform.stop();
    await llm.stop();
  });

  it('refuse what may not be or makes no sense, and store nothing of it', async () => {
    const tableId = await createTable();
    const uid = await add(invoice(1));
    const theirs = (await upload(stranger, note())).body.uid;
    const path = (id: string) => `${TABLES}/table/${id}/extract`;
    const refused = async (id: string, body: object, who = client) => {
      const { status, body: told } = await ask(who, 'POST', path(id), body);
      return [status, told.code ?? Object.keys(told)[0]];
    };
    expect(await refused(tableId, { document_uids: [uid, theirs] })).toEqual([403, 'document_not_readable']);
    expect(await refused(tableId, { document_uids: [theirs] }, stranger)).toEqual([403, 'table_not_yours']);
    expect(await refused(theirs, { document_uids: [uid] })).toEqual([404, 'table_not_found']);
    for (const document_uids of [[], ['x'], Array.from({ length: 501 }, () => uid), null])
      expect(await refused(tableId, { document_uids })).toEqual([400, 'document_uids']);
    expect(await refused(tableId, { document_uids: [uid], columns: ['Nope'] })).toEqual([400, 'columns']);
    expect(await refused(tableId, { document_uids: [uid], mode: 'some' })).toEqual([400, 'mode']);
    expect(await client.get(`${TABLES}/table/${tableId}/extractions`)).toMatchObject({ count: 0, results: [] });
    expect((await ask(client, 'GET', `${TABLES}/table/${tableId}/extractions/${uid}`)).status).toBe(404);
  });

  it('wait for documents that are being indexed, and are followed, cancelled and told again', async () => {
    const tableId = await createTable();
    const [first, second, trashed] = [await add(invoice(2)), await add(invoice(3)), await add(invoice(4))];
    const damaged = await add(await fixture('damaged.pdf'));
    const started = await start(tableId, { document_uids: [first, second, trashed, damaged, first] });
    expect(started).toMatchObject({ status: 202, body: { table_id: tableId, total: 4 } });
    const id = started.body.extraction_id;
    const other = await createTable();
    const cancelled = (await start(other, { document_uids: [first] })).body.extraction_id;
    expect(
      (await ask(client, 'POST', `${TABLES}/table/${other}/extractions/${cancelled as string}/cancel`)).body.state,
    ).toBe('cancelled');
    await ask(client, 'DELETE', `/semantic-search/${trashed}/delete/`);
    const stream = follow(tableId, id);
    // A number that its log has not come to is of another extraction.
    const beyond = follow(tableId, id, '999');

    await platform.host('indexer');
    expect([await stream.ended, await beyond.ended]).toEqual([200, 200]);
    expect(beyond.events).toEqual(stream.events);
    const { state, total, completed, failed, items } = await read(tableId, id);
    expect({ state, total, completed, failed }).toEqual({ state: 'partial', total: 4, completed: 2, failed: 2 });
    expect(items.map((item) => [item.source_uid, item.state, item.cells_filled])).toEqual([
      [first, 'completed', 2],
      [second, 'completed', 2],
      [trashed, 'failed', 0],
      [damaged, 'failed', 0],
    ]);
    expect(items[2]!.last_error).toBe('The document is in the trash.');
    expect(items[3]!.last_error).not.toBe('');

    const ids = stream.events.map((event) => Number(event.id));
    expect(ids).toEqual(ids.map((_, at) => at + 1));
    expect(stream.names().filter((name) => name === 'row')).toHaveLength(2);
    expect(stream.names().filter((name) => name === 'progress')).toHaveLength(4);
    expect(stream.events.at(-1)).toMatchObject({ event: 'done', data: { state: 'partial', completed: 2, failed: 2 } });
    expect(stream.events.find(({ event }) => event === 'row')!.data).toMatchObject({
      data: { Matter: expect.stringMatching(/^M-/) as string },
    });
    const rest = follow(tableId, id, '3');
    expect(await rest.ended).toBe(200);
    expect(rest.events).toEqual(stream.events.slice(3));
    expect(await follow(tableId, id, stream.lastId()).ended).toBe(204);
    expect((await client.get<Table>(`${TABLES}/table/${other}`)).rows).toEqual([]);

    const again = await ask(client, 'POST', `${TABLES}/table/${tableId}/extractions/${id as string}/retry`);
    // The items may have failed again before it is told.
    expect(again).toMatchObject({ status: 200, body: { id, total: 4, completed: 2 } });
    await until(() => isOver(tableId, id), 30_000);
    expect(await read(tableId, id)).toMatchObject({ state: 'partial', completed: 2, failed: 2 });
  });

  inAll(
    'fail with the reason of the document, and read a scan that was uploaded without recognition when asked to',
    async () => {
      const tableId = await createTable();
      const uid = await add(await fixture('demo/notice-board.png'));
      const end = async (body: object) => {
        const { extraction_id: id } = (await start(tableId, { document_uids: [uid], ...body })).body;
        await until(() => isOver(tableId, id), 60_000);
        return read(tableId, id);
      };
      expect(await end({})).toMatchObject({
        state: 'failed',
        items: [{ state: 'failed', last_error: expect.stringContaining('OCR was off') as unknown }],
      });
      expect(await end({ ocr: true })).toMatchObject({ state: 'completed', items: [{ last_error: '' }] });
    },
  );

  it('take words for proof that are there and say it, and no others', async () => {
    const tableId = await createTable();
    const uid = await add(invoice(7));
    const { body } = await start(tableId, { document_uids: [uid] });
    await until(() => isOver(tableId, body.extraction_id), 30_000);
    const { rows } = await client.get<Table>(`${TABLES}/table/${tableId}`);
    expect(rows).toMatchObject([{ source_uid: uid, data: { Matter: 'M-7', Open: 97.5 } }]);
    const { result } = await client.get<{ result: { highlights: Highlight[] } }>(
      `${TABLES}/table/${tableId}/highlights?source_uid=${uid}`,
    );
    const brief = result.highlights.map(({ column_name, status, quote, reason }) => [
      column_name,
      status,
      quote,
      reason,
    ]);
    expect(brief).toEqual([
      ['Matter', 'anchored', 'We write about matter M-7', null],
      ['Open', 'unanchored', '', 'quote_does_not_say_it'],
    ]);
  });

  inAll('leave what a person wrote, and are asked for once by one key', async () => {
    const tableId = await createTable();
    const uid = await add(invoice(8));
    const first = (await start(tableId, { document_uids: [uid] })).body.extraction_id;
    await until(() => isOver(tableId, first), 30_000);
    await ask(client, 'PATCH', `${TABLES}/table/${tableId}/rows/${uid}`, { data: { Open: 8.5 } });
    const request = async () => {
      const response = await fetch(`${platform.baseUrl}${TABLES}/table/${tableId}/extract`, {
        method: 'POST',
        headers: {
          authorization: `Token ${client.token}`,
          'content-type': 'application/json',
          'idempotency-key': 'again',
        },
        body: JSON.stringify({ document_uids: [uid], mode: 'all' }),
      });
      return {
        replayed: response.headers.get('idempotency-replayed'),
        body: (await response.json()) as { extraction_id: string },
      };
    };
    const [one, two] = [await request(), await request()];
    expect([one.replayed, two.replayed, two.body.extraction_id]).toEqual([null, 'true', one.body.extraction_id]);
    await until(() => isOver(tableId, one.body.extraction_id), 30_000);
    const { rows } = await client.get<Table>(`${TABLES}/table/${tableId}`);
    expect(rows).toMatchObject([{ data: { Matter: 'M-8', Open: 8.5 } }]);
    expect(await client.get(`${TABLES}/table/${tableId}/extractions`)).toMatchObject({ count: 2 });
  });

  it('are a step of workflows', async () => {
    const tableId = await createTable();
    const uid = await add(invoice(9));
    const node = { id: 'rows', kind: 'extract_table_rows', params: { table_id: tableId, document_uids: [uid] } };
    const id = await startWorkflow(client, { nodes: [node] });
    await client.post('/microservices/workflow/rerun/', { workflow_id: id });
    const path = `/microservices/workflow/${id}/`;
    await until(
      async () => ['COMPLETED', 'FAILED'].includes((await client.get<{ status: string }>(path)).status),
      60_000,
    );
    expect(await client.get(`${path}nodes/`)).toMatchObject([
      { status: 'COMPLETED', output: { count: 1, items: [{ source_uid: uid, Matter: 'M-9', Open: 99.5 }] } },
    ]);
  });
});
