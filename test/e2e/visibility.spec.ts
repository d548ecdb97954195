import { startApi, type TestApi } from '../support/api.js';
import { callStore } from '../support/documents-api.js';
import type { HttpClient } from '../support/http-client.js';
import { addIndexedDocument } from '../support/retrieval.js';
import { until } from '../support/until.js';

const SECRET = 'The zeppelin leaves at noon from platform nine.';

const mention = (text: string) => /zeppelin|platform nine/.test(text.replace(/"query":"[^"]*"/, ''));

/**
 * docs/contract/documents.md#states: what changes who may read a document takes effect on the very next
 * query.
 */
describe('what a document’s readers find', () => {
  let api: TestApi;
  let owner: HttpClient;
  let reader: HttpClient;
  let ownerId: number;

  beforeAll(async () => {
    api = await startApi();
    await api.hostRunner();
    [owner, reader] = (await Promise.all([api.signUp(), api.signUp()])) as [HttpClient, HttpClient];
    const [row] = await api.database.dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
      owner.username,
    ]);
    ownerId = row.id;
  });
  afterAll(() => api.stop());

  const add = (filename = 'zeppelin.txt') =>
    addIndexedDocument(api.database.dataSource, { ownerId, pages: [SECRET], filename });
  const people = (uid: string, action: 'add' | 'remove') =>
    owner.post(`/semantic-search/documents/${uid}/users/${action}/`, { emails: [`${reader.username}@test.example`] });

  /** Every way in which a reader could come upon the document: which of them show it. */
  const views: Record<string, (client: HttpClient, uid: string) => Promise<boolean>> = {
    search: async (client) =>
      mention(JSON.stringify(await client.post('/semantic-search/search/', { query: 'noon airship departure' }))),
    'keyword search': async (client) =>
      mention(
        JSON.stringify(await client.post('/semantic-search/search/', { query: 'noon platform', mode: 'keyword' })),
      ),
    'search by uid': async (client, uid) =>
      mention(JSON.stringify(await client.post('/semantic-search/search/', { query: 'noon', uids: [uid] }))),
    'all-files-chat': async (client) =>
      mention(await client.text('/semantic-search/all-files-chat/', { message: 'When at noon does it leave?' })),
    'advanced-search': async (client) =>
      mention(await client.text('/semantic-search/advanced-search/', { query: 'leaves at noon' })),
    chat: async (client) => mention(await client.text('/semantic-search/chat/', { message: 'What leaves at noon?' })),
    'single-file-chat': async (client, uid) =>
      (await client.send('POST', '/semantic-search/single-file-chat/', { uid, message: 'What leaves at noon?' }))
        .status === 200,
    'multi-file-chat': async (client, uid) =>
      (await client.send('POST', '/semantic-search/multi-file-chat/', { uids: [uid], message: 'What leaves?' }))
        .status === 200,
    list: async (client) => mention(JSON.stringify(await client.get('/semantic-search/documents/'))),
    document: async (client, uid) => (await callStore(client, 'GET', `documents/${uid}/`)).status === 200,
    status: async (client, uid) =>
      (await client.post<unknown[]>('/semantic-search/documents/status/', { uids: [uid] })).length > 0,
    summary: async (client, uid) => (await callStore(client, 'GET', `${uid}/summary/`)).status === 200,
    media: async (client, uid) => {
      const paths = [`/media/documents/${uid}/zeppelin.txt`];
      return (await client.post<{ urls: unknown[] }>('/media/sign/', { paths })).urls.length > 0;
    },
  };
  const ALL = Object.keys(views);
  const shownTo = async (client: HttpClient, uid: string, names = ALL) => {
    const shown: string[] = [];
    // One after the other: the first one after a change has to know of it.
    for (const name of names) if (await views[name]!(client, uid)) shown.push(name);
    return shown;
  };

  it('follows share, removal, approval, revocation, trash and restore at once, in every view', async () => {
    const uid = await add();
    expect(await shownTo(owner, uid)).toEqual(ALL);
    expect(await shownTo(reader, uid)).toEqual([]);
    await people(uid, 'add');
    expect(await shownTo(reader, uid)).toEqual(ALL);
    await people(uid, 'remove');
    expect(await shownTo(reader, uid)).toEqual([]);

    const path = `/media/documents/${uid}/zeppelin.txt`;
    const { request } = await reader.post<{ request: { id: number } }>('/semantic-search/documents/request/', { path });
    expect(await shownTo(reader, uid)).toEqual([]);
    await owner.post('/semantic-search/documents/approve/', request);
    expect(await shownTo(reader, uid)).toEqual(ALL);
    await callStore(owner, 'DELETE', `${uid}/delete/`);
    expect(await shownTo(reader, uid)).toEqual([]);
    expect(await shownTo(owner, uid)).toEqual([]);

    await callStore(owner, 'POST', `${uid}/restore/`);
    // It is read anew; until then the old index answers, and chats about it alone say that it is not ready.
    const served = ALL.filter((name) => !['single-file-chat', 'multi-file-chat'].includes(name));
    expect(await shownTo(reader, uid, served)).toEqual(served);
    await owner.post('/semantic-search/documents/revoke/', request);
    expect(await shownTo(reader, uid)).toEqual([]);
    await callStore(owner, 'DELETE', `${uid}/delete/`);
    await callStore(owner, 'DELETE', `${uid}/permanent-delete/`);
    expect(await shownTo(owner, uid)).toEqual([]);
  });

  it('never shows it to a search that began after the answer to the removal', async () => {
    const uid = await add();
    // What has to be found; null while a change is under way.
    let expected: boolean | null = false;
    let epoch = 0;
    const stop = new AbortController();
    let judged = 0;
    const wrong: string[] = [];
    const searcher = async () => {
      while (!stop.signal.aborted) {
        const [was, at] = [expected, epoch];
        const found = await views['search']!(reader, uid);
        if (was === null || at !== epoch) continue;
        judged += 1;
        if (found !== was) wrong.push(`${found ? 'found' : 'missed'} in ${at}`);
      }
    };
    const running = [searcher(), searcher(), searcher()];
    const change = async (work: () => Promise<unknown>, now: boolean) => {
      [expected, epoch] = [null, epoch + 1];
      await work();
      [expected, epoch] = [now, epoch + 1];
      const enough = judged + 4;
      await until(() => judged >= enough);
    };
    for (let round = 0; round < 12; round += 1) {
      await change(() => people(uid, 'add'), true);
      await change(() => callStore(owner, 'DELETE', `${uid}/delete/`), false);
      await change(() => callStore(owner, 'POST', `${uid}/restore/`), true);
      await change(() => people(uid, 'remove'), false);
    }
    stop.abort();
    await Promise.all(running);
    expect(wrong).toEqual([]);
    expect(judged).toBeGreaterThanOrEqual(12 * 4 * 4);
    await callStore(owner, 'DELETE', `${uid}/permanent-delete/`);
  });
});
