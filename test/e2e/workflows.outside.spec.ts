import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { HttpClient } from '../support/http-client.js';
import { type DeliveredMail, type MailServer, startMailServer } from '../support/mail-server.js';
import { type OutsideHost, startOutsideHost } from '../support/outside-host.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { csv, uploadTable, type TabularBody } from '../support/tabular-api.js';
import { until } from '../support/until.js';

interface Row {
  node_id: string;
  status: string;
  output: Record<string, unknown> | null;
  error: { code: string; message: string } | null;
}

const CANARY = `canary-${randomBytes(12).toString('hex')}`;

async function create(client: HttpClient, nodes: object[]): Promise<string> {
  const json = { nodes };
  return (await client.post<{ workflow_id: string }>('/microservices/workflow/start/', { json })).workflow_id;
}

async function finish(client: HttpClient, id: string, withinMs = 20_000): Promise<Record<string, Row>> {
  await client.post('/microservices/workflow/rerun/', { workflow_id: id });
  const path = `/microservices/workflow/${id}/`;
  const isOver = async () =>
    ['COMPLETED', 'FAILED', 'STOPPED'].includes((await client.get<{ status: string }>(path)).status);
  await until(isOver, withinMs);
  const rows = await client.get<Row[]>(`${path}nodes/`);
  return Object.fromEntries(rows.map((row) => [row.node_id, row]));
}

const mail = (to: string[]) => [{ id: 'mail', kind: 'send_email', params: { to, subject: 'Hi', text: 'Hi' } }];

