import { HttpClient } from '../support/http-client.js';
import { startPlatform, type Platform } from '../support/platform.js';
import { until } from '../support/until.js';
import { splitAnswer } from '../support/streamed-answer.js';

interface DocumentRow {
  uid: string;
  processing_state: string;
  last_error: string;
}

/** The first end-to-end path: the three built apps as processes, over HTTP and WebSocket. */
describe('the platform', () => {
  let platform: Platform;
  let client: HttpClient;
  beforeAll(async () => {
    platform = await startPlatform(undefined, { LOG_LEVEL: 'info' });
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  const indexed = (uid: string) =>
    until(async () => {
      const row = await client.get<DocumentRow>(`/semantic-search/documents/${uid}/`);
      if (row.processing_state === 'failed') throw new Error(row.last_error);
      return row.processing_state === 'completed';
    });

  it('keeps one request id through the api and the worker', async () => {
    const form = new FormData();
    form.append('path', new File(['Traced.'], 'traced.txt'));
    const response = await fetch(`${platform.baseUrl}/semantic-search/upload/`, {
      method: 'POST',
      headers: { authorization: `Token ${client.token}`, 'x-request-id': 'trace-4711' },
      body: form,
    });
    expect(response.headers.get('x-request-id')).toBe('trace-4711');
    await indexed(((await response.json()) as DocumentRow).uid);
    const indexer = platform.apps.find(({ name }) => name === 'indexer')!;
    await until(() => indexer.log().includes('"requestId":"trace-4711"'));
  });

  it('answers a question about an uploaded document, with its source', async () => {
    const text =
      '# Travel\n\nTrips abroad need the consent of the team lead.\n\n# Leave\n\nEverybody has 31 days of paid leave a year.\n';
    const { uid } = await client.upload<DocumentRow>('/semantic-search/upload/', 'path', new File([text], 'rules.md'), {
      folder: 'Office',
    });
    await indexed(uid);

    const reply = await client.text('/semantic-search/single-file-chat/', {
      uid,
      message: 'How many days of paid leave do we have?',
    });
    const { sources, answer } = splitAnswer(reply);
    expect(sources[0]).toMatchObject({ uid, filename: 'rules.md', page: 1 });
    expect(answer).toContain('31 days of paid leave');
  });

  it('shows a document to its owner only', async () => {
    const { uid } = await client.upload<DocumentRow>(
      '/semantic-search/upload/',
      'path',
      new File(['The code word is heron.'], 'secret.txt'),
    );
    const stranger = await HttpClient.signUp(platform.baseUrl);
    expect((await stranger.send('GET', `/semantic-search/documents/${uid}/`)).status).toBe(404);
    expect(
      (await stranger.send('POST', '/semantic-search/single-file-chat/', { uid, message: 'What is the code word?' }))
        .status,
    ).toBe(404);
    const found = await stranger.post<{ results: unknown[] }>('/semantic-search/search/', { query: 'heron' });
    expect(found.results).toEqual([]);
    expect((await fetch(`${platform.baseUrl}/semantic-search/documents/`)).status).toBe(401);
  });
});
