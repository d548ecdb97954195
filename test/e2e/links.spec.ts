import { AuditChain } from '@app/audit';
import { call, startApi, type TestApi } from '../support/api.js';
import { fixture, upload } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';

interface Link {
  uid: string;
  url: string;
  media_path: string;
  access_count: number;
}

describe('permanent links', () => {
  let api: TestApi;
  let owner: HttpClient;
  let friend: HttpClient;
  let uid: string;
  let path: string;
  const base = '/artifacts/links/';
  const mint = async (who: HttpClient, body: object) => {
    const response = await who.send('POST', base, body);
    return { status: response.status, body: (await response.json()) as Link & { code: string } };
  };
  const fetched = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(api.baseUrl + url, { headers });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  beforeAll(async () => {
    api = await startApi();
    [owner, friend] = await Promise.all([api.signUp(), api.signUp()]);
    const { body } = await upload(owner, await fixture('scanned.pdf'), { train_after_upload: 'false' });
    ({ uid, path } = body);
    await api.database.dataSource.query(
      'INSERT INTO document_shares (document_uid, user_id) SELECT $1, id FROM users WHERE username = $2',
      [uid, friend.username],
    );
  });
  afterAll(() => api.stop());

  it('is one per file, public, countable, and gone with its deletion', async () => {
    const made = await Promise.all([0, 1, 2].map(() => mint(owner, { media_path: path })));
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(made.map(({ body }) => body.url)).size).toBe(1);
    const link = made[0]!.body;
    expect(link).toEqual({
      uid: expect.any(String) as string,
      url: expect.stringMatching(/^\/media\/documents\/.*\?link=[\w-]{43}$/) as string,
      media_path: path,
      name: 'scanned.pdf',
      artifact_uid: null,
      created_at: expect.any(String) as string,
      last_accessed_at: null,
      access_count: 0,
    });
    const whole = await fetched(link.url);
    expect(whole.status).toBe(200);
    expect(whole.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'access-control-allow-origin': '*',
      'cache-control': 'private, max-age=0, must-revalidate',
    });
    const part = await fetched(link.url, { range: 'bytes=0-4' });
    expect([part.status, part.bytes.toString()]).toEqual([206, '%PDF-']);
    expect(await owner.get<Link[]>(base)).toMatchObject([{ uid: link.uid, url: link.url, access_count: 2 }]);

    expect((await fetched(link.url.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')))).status).toBe(404);
    expect((await fetched(link.url.replace('scanned.pdf', 'other.pdf'))).status).toBe(404);
    expect((await friend.send('DELETE', `${base}${link.uid}/`)).status).toBe(404);
    expect((await owner.send('DELETE', `${base}${link.uid}/`)).status).toBe(204);
    expect((await fetched(link.url)).status).toBe(404);
    expect((await owner.send('DELETE', `${base}${link.uid}/`)).status).toBe(404);
    const again = await mint(owner, { media_path: path });
    expect(again.body.url).not.toBe(link.url);
    await api.app.get(AuditChain).extend();
    const told = await api.database.dataSource.query<{ action: string }[]>(
      `SELECT action FROM audit_events WHERE action LIKE 'link.%' ORDER BY at`,
    );
    expect(told.map(({ action }) => action)).toEqual(['link.created', 'link.revoked', 'link.created']);
  });

  it('cannot be made of what one was only shown, of nothing, or of an unknown artifact', async () => {
    expect(await mint(friend, { media_path: path })).toMatchObject({ status: 400, body: { code: 'not_linkable' } });
    expect(await mint(owner, { media_path: '/media/documents/../x' })).toMatchObject({
      status: 400,
      body: { code: 'not_linkable' },
    });
    expect(await mint(owner, {})).toMatchObject({ status: 400, body: { code: 'nothing_to_link' } });
    expect(await mint(owner, { artifact_uid: uid })).toMatchObject({
      status: 404,
      body: { code: 'artifact_not_found' },
    });
    expect((await call(api.baseUrl + base)).status).toBe(401);
  });

  it('leads nowhere while the document lies in the trash, or its owner’s account is closed', async () => {
    const { body: link } = await mint(owner, { media_path: path });
    await owner.send('DELETE', `/semantic-search/${uid}/delete/`);
    expect((await fetched(link.url)).status).toBe(404);
    await owner.send('POST', `/semantic-search/${uid}/restore/`);
    expect((await fetched(link.url)).status).toBe(200);
    const close = (active: boolean) =>
      api.database.dataSource.query('UPDATE users SET is_active = $2 WHERE username = $1', [owner.username, active]);
    await close(false);
    expect((await fetched(link.url)).status).toBe(404);
    await close(true);
    expect((await fetched(link.url)).status).toBe(200);
  });

  it('counts what was fetched: neither a look at it nor a visit in vain', async () => {
    const { body } = await upload(owner, await fixture('scanned.pdf'), { train_after_upload: 'false' });
    const { body: link } = await mint(owner, { media_path: body.path });
    const count = async () =>
      (await owner.get<Link[]>(base)).find((listed) => listed.uid === link.uid)?.access_count ?? null;
    expect((await fetch(api.baseUrl + link.url, { method: 'HEAD' })).status).toBe(200);
    await owner.send('DELETE', `/semantic-search/${body.uid}/delete/`);
    expect((await fetched(link.url)).status).toBe(404);
    expect(await count()).toBe(0);
    await owner.send('POST', `/semantic-search/${body.uid}/restore/`);
    expect((await fetched(link.url)).status).toBe(200);
    expect(await count()).toBe(1);
    await owner.send('DELETE', `/semantic-search/${body.uid}/permanent-delete/`);
    expect(await count()).toBeNull();
  });

  it('leads to a document that was renamed in the drive that it comes from', async () => {
    const { body } = await upload(owner, await fixture('scanned.pdf'), { train_after_upload: 'false' });
    const { body: link } = await mint(owner, { media_path: body.path });
    await api.database.dataSource.query('UPDATE documents SET filename = $2, path = $3 WHERE uid = $1', [
      body.uid,
      'renamed.pdf',
      body.path.replace('scanned', 'renamed'),
    ]);
    const { status, headers } = await fetched(link.url);
    expect([status, headers.get('content-disposition')]).toEqual([200, 'inline; filename="renamed.pdf"']);
  });

  it('does not outlive a document that is purged in the same moment', async () => {
    const documents = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { body } = await upload(owner, await fixture('scanned.pdf'), { train_after_upload: 'false' });
        return body;
      }),
    );
    await Promise.all(
      documents.flatMap((document) => [
        mint(owner, { media_path: document.path }),
        owner.send('DELETE', `/semantic-search/${document.uid}/permanent-delete/`),
      ]),
    );
    const left = (await owner.get<Link[]>(base)).map((link) => link.media_path);
    expect(left.filter((linked) => documents.some((document) => document.path === linked))).toEqual([]);
  });

  it('keeps its token out of the table', async () => {
    const { body: link } = await mint(owner, { media_path: path });
    const token = link.url.split('link=')[1]!;
    const rows = await api.database.dataSource.query<unknown[]>('SELECT * FROM permanent_links');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows.map((row) => Object.values(row as object).map(String)))).not.toContain(token);
  });
});