describe('workflows that reach the outside', () => {
  let platform: HostedPlatform;
  let host: OutsideHost;
  let mails: MailServer;
  let owner: HttpClient;
  const calledBefore = new Set<string>();

  beforeAll(async () => {
    mails = await startMailServer();
    host = await startOutsideHost(({ method, url, headers }, response) => {
      const sendJson = (value: unknown, status = 200) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      switch (url.pathname) {
        case '/order':
          return void sendJson({ total: Number(url.searchParams.get('total')), seen: headers.authorization });
        case '/refused':
          return void sendJson({ detail: `banner ${String(headers.authorization)}` }, 403);
        case '/once':
          // The first caller of each method waits until it dies.
          return calledBefore.has(method) ? void sendJson({ taken: method }) : void calledBefore.add(method);
        case '/silent':
          return undefined;
        case '/away':
          return void response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
        case '/report':
          return void response
            .writeHead(200, {
              'content-disposition': 'attachment; filename="report.txt"',
              'content-type': 'text/plain',
            })
            .end('Herons nest in tall trees. The hotel limit in Zurich is 165 euros.');
        default:
          return void response.writeHead(204).end();
      }
    });
    platform = await hostPlatform(['api', 'indexer'], {
      WORKFLOW_HOSTS: host.host,
      MAIL_PROVIDER: 'smtp',
      MAIL_FROM: 'Atrium <no-reply@atrium.example>',
      SMTP_URL: mails.url,
      WORKFLOW_MAILS_PER_DAY: '6',
    });
    await platform.start('workflow-runner');
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    await platform?.stop();
    await mails.stop();
    await host.stop();
  });

  const run = async (nodes: object[], client = owner) => finish(client, await create(client, nodes), 45_000);

  it('ask a host, decide, and write a mail with an attachment, without a secret left behind', async () => {
    const nodes = [
      {
        id: 'order',
        kind: 'http_request',
        params: { url: `${host.url}/order?total=250`, auth: 'bearer', token: '{{_secret.api_token}}' },
        next: ['large'],
      },
      {
        id: 'large',
        kind: 'condition',
        params: {
          left: { $ref: '_output.order.body.total' },
          operator: 'greater_than',
          right: 100,
          if_true: ['note'],
          if_false: ['small'],
        },
        next: ['note', 'small'],
      },
      {
        id: 'note',
        kind: 'file_writer',
        params: { path: 'orders/large.txt', content: 'Total {{_output.order.body.total}}' },
        next: ['tell'],
      },
      {
        id: 'tell',
        kind: 'send_email',
        params: {
          to: 'boss@acme.example, Clerk@acme.example',
          cc: ['archive@acme.example'],
          subject: 'Order of {{_output.order.body.total}}',
          text: 'It is large.',
          html: '<p>It is <b>large</b>.</p>',
          attachments: ['{{_output.note.media_path}}'],
        },
      },
      { id: 'small', kind: 'template', params: { template: 'small' } },
    ];
    const id = await create(owner, nodes);
    await owner.post(`/microservices/workflow/${id}/secrets/`, { name: 'api_token', value: CANARY });
    const { order, tell, small } = await finish(owner, id);
    expect(order).toMatchObject({ status: 'COMPLETED', output: { status: 200, body: { total: 250 } } });
    expect(host.callsTo('/order')[0]!.headers.authorization).toBe(`Bearer ${CANARY}`);
    expect(small!.status).toBe('SKIPPED');
    expect(tell).toMatchObject({ status: 'COMPLETED', output: { queued: true, recipients: 3 } });
    await until(async () => deliveredAt('acme.example').length === 3);
    expect(
      deliveredAt('acme.example')
        .map(({ recipients }) => recipients)
        .toSorted(),
    ).toEqual([['archive@acme.example'], ['boss@acme.example'], ['clerk@acme.example']]);
    const read = await Promise.all(deliveredAt('acme.example').map((one) => one.read()));
    const mail = read[0]!;
    expect(mail).toMatchObject({
      subject: 'Order of 250',
      text: expect.stringContaining('It is large.') as string,
      html: expect.stringContaining('<b>large</b>') as string,
      from: { address: 'no-reply@atrium.example' },
      replyTo: [{ address: `${owner.username}@test.example` }],
    });
    expect(mail.to?.map(({ address }) => address)).toEqual(['boss@acme.example', 'Clerk@acme.example']);
    expect(mail.cc?.map(({ address }) => address)).toEqual(['archive@acme.example']);
    expect(mail.attachments[0]).toMatchObject({ filename: 'large.txt', mimeType: 'text/plain' });
    expect(new TextDecoder().decode(mail.attachments[0]!.content as ArrayBuffer)).toBe('Total 250');
    expect(new Set(read.map(({ messageId }) => messageId)).size).toBe(1);
    await expectNoCanary(id);
  });

  it('count their mails by recipient and day, and refuse the one too many', async () => {
    const client = await HttpClient.signUp(platform.baseUrl);
    expect((await run(mail(['a@x.example', 'b@x.example', 'c@x.example', 'd@x.example']), client)).mail!.status).toBe(
      'COMPLETED',
    );
    const { mail: refused } = await run(mail(['a@x.example', 'b@x.example', 'c@x.example']), client);
    expect(refused).toMatchObject({ status: 'FAILED', error: { code: 'mail_limit_reached' } });
    expect((await run(mail(['a@x.example', 'b@x.example']), client)).mail!.status).toBe('COMPLETED');
    await until(async () => deliveredAt('x.example').length === 6);
  });

  it('never reach what is not public, not by redirects either', async () => {
    const urls = [
      'http://169.254.169.254/latest/meta-data/',
      'https://169.254.169.254/',
      'https://localhost/',
      'https://10.1.2.3/',
      'https://[::ffff:127.0.0.1]/',
      platform.baseUrl,
      `${host.url}/away`,
    ];
    const nodes = urls.map((url, index) => ({
      id: `n${index}`,
      kind: 'http_request',
      params: { url },
      on_error: 'continue',
    }));
    const rows = await run(nodes);
    for (const [index] of urls.entries()) {
      expect(rows[`n${index}`]).toMatchObject({ status: 'FAILED', error: { code: 'address_refused' } });
      expect(rows[`n${index}`]!.error!.message).not.toMatch(/169|10\.1|127|localhost|::/);
    }
    const hook = { url: 'https://10.0.0.1/', secret: `whsec_${randomBytes(24).toString('base64')}` };
    const { hook: row } = await run([{ id: 'hook', kind: 'webhook_out', params: hook }]);
    expect(row).toMatchObject({ status: 'FAILED', error: { code: 'address_refused' } });
  });

  it('tell of a refusal neither the words of the host nor the secret', async () => {
    const params = { url: `${host.url}/refused`, auth: 'bearer', token: '{{_secret.api_token}}' };
    const id = await create(owner, [{ id: 'call', kind: 'http_request', params }]);
    await owner.post(`/microservices/workflow/${id}/secrets/`, { name: 'api_token', value: CANARY });
    const { call } = await finish(owner, id);
    expect(call).toMatchObject({
      status: 'FAILED',
      error: { code: 'http_status', message: 'The host answered with status 403.' },
    });
    await expectNoCanary(id);
  });

  it('hang up when the run is stopped, and when the time of the node is over', async () => {
    const id = await create(owner, [{ id: 'wait', kind: 'http_request', params: { url: `${host.url}/silent?stop` } }]);
    await owner.post('/microservices/workflow/rerun/', { workflow_id: id });
    const found = () => host.calls.find(({ url }) => url.search === '?stop');
    await until(async () => found() !== undefined);
    expect(found()!.isGone()).toBe(false);
    await owner.post('/microservices/workflow/stop/', { workflow_id: id });
    await until(async () => found()!.isGone(), 3_000);
    const slow = { url: `${host.url}/silent?time`, max_retries: 0 };
    const { slow: row } = await run([{ id: 'slow', kind: 'http_request', params: slow, timeout_seconds: 1 }]);
    expect(row).toMatchObject({ status: 'FAILED', error: { code: 'timeout' } });
    await until(async () => host.calls.find(({ url }) => url.search === '?time')!.isGone(), 3_000);
  });

  it('survive their worker: what only reads runs again, what may have taken effect does not', async () => {
    const at = `${host.url}/once`;
    const nodes = [
      { id: 'read', kind: 'http_request', params: { url: at } },
      { id: 'replace', kind: 'http_request', params: { url: at, method: 'PUT', body_kind: 'text', body: 'x' } },
      { id: 'act', kind: 'http_request', params: { url: at, method: 'POST' } },
    ];
    const id = await create(owner, nodes);
    const ended = finish(owner, id, 60_000);
    await until(async () => host.callsTo('/once').length === 3);
    await platform.apps.find(({ name }) => name === 'workflow-runner')!.kill('SIGKILL');
    await platform.host('workflow-runner');
    const { read, replace, act } = await ended;
    expect(read).toMatchObject({ status: 'COMPLETED', output: { body: { taken: 'GET' } } });
    expect(replace).toMatchObject({ status: 'COMPLETED', output: { body: { taken: 'PUT' } } });
    expect(act).toMatchObject({ status: 'FAILED', error: { code: 'worker_lost' } });
    const keys = host.callsTo('/once').map(({ method, headers }) => [method, headers['idempotency-key']]);
    expect(keys.filter(([method]) => method === 'POST')).toHaveLength(1);
    const puts = keys.filter(([method]) => method === 'PUT');
    expect(puts).toHaveLength(2);
    expect(puts[0]).toEqual(puts[1]);
    expect(puts[0]![1]).toBeTruthy();
  });

  it('send webhooks that their receiver can verify', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const params = { url: `${host.url}/hook`, secret, event_type: 'order.placed', data: { id: 7 } };
    const { hook } = await run([{ id: 'hook', kind: 'webhook_out', params }]);
    expect(hook).toMatchObject({ status: 'COMPLETED', output: { status: 204, tries: 1 } });
    const [call] = host.callsTo('/hook');
    const event = new Webhook(secret).verify(call!.body, call!.headers as Record<string, string>);
    expect(event).toMatchObject({ type: 'order.placed', data: { id: 7 } });
    expect(hook!.output!.webhook_id).toBe(call!.headers['webhook-id']);
  });

  it('bring files in, save them as documents, and read their text once it is there', async () => {
    const nodes = [
      { id: 'get', kind: 'http_request', params: { url: `${host.url}/report`, response: 'file' }, next: ['save'] },
      {
        id: 'save',
        kind: 'save_document',
        params: { file: { $ref: '_output.get.file.media_path' }, folder: 'reports' },
        next: ['text'],
      },
      { id: 'text', kind: 'pdf_text', params: { document: { $ref: '_output.save.document_uid' } }, next: ['list'] },
      { id: 'list', kind: 'list_documents', params: { folder: 'reports' }, next: ['read'] },
      { id: 'read', kind: 'read_file', params: { file: { $ref: '_output.list.items[0].media_path' } } },
    ];
    const { get, save, text, list, read } = await run(nodes);
    expect(get).toMatchObject({ output: { file: { filename: 'report.txt', mime_type: 'text/plain' } } });
    expect(save).toMatchObject({ output: { filename: 'report.txt', folder: 'reports' } });
    expect(text).toMatchObject({ status: 'COMPLETED', output: { page_count: 1 } });
    expect(text!.output!.text).toContain('165 euros');
    expect(list).toMatchObject({ output: { count: 1, items: [{ document_uid: save!.output!.document_uid }] } });
    expect(read).toMatchObject({ output: { text: expect.stringContaining('Herons') as string } });
    const stranger = await HttpClient.signUp(platform.baseUrl);
    const foreign = [get!.output!.file, read!.output].map((_, index) => ({
      id: `f${index}`,
      kind: 'read_file',
      params: {
        file: index === 0 ? (get!.output!.file as { media_path: string }).media_path : save!.output!.media_path,
      },
      on_error: 'continue',
    }));
    const theirs = await run(
      [
        ...foreign,
        { id: 'text', kind: 'pdf_text', params: { document: save!.output!.document_uid }, on_error: 'continue' },
      ],
      stranger,
    );
    expect([theirs.f0!.error!.code, theirs.f1!.error!.code]).toEqual(['file_not_found', 'file_not_found']);
    expect(theirs.text!.error!.code).toBe('document_not_found');
  });

  it('have scanned pages recognised, for which the document is read anew', async () => {
    const scan = await readFile(resolve(__dirname, '../fixtures/documents/scanned.pdf'));
    const file = new File([new Uint8Array(scan)], 'scanned.pdf');
    const { uid } = await owner.upload<{ uid: string }>('/semantic-search/upload/', 'path', file, { ocr: 'false' });
    const { plain } = await run([{ id: 'plain', kind: 'pdf_text', params: { document: uid } }]);
    expect(plain).toMatchObject({ status: 'FAILED', error: { code: 'document_not_read' } });
    const { ocr } = await run([{ id: 'ocr', kind: 'ocr', params: { document: uid } }]);
    expect(ocr).toMatchObject({ status: 'COMPLETED', output: { recognised: true, page_count: 1 } });
    expect(String(ocr!.output!.text).length).toBeGreaterThan(20);
  });

  it('read and convert spreadsheets, and query imported tables', async () => {
    const { body } = await uploadTable(owner, csv('city,price\nRome,3\nOslo,10\n', 'cities.csv'));
    const uid = (body as TabularBody).uid;
    await until(async () => {
      const file = await owner.get<TabularBody>(`/database-search/documents/${uid}/`);
      return file.processing_state === 'completed';
    });
    const nodes = [
      { id: 'rows', kind: 'spreadsheet_read', params: { file: uid }, next: ['xlsx'] },
      { id: 'xlsx', kind: 'convert_file', params: { file: uid, to: 'xlsx' }, next: ['again'] },
      { id: 'again', kind: 'spreadsheet_read', params: { file: { $ref: '_output.xlsx.media_path' } } },
      {
        id: 'sql',
        kind: 'database_query',
        params: { file_uids: [uid], sql: 'SELECT sum(price) AS total FROM cities' },
      },
      { id: 'ask', kind: 'ask_database', params: { file_uids: [uid], question: 'What is the sum of price?' } },
      {
        id: 'bad',
        kind: 'database_query',
        params: { file_uids: [uid], sql: `COPY cities TO '/tmp/x.csv'` },
        on_error: 'continue',
      },
    ];
    const { rows, xlsx, again, sql, ask, bad } = await run(nodes);
    expect(rows).toMatchObject({
      output: { columns: ['city', 'price'], count: 2, items: [{ city: 'Rome', price: '3' }, {}] },
    });
    expect(xlsx).toMatchObject({ output: { filename: 'cities.xlsx' } });
    expect(again).toMatchObject({ output: { count: 2 } });
    expect(sql).toMatchObject({ status: 'COMPLETED', output: { items: [{ total: 13 }] } });
    expect(ask).toMatchObject({ status: 'COMPLETED', output: { answer: expect.stringContaining('13') as string } });
    expect(bad).toMatchObject({ status: 'FAILED', error: { code: 'query_refused' } });
  });

  it('offer exactly what they can do', async () => {
    const { tools } = await owner.get<{
      tools: { kind: string; available: boolean; unavailable_reason: string | null }[];
    }>('/microservices/apis/');
    const missing = tools.filter(({ available }) => !available);
    expect(missing.map(({ kind }) => kind).toSorted()).toEqual([
      'agent',
      'classify',
      'extract_fields',
      'language_model',
      'summarise_text',
      'translate',
    ]);
    for (const { unavailable_reason: reason } of missing) expect(reason).toMatch(/^[A-Z].*\.$/);
    const { call } = await run([{ id: 'call', kind: 'mcp_tool', params: { server: 's', tool: 't' } }]);
    expect(call).toMatchObject({ status: 'FAILED', error: { code: 'mcp_tool_not_found' } });
  });

  /** Those at other domains are of registrations. */
  function deliveredAt(domain: string): DeliveredMail[] {
    return mails.delivered.filter(({ recipients }) => recipients[0]!.endsWith(`@${domain}`));
  }

  async function expectNoCanary(workflowId: string): Promise<void> {
    const path = `/microservices/workflow/${workflowId}/`;
    const shown = [await owner.get(path), await owner.get(`${path}nodes/`), await owner.get(`${path}history/1/`)];
    expect(JSON.stringify(shown)).not.toContain(CANARY);
    const rows = await platform.database.dataSource.query<{ found: boolean }[]>(
      `SELECT r::text LIKE '%' || $1 || '%' AS found FROM workflow_run_nodes r UNION
       SELECT m::text LIKE '%' || $1 || '%' FROM outgoing_messages m`,
      [CANARY],
    );
    expect(rows.some(({ found }) => found)).toBe(false);
    expect(platform.log()).not.toContain(CANARY);
  }
});
