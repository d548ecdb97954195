import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { filesSaying } from '../fixtures/documents/make-kinds.js';
import { makeZip, type ZipPart } from '../fixtures/documents/make-zip.js';
import { startApi, type TestApi } from '../support/api.js';
import { callStore, note, upload } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';

const MAX_UPLOAD_BYTES = 400_000;
const QUOTA = 1_000_000;

interface Result {
  filename: string;
  archive: string;
  folder: string;
  uid: string | null;
  status: string;
  reasons: string[];
}
interface Answer {
  status: number;
  body: { batch_id: string; total: number; results: Result[]; code?: string };
}

const zip = (parts: ZipPart[] | Buffer, name = 'papers.zip') =>
  new File([new Uint8Array(Buffer.isBuffer(parts) ? parts : makeZip(parts))], name);
const part = (name: string, data: Buffer | string = `This is ${name}.`): ZipPart => ({ name, data });

const documentsOf = async (client: HttpClient) =>
  (await client.get<{ folder: string; filename: string }[]>('/semantic-search/documents/'))
    .map(({ folder, filename }) => `${folder}/${filename}`)
    .toSorted();

describe('ZIP archives over HTTP', () => {
  let api: TestApi;
  let owner: HttpClient;
  beforeAll(async () => {
    api = await startApi({
      MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES),
      STORAGE_QUOTA_BYTES: String(QUOTA),
      ARCHIVE_MAX_FILES: '30',
      ARCHIVE_MAX_BYTES: '1200000',
    });
    owner = await api.signUp();
  });
  afterAll(() => api.stop());

  async function send(client: HttpClient, files: File[], fields: Record<string, string> = {}, key?: string) {
    const form = new FormData();
    for (const [name, value] of Object.entries({ train_after_upload: 'false', ...fields })) form.append(name, value);
    for (const file of files) form.append('files', file);
    const response = await fetch(`${api.baseUrl}/semantic-search/upload/batch/`, {
      method: 'POST',
      headers: { authorization: `Token ${client.token}`, ...(key === undefined ? {} : { 'idempotency-key': key }) },
      body: form,
    });
    return { status: response.status, body: await response.json() } as Answer;
  }
  const onTheirWay = () => readdir(join(api.config.storage.folder, '.uploads')).catch(() => []);
  const query = (sql: string, values: unknown[] = []) => api.database.dataSource.query(sql, values);

  it('become a document for each file, in folders as they have them, beside other files', async () => {
    const client = await api.signUp();
    const kinds = Object.entries(filesSaying('The quokka sleeps.')).map(([name, bytes]) =>
      part(`kinds/${name}`, bytes),
    );
    const parts = [part('a.txt'), part('year/2024/b.md'), part('year/'), part('__MACOSX/._a.txt'), ...kinds];
    const { status, body } = await send(client, [note(), zip(parts)], {
      folder: '/Office/',
      train_after_upload: 'true',
    });
    expect([status, body.total]).toEqual([202, 3 + kinds.length]);
    expect(body.results.slice(0, 3)).toEqual([
      {
        filename: 'note.txt',
        archive: '',
        folder: 'Office',
        uid: expect.any(String),
        upload_id: expect.any(String),
        status: 'queued',
        reasons: [],
        errors: {},
      },
      expect.objectContaining({ filename: 'a.txt', archive: 'papers.zip', folder: 'Office', status: 'queued' }),
      expect.objectContaining({
        filename: 'b.md',
        archive: 'papers.zip',
        folder: 'Office/year/2024',
        status: 'queued',
      }),
    ]);
    expect(body.results.filter((result) => result.status !== 'queued')).toEqual([]);
    expect(await documentsOf(client)).toEqual(
      [
        'Office/note.txt',
        'Office/a.txt',
        'Office/year/2024/b.md',
        ...kinds.map(({ name }) => `Office/${name}`),
      ].toSorted(),
    );
    const batch = await client.get(`/semantic-search/upload/batch/${body.batch_id}/status/`);
    expect(batch).toMatchObject({
      total: body.total,
      failed: 0,
      items: expect.arrayContaining([expect.objectContaining({ id: 3, filename: 'b.md', state: 'queued' })]),
    });
    const [stored] = await query('SELECT sha256 FROM documents WHERE uid = $1', [body.results[1]!.uid]);
    expect(stored.sha256).toBe(createHash('sha256').update('This is a.txt.').digest('hex'));
    expect(await onTheirWay()).toEqual([]);
  });

  it('say of each file why it is not taken, and take the others', async () => {
    const client = await api.signUp();
    const virus = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
    const { status, body } = await send(client, [
      zip([
        part('good.txt'),
        part('virus.txt', virus),
        part('program.exe'),
        part('false.pdf', 'no PDF'),
        part('empty.txt', ''),
        part('inner.zip', makeZip([part('deep.txt')])),
        { ...part('closed.txt'), encrypted: true },
        { ...part('link.txt', '/etc/passwd'), mode: 0o120777 },
        part('../../etc/cron.txt'),
        { ...part('broken.txt'), checksum: 1 },
        part('large.txt', 'x'.repeat(MAX_UPLOAD_BYTES + 1)),
        part(`${'long/'.repeat(300)}a.txt`),
        part('good.txt', 'The same name again.'),
      ]),
    ]);
    expect(status).toBe(202);
    expect(body.results.map(({ filename, status: state, reasons }) => [filename, state, reasons.join(' ')])).toEqual([
      ['good.txt', 'untrained', ''],
      ['virus.txt', 'blocked', expect.stringContaining('virus')],
      ['program.exe', 'rejected', expect.stringContaining('not supported')],
      ['false.pdf', 'rejected', expect.stringContaining('not a PDF')],
      ['empty.txt', 'rejected', 'The file is empty.'],
      ['inner.zip', 'rejected', expect.stringContaining('Archives within')],
      ['closed.txt', 'rejected', expect.stringContaining('password')],
      ['link.txt', 'rejected', expect.stringContaining('link')],
      ['cron.txt', 'rejected', expect.stringContaining('out of the archive')],
      ['broken.txt', 'rejected', expect.stringContaining('damaged')],
      ['large.txt', 'rejected', expect.stringContaining('too large')],
      ['a.txt', 'rejected', expect.stringContaining('folder')],
      ['good.txt', 'untrained', ''],
    ]);
    expect(await documentsOf(client)).toEqual(['/good.txt', '/good.txt']);
    const { failed, completed, state } = await client.get<Record<string, unknown>>(
      `/semantic-search/upload/batch/${body.batch_id}/status/`,
    );
    expect([completed, failed, state]).toEqual([2, 11, 'partial']);
    expect(await onTheirWay()).toEqual([]);
  });

  it.each<[string, ZipPart[] | Buffer, RegExp]>([
    ['no files', [], /no files/],
    ['too many files', Array.from({ length: 31 }, (_, n) => part(`${n}.txt`)), /at most 30 files/],
    ['too many bytes', [1, 2, 3, 4].map((n) => part(`${n}.txt`, 'word '.repeat(70_000))), /more than 1 MB/],
    ['its end cut off', makeZip([part('a.txt')]).subarray(0, -30), /damaged/],
    [
      'the parts of a book',
      makeZip([part('mimetype', 'application/epub+zip'), part('a.xml', '<a/>')]),
      /Office document/,
    ],
  ])('are refused as a whole with %s, beside what is taken', async (_, content, reason) => {
    const { status, body } = await send(owner, [zip(content), note()]);
    expect(status).toBe(202);
    expect(body.results).toMatchObject([
      { filename: 'papers.zip', uid: null, status: 'rejected', reasons: [expect.stringMatching(reason)] },
      { filename: 'note.txt', status: 'untrained' },
    ]);
  });

  it('count what they unpack to, not what they were: whatever has no room is refused by itself', async () => {
    const client = await api.signUp();
    const files = ['a', 'b', 'c'].map((name) => part(`${name}.txt`, `${name} `.repeat(195_000)));
    const { body } = await send(client, [zip([...files, part('small.txt')])]);
    expect(body.results.map(({ status }) => status)).toEqual(['untrained', 'untrained', 'rejected', 'untrained']);
    expect(body.results[2]!.reasons.join('')).toContain('There is no room');
    const { used_bytes: used, reserved_bytes: reserved } = await client.get<Record<string, number>>('/users/storage/');
    expect([used! > 780_000 && used! < QUOTA, reserved]).toEqual([true, 0]);
  });

  it('are taken once, however often the request is repeated, also after it broke off in the middle', async () => {
    const client = await api.signUp();
    const files = [note(), zip([part('a.txt'), part('b.txt'), part('no.exe'), part('c.txt')])];
    const first = await send(client, files, {}, 'once');
    expect(await send(client, files, {}, 'once')).toEqual(first);
    // What a kill after the second file leaves: no answer to the key, and no more than those two.
    const gone = first.body.results.slice(2).flatMap(({ uid }) => uid ?? []);
    await query('DELETE FROM upload_batch_items WHERE batch_id = $1 AND position >= 2', [first.body.batch_id]);
    await query('DELETE FROM documents WHERE uid = ANY($1::uuid[])', [gone]);
    await query('DELETE FROM idempotency_keys');
    const again = await send(client, files, {}, 'once');
    expect(again.body.batch_id).toBe(first.body.batch_id);
    expect(again.body.results.map(({ uid }) => uid).slice(0, 2)).toEqual(
      first.body.results.map(({ uid }) => uid).slice(0, 2),
    );
    expect(again.body.results.map(({ status }) => status)).toEqual(first.body.results.map(({ status }) => status));
    expect(await documentsOf(client)).toEqual(['/a.txt', '/b.txt', '/c.txt', '/note.txt']);
    const other = await send(client, files, {}, 'twice');
    expect(other.body.batch_id).not.toBe(first.body.batch_id);
    expect((await documentsOf(client)).length).toBe(8);
  });

  it('are no single upload: that says where they are opened', async () => {
    const { status, body } = await upload(owner, zip([part('a.txt')]));
    expect([status, body.reasons]).toEqual([400, [expect.stringContaining('upload/batch/')]]);
    const metadata = `filename ${Buffer.from('a.zip').toString('base64')}`;
    const response = await fetch(`${api.baseUrl}/semantic-search/upload/tus/`, {
      method: 'POST',
      headers: {
        authorization: `Token ${owner.token}`,
        'tus-resumable': '1.0.0',
        'upload-length': '10',
        'upload-metadata': metadata,
      },
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('upload/batch/')]);
    expect(await callStore(owner, 'GET', 'upload/batch/none/status/')).toMatchObject({ status: 404 });
  });
});
