import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { StorageQuota } from '@app/entitlements';
import { startApi, type TestApi } from '../support/api.js';
import { callStore, upload, uploadForm } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';
import { until } from '../support/until.js';
import { stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';

const KB = 1024;
const LIMIT = 200 * KB;

interface Storage {
  used_bytes: number;
  reserved_bytes: number;
  limit_bytes: number | null;
  available_bytes: number | null;
}

const text = (bytes: number, name = 'a.txt') => new File(['x'.repeat(bytes)], name);
const UNTRAINED = { train_after_upload: 'false' };
const storageOf = (client: HttpClient) => client.get<Storage>('/users/storage/');

describe('what a user may store', () => {
  let api: TestApi;
  let replica: TestApi;
  beforeAll(async () => {
    api = await startApi({ STORAGE_QUOTA_BYTES: String(LIMIT) });
    replica = await api.startReplica();
  });
  afterAll(async () => {
    await replica.stop();
    await api.stop();
  });

  const idOf = async (client: HttpClient) => {
    const [row] = await api.database.dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
      client.username,
    ]);
    return row.id;
  };

  it('is told, counts trash, written and table files, and falls with what is removed for good', async () => {
    const client = await api.signUp();
    const { body } = await upload(client, text(50 * KB), UNTRAINED);
    expect(await storageOf(client)).toEqual({
      used_bytes: 50 * KB,
      reserved_bytes: 0,
      limit_bytes: LIMIT,
      available_bytes: 150 * KB,
    });
    await callStore(client, 'DELETE', `${body.uid}/delete/`);
    expect(await storageOf(client)).toMatchObject({ used_bytes: 50 * KB });
    await callStore(client, 'DELETE', `${body.uid}/permanent-delete/`);
    expect(await storageOf(client)).toMatchObject({ used_bytes: 0 });
    await api.database.dataSource.query(
      `INSERT INTO written_files (id, owner_id, path, storage_key, mime_type, size_bytes, sha256)
       VALUES (gen_random_uuid(), $1, 'a.txt', 'k', 'text/plain', 1000, '')`,
      [await idOf(client)],
    );
    expect(await storageOf(client)).toMatchObject({ used_bytes: 1000 });
  });

  it('refuses what does not fit with 413, and keeps nothing of it', async () => {
    const client = await api.signUp();
    await upload(client, text(150 * KB), UNTRAINED);
    const refused = await upload(client, text(60 * KB), UNTRAINED);
    expect(refused).toMatchObject({
      status: 413,
      body: {
        code: 'storage_limit_exceeded',
        detail: expect.stringMatching(/^There is no room/),
        available_bytes: 50 * KB,
        limit_bytes: LIMIT,
      },
    });
    expect(await storageOf(client)).toMatchObject({ used_bytes: 150 * KB, reserved_bytes: 0 });
    expect((await upload(client, text(40 * KB), UNTRAINED)).status).toBe(201);
  });

  it('is never exceeded by 50 uploads at once to two replicas, nor left unused', async () => {
    const client = await api.signUp();
    const size = 20 * KB;
    const sent = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const form = new FormData();
        form.append('train_after_upload', 'false');
        form.append('path', text(size), `${index}.txt`);
        const { baseUrl } = index % 2 === 0 ? api : replica;
        const headers = { authorization: `Token ${client.token}` };
        const response = await fetch(`${baseUrl}/semantic-search/upload/`, { method: 'POST', headers, body: form });
        return { status: response.status, body: (await response.json()) as { code?: string } };
      }),
    );
    const stored = sent.filter(({ status }) => status === 201).length;
    const refused = sent.filter(({ status, body }) => status === 413 && body.code === 'storage_limit_exceeded').length;
    const usage = await storageOf(client);
    expect([stored + refused, usage.used_bytes, usage.reserved_bytes]).toEqual([50, stored * size, 0]);
    expect(usage.used_bytes).toBeLessThanOrEqual(LIMIT);
    // A form is a little larger than its file: of ten that would just fit, nine do at once.
    expect(stored).toBeGreaterThanOrEqual(9);
  });

  it('refuses single files of a batch that does not fit as a whole', async () => {
    const client = await api.signUp();
    const form = new FormData();
    form.append('train_after_upload', 'false');
    for (const [name, size] of [
      ['a.txt', 120],
      ['b.txt', 100],
      ['c.txt', 70],
    ] as const)
      form.append('files', text(size * KB), name);
    const { status, body } = await uploadForm(client, form, 'upload/batch/');
    expect(status).toBe(202);
    const results = body.results as { status: string; reasons: string[]; uid: string | null }[];
    expect(results.map((result) => result.status)).toEqual(['untrained', 'rejected', 'untrained']);
    expect(results[1]).toMatchObject({ uid: null, reasons: [expect.stringMatching(/no room for this: 100 KB/)] });
    expect(await storageOf(client)).toMatchObject({ used_bytes: 190 * KB, reserved_bytes: 0 });
  });

  it('refuses a whole batch when nothing is left', async () => {
    const client = await api.signUp();
    await api.app.get(StorageQuota).reserve(await idOf(client), LIMIT);
    const form = new FormData();
    form.append('files', text(1), 'a.txt');
    expect(await uploadForm(client, form, 'upload/batch/')).toMatchObject({
      status: 413,
      body: { code: 'storage_limit_exceeded' },
    });
  });

  it('gives back what a client reserved who goes away in mid-upload, or whose file is refused', async () => {
    const client = await api.signUp();
    expect((await upload(client, new File(['MZ\0\0'], 'a.exe'))).status).toBe(400);
    expect(await storageOf(client)).toMatchObject({ reserved_bytes: 0 });
    const sending = request(`${api.baseUrl}/semantic-search/upload/`, {
      method: 'POST',
      headers: {
        authorization: `Token ${client.token}`,
        'content-type': 'multipart/form-data; boundary=b',
        'content-length': 100 * KB,
      },
    });
    sending.on('error', () => undefined);
    sending.write('--b\r\nContent-Disposition: form-data; name="path"; filename="a.txt"\r\n\r\nhalf a file');
    await until(async () => (await storageOf(client)).reserved_bytes === 100 * KB);
    sending.destroy();
    await until(async () => (await storageOf(client)).reserved_bytes === 0);
  });

  it('gets back what a killed process had reserved when that expires', async () => {
    const client = await api.signUp();
    const quota = api.app.get(StorageQuota);
    const userId = await idOf(client);
    const reservation = await quota.reserve(userId, LIMIT, { seconds: 1 });
    await expect(quota.reserve(userId, 1)).rejects.toMatchObject({ code: 'storage_limit_exceeded' });
    await until(async () => (await storageOf(client)).reserved_bytes === 0);
    await quota.reserve(userId, LIMIT);
    // Who comes back too late may not store what others have now.
    await expect(api.database.dataSource.transaction((tx) => reservation.settle(LIMIT, tx))).rejects.toMatchObject({
      code: 'upload_expired',
    });
    expect(await reservation.extend(100)).toBe(false);
    expect(await quota.removeExpired()).toBeGreaterThanOrEqual(1);
  });

  it('may be without a limit', async () => {
    const free = await api.startReplica({ STORAGE_QUOTA_BYTES: '0' });
    const client = await free.signUp();
    expect((await upload(client, text(300 * KB), UNTRAINED)).status).toBe(201);
    expect(await storageOf(client)).toMatchObject({ limit_bytes: null, available_bytes: null, used_bytes: 300 * KB });
    await free.stop();
  });

  inAll('does not slow down with what is stored: a reservation over 100,000 documents', async () => {
    const client = await api.signUp();
    const userId = await idOf(client);
    await api.database.dataSource.query(
      `INSERT INTO documents (uid, owner_id, filename, path, kind, mime_type, size_bytes, sha256, storage_key, processing_state)
       SELECT gen_random_uuid(), $1, 'a.txt', $2 || n, 'text', 'text/plain', 1, '', $2 || n, 'untrained' FROM generate_series(1, 100000) n`,
      [userId, randomBytes(8).toString('hex')],
    );
    await api.database.dataSource.query('VACUUM ANALYZE documents');
    const quota = api.app.get(StorageQuota);
    const took = stopwatch();
    for (let n = 0; n < 10; n += 1) await quota.reserve(userId, 1);
    const each = took() / 10;
    expect((await quota.usageOf(userId)).used).toBe(100_000);
    expect(each).toBeLessThan(300);
    process.stdout.write(`a reservation over 100,000 documents: ${each.toFixed(1)} ms\n`);
  });
});
