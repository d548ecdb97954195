import { startApi, type TestApi } from '../support/api.js';
import { callStore, note, upload, type DocumentBody } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';
import { mailsOf, mailsTo } from '../support/outbox.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface RequestBody {
  id: number;
  status: string;
  reason: string;
  document: DocumentBody;
  user: { username: string };
}

const mailOf = ({ username }: HttpClient) => `${username}@test.example`;

const ask = (client: HttpClient, path: string) => callStore(client, 'POST', 'documents/request/', { path });
const asked = async (client: HttpClient, path: string) => (await ask(client, path)).body.request as RequestBody;
const cancel = (client: HttpClient, target: object) => callStore(client, 'DELETE', 'documents/request/', target);
const list = (client: HttpClient, query = '') =>
  client.get<RequestBody[]>(`/semantic-search/documents/requests/${query}`);
const canRead = async (client: HttpClient, uid: string) =>
  (await callStore(client, 'GET', `documents/${uid}/`)).status === 200;
const codeOf = ({ status, body }: { status: number; body: { code: string } }) => `${status} ${body.code}`;

describe('access requests', () => {
  let api: TestApi;
  let owner: HttpClient;
  let stranger: HttpClient;
  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);

  beforeAll(async () => {
    api = await startApi();
    [owner, stranger] = (await Promise.all([api.signUp(), api.signUp()])) as [HttpClient, HttpClient];
  });
  afterAll(() => api.stop());

  const added = async (name = 'plan.txt') => (await upload(owner, note('The plan.', name))).body;
  const decide = (action: string, id: number, client = owner, body = {}) =>
    callStore(client, 'POST', `documents/${action}/`, { id, ...body });
  /** A document, somebody, and their pending request. */
  const pending = async (name?: string, someone?: HttpClient) => {
    const [document, client] = [await added(name), someone ?? (await api.signUp())];
    return { document, client, id: (await asked(client, document.path)).id };
  };
  const rowsOf = (uid: string) =>
    sql<{ status: string }[]>('SELECT status FROM access_requests WHERE document_uid = $1 ORDER BY id', [uid]).then(
      (rows) => rows.map(({ status }) => status),
    );
  const mailSubjects = async (client: HttpClient) =>
    (await mailsOf(api)).filter(({ to }) => to === mailOf(client)).map(({ subject }) => subject);

  it('asks, tells the owner by mail, and shows both sides the request', async () => {
    const client = await api.signUp();
    await client.post('/users/profile/', { first_name: 'Grace', last_name: 'Hopper' });
    const document = await added('Quarterly figures.txt');
    const answer = await ask(client, document.path);
    expect(answer).toMatchObject({
      status: 201,
      body: { detail: expect.any(String), code: 'request_created', request: { status: 'pending', reason: '' } },
    });
    const request = answer.body.request as RequestBody;
    expect(request).toMatchObject({
      document: { uid: document.uid, path: document.path, filename: 'Quarterly figures.txt', size_bytes: 0 },
      user: { username: client.username, email: mailOf(client), phone: null },
    });
    expect(request.document).not.toHaveProperty('folder');
    expect(request.document).not.toHaveProperty('tags');
    expect(await list(client, '?my=1')).toEqual([request]);
    expect(await list(client, '?my')).toEqual([request]);
    expect(await list(client)).toEqual([]);
    const received = await list(owner);
    expect(received.find(({ id }) => id === request.id)).toMatchObject({
      document: { uid: document.uid, folder: '', size_bytes: 9 },
      user: { username: client.username },
    });
    expect(await list(owner, '?my=true')).toEqual([]);
    const mails = await mailsTo(api, mailOf(owner), 2);
    const mail = mails.find(({ subject }) => subject === 'Access to “Quarterly figures.txt” is asked for')!;
    expect(mail.text).toContain(`Grace Hopper (${client.username})`);
  });

  it('tells who only asks nothing of how far a document is read', async () => {
    const { document, client } = await pending('long.txt');
    await sql(
      `UPDATE documents SET processing_state = 'processing', status = 'Reading page 7 of 812.', stage = 'reading',
         page_number = 7, percent = 1, lease_expires_at = now() + interval '1 minute' WHERE uid = $1`,
      [document.uid],
    );
    const [request] = await list(client, '?my=1');
    expect(request!.document).toMatchObject({ status: 'Reading the file.', stage: '', page_number: 0, percent: 0 });
    const received = (await list(owner)).find(({ id }) => id === request!.id)!;
    expect(received.document).toMatchObject({ status: 'Reading page 7 of 812.', page_number: 7 });
  });

  it('refuses to ask for nothing, for what is unknown or one’s own, and twice', async () => {
    const { path, uid } = await added();
    expect(await ask(stranger, undefined as unknown as string)).toEqual({
      status: 400,
      body: { path: ['This field is required.'] },
    });
    const other = path.replace(/[^/]+$/, 'other.txt');
    const unknown = path.replace(uid, '00000000-0000-4000-8000-000000000000');
    for (const wrong of [other, unknown, 'nonsense', '/media/exports/x/y.zip', "'; DROP TABLE users --", '/'])
      expect(codeOf(await ask(stranger, wrong))).toBe('404 document_not_found');
    expect(await ask(owner, path)).toEqual({ status: 400, body: { error: expect.any(String), code: 'own_document' } });
    expect((await ask(stranger, path)).status).toBe(201);
    expect(codeOf(await ask(stranger, path))).toBe('409 request_pending');
    expect(await rowsOf(uid)).toEqual(['pending']);
  });

  it('approves: access at once, one mail, however often it is said', async () => {
    const { document, client, id } = await pending('approved.txt');
    expect(await canRead(client, document.uid)).toBe(false);
    const answer = await decide('approve', id);
    expect(answer).toMatchObject({
      status: 200,
      body: { detail: expect.any(String), code: 'request_approved', request: { id, status: 'approved' } },
    });
    expect(await canRead(client, document.uid)).toBe(true);
    expect((await list(client, '?my=1'))[0]!.document.size_bytes).toBe(9);
    expect((await decide('approve', id)).body).toEqual(answer.body);
    expect(codeOf(await decide('deny', id))).toBe('409 request_not_pending');
    expect(codeOf(await ask(client, document.path))).toBe('409 already_has_access');
    expect(codeOf(await cancel(client, { id }))).toBe('409 request_not_pending');
    await mailsTo(api, mailOf(client), 2);
    expect(await mailSubjects(client)).toEqual(expect.arrayContaining(['You can read “approved.txt” now']));
    expect(await mailSubjects(client)).toHaveLength(2);
  });

  it('denies with a reason, and lets ask again a day later', async () => {
    const { document, client, id } = await pending('denied.txt');
    const answer = await decide('deny', id, owner, { reason: 'It is a draft.' });
    expect(answer).toMatchObject({
      status: 200,
      body: { code: 'request_denied', request: { id, status: 'denied', reason: 'It is a draft.' } },
    });
    expect((await decide('deny', id, owner, { reason: 'Another one.' })).body).toEqual(answer.body);
    expect(codeOf(await decide('approve', id))).toBe('409 request_not_pending');
    expect(codeOf(await decide('revoke', id))).toBe('409 request_not_approved');
    expect(await canRead(client, document.uid)).toBe(false);
    expect(codeOf(await ask(client, document.path))).toBe('409 recently_denied');
    const mails = await mailsTo(api, mailOf(client), 2);
    expect(mails.find(({ subject }) => subject.includes('denied.txt'))!.text).toContain('It is a draft.');

    await sql(`UPDATE access_requests SET updated_at = now() - interval '24 hours 1 second' WHERE id = $1`, [id]);
    expect((await ask(client, document.path)).status).toBe(201);
    expect(await rowsOf(document.uid)).toEqual(['denied', 'pending']);
  });

  it('revokes, after which one may ask again at once', async () => {
    const { document, client, id } = await pending();
    expect(codeOf(await decide('revoke', id))).toBe('409 request_not_approved');
    await decide('approve', id);
    const answer = await decide('revoke', id);
    expect(answer).toMatchObject({ status: 200, body: { code: 'access_revoked', request: { id, status: 'revoked' } } });
    expect((await decide('revoke', id)).body).toEqual(answer.body);
    expect(await canRead(client, document.uid)).toBe(false);
    expect(codeOf(await decide('approve', id))).toBe('409 request_not_pending');
    expect((await ask(client, document.path)).status).toBe(201);
    expect(await rowsOf(document.uid)).toEqual(['revoked', 'pending']);
  });

  it('turns revoked when the owner removes the user, and approved when the owner adds them', async () => {
    const { document, client, id } = await pending();
    const users = (action: string) =>
      callStore(owner, 'POST', `documents/${document.uid}/users/${action}/`, { emails: [mailOf(client)] });
    await users('add');
    expect(await rowsOf(document.uid)).toEqual(['approved']);
    await users('remove');
    expect(await rowsOf(document.uid)).toEqual(['revoked']);
    expect((await decide('revoke', id)).status).toBe(200);
    expect(await canRead(client, document.uid)).toBe(false);
  });

  it('cancels by id or path, in the body or in the query, and nothing but one’s own', async () => {
    const { document, client, id } = await pending();
    expect(codeOf(await cancel(stranger, { id }))).toBe('404 access_request_not_found');
    expect(codeOf(await cancel(stranger, { path: document.path }))).toBe('404 access_request_not_found');
    expect(await cancel(client, {})).toEqual({
      status: 400,
      body: { error: expect.any(String), code: 'request_required' },
    });
    expect(await cancel(client, { id: 'x' })).toMatchObject({ status: 400, body: { id: [expect.any(String)] } });
    expect(await cancel(client, { id })).toEqual({
      status: 200,
      body: { detail: expect.any(String), code: 'request_cancelled' },
    });
    expect(codeOf(await cancel(client, { id }))).toBe('404 access_request_not_found');
    expect(await rowsOf(document.uid)).toEqual([]);
    await ask(client, document.path);
    const query = `documents/request/?path=${encodeURIComponent(document.path)}`;
    expect((await callStore(client, 'DELETE', query)).status).toBe(200);
    const again = await asked(client, document.path);
    expect((await callStore(client, 'DELETE', `documents/request/?id=${again.id}`)).status).toBe(200);
    await ask(client, document.path);
    expect((await cancel(client, { path: document.path })).status).toBe(200);
    expect(codeOf(await cancel(client, { path: 'nonsense' }))).toBe('404 access_request_not_found');
  });

  it('lets nobody but the owner decide', async () => {
    const { document, client, id } = await pending();
    const reader = await api.signUp();
    await callStore(owner, 'POST', `documents/${document.uid}/users/add/`, { emails: [mailOf(reader)] });
    for (const someone of [client, reader, stranger])
      for (const action of ['approve', 'deny', 'revoke'])
        expect(codeOf(await decide(action, id, someone))).toBe('404 access_request_not_found');
    expect(codeOf(await decide('approve', 2_000_000_000))).toBe('404 access_request_not_found');
    expect(await callStore(owner, 'POST', 'documents/approve/', {})).toEqual({
      status: 400,
      body: { id: ['This field is required.'] },
    });
    expect(await rowsOf(document.uid)).toEqual(['pending']);
  });

  it('hides requests with a trashed document, and deletes them with a purged one', async () => {
    const { document, client, id } = await pending();
    await callStore(owner, 'DELETE', `${document.uid}/delete/`);
    expect(codeOf(await decide('approve', id))).toBe('404 access_request_not_found');
    expect(codeOf(await ask(stranger, document.path))).toBe('404 document_not_found');
    expect((await list(client, '?my=1')).length).toBe(0);
    await callStore(owner, 'POST', `${document.uid}/restore/`);
    expect((await list(client, '?my=1'))[0]).toMatchObject({ id, status: 'pending' });
    await callStore(owner, 'DELETE', `${document.uid}/delete/`);
    await callStore(owner, 'DELETE', `${document.uid}/permanent-delete/`);
    expect(await rowsOf(document.uid)).toEqual([]);
    expect(codeOf(await cancel(client, { id }))).toBe('404 access_request_not_found');
  });

  it('makes one row of ten requests at once, and mails once', async () => {
    const [document, client, someone] = [await added('at once.txt'), await api.signUp(), await api.signUp()];
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(client, document.path)));
    const codes = answers.map(codeOf).toSorted();
    expect(codes).toEqual(['201 request_created', ...Array.from({ length: 9 }, () => '409 request_pending')]);
    expect(await rowsOf(document.uid)).toEqual(['pending']);
    await ask(someone, document.path);
    await until(
      async () => (await mailSubjects(owner)).filter((subject) => subject.includes('at once.txt')).length === 2,
    );
  });

  it('decides once when the owner approves and denies, and the requester cancels, all at once', async () => {
    const someone = await api.signUp();
    for (let round = 0; round < 12; round += 1) {
      const { document, client, id } = await pending('raced.txt', someone);
      const answers = await Promise.all([
        cancel(client, { id }),
        decide('approve', id),
        decide('deny', id),
        decide('approve', id),
        cancel(client, { path: document.path }),
      ]);
      for (const { status } of answers) expect([200, 404, 409]).toContain(status);
      const rows = await rowsOf(document.uid);
      const [byId, approved, denied, again, byPath] = answers.map(({ status }) => status === 200) as boolean[];
      expect([byId, byPath].filter(Boolean).length).toBe(rows.length === 0 ? 1 : 0);
      expect(rows).toEqual(rows.length === 0 ? [] : [denied ? 'denied' : 'approved']);
      expect(approved || again).toBe(rows[0] === 'approved');
      expect(await canRead(client, document.uid)).toBe(rows[0] === 'approved');
    }
  });

  inAll('agrees on share and request when decisions and removals meet', async () => {
    const someone = await api.signUp();
    for (let round = 0; round < 8; round += 1) {
      const { document, client, id } = await pending('raced.txt', someone);
      const users = (action: string) =>
        callStore(owner, 'POST', `documents/${document.uid}/users/${action}/`, { emails: [mailOf(client)] });
      const answers = await Promise.all([
        decide('approve', id),
        users('remove'),
        users('add'),
        decide('revoke', id),
        users('remove'),
      ]);
      for (const { status } of answers) expect([200, 409]).toContain(status);
      const [status] = await rowsOf(document.uid);
      const shared = await isShared(document.uid, client);
      expect(await canRead(client, document.uid)).toBe(shared);
      if (status === 'approved') expect(shared).toBe(true);
    }
  });

  inAll('limits how often one asks', async () => {
    const strict = await api.startReplica({ RATE_LIMITS: 'true' });
    try {
      const { path } = await added();
      const client = await api.signUp();
      const statuses: number[] = [];
      for (let n = 0; n < 31; n += 1) {
        const response = await fetch(`${strict.baseUrl}/semantic-search/documents/request/`, {
          method: 'POST',
          headers: { authorization: `Token ${client.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ path }),
        });
        statuses.push(response.status);
      }
      expect(statuses).toEqual([201, ...Array.from({ length: 29 }, () => 409), 429]);
    } finally {
      await strict.stop();
    }
  });

  async function isShared(uid: string, { username }: HttpClient): Promise<boolean> {
    const rows = await sql<unknown[]>(
      'SELECT FROM document_shares s JOIN users u ON u.id = s.user_id WHERE s.document_uid = $1 AND u.username = $2',
      [uid, username],
    );
    return rows.length > 0;
  }
});
