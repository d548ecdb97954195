import { startApi, type TestApi } from '../support/api.js';
import { callStore, note, upload, type DocumentBody } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';
import { inAll } from '../support/long.js';

const error = (code: string) => ({ status: 400, body: { error: expect.any(String), code } });

describe('folders', () => {
  let api: TestApi;
  let client: HttpClient;
  beforeAll(async () => {
    api = await startApi();
  });
  beforeEach(async () => {
    client = await api.signUp();
  });
  afterAll(() => api.stop());

  const fill = async (folders: string[], who = client) =>
    Promise.all(folders.map(async (folder, n) => (await upload(who, note(`${n}`, `${n}.txt`), { folder })).body.uid));
  const move = (from: unknown, to: unknown, who = client) => callStore(who, 'POST', 'folder/move/', { from, to });
  const trash = (folder: string) => callStore(client, 'DELETE', 'folder/delete/', { folder });
  const folders = () => client.get<{ folder: string; count: number }[]>('/semantic-search/folders/');
  const listed = (who = client) => who.get<DocumentBody[]>('/semantic-search/documents/');
  const folderOf = async (uid: string) => (await callStore(client, 'GET', `documents/${uid}/`)).body.folder;

  it('lists folders with documents', async () => {
    expect(await folders()).toEqual([]);
    await fill(['', 'A', 'A', 'A/B', 'C']);
    expect(await folders()).toEqual([
      { folder: '', count: 1 },
      { folder: 'A', count: 2 },
      { folder: 'A/B', count: 1 },
      { folder: 'C', count: 1 },
    ]);
  });

  it('moves a folder with all below it, and nothing that is only called alike', async () => {
    await fill(['A', 'A/B', 'A/B/C', 'AB', 'X/A', 'a']);
    await fill(['A'], await api.signUp());
    expect(await move('/A/', 'Y/Z')).toEqual({
      status: 200,
      body: { status: 'moved', count: 3, from: 'A', to: 'Y/Z' },
    });
    expect((await folders()).map(({ folder }) => folder).toSorted()).toEqual(
      ['AB', 'X/A', 'Y/Z', 'Y/Z/B', 'Y/Z/B/C', 'a'].toSorted(),
    );
    expect((await move('Y/Z/B', '')).body).toEqual({ status: 'moved', count: 2, from: 'Y/Z/B', to: '' });
    expect((await folders()).map(({ folder }) => folder).toSorted()).toEqual(
      ['', 'AB', 'C', 'X/A', 'Y/Z', 'a'].toSorted(),
    );
    expect((await move('AB', 'Y/Z')).body.count).toBe(1);
    expect(await folders()).toContainEqual({ folder: 'Y/Z', count: 2 });
    const wild = await fill(['100%', '100x', '_']);
    expect((await move('100%', 'done')).body.count).toBe(1);
    expect(await folderOf(wild[1]!)).toBe('100x');
  });

  it('refuses moves that make no sense', async () => {
    await fill(['A/B', 'L']);
    expect(await callStore(client, 'POST', 'folder/move/', { to: 'B' })).toEqual({
      status: 400,
      body: { from: ['This field is required.'] },
    });
    expect(await callStore(client, 'POST', 'folder/move/', { from: 'A' })).toEqual({
      status: 400,
      body: { to: ['This field is required.'] },
    });
    for (const from of ['', '/', ' / ']) expect((await move(from, 'B')).body).toHaveProperty('from');
    expect((await move('A', '../B')).body).toHaveProperty('to');
    for (const to of ['A', '/A/', 'A/B', 'A/B/C']) expect(await move('A', to)).toEqual(error('folder_into_itself'));
    for (const from of ['Unknown', 'a', 'B', "'; --"])
      expect(await move(from, 'Z')).toMatchObject({ status: 404, body: { code: 'folder_not_found' } });
    const long = Array.from({ length: 10 }, () => 'x'.repeat(99)).join('/');
    expect(await move('A', long)).toEqual(error('folder_too_long'));
    expect(await folders()).toEqual([
      { folder: 'A/B', count: 1 },
      { folder: 'L', count: 1 },
    ]);
  });

  it('trashes a folder with its sub-folders, and of the root its own files', async () => {
    const [inA, inB, root, other] = await fill(['A', 'A/B', '', 'AB']);
    expect(await trash('A')).toEqual({ status: 200, body: { status: 'trashed', count: 2 } });
    expect(await trash('A')).toMatchObject({ status: 404, body: { code: 'folder_not_found' } });
    const deleted = await callStore(client, 'DELETE', 'folder/delete/?folder=');
    expect(deleted).toEqual({ status: 200, body: { status: 'trashed', count: 1 } });
    expect(await callStore(client, 'DELETE', 'folder/delete/')).toEqual({
      status: 400,
      body: { folder: ['This field is required.'] },
    });
    expect((await callStore(client, 'DELETE', 'folder/delete/?folder=Unknown')).status).toBe(404);
    expect((await listed()).map(({ uid }) => uid)).toEqual([other]);
    const bin = await client.get<DocumentBody[]>('/semantic-search/documents/trash/');
    expect(bin.map(({ uid, original_folder }) => [uid, original_folder]).toSorted()).toEqual(
      [
        [inA, 'A'],
        [inB, 'A/B'],
        [root, ''],
      ].toSorted(),
    );
    await callStore(client, 'POST', `${inB}/restore/`);
    expect(await folderOf(inB!)).toBe('A/B');
  });

  it('leaves alone what is in the trash: it comes back to where it was', async () => {
    const [kept, trashed] = await fill(['A', 'A']);
    await callStore(client, 'DELETE', `${trashed}/delete/`);
    expect((await move('A', 'B')).body.count).toBe(1);
    expect((await client.get<DocumentBody[]>('/semantic-search/documents/trash/'))[0]!.original_folder).toBe('A');
    await callStore(client, 'POST', `${trashed}/restore/`);
    expect([await folderOf(kept!), await folderOf(trashed!)]).toEqual(['B', 'A']);
  });

  it('moves only what one owns', async () => {
    const reader = await api.signUp();
    const [uid] = await fill(['A']);
    const emails = [`${reader.username}@test.example`];
    await callStore(client, 'POST', `documents/${uid}/users/add/`, { emails });
    expect((await move('A', 'B', reader)).status).toBe(404);
    await fill(['A'], reader);
    expect((await move('A', 'B', reader)).body.count).toBe(1);
    expect(await folderOf(uid!)).toBe('A');
    expect((await listed(reader)).find((document) => document.uid === uid)).not.toHaveProperty('folder');
  });

  inAll('ends crossing moves as if one had come first', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [from, to] = [`L${round}`, `R${round}`];
      const uids = await fill([from, from, `${from}/x`, to, `${to}/y`]);
      const answers = await Promise.all([move(from, to), move(to, from)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      // The second one also moves what the first one brought.
      const counts = answers.map(({ body }) => Number(body.count)).toSorted();
      expect([
        [2, 5],
        [3, 5],
      ]).toContainEqual(counts);
      const tops = new Set((await Promise.all(uids.map(folderOf))).map((folder) => folder!.split('/')[0]));
      expect(tops.size).toBe(1);
    }
  });

  it('loses nothing in fifty moves at once, with uploads and deletions among them', async () => {
    const uids = await fill(Array.from({ length: 20 }, (_, n) => `F${n % 5}`));
    const [doomed] = await fill(['F0']);
    const work: Promise<{ status: number }>[] = Array.from({ length: 50 }, (_, n) =>
      move(`F${n % 5}`, `F${(n * 3 + 1) % 5}`),
    );
    const late = fill(['F0', 'F1', 'F2', 'F3', 'F4']);
    work.push(callStore(client, 'DELETE', `${doomed}/delete/`));
    const statuses = (await Promise.all(work)).map(({ status }) => status);
    const lateUids = await late;
    for (const status of statuses) expect([200, 400, 404]).toContain(status);
    const documents = await listed();
    expect(documents.map(({ uid }) => uid).toSorted()).toEqual([...uids, ...lateUids].toSorted());
    for (const { folder } of documents) expect(folder).toMatch(/^F[0-4]$/);
    expect((await folders()).reduce((sum, { count }) => sum + count, 0)).toBe(25);
  });

  inAll('moves and trashes thousands of documents', async () => {
    await fill(['Big']);
    await api.database.dataSource.query(
      `INSERT INTO documents (uid, owner_id, folder, filename, path, kind, mime_type, size_bytes, sha256, storage_key, processing_state)
       SELECT gen_random_uuid(), d.owner_id, 'Big/' || n % 10, n || '.txt', '', 'text', 'text/plain', 1, '', '', 'untrained'
       FROM documents d JOIN users u ON u.id = d.owner_id, generate_series(1, 5000) n WHERE u.username = $1`,
      [client.username],
    );
    expect((await move('Big', 'Moved/Here')).body.count).toBe(5001);
    expect(await folders()).toHaveLength(11);
    const before = await client.get<DocumentBody[]>('/semantic-search/documents/trash/');
    expect((await trash('Moved')).body).toMatchObject({ count: 5001 });
    expect(await folders()).toEqual([]);
    const trashed = await client.get<DocumentBody[]>('/semantic-search/documents/trash/');
    expect(new Set(trashed.map(({ uid }) => uid)).size).toBe(before.length + 5001);
    expect(trashed.slice(5001)).toEqual(before);
  });
});
