import { createHash } from 'node:crypto';
import { appendFile, readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { DetailedError } from 'tus-js-client';
import { ResumableUploadSweeper } from '../../apps/api/src/semantic-search/uploads/tus/resumable-upload-sweeper.js';
import { startApi, type TestApi } from '../support/api.js';
import { callStore } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';
import { metadataOf, tusRequest, tusUpload } from '../support/tus.js';
import { until } from '../support/until.js';

const KB = 1024;
const MAX = 4 * 1024 * KB;
const QUOTA = 8 * 1024 * KB;
const EICAR = `X5O!P%@AP[4\\PZX54(P^)7CC)7}$${'EICAR'}-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`;
const OFFSET_STREAM = { 'content-type': 'application/offset+octet-stream' };

const text = (bytes: number) => Buffer.alloc(bytes, 'The kettle is in the kitchen.\n');
const plain = { filename: 'kettle.txt', train_after_upload: 'false' };

/** Status and code of what the protocol's client was refused with. */
async function refusalOf(outcome: Promise<unknown>): Promise<[number, string]> {
  const error: unknown = await outcome.then(
    () => new Error('accepted'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof DetailedError) || !error.originalResponse) throw error;
  const { code } = JSON.parse(error.originalResponse.getBody()) as { code: string };
  return [error.originalResponse.getStatus(), code];
}

const storageOf = (client: HttpClient) => client.get<{ used_bytes: number; reserved_bytes: number }>('/users/storage/');

async function begin(client: HttpClient, length: number, fields: Record<string, string> = plain): Promise<string> {
  const headers = { 'upload-length': String(length), 'upload-metadata': metadataOf(fields) };
  const response = await tusRequest(client, 'POST', '/semantic-search/upload/tus/', headers);
  expect(response.status).toBe(201);
  return response.headers.get('location')!;
}
const send = (client: HttpClient, path: string, offset: number, body: Buffer) =>
  tusRequest(client, 'PATCH', path, { ...OFFSET_STREAM, 'upload-offset': String(offset) }, new Uint8Array(body));
const idOf = (path: string) => path.split('/').at(-2)!;

describe('resumable uploads (tus)', () => {
  let api: TestApi;
  let replica: TestApi;
  let owner: HttpClient;
  let stranger: HttpClient;
  beforeAll(async () => {
    api = await startApi({ MAX_UPLOAD_BYTES: String(MAX), STORAGE_QUOTA_BYTES: String(QUOTA) });
    replica = await api.startReplica();
    owner = await api.signUp();
    stranger = await api.signUp();
  });
  afterAll(async () => {
    await replica.stop();
    await api.stop();
  });

  const sql = <T>(statement: string, values: unknown[] = []) => api.database.dataSource.query<T[]>(statement, values);
  const files = () => readdir(join(api.config.storage.folder, '.resumable')).catch(() => []);
  it('become documents like any other upload', async () => {
    const content = text(300 * KB);
    const metadata = { ...plain, filename: 'قهوة.txt', folder: '/a//b/', filetype: 'text/plain' };
    const { url, documentUid } = await tusUpload(owner, content, metadata, { chunkSize: 100 * KB }).done;
    const { body } = await callStore(owner, 'GET', `documents/${documentUid}/`);
    expect(body).toMatchObject({ filename: 'قهوة.txt', folder: 'a/b', processing_state: 'untrained' });
    const followed = await owner.get(new URL(url).pathname);
    expect(followed).toMatchObject({
      filename: 'قهوة.txt',
      size_bytes: 300 * KB,
      offset: 300 * KB,
      state: 'stored',
      document_uid: documentUid,
      reasons: [],
    });
    const head = await tusRequest(owner, 'HEAD', url);
    expect([head.status, head.headers.get('upload-offset'), head.headers.get('x-document-uid')]).toEqual([
      200,
      String(300 * KB),
      documentUid,
    ]);
    const [row] = await sql<{ sha256: string }>('SELECT sha256 FROM documents WHERE uid = $1', [documentUid]);
    expect(row!.sha256).toBe(createHash('sha256').update(content).digest('hex'));
    expect(await files()).toEqual([]);
    expect(await storageOf(owner)).toMatchObject({ reserved_bytes: 0 });
  });

  it('may come with their beginning, and may be empty only to be refused', async () => {
    const headers = { 'upload-length': '5', 'upload-metadata': metadataOf(plain), ...OFFSET_STREAM };
    const whole = await tusRequest(owner, 'POST', '/semantic-search/upload/tus/', headers, 'hello');
    expect([whole.status, whole.headers.get('upload-offset')]).toEqual([201, '5']);
    expect(whole.headers.get('x-document-uid')).toMatch(/^[0-9a-f-]{36}$/);
    const none = { 'upload-length': '0', 'upload-metadata': metadataOf(plain) };
    const empty = await tusRequest(owner, 'POST', '/semantic-search/upload/tus/', none);
    expect([empty.status, await empty.json()]).toMatchObject([400, { code: 'upload_rejected' }]);
  });

  it('go on where they broke off, at another replica too', async () => {
    const content = text(3000 * KB);
    const path = await begin(owner, content.length);
    // A connection that breaks in the middle of a part.
    const broken = request(new URL(path, api.baseUrl), {
      method: 'PATCH',
      headers: {
        authorization: `Token ${owner.token}`,
        'tus-resumable': '1.0.0',
        'upload-offset': 0,
        'content-length': content.length,
        ...OFFSET_STREAM,
      },
    });
    broken.on('error', () => undefined);
    broken.write(content.subarray(0, 1000 * KB));
    const arrived = async () =>
      Number(
        (await tusRequest({ ...owner, baseUrl: replica.baseUrl } as HttpClient, 'HEAD', path)).headers.get(
          'upload-offset',
        ),
      );
    await until(async () => (await owner.get<{ offset: number }>(path)).offset > 0);
    broken.destroy();
    const offset = await arrived();
    expect(offset).toBeGreaterThan(0);
    expect(offset).toBeLessThanOrEqual(1000 * KB);
    const uploadUrl = new URL(path, replica.baseUrl).href;
    const { documentUid } = await tusUpload(owner, content, plain, { uploadUrl, chunkSize: 700 * KB }).done;
    const [row] = await sql<{ size_bytes: string }>('SELECT size_bytes FROM documents WHERE uid = $1', [documentUid]);
    expect(Number(row!.size_bytes)).toBe(content.length);
  });

  it('take over from a request that hangs, and never mix two of them', async () => {
    const content = text(400 * KB);
    const path = await begin(owner, content.length);
    const hanging = request(new URL(path, api.baseUrl), {
      method: 'PATCH',
      headers: {
        authorization: `Token ${owner.token}`,
        'tus-resumable': '1.0.0',
        'upload-offset': 0,
        'content-length': content.length,
        ...OFFSET_STREAM,
      },
    });
    hanging.on('error', () => undefined);
    hanging.write(content.subarray(0, 100 * KB));
    await until(async () => (await owner.get<{ offset: number }>(path)).offset > 0);
    const other = { ...owner, baseUrl: replica.baseUrl } as HttpClient;
    const head = await tusRequest(other, 'HEAD', path);
    const offset = Number(head.headers.get('upload-offset'));
    expect([head.status, offset]).toEqual([200, 100 * KB]);
    const rest = await send(other, path, offset, content.subarray(offset));
    expect([rest.status, rest.headers.get('upload-offset')]).toEqual([204, String(content.length)]);
    hanging.destroy();
    const twice = await Promise.all([send(owner, path, 0, content), send(other, path, 0, content)]);
    expect(twice.map(({ status }) => status)).toEqual([409, 409]);
    const documents = await sql('SELECT uid FROM documents WHERE filename = $1 AND size_bytes = $2', [
      'kettle.txt',
      content.length,
    ]);
    expect(documents).toHaveLength(1);
  });

  it('become one document, however many ask for the last step at once', async () => {
    const path = await begin(owner, 5);
    await send(owner, path, 0, Buffer.from('hell'));
    // As after a kill between the last byte and the document.
    await appendFile(join(api.config.storage.folder, '.resumable', idOf(path)), 'o');
    const other = { ...owner, baseUrl: replica.baseUrl } as HttpClient;
    const heads = await Promise.all([owner, other, owner, other].map((client) => tusRequest(client, 'HEAD', path)));
    const uids = new Set(heads.map((head) => head.headers.get('x-document-uid')));
    expect([heads.every(({ status }) => status === 200), uids.size, uids.has(null)]).toEqual([true, 1, false]);
    expect(await sql('SELECT FROM documents WHERE size_bytes = 5 AND uid = $1', [[...uids][0]])).toHaveLength(1);
  });

  it('are completed by a sweeper when nobody comes back, and removed when they expire', async () => {
    const sweeper = api.app.get(ResumableUploadSweeper, { strict: false });
    const whole = await begin(owner, 5);
    await send(owner, whole, 0, Buffer.from('hell'));
    await appendFile(join(api.config.storage.folder, '.resumable', idOf(whole)), 'o');
    const given = await begin(owner, 100);
    await sweeper.completeWhole(0);
    expect(await owner.get(whole)).toMatchObject({ state: 'stored' });
    expect(await owner.get(given)).toMatchObject({ state: 'receiving', offset: 0 });
    await sql(`UPDATE resumable_uploads SET expires_at = now() - interval '1 second' WHERE id = $1`, [idOf(given)]);
    expect((await tusRequest(owner, 'HEAD', given)).status).toBe(404);
    await sweeper.removeExpired();
    expect(await files()).not.toContain(idOf(given));
    expect(await sql('SELECT FROM storage_reservations WHERE id = $1', [idOf(given)])).toEqual([]);
  });

  it('are their owner\u2019s alone', async () => {
    const path = await begin(owner, 100);
    const answers = [
      await tusRequest(stranger, 'HEAD', path),
      await send(stranger, path, 0, Buffer.from('x')),
      await tusRequest(stranger, 'DELETE', path),
      await stranger.send('GET', path),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const nobody = await fetch(new URL(path, api.baseUrl), { method: 'HEAD' });
    expect(nobody.status).toBe(401);
    const ended = await tusRequest(owner, 'DELETE', path);
    expect([ended.status, await files()]).toEqual([204, []]);
    expect((await tusRequest(owner, 'HEAD', path)).status).toBe(404);
    expect(await storageOf(owner)).toMatchObject({ reserved_bytes: 0 });
  });

  it('keep to the protocol: offsets, lengths, versions', async () => {
    const path = await begin(owner, 10);
    const wrong = await send(owner, path, 5, Buffer.from('x'));
    expect([wrong.status, await wrong.json()]).toMatchObject([409, { code: 'upload_offset_conflict' }]);
    const long = await send(owner, path, 0, Buffer.from('12345678901'));
    expect([long.status, await long.json()]).toMatchObject([413, { code: 'upload_too_large' }]);
    expect((await send(owner, path, 0, Buffer.from('12345'))).headers.get('upload-offset')).toBe('5');
    const noOffset = await tusRequest(owner, 'PATCH', path, OFFSET_STREAM, 'x');
    expect(noOffset.status).toBe(400);
    const old = await tusRequest(owner, 'HEAD', path, { 'tus-resumable': '0.2.2' });
    expect([old.status, old.headers.get('tus-version')]).toEqual([412, '1.0.0']);
    const deferred = await tusRequest(owner, 'POST', '/semantic-search/upload/tus/', { 'upload-defer-length': '1' });
    expect(deferred.status).toBe(400);
    const unsure = await tusRequest(owner, 'POST', '/semantic-search/upload/tus/', { 'upload-length': '-5' });
    expect(unsure.status).toBe(400);
    const options = await fetch(`${api.baseUrl}/semantic-search/upload/tus/`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('tus-max-size'), options.headers.get('tus-extension')]).toEqual([
      204,
      String(MAX),
      'creation,creation-with-upload,termination,expiration',
    ]);
    await tusRequest(owner, 'DELETE', path);
  });

  it('can be made by web apps of other origins', async () => {
    const web = await api.startReplica({ CORS_ORIGINS: 'https://app.example' });
    const preflight = await fetch(`${web.baseUrl}/semantic-search/upload/tus/`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,tus-resumable,upload-offset,content-type',
      },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('upload-offset');
    const headers = { 'upload-length': '5', 'upload-metadata': metadataOf(plain), origin: 'https://app.example' };
    const other = { ...owner, baseUrl: web.baseUrl } as HttpClient;
    const begun = await tusRequest(other, 'POST', '/semantic-search/upload/tus/', headers);
    expect(begun.headers.get('access-control-allow-origin')).toBe('https://app.example');
    for (const name of ['Location', 'Upload-Offset', 'Upload-Length', 'X-Document-Uid'])
      expect(begun.headers.get('access-control-expose-headers')).toContain(name);
    await tusRequest(owner, 'DELETE', begun.headers.get('location')!);
    await web.stop();
  });

  it('are refused before the first byte for what is known then', async () => {
    const client = await api.signUp();
    expect(await refusalOf(tusUpload(client, text(10), { filename: 'a.exe' }).done)).toEqual([400, 'upload_rejected']);
    expect(await refusalOf(tusUpload(client, text(10), {}).done)).toEqual([400, 'upload_rejected']);
    const climbing = { filename: 'a.txt', folder: '../x' };
    expect(await refusalOf(tusUpload(client, text(10), climbing).done)).toEqual([400, 'upload_rejected']);
    expect(await refusalOf(tusUpload(client, text(MAX + 1), plain).done)).toEqual([413, 'upload_too_large']);
    await begin(client, MAX);
    await begin(client, MAX - 1000);
    expect(await refusalOf(tusUpload(client, text(2000), plain).done)).toEqual([413, 'storage_limit_exceeded']);
    expect(await storageOf(client)).toMatchObject({ used_bytes: 0, reserved_bytes: 2 * MAX - 1000 });
    await tusUpload(client, text(1000), plain).done;
    expect(await storageOf(client)).toMatchObject({ used_bytes: 1000, reserved_bytes: 2 * MAX - 1000 });
  });

  it('are refused after the last byte for what they turn out to be, and say so again', async () => {
    const client = await api.signUp();
    const virus = tusUpload(client, Buffer.from(EICAR), { filename: 'a.txt' });
    expect(await refusalOf(virus.done)).toEqual([400, 'upload_blocked']);
    const path = new URL(virus.upload.url!).pathname;
    expect(await client.get(path)).toMatchObject({
      state: 'refused',
      document_uid: null,
      reasons: [expect.stringMatching(/virus/)],
    });
    expect((await tusRequest(client, 'HEAD', path)).status).toBe(400);
    const program = tusUpload(client, Buffer.from('MZ\0\0'), { filename: 'a.pdf' });
    expect(await refusalOf(program.done)).toEqual([400, 'upload_rejected']);
    expect(await storageOf(client)).toMatchObject({ used_bytes: 0, reserved_bytes: 0 });
    const owned = 'SELECT FROM documents d JOIN users u ON u.id = d.owner_id WHERE u.username = $1';
    expect(await sql(owned, [client.username])).toEqual([]);
  });
});
