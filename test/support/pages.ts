import { type ArtifactDraft, Artifacts, type NamedQuery } from '@app/artifacts';
import type { TestApi } from './api.js';
import type { HttpClient } from './http-client.js';
import { addTableFile } from './tables.js';

export interface RenderUrl {
  artifact_id: string;
  version: number;
  title: string;
  kind: string;
  url: string;
  token: string;
  code: string;
  detail: string;
}

export async function userIdOf({ database }: TestApi, { username }: HttpClient): Promise<number> {
  const [{ id }] = await database.dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
    username,
  ]);
  return id;
}

/** A file of trips of the client's own, as a source. */
export async function addTrips(api: TestApi, owner: HttpClient, rows = 1000): Promise<string> {
  const uid = await addTableFile(api, {
    ownerId: await userIdOf(api, owner),
    filename: 'trips.csv',
    tables: [
      {
        name: 'trips',
        columns: { trip: 'integer', city: 'text', km: 'number' },
        rows: `SELECT i AS trip, CASE i % 3 WHEN 0 THEN 'Aqaba' WHEN 1 THEN 'Amman' ELSE 'Irbid' END AS city, (i % 100)::DOUBLE AS km FROM range(${rows}) t(i)`,
      },
    ],
  });
  return `file:${uid}`;
}

export const tripsQueries = (sourceRef: string): NamedQuery[] => [
  { name: 'total', sourceRef, sql: 'SELECT count(*) AS trips, sum(km) AS km FROM trips', params: [] },
  {
    name: 'by_city',
    sourceRef,
    sql: 'SELECT city, count(*) AS trips FROM trips WHERE city = :city OR :city IS NULL GROUP BY city ORDER BY city',
    params: [{ name: 'city', type: 'text', default: null }],
  },
];

/** @returns the id of the artifact */
export async function publish(
  api: TestApi,
  owner: HttpClient,
  draft: Partial<ArtifactDraft>,
  artifactId?: string,
): Promise<string> {
  const whole: ArtifactDraft = {
    title: 'Trips',
    kind: 'page',
    html: '<h1>Trips</h1>',
    queries: [],
    changeNote: '',
    ...draft,
  };
  const ownerId = await userIdOf(api, owner);
  const published = await api.app.get(Artifacts).publish(ownerId, whole, { ...(artifactId && { artifactId }) });
  return published.artifactId;
}

export async function renderUrl(
  client: HttpClient,
  artifactId: string,
  body: unknown = {},
): Promise<{ status: number; body: RenderUrl }> {
  const response = await client.send('POST', `/microservices/artifacts/${artifactId}/render-url/`, body);
  return { status: response.status, body: (await response.json()) as RenderUrl };
}

/** A board of the owner with a tile of the artifact, which somebody else sees. */
export async function showOnBoard(
  api: TestApi,
  owner: HttpClient,
  viewer: HttpClient,
  artifactId: string,
  settings: object = {},
): Promise<number> {
  const sql = api.database.dataSource;
  const [{ id }] = await sql.query<[{ id: number }]>(
    `INSERT INTO boards (owner_id, name) VALUES ($1, 'Board') RETURNING id`,
    [await userIdOf(api, owner)],
  );
  await sql.query(`INSERT INTO board_collaborators (board_id, user_id, role) VALUES ($1, $2, 'viewer')`, [
    id,
    await userIdOf(api, viewer),
  ]);
  await sql.query(
    `INSERT INTO board_tiles (board_id, kind, artifact_id, x, y, w, h, settings) VALUES ($1, 'artifact', $2, 0, 0, 4, 4, $3)`,
    [id, artifactId, JSON.stringify(settings)],
  );
  return id;
}

/** What the listener of pages answers to a call of the shell. */
export async function callPages(
  api: TestApi,
  path: string,
  token: string,
  body: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${api.pagesUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { 'x-viewer-token': token }) },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
