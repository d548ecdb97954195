import { readdir } from 'node:fs/promises';
import { call } from '../support/api.js';
import { callStore, note, upload, type DocumentBody } from '../support/documents-api.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { startS3Server, type S3Server } from '../support/s3-server.js';
import { callTables, csv, imported, importTable } from '../support/tabular-api.js';
import { until } from '../support/until.js';

const TEXT = 'The kettle is in the kitchen. Everybody has 31 days of paid leave a year.';

/** The apps with their files in a bucket. */
describe('the platform on S3 storage', () => {
  let s3: S3Server;
  let platform: HostedPlatform;
  let client: HttpClient;
  beforeAll(async () => {
    s3 = await startS3Server();
    platform = await hostPlatform(undefined, { ...s3.env, S3_PREFIX: 'atrium/', LOG_LEVEL: 'warn' });
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    await platform.stop();
    await s3.stop();
  });

  const documentOf = async (uid: string) => (await callStore(client, 'GET', `documents/${uid}/`)).body;
  const completed = (uid: string, withinMs = 30_000) =>
    until(async () => {
      const { processing_state, last_error } = await documentOf(uid);
      if (processing_state === 'failed') throw new Error(last_error);
      return processing_state === 'completed';
    }, withinMs);
  const signed = async (path: string) =>
    (await client.get<{ url: string }>(`/media/sign/?path=${encodeURIComponent(path)}`)).url;
  const objectsOf = async (uid: string) => (await s3.keys()).filter((key) => key.includes(uid));
  const localFiles = async () => {
    const entries = await readdir(platform.env.STORAGE_DIR!, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };
  const readiness = async () => {
    const { status, body } = await call(`${platform.baseUrl}/readyz/`);
    return [status, (body as { checks: { storage: { status: string } } }).checks.storage.status];
  };

  it('stores, indexes, answers, serves and forgets a document', async () => {
    const { uid, path } = (await upload(client, note(TEXT))).body;
    await completed(uid);
    expect(await objectsOf(uid)).toEqual([expect.stringMatching(/^atrium\/documents\//)]);
    expect(await localFiles()).toEqual([]);

    const reply = await client.text('/semantic-search/single-file-chat/', {
      uid,
      message: 'How many days of paid leave do we have?',
    });
    expect(reply).toContain('31 days of paid leave');

    const url = await signed(path);
    const whole = await fetch(url);
    expect([whole.status, whole.headers.get('content-length'), await whole.text()]).toEqual([200, '73', TEXT]);
    const part = await fetch(url, { headers: { range: 'bytes=4-9' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 4-9/73',
      'kettle',
    ]);
    expect((await fetch(url, { headers: { range: 'bytes=100-' } })).status).toBe(416);
    expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe('73');

    await callStore(client, 'DELETE', `${uid}/delete/`);
    expect((await fetch(url)).status).toBe(404);
    expect(await objectsOf(uid)).toHaveLength(1);
    expect((await callStore(client, 'DELETE', `${uid}/permanent-delete/`)).status).toBe(200);
    await until(async () => (await objectsOf(uid)).length === 0);
  });

  it('keeps a file of many parts', async () => {
    const text = `${'The kettle is in the kitchen. '.repeat(300_000)}The lid is missing.`;
    const { uid, path } = (await upload(client, note(text), { train_after_upload: 'no' })).body;
    const downloaded = await (await fetch(await signed(path))).text();
    expect(downloaded === text).toBe(true);
    const end = await fetch(await signed(path), { headers: { range: 'bytes=-19' } });
    expect(await end.text()).toBe('The lid is missing.');
    expect(await objectsOf(uid)).toHaveLength(1);
  });

  it('builds the database of a table there, and asks it', async () => {
    const { uid, processing_state } = await importTable(client, csv('city,people\nZurich,447\nOslo,717\n'));
    expect(processing_state).toBe('completed');
    expect(await objectsOf(uid)).toHaveLength(2);
    const answer = await client.post('/database-search/chat/', { uid, message: 'How many rows are there?' });
    expect(answer).toMatchObject({ rows: [[2]] });
    expect(await localFiles()).toEqual([]);
  });

  it('writes the export of an account there', async () => {
    const { id } = await client.post<{ id: string }>('/users/export/', {});
    const exported = () => client.get<{ status: string; download_url: string }>(`/users/export/${id}/`);
    await until(async () => (await exported()).status === 'ready', 30_000);
    const { download_url } = await exported();
    const bytes = Buffer.from(await (await fetch(download_url)).arrayBuffer());
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
    expect((await s3.keys()).filter((key) => key.startsWith('atrium/exports/'))).toHaveLength(1);
  });

  it('refuses files while the storage is down, and goes on when it is back', async () => {
    const kept = (await upload(client, note(TEXT))).body;
    const untrained = (await upload(client, note(TEXT), { train_after_upload: 'no' })).body;
    await completed(kept.uid);
    const url = await signed(kept.path);
    const before = await client.get<unknown[]>('/semantic-search/documents/');
    const objects = (await s3.keys()).filter((key) => key.includes('/documents/'));
    let tableUid = '';
    await s3.goDown();
    try {
      const refused = await upload(client, note('Nobody keeps this.'));
      expect(refused).toEqual({
        status: 503,
        body: {
          detail: 'Files cannot be stored or read at the moment. Try again later.',
          code: 'storage_unavailable',
        },
      });
      expect(await client.get('/semantic-search/documents/')).toEqual(before);
      const download = await fetch(url, { headers: { range: 'bytes=4-9' } });
      expect([download.status, download.headers.get('content-type')?.split(';')[0]]).toEqual([503, 'application/json']);
      expect(download.headers.get('etag')).toBeNull();
      expect(((await download.json()) as DocumentBody).code).toBe('storage_unavailable');
      expect(await readiness()).toEqual([503, 'unavailable']);

      const table = (await callTables(client, 'GET', 'documents/')).body as unknown as { uid: string }[];
      tableUid = table[0]!.uid;
      await callTables(client, 'POST', `${tableUid}/retry/`, {});
      // More often than indexing is tried when the document itself is at fault.
      await callStore(client, 'POST', `${untrained.uid}/retry/`);
      await until(async () => (await hastenedTries(untrained.uid)) > 4, 40_000);
      const { processing_state, last_error } = await documentOf(untrained.uid);
      expect(['queued', 'processing']).toContain(processing_state);
      expect(last_error).toBe('The file storage could not be reached. Indexing will be tried again.');
    } finally {
      await s3.comeBack();
    }
    await hastenedTries(untrained.uid);
    await completed(untrained.uid, 40_000);
    expect((await documentOf(untrained.uid)).last_error).toBe('');
    expect(await (await fetch(url)).text()).toBe(TEXT);
    expect(await imported(client, tableUid)).toMatchObject({ processing_state: 'completed', last_error: '' });
    expect((await s3.keys()).filter((key) => key.includes('/documents/'))).toEqual(objects);
    expect(await readiness()).toEqual([200, 'ok']);
    const logs = platform.log();
    expect(logs).toContain('ECONNREFUSED');
    expect(logs).not.toContain('Signature=');
  });

  /** How often a worker has begun with the document; what waits for its next try is due at once. */
  async function hastenedTries(uid: string): Promise<number> {
    const { dataSource } = platform.database;
    await dataSource.query('UPDATE documents SET not_before = now() WHERE not_before > now()');
    await dataSource.query('UPDATE tabular_files SET next_attempt_at = now() WHERE next_attempt_at > now()');
    const [row] = await dataSource.query<[{ fence: number }]>('SELECT fence FROM documents WHERE uid = $1', [uid]);
    return row.fence;
  }
});
