import { ViewerTokens } from '@app/artifacts';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { addTrips, callPages, publish, renderUrl, showOnBoard, tripsQueries, userIdOf } from '../support/pages.js';

describe('pages', () => {
  let api: TestApi;
  let owner: HttpClient;
  let viewer: HttpClient;
  let stranger: HttpClient;
  let source: string;
  let id: string;

  beforeAll(async () => {
    api = await startApi({ CORS_ORIGINS: 'https://app.example' });
    [owner, viewer, stranger] = [await api.signUp(), await api.signUp(), await api.signUp()];
    source = await addTrips(api, owner);
    id = await publish(api, owner, { html: '<h1>Trips</h1>', queries: tripsQueries(source) });
  });
  afterAll(() => api?.stop());

  const data = (token: string, body: unknown, artifact = id) =>
    callPages(api, `/artifacts/${artifact}/data/`, token, body);
  const total = (token: string) => data(token, { name: 'total' });
  const sql = <T>(text: string, values: unknown[]) => api.database.dataSource.query<T>(text, values);
  const tokenOf = async (client: HttpClient, artifact = id, body: unknown = {}) =>
    (await renderUrl(client, artifact, body)).body.token;
  const get = (path: string) => fetch(`${api.pagesUrl}${path}`, { redirect: 'manual' });

  it('are answered with their queries', async () => {
    const { status, body } = await renderUrl(owner, id);
    expect([status, body]).toEqual([
      200,
      { artifact_id: id, version: 1, title: 'Trips', kind: 'page', url: expect.any(String), token: expect.any(String) },
    ]);
    const { origin, pathname, searchParams } = new URL(body.url);
    expect([origin, pathname]).toEqual([api.pagesUrl.replace('127.0.0.1', 'localhost'), `/artifacts/${id}/render/`]);
    expect(Object.fromEntries(searchParams)).toEqual({ token: body.token, version: '1' });
    expect(await total(body.token)).toEqual({
      status: 200,
      body: {
        as_of: expect.stringMatching(/^\d{4}-.*Z$/),
        columns: [
          { name: 'trips', type: 'integer' },
          { name: 'km', type: 'number' },
        ],
        rows: [[1000, 49_500]],
        truncated: false,
      },
    });
  });
});
