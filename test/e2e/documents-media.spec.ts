import { filesSaying } from '../fixtures/documents/make-kinds.js';
import { startApi, type TestApi } from '../support/api.js';
import { callStore, note, upload, type DocumentBody } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';

const TEXT = 'The kettle is in the kitchen.';

const sign = (client: HttpClient, body: object) =>
  client.post<{ urls: { path: string; url: string }[]; not_found: string[] }>('/media/sign/', body);

const codeOf = async (address: string | URL) => {
  const response = await fetch(address);
  return [response.status, ((await response.json()) as DocumentBody).code];
};

describe('media over HTTP', () => {
  let api: TestApi;
  let owner: HttpClient;
  let reader: HttpClient;
  let stranger: HttpClient;
  beforeAll(async () => {
    api = await startApi();
    owner = await api.signUp();
    reader = await api.signUp();
    stranger = await api.signUp();
  });
  afterAll(() => api.stop());

  const added = async (fields: Record<string, string> = {}, file = note()) => (await upload(owner, file, fields)).body;
  const shareWith = (client: HttpClient, uid: string) =>
    api.database.dataSource.query(
      'INSERT INTO document_shares (document_uid, user_id) SELECT $1, id FROM users WHERE username = $2',
      [uid, client.username],
    );

  it('serves a file by a signed address, whole and in parts', async () => {
    const document = await added({}, note(TEXT, 'قهوة.txt'));
    const { urls } = await sign(owner, { paths: [document.path] });
    const response = await fetch(urls[0]!.url);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(TEXT);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `inline; filename="____.txt"; filename*=UTF-8''${encodeURIComponent('قهوة.txt')}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'access-control-allow-origin': '*',
    });
    const etag = response.headers.get('etag')!;
    expect((await fetch(urls[0]!.url, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const part = await fetch(urls[0]!.url, { headers: { range: 'bytes=4-9', 'if-range': etag } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      `bytes 4-9/${TEXT.length}`,
      'kettle',
    ]);
    const stale = await fetch(urls[0]!.url, { headers: { range: 'bytes=4-9', 'if-range': '"other"' } });
    expect(stale.status).toBe(200);
    const beyond = await fetch(urls[0]!.url, { headers: { range: 'bytes=100-' } });
    expect([beyond.status, beyond.headers.get('content-range'), await beyond.json()]).toEqual([
      416,
      `bytes */${TEXT.length}`,
      { detail: 'The file has no such part.', code: 'range_not_satisfiable' },
    ]);
    const head = await fetch(urls[0]!.url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(TEXT.length),
      '',
    ]);
  });

  it('never shows active content in place', async () => {
    const script = '<script>alert(1)</script>';
    const svg = `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`;
    const files = filesSaying(script);
    const active = {
      'page.html': script,
      'drawing.xml': svg,
      'page.xml': `<html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`,
      ...Object.fromEntries(
        ['book.epub', 'message.msg', 'macros.docm', 'binary.xlsb'].map((name) => [name, files[name]!]),
      ),
    };
    for (const [name, content] of Object.entries(active)) {
      const { path } = await added({}, new File([new Uint8Array(Buffer.from(content))], name));
      const { url } = await owner.get<{ url: string }>(`/media/sign/?path=${encodeURIComponent(path)}`);
      const { headers } = await fetch(url);
      expect(['content-disposition', 'x-content-type-options'].map((header) => headers.get(header))).toEqual([
        `attachment; filename="${name}"`,
        'nosniff',
      ]);
      expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    }
  });

  it('signs what the caller may read, and nothing else', async () => {
    const mine = await added();
    const theirs = (await upload(stranger, note(), {})).body;
    await shareWith(reader, mine.uid);
    const asked = [
      mine.path,
      mine.path.replace('/media/', ''),
      theirs.path,
      '/media/../etc/passwd',
      'x',
      `${mine.path}x`,
    ];
    const answer = await sign(owner, { paths: asked });
    expect(answer.urls.map(({ path }) => path)).toEqual(asked.slice(0, 2));
    expect(answer.not_found).toEqual(asked.slice(2));
    expect((await sign(reader, { paths: [mine.path] })).urls).toHaveLength(1);
    expect((await stranger.send('GET', `/media/sign/?path=${encodeURIComponent(mine.path)}`)).status).toBe(404);
    expect((await owner.send('POST', '/media/sign/', { paths: [] })).status).toBe(400);
    expect((await owner.send('POST', '/media/sign/', { paths: ['x'], expires_in: 5 })).status).toBe(400);
  });

  it('can be read by pages of any origin, refusals too', async () => {
    const { path } = await added();
    const { urls } = await sign(owner, { paths: [path] });
    for (const address of [urls[0]!.url, `${api.baseUrl}${path}`, `${api.baseUrl}${path}?link=unknown`]) {
      const { headers } = await fetch(address, { headers: { origin: 'https://any.example', range: 'bytes=0-3' } });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('access-control-expose-headers')).toContain('Content-Range');
    }
  });

  it('refuses forged and expired addresses, and files that are gone', async () => {
    const document = await added();
    const { urls } = await sign(owner, { paths: [document.path] });
    const url = new URL(urls[0]!.url);
    expect(await codeOf(`${api.baseUrl}${document.path}`)).toEqual([403, 'media_signature_invalid']);
    const longer = new URL(url);
    longer.searchParams.set('exp', '9999999999');
    expect(await codeOf(longer)).toEqual([403, 'media_signature_invalid']);
    await callStore(owner, 'DELETE', `${document.uid}/delete/`);
    expect(await codeOf(url)).toEqual([404, 'file_not_found']);
  });
});
