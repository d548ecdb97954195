import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { startApi, type TestApi } from '../support/api.js';
import { fixture, note, upload, uploadForm } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

const MAX_UPLOAD_BYTES = 200_000;

const sendBatch = (client: HttpClient, files: File[], fields: Record<string, string> = {}) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const file of files) form.append('files', file);
  return uploadForm(client, form, 'upload/batch/');
};

describe('uploads over HTTP', () => {
  let api: TestApi;
  let owner: HttpClient;
  let reader: HttpClient;
  let stranger: HttpClient;
  beforeAll(async () => {
    api = await startApi({ MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) });
    owner = await api.signUp();
    reader = await api.signUp();
    stranger = await api.signUp();
  });
  afterAll(() => api.stop());

  const incoming = () => readdir(join(api.config.storage.folder, '.uploads')).catch(() => []);
  const count = async () => Number((await api.database.dataSource.query('SELECT count(*) FROM documents'))[0].count);
  const raw = (contentType: string, body: string) =>
    fetch(`${api.baseUrl}/semantic-search/upload/`, {
      method: 'POST',
      headers: { authorization: `Token ${owner.token}`, 'content-type': contentType },
      body,
    });

  it('stores the file and queues it', async () => {
    const { status, body } = await upload(owner, note(), { folder: ' /Office//Kitchen/ ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      uid: expect.any(String),
      folder: 'Office/Kitchen',
      path: `/media/documents/${body.uid}/note.txt`,
      filename: 'note.txt',
      page_number: 0,
      stage: '',
      percent: 0,
      queue_position: 1,
      size_bytes: 29,
      labels: 0,
      doc_class: '',
      status: 'Waiting to be indexed.',
      tags: [],
      processing_state: 'queued',
      enqueue_attempt_count: 1,
      last_error: '',
      queued_at: expect.any(String),
      processing_started_at: null,
      completed_at: null,
      from_dms: false,
      external_drive_item_id: null,
      created_at: expect.any(String),
      upload_id: expect.any(String),
    });
    expect(await incoming()).toEqual([]);
  });

  it('takes a repeated upload with an Idempotency-Key once', async () => {
    const before = await count();
    const key = `upload-${randomBytes(6).toString('hex')}`;
    const send = async (text: string) => {
      const form = new FormData();
      form.append('path', note(text));
      const headers = { authorization: `Token ${owner.token}`, 'idempotency-key': key };
      const response = await fetch(`${api.baseUrl}/semantic-search/upload/`, { method: 'POST', headers, body: form });
      return {
        status: response.status,
        replayed: response.headers.get('idempotency-replayed'),
        body: await response.json(),
      };
    };
    const first = await send('once');
    expect(await send('once')).toEqual({ ...first, replayed: 'true' });
    for (const other of ['changed', 'ONCE'])
      expect(await send(other)).toMatchObject({ status: 409, body: { code: 'idempotency_key_conflict' } });
    expect(await count()).toBe(before + 1);
    expect(await incoming()).toEqual([]);
  });

  it('keeps a file without indexing it', async () => {
    const { body } = await upload(owner, note(), { train_after_upload: 'no' });
    expect(body).toMatchObject({ processing_state: 'untrained', enqueue_attempt_count: 0 });
  });

  it('says when the queue is away, and keeps the document', async () => {
    const away = await api.startReplica({ REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'fatal' });
    try {
      const client = await away.signUp();
      const { status, body } = await upload(client, note(), {});
      expect(status).toBe(201);
      expect(body).toMatchObject({
        processing_state: 'pending_publish',
        queue_pending: true,
        queue_error: expect.stringContaining('will be tried again'),
      });
    } finally {
      await away.stop();
    }
  });

  it('shows a file that was imported before to whoever brings the same bytes', async () => {
    const item = { external_drive_item_id: `drive-${randomBytes(4).toString('hex')}` };
    const first = await upload(owner, note(), item);
    expect(first.status).toBe(201);
    const again = await upload(owner, note('changed since'), item);
    expect(again).toMatchObject({ status: 200, body: { uid: first.body.uid, from_dms: true } });
    const other = await upload(reader, note(), item);
    expect(other).toMatchObject({ status: 200, body: { uid: first.body.uid } });
    expect(other.body).not.toHaveProperty('folder');
    const guess = await upload(stranger, note('no idea what it holds'), item);
    expect(guess.status).toBe(201);
    expect(guess.body.uid).not.toBe(first.body.uid);
  });

  it('imports an item once, however many bring it at once', async () => {
    const before = await count();
    const item = { external_drive_item_id: `drive-${randomBytes(4).toString('hex')}` };
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => upload(n % 2 ? owner : reader, note('The same.'), item)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 7 }, () => 200), 201]);
    expect(new Set(answers.map(({ body }) => body.uid)).size).toBe(1);
    expect(await count()).toBe(before + 1);
  });

  it('answers the request of somebody who brings what they had asked for', async () => {
    const item = { external_drive_item_id: `drive-${randomBytes(4).toString('hex')}` };
    const { path } = (await upload(owner, note('Asked for.'), item)).body;
    await reader.post('/semantic-search/documents/request/', { path });
    expect((await upload(reader, note('Asked for.'), item)).status).toBe(200);
    const [request] = await reader.get<{ status: string }[]>('/semantic-search/documents/requests/?my=1');
    expect(request).toMatchObject({ status: 'approved', document: { path } });
  });

  it.each([
    ['a PDF that is no PDF', note('plain text', 'report.pdf'), 'not a PDF file'],
    ['an empty file', note('', 'empty.txt'), 'file is empty'],
    ['a type that is not read', note('MZ', 'tool.exe'), '".exe" are not supported'],
    ['a file without an extension', note('text', 'README'), 'without an extension'],
    ['a virus', note(['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')), 'virus'],
  ])('refuses %s', async (_what, file, reason) => {
    const { status, body } = await upload(owner, file);
    expect(status).toBe(400);
    expect(body.reasons.join(' ')).toContain(reason);
    expect(body.detail).toBe(body.reasons.join(' '));
    expect(await incoming()).toEqual([]);
  });

  it('takes encrypted and empty PDFs as far as the indexer, which can tell', async () => {
    for (const name of ['encrypted.pdf', 'no-pages.pdf', 'damaged.pdf']) {
      const { status, body } = await upload(owner, await fixture(name));
      expect([201, 400]).toContain(status);
      if (status === 400) expect(body.reasons).toHaveLength(1);
    }
  });

  it.each([
    ['../../etc/passwd.txt', 'passwd.txt'],
    ['C:\\temp\\notes.txt', 'notes.txt'],
    ['invoice\u202Efdp.txt', 'invoicefdp.txt'],
    ['عقد ٢٠٢٤.txt', 'عقد ٢٠٢٤.txt'],
    [`${'n'.repeat(5000)}.txt`, `${'n'.repeat(251)}.txt`],
  ])('gives %j a safe name', async (name, safe) => {
    const { status, body } = await upload(owner, note('text', name));
    expect(status).toBe(201);
    expect(body.filename).toBe(safe);
    expect(body.path).toBe(`/media/documents/${body.uid}/${encodeURIComponent(safe)}`);
  });

  it.each([
    ['a folder that climbs', { folder: 'a/../../b' }],
    ['a folder with a NUL', { folder: 'a\u0000b' }],
    ['a folder that is too long', { folder: 'x'.repeat(5000) }],
    ['a wrong boolean', { ocr: 'perhaps' }],
    ['a language that is not offered', { ocr: 'true', ocr_languages: 'deu,xyz' }],
    ['a field that is far too long', { folder: 'x'.repeat(100_000) }],
  ])('refuses %s with a reason', async (_what, fields) => {
    const { status, body } = await upload(owner, note(), fields);
    expect(status).toBe(400);
    expect(body).toEqual({ detail: expect.any(String), code: expect.any(String), reasons: [expect.any(String)] });
  });

  it('wants exactly one file, in its field', async () => {
    expect(await upload(owner, null, { folder: 'x' })).toMatchObject({
      status: 400,
      body: { reasons: ['path: This field is required.'] },
    });
    expect(await upload(owner, null, { path: 'text' })).toMatchObject({
      status: 400,
      body: { code: 'upload_rejected' },
    });
    expect((await upload(owner, note(), {}, 'file')).body.reasons).toEqual(['Send the file in the form field "path".']);
    const form = new FormData();
    form.append('path', note());
    form.append('path', note());
    expect(await uploadForm(owner, form)).toMatchObject({ status: 400, body: { reasons: ['Send exactly one file.'] } });
    expect(await incoming()).toEqual([]);
  });

  it('refuses what is over the limit, and leaves nothing of it', async () => {
    const before = await count();
    for (const size of [MAX_UPLOAD_BYTES + 1, MAX_UPLOAD_BYTES * 20]) {
      const { status, body } = await upload(owner, note('x'.repeat(size)));
      expect(status).toBe(413);
      expect(body).toEqual({ detail: expect.stringContaining('too large'), code: 'upload_too_large' });
    }
    expect((await upload(owner, note('x'.repeat(MAX_UPLOAD_BYTES)))).status).toBe(201);
    expect(await count()).toBe(before + 1);
    expect(await incoming()).toEqual([]);
  });

  it.each([
    ['no multipart at all', 'application/json', '{}'],
    ['no boundary', 'multipart/form-data', 'x'],
    ['another boundary', 'multipart/form-data; boundary=a', '--b\r\n\r\nx\r\n--b--'],
    [
      'an unfinished part',
      'multipart/form-data; boundary=a',
      '--a\r\ncontent-disposition: form-data; name="path"; filename="a.txt"\r\n\r\nabc',
    ],
    ['a broken part header', 'multipart/form-data; boundary=a', '--a\r\nnonsense\r\n\r\nx\r\n--a--\r\n'],
    [
      'a part without a name',
      'multipart/form-data; boundary=a',
      '--a\r\ncontent-disposition: form-data\r\n\r\nx\r\n--a--\r\n',
    ],
    [
      'a prototype',
      'multipart/form-data; boundary=a',
      '--a\r\ncontent-disposition: form-data; name="__proto__[x]"\r\n\r\nx\r\n--a--\r\n',
    ],
    ['nothing', 'multipart/form-data; boundary=a', ''],
    [
      'a NUL in the name of the file',
      'multipart/form-data; boundary=a',
      '--a\r\ncontent-disposition: form-data; name="path"; filename="a\0.txt"\r\n\r\nabc\r\n--a--\r\n',
    ],
  ])('refuses a body with %s', async (_what, contentType, body) => {
    const response = await raw(contentType, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      detail: expect.any(String),
      code: expect.any(String),
      reasons: [expect.any(String)],
    });
    // A broken stream's file goes when its own error arrives, which may be after the answer.
    await until(async () => (await incoming()).length === 0);
  });

  it('says so when files cannot be stored, and leaves nothing', async () => {
    const documents = join(api.config.storage.folder, 'documents');
    await upload(owner, note());
    const before = await count();
    await rename(documents, `${documents}.away`);
    await writeFile(documents, 'in the way');
    try {
      const { status, body } = await upload(owner, note());
      expect([status, body.code]).toEqual([503, 'storage_unavailable']);
      expect(await count()).toBe(before);
      expect(await incoming()).toEqual([]);
    } finally {
      await rm(documents);
      await rename(`${documents}.away`, documents);
    }
    expect((await upload(owner, note())).status).toBe(201);
  });

  it('leaves nothing of an upload that the client breaks off', async () => {
    const before = await count();
    const sending = request(`${api.baseUrl}/semantic-search/upload/`, {
      method: 'POST',
      headers: {
        authorization: `Token ${owner.token}`,
        'content-type': 'multipart/form-data; boundary=a',
        'content-length': 100_000,
      },
    });
    sending.on('error', () => undefined);
    sending.write('--a\r\ncontent-disposition: form-data; name="path"; filename="a.txt"\r\n\r\n');
    sending.write('x'.repeat(50_000));
    await until(async () => (await incoming()).length === 1);
    sending.destroy();
    await until(async () => (await incoming()).length === 0);
    expect(await count()).toBe(before);
  });

  it('needs a session before it reads a byte', async () => {
    const response = await fetch(`${api.baseUrl}/semantic-search/upload/`, { method: 'POST', body: new FormData() });
    expect(response.status).toBe(401);
  });

  describe('in a batch', () => {
    it('takes the good files and says what is wrong with the others', async () => {
      const virus = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
      const files = [note(), note('', 'empty.txt'), note(virus)];
      const { status, body } = await sendBatch(owner, files, { folder: '/Batch/' });
      expect(status).toBe(202);
      expect(body).toMatchObject({
        batch_id: expect.any(String),
        total: 3,
        results: [
          { filename: 'note.txt', uid: expect.any(String), status: 'queued', reasons: [], errors: {} },
          { filename: 'empty.txt', uid: null, status: 'rejected', reasons: [expect.any(String)] },
          { filename: 'note.txt', uid: null, status: 'blocked', reasons: [expect.any(String)] },
        ],
      });
      const path = `/semantic-search/upload/batch/${String(body.batch_id)}/status/`;
      expect(await owner.get(path)).toMatchObject({
        batch_id: body.batch_id,
        state: 'processing',
        source_type: 'direct',
        total: 3,
        completed: 0,
        failed: 2,
        pending: 1,
        completed_at: null,
        items: [{ id: 1, state: 'queued' }, { id: 2, state: 'failed', last_error: 'The file is empty.' }, { id: 3 }],
      });
      await api.database.dataSource.query(`UPDATE documents SET processing_state = 'completed' WHERE folder = 'Batch'`);
      expect(await owner.get(path)).toMatchObject({ state: 'partial', completed: 1, pending: 0 });
      expect((await stranger.send('GET', path)).status).toBe(404);
    });

    it('refuses what is too large by itself, unless the whole is', async () => {
      const large = (name: string) => note('x'.repeat(MAX_UPLOAD_BYTES + 1), name);
      const fitting = note('x'.repeat(MAX_UPLOAD_BYTES), 'fits.txt');
      const { status, body } = await sendBatch(owner, [note(), large('large.txt'), fitting]);
      expect(status).toBe(202);
      expect(body.results).toMatchObject([
        { status: 'queued' },
        { filename: 'large.txt', uid: null, status: 'rejected', reasons: [expect.stringContaining('too large')] },
        { filename: 'fits.txt', status: 'queued' },
      ]);
      expect(await incoming()).toEqual([]);

      const form = new FormData();
      for (let n = 0; n < 12; n += 1) form.append('files', large(`${n}.txt`));
      const { headers, body: bytes } = new Response(form);
      const before = await count();
      // It may still be sending when it is refused and cut off.
      const response = await fetch(`${api.baseUrl}/semantic-search/upload/batch/`, {
        method: 'POST',
        headers: { authorization: `Token ${owner.token}`, 'content-type': headers.get('content-type')! },
        body: bytes,
        // Without a length in advance.
        duplex: 'half',
      } as RequestInit).catch(() => ({ status: 413 }));
      expect(response.status).toBe(413);
      await until(async () => (await incoming()).length === 0);
      expect(await count()).toBe(before);
    });

    inAll('takes more files than one puts together by hand', async () => {
      const files = Array.from({ length: 60 }, (_, n) => note(`Number ${n}`, `${n}.txt`));
      const { status, body } = await sendBatch(owner, files, { train_after_upload: 'false' });
      expect([status, body.total]).toEqual([202, 60]);
    });

    it('refuses a batch without files, or for an impossible folder', async () => {
      expect(await sendBatch(owner, [], { folder: 'x' })).toEqual({
        status: 400,
        body: { files: ['This field is required.'] },
      });
      expect(await sendBatch(owner, [note()], { folder: '..' })).toMatchObject({
        status: 400,
        body: { folder: [expect.any(String)] },
      });
      expect(await incoming()).toEqual([]);
    });
  });
});
