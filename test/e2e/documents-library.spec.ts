import { startApi, type TestApi } from '../support/api.js';
import { callStore, note, upload, type DocumentBody } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';

const recognition = async ({ database }: TestApi, uid: string) =>
  (await database.dataSource.query('SELECT ocr, ocr_languages FROM documents WHERE uid = $1', [uid]))[0];

describe('documents over HTTP', () => {
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

  it('lists own and shared documents, newest first, without the trash', async () => {
    const [client, other] = await Promise.all([api.signUp(), api.signUp()]);
    const shared = (await upload(other, note(), { folder: 'Private' })).body;
    const older = (await upload(client, note(), {})).body;
    const trashed = (await upload(client, note(), {})).body;
    const newer = (await upload(client, note(), { folder: 'Mine' })).body;
    await shareWith(client, shared.uid);
    await callStore(client, 'DELETE', `${trashed.uid}/delete/`);
    const list = await client.get<DocumentBody[]>('/semantic-search/documents/');
    expect(list.map(({ uid }) => uid)).toEqual([newer.uid, older.uid, shared.uid]);
    expect(list.map((document) => document.folder)).toEqual(['Mine', '', undefined]);
    expect(await other.get<DocumentBody[]>('/semantic-search/documents/')).toHaveLength(1);
  });

  it('shows a document to its owner and its readers only', async () => {
    const { uid } = await added({ folder: 'Private' });
    await shareWith(reader, uid);
    expect((await callStore(owner, 'GET', `documents/${uid}/`)).body.folder).toBe('Private');
    const shared = await callStore(reader, 'GET', `documents/${uid}/`);
    expect(shared.status).toBe(200);
    expect(shared.body).not.toHaveProperty('folder');
    expect((await callStore(stranger, 'GET', `documents/${uid}/`)).status).toBe(404);
    for (const unknown of ['00000000-0000-4000-8000-000000000000', 'nonsense', '%27'])
      expect((await callStore(owner, 'GET', `documents/${unknown}/`)).status).toBe(404);
  });

  it('tells the state of what is unfinished, or of what is asked for', async () => {
    const client = await api.signUp();
    const waiting = (await upload(client, note(), {})).body;
    const kept = (await upload(client, note(), { train_after_upload: 'false' })).body;
    const row = {
      uid: waiting.uid,
      processing_state: 'queued',
      status: 'Waiting to be indexed.',
      last_error: '',
      page_number: 0,
      stage: '',
      percent: 0,
      queue_position: waiting.queue_position,
      created_at: waiting.created_at,
    };
    expect(await client.get('/semantic-search/documents/status/')).toEqual([row]);
    const next = (await upload(client, note(), {})).body;
    // Others who wait have their turns in between.
    expect(next.queue_position).toBeGreaterThan(Number(waiting.queue_position));
    await callStore(client, 'POST', `${next.uid}/cancel/`);
    const foreign = await added();
    const asked = await client.post<DocumentBody[]>('/semantic-search/documents/status/', {
      uids: [waiting.uid, kept.uid, foreign.uid],
    });
    expect(asked.map(({ processing_state }) => processing_state)).toEqual(['untrained', 'queued']);
    expect(await client.post('/semantic-search/documents/status/', { uids: [] })).toEqual([]);
  });

  it.each([
    [{}, 'This field is required.'],
    [{ uids: 'x' }, 'Expected a list of items but got type "str".'],
    [{ uids: ['x'] }, 'Must be a valid UUID.'],
    [{ uids: Array.from({ length: 501 }, () => '00000000-0000-4000-8000-000000000000') }, 'no more than 500'],
  ])('refuses the lookup %#', async (body, message) => {
    const answer = await callStore(owner, 'POST', 'documents/status/', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ uids: [expect.stringContaining(message)] });
  });

  it('moves a document, and renames none', async () => {
    const document = await added();
    expect(await callStore(owner, 'PUT', `${document.uid}/update/`, { ...document, folder: '/New/' })).toMatchObject({
      status: 200,
      body: { folder: 'New', filename: 'note.txt' },
    });
    expect(await callStore(owner, 'PUT', `${document.uid}/update/`, { folder: '' })).toMatchObject({
      body: { folder: '' },
    });
    for (const rename of [{ filename: 'other.txt' }, { name: 'other.txt' }, { path: '/media/x' }]) {
      for (const body of [{ folder: '', ...rename }, rename]) {
        const refused = await callStore(owner, 'PUT', `${document.uid}/update/`, body);
        expect(refused).toMatchObject({ status: 400, body: { error: expect.any(String), code: 'rename_not_allowed' } });
      }
    }
    expect(await callStore(owner, 'PUT', `${document.uid}/update/`, {})).toEqual({
      status: 400,
      body: { folder: ['This field is required.'] },
    });
    expect((await callStore(owner, 'PUT', `${document.uid}/update/`, { folder: '..' })).body.folder).toHaveLength(1);
  });

  it('leaves a document alone whose caller only reads it, or does not know it', async () => {
    const { uid } = await added();
    await shareWith(reader, uid);
    const asOthers = async (method: string, path: string, body?: unknown) => [
      (await callStore(reader, method, `${uid}/${path}/`, body)).status,
      (await callStore(stranger, method, `${uid}/${path}/`, body)).status,
    ];
    expect(await asOthers('PUT', 'update', { folder: 'x' })).toEqual([403, 404]);
    expect(await asOthers('POST', 'retry')).toEqual([403, 404]);
    expect(await asOthers('POST', 'cancel')).toEqual([403, 404]);
    expect(await asOthers('DELETE', 'delete')).toEqual([404, 404]);
    expect(await asOthers('DELETE', 'permanent-delete')).toEqual([404, 404]);
    expect(await asOthers('POST', 'restore')).toEqual([404, 404]);
    expect((await callStore(owner, 'GET', `documents/${uid}/`)).body).toMatchObject({
      folder: '',
      processing_state: 'queued',
    });
  });

  it('trashes, lists, restores and removes', async () => {
    const client = await api.signUp();
    const { uid } = (await upload(client, note(), { folder: 'Old' })).body;
    const trashed = await callStore(client, 'DELETE', `${uid}/delete/`);
    expect(trashed).toEqual({
      status: 200,
      body: { status: 'trashed', uid, deleted_at: expect.any(String), purge_at: expect.any(String) },
    });
    expect((await callStore(client, 'DELETE', `${uid}/delete/`)).status).toBe(404);
    expect((await callStore(client, 'GET', `documents/${uid}/`)).status).toBe(404);
    const trash = await client.get<DocumentBody[]>('/semantic-search/documents/trash/');
    expect(trash).toMatchObject([{ uid, original_folder: 'Old', deleted_at: trashed.body.deleted_at }]);

    const restored = await callStore(client, 'POST', `${uid}/restore/`);
    expect(restored.body).toEqual({ status: 'restored', uid, detail: expect.any(String) });
    expect((await callStore(client, 'GET', `documents/${uid}/`)).body).toMatchObject({
      processing_state: 'queued',
      folder: 'Old',
    });
    expect((await callStore(client, 'POST', `${uid}/restore/`)).status).toBe(404);

    await callStore(client, 'DELETE', `${uid}/delete/`);
    const removed = await callStore(client, 'DELETE', `${uid}/permanent-delete/`);
    expect(removed.body).toEqual({ status: 'permanently_deleted', uid });
    expect((await callStore(client, 'DELETE', `${uid}/permanent-delete/`)).status).toBe(404);
    expect(await client.get('/semantic-search/documents/trash/')).toEqual([]);
  });

  it('says of a restored document whether it is indexed, and of a repeated call the same', async () => {
    const { uid } = await added({ train_after_upload: 'false' });
    const restore = async (key: string) => {
      await callStore(owner, 'DELETE', `${uid}/delete/`);
      const headers = { authorization: `Token ${owner.token}`, 'idempotency-key': key };
      const answers: string[] = [];
      for (const _ of [1, 2]) {
        const response = await fetch(`${api.baseUrl}/semantic-search/${uid}/restore/`, { method: 'POST', headers });
        answers.push(((await response.json()) as DocumentBody).detail);
      }
      return answers;
    };
    const kept = 'The document is restored.';
    expect(await restore(`kept-${uid}`)).toEqual([kept, kept]);
    await callStore(owner, 'POST', `${uid}/retry/`);
    const indexed = 'The document is restored and will be indexed again.';
    expect(await restore(`indexed-${uid}`)).toEqual([indexed, indexed]);
  });

  it('cancels what is under way and retries what is at rest', async () => {
    const { uid } = await added();
    expect(await callStore(owner, 'POST', `${uid}/retry/`)).toMatchObject({
      status: 409,
      body: { code: 'not_retryable', processing_state: 'queued' },
    });
    expect(await callStore(owner, 'POST', `${uid}/cancel/`)).toMatchObject({
      status: 200,
      body: { processing_state: 'failed', last_error: 'Indexing was cancelled.' },
    });
    expect((await callStore(owner, 'POST', `${uid}/cancel/`)).body.code).toBe('not_cancellable');
    expect(await callStore(owner, 'POST', `${uid}/retry/`)).toMatchObject({
      status: 202,
      body: { processing_state: 'queued', last_error: '' },
    });
    await api.database.dataSource.query(`UPDATE documents SET processing_state = 'completed' WHERE uid = $1`, [uid]);
    expect((await callStore(owner, 'POST', `${uid}/retry/`)).status).toBe(202);
  });

  it('leaves a document completed whose re-embedding is cancelled', async () => {
    const { uid } = await added();
    await api.database.dataSource.query(
      `UPDATE documents SET processing_state = 'completed', index_generation = 1 WHERE uid = $1`,
      [uid],
    );
    for (const again of [
      () => callStore(owner, 'POST', 're-embed/', { uids: [uid] }),
      () => callStore(owner, 'POST', `${uid}/retry/`),
    ]) {
      expect((await again()).status).toBe(202);
      expect((await callStore(owner, 'GET', `documents/${uid}/`)).body.processing_state).toBe('queued');
      expect(await callStore(owner, 'POST', `${uid}/cancel/`)).toMatchObject({
        status: 200,
        body: { processing_state: 'completed', last_error: '' },
      });
      expect((await callStore(owner, 'GET', `documents/${uid}/`)).body).toMatchObject({
        processing_state: 'completed',
        status: 'Indexed and ready for questions. Indexing again was cancelled.',
      });
    }
    expect((await callStore(owner, 'POST', `${uid}/cancel/`)).body.code).toBe('not_cancellable');
  });

  it('reads the pictures of a document in the languages that its owner names, at upload and again', async () => {
    const { uid } = (await upload(owner, note(), { ocr: 'true', ocr_languages: 'deu,ENG' })).body;
    expect(await recognition(api, uid)).toEqual({ ocr: true, ocr_languages: ['deu', 'eng'] });
    await callStore(owner, 'POST', `${uid}/cancel/`);
    expect(await callStore(owner, 'POST', `${uid}/retry/`, { ocr_languages: ['xyz'] })).toMatchObject({
      status: 400,
      body: { ocr_languages: [expect.stringMatching(/xyz. Offered are: eng, ara, deu, fra, spa\./)] },
    });
    expect((await callStore(owner, 'POST', `${uid}/retry/`, { ocr: false, ocr_languages: ['fra'] })).status).toBe(202);
    expect(await recognition(api, uid)).toEqual({ ocr: false, ocr_languages: ['fra'] });
    await callStore(owner, 'POST', `${uid}/cancel/`);
    expect((await callStore(owner, 'POST', `${uid}/retry/`)).status).toBe(202);
    expect(await recognition(api, uid)).toEqual({ ocr: false, ocr_languages: ['fra'] });
  });

  it('indexes many again, whose old index serves meanwhile', async () => {
    const [client, stranger] = await Promise.all([api.signUp(), api.signUp()]);
    const add = async (fields: Record<string, string>) => (await upload(client, note(), fields)).body.uid;
    const [plain, inside, below, kept, queued] = [
      await add({}),
      await add({ folder: 'a' }),
      await add({ folder: 'a/b' }),
      await add({ folder: 'a', train_after_upload: 'false' }),
      await add({ folder: 'ab' }),
    ];
    const indexed = [plain, inside, below];
    await api.database.dataSource.query(
      `UPDATE documents SET processing_state = 'completed', index_generation = 1 WHERE uid = ANY ($1::uuid[])`,
      [indexed],
    );
    const ask = (body: object, who = client) => callStore(who, 'POST', 're-embed/', body);
    for (const wrong of [{}, { uids: [plain], all: true }, { all: false }])
      expect(await ask(wrong)).toMatchObject({ status: 400, body: { code: 'scope_required' } });
    expect(await ask({ uids: [plain] }, stranger)).toMatchObject({
      status: 202,
      body: { count: 0, skipped: [{ uid: plain, reason: 'not_found' }] },
    });
    expect(await ask({ folder: '/a/' })).toEqual({
      status: 202,
      body: { status: 'queued', count: 2, skipped: [{ uid: kept, reason: 'untrained' }] },
    });
    const again = await ask({ uids: [plain, inside, kept] });
    expect(again.body).toEqual({ status: 'queued', count: 2, skipped: [{ uid: inside, reason: 'in_progress' }] });
    const all = await ask({ all: true });
    expect(all.body).toMatchObject({ count: 0 });
    expect((all.body.skipped as unknown[]).length).toBe(5);
    const rows = await api.database.dataSource.query<unknown[]>(
      `SELECT 1 FROM documents WHERE uid = ANY ($1::uuid[]) AND processing_state = 'queued' AND index_generation = 1`,
      [indexed],
    );
    expect(rows).toHaveLength(3);
    expect(queued).toBeDefined();
  });
});
