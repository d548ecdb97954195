import { newId } from '@app/common';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { csv, uploadTable, type TabularBody } from '../support/tabular-api.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Tile {
  id: number;
  mgid: string;
  refreshed_at: string | null;
  refreshes_at: string | null;
  last_error: string;
  broken: boolean;
  name: string | null;
}
interface ChartBody {
  mgid: string;
  title: string;
  chart_type: string;
  rows: unknown[][];
  workflow_id: string | null;
  run_version: number | null;
  stale: boolean;
}

const PLACE = { x: 0, y: 0, w: 4, h: 3 };

describe('boards at work', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;
  let viewer: HttpClient;
  let uid: string;
  const sql = <T>(text: string, values: unknown[] = []) => platform.database.dataSource.query<T>(text, values);

  beforeAll(async () => {
    platform = await hostPlatform(['api', 'indexer', 'workflow-runner'], {});
    [owner, viewer] = await Promise.all([HttpClient.signUp(platform.baseUrl), HttpClient.signUp(platform.baseUrl)]);
    const { body } = await uploadTable(owner, csv('city,trips\nRome,3\nOslo,10\n', 'cities.csv'));
    uid = (body as TabularBody).uid;
    await until(async () => {
      const file = await owner.get<TabularBody>(`/database-search/documents/${uid}/`);
      return file.processing_state === 'completed';
    });
  });
  afterAll(() => platform?.stop());

  const create = async (): Promise<number> => {
    const { id } = await owner.post<{ id: number }>('/microservices/boards/', { name: 'Trips' });
    const emails = [`${viewer.username}@test.example`];
    await owner.post(`/microservices/boards/${id}/collaborators/`, { emails, role: 'viewer' });
    return id;
  };
  const tilesOf = async (board: number, by = owner): Promise<Tile[]> =>
    (await by.get<{ tiles: Tile[] }>(`/microservices/boards/${board}/`)).tiles;
  /** Without a look at its board. */
  const tileOf = (id: number) => owner.get<Tile>(`/microservices/tiles/${id}/`);
  const chartOf = (mgid: string, by = owner) => by.get<ChartBody>(`/microservices/dashboard-data/?mgid=${mgid}`);
  const statusOf = async (method: string, path: string, body?: unknown, by = owner) =>
    (await by.send(method, `/microservices${path}`, body)).status;

  const drawn = async (statement = 'SELECT city, trips FROM cities ORDER BY trips'): Promise<string> => {
    const mgid = newId();
    const source = { type: 'file', source_ref: `file:${uid}`, sql: statement };
    await sql(
      `INSERT INTO charts (mgid, owner_id, title, chart_type, spec, columns, rows, source, refreshed_at)
       SELECT $1, id, 'Trips', 'bar', '{"mark":"bar"}',
         '[{"name":"city","type":"text"},{"name":"trips","type":"integer"}]', '[["old",1]]', $3, now() - interval '1 hour'
       FROM users WHERE username = $2`,
      [mgid, owner.username, source],
    );
    return mgid;
  };

  const place = async (mgid: string, more: object = {}): Promise<{ board: number; id: number }> => {
    const board = await create();
    const path = `/microservices/boards/${board}/tiles/`;
    const { id } = await owner.post<Tile>(path, { kind: 'chart', mgid, ...PLACE, ...more });
    return { board, id };
  };

  const refresh = (id: number) => owner.post<Tile>(`/microservices/tiles/${id}/refresh/`, {});

  const refreshed = async (id: number) => {
    await until(async () => (await tileOf(id)).refreshed_at !== null);
    return tileOf(id);
  };

  describe('have data anew', () => {
    it('when somebody asks, once for everybody who looks', async () => {
      const mgid = await drawn();
      const { board, id } = await place(mgid);
      expect((await chartOf(mgid, viewer)).rows).toEqual([['old', 1]]);
      await Promise.all(Array.from({ length: 20 }, () => refresh(id)));
      expect(await refreshed(id)).toMatchObject({ last_error: '', broken: false });
      await until(async () => (await tileOf(id)).refreshes_at === null);
      const rows = [
        ['Rome', 3],
        ['Oslo', 10],
      ];
      expect((await chartOf(mgid, viewer)).rows).toEqual(rows);
      const timesHad = async () =>
        (await sql<[{ fence: number }]>('SELECT fence FROM board_tiles WHERE id = $1', [id]))[0].fence;
      const had = await timesHad();
      await Promise.all(Array.from({ length: 20 }, () => tilesOf(board, viewer)));
      expect(await timesHad()).toBe(had);
      // All who asked while it was had already have it once more, together; a busy machine hears of the 20 one by one.
      expect(had).toBeLessThanOrEqual(10);
      expect(await statusOf('POST', `/tiles/${id}/refresh/`, {}, viewer)).toBe(403);
    });

    inAll('by the clock, with nobody who asks, as long as somebody has looked', async () => {
      const mgid = await drawn();
      const { board, id } = await place(mgid, { refresh_seconds: 60 });
      const due = Date.parse((await tileOf(id)).refreshes_at!) - Date.now();
      expect([due > 40_000, due < 70_000]).toEqual([true, true]);
      await sql('UPDATE board_tiles SET next_attempt_at = now() WHERE id = $1', [id]);
      const { refreshes_at: next } = await refreshed(id);
      expect(Date.parse(next!)).toBeGreaterThan(Date.now() + 40_000);
      // Nobody has looked for two days.
      await sql(`UPDATE boards SET looked_at = now() - interval '2 days' WHERE id = $1`, [board]);
      await sql('UPDATE board_tiles SET next_attempt_at = now(), refreshed_at = NULL WHERE id = $1', [id]);
      await until(async () => (await tileOf(id)).refreshes_at === null);
      expect((await tileOf(id)).refreshed_at).toBeNull();
      await tilesOf(board, viewer);
      expect((await refreshed(id)).refreshes_at).not.toBeNull();
      // To ask is a look, too.
      await sql(`UPDATE boards SET looked_at = now() - interval '2 days' WHERE id = $1`, [board]);
      await sql('UPDATE board_tiles SET next_attempt_at = NULL, refreshed_at = NULL WHERE id = $1', [id]);
      await refresh(id);
      expect((await refreshed(id)).refreshes_at).not.toBeNull();
    });

    inAll('but not of what fails, where nobody looks any more', async () => {
      const { board, id } = await place(await drawn('SELECT nothing FROM cities'));
      await refresh(id);
      await until(async () => (await tileOf(id)).last_error !== '');
      await sql(`UPDATE boards SET looked_at = now() - interval '2 days' WHERE id = $1`, [board]);
      await sql('UPDATE board_tiles SET next_attempt_at = now() WHERE id = $1', [id]);
      await until(async () => (await tileOf(id)).refreshes_at === null);
    });

    it('or tell why not, keep what was there, and try again later', async () => {
      const mgid = await drawn('SELECT nothing FROM cities');
      const { id } = await place(mgid, { refresh_seconds: 60 });
      await refresh(id);
      await until(async () => (await tileOf(id)).last_error !== '');
      const tile = await tileOf(id);
      expect(tile).toMatchObject({ refreshed_at: null, broken: false });
      expect(tile.last_error).toMatch(/nothing/);
      expect(Date.parse(tile.refreshes_at!)).toBeGreaterThan(Date.now() + 20_000);
      expect((await chartOf(mgid)).rows).toEqual([['old', 1]]);
      // Other columns make another chart, or none.
      await sql(`UPDATE charts SET source = jsonb_set(source, '{sql}', '"SELECT city FROM cities"') WHERE mgid = $1`, [
        mgid,
      ]);
      await refresh(id);
      await until(async () => (await tileOf(id)).last_error.startsWith('The columns have changed'));
      await sql(
        `UPDATE charts SET source = jsonb_set(source, '{sql}', '"SELECT trips, city FROM cities ORDER BY 1"') WHERE mgid = $1`,
        [mgid],
      );
      await refresh(id);
      expect(await refreshed(id)).toMatchObject({ last_error: '' });
      expect(await chartOf(mgid)).toMatchObject({
        chart_type: 'bar',
        rows: [
          [3, 'Rome'],
          [10, 'Oslo'],
        ],
      });
    });

    inAll('of artifacts by retiring what their queries gave', async () => {
      const artifact = newId();
      await sql(
        `WITH made AS (INSERT INTO artifacts (id, owner_id, title, kind, version) SELECT $1, id, 'Page', 'page', 1 FROM users
           WHERE username = $2 RETURNING id)
         INSERT INTO artifact_versions (artifact_id, version, title, html) SELECT id, 1, 'Page', '' FROM made`,
        [artifact, owner.username],
      );
      const path = `/microservices/boards/${await create()}/tiles/`;
      const tile = await owner.post<Tile>(path, {
        kind: 'artifact',
        artifact_id: artifact,
        refresh_seconds: 60,
        ...PLACE,
      });
      await refresh(tile.id);
      await refreshed(tile.id);
      expect(await sql('SELECT refreshes FROM artifacts WHERE id = $1', [artifact])).toEqual([{ refreshes: 1 }]);
      // Those who ask take artifact, board and tile; so does the work.
      const asked = async () =>
        Promise.all(Array.from({ length: 12 }, () => statusOf('POST', `/tiles/${tile.id}/refresh/`, {})));
      for (let round = 0; round < 4; round++) expect(new Set(await asked())).toEqual(new Set([202]));
      await until(async () => Date.parse((await tileOf(tile.id)).refreshes_at!) > Date.now() + 30_000);
      expect((await tileOf(tile.id)).last_error).toBe('');
    });

    it('but not of what has none', async () => {
      const board = await create();
      const note = await owner.post<Tile>(`/microservices/boards/${board}/tiles/`, {
        kind: 'text',
        text: 'T',
        ...PLACE,
      });
      expect(await statusOf('POST', `/tiles/${note.id}/refresh/`, {})).toBe(400);
      expect(await statusOf('PATCH', `/tiles/${note.id}/`, { refresh_seconds: 60 })).toBe(400);
      expect(await statusOf('PATCH', `/tiles/${note.id}/`, { refresh_seconds: null })).toBe(200);
    });
  });

  const make = async (board: unknown, params: object = {}, by = owner): Promise<string> => {
    const items = [
      { month: 'May', orders: 12 },
      { month: 'June', orders: 15 },
    ];
    const node = {
      id: 'show',
      kind: 'dashboard',
      params: { board_id: board, title: 'Orders', chart_type: 'bar', items, ...params },
    };
    const json = { nodes: [node] };
    return (await by.post<{ workflow_id: string }>('/microservices/workflow/start/', { json })).workflow_id;
  };

  const run = async (workflow: string, by = owner) => {
    await by.post('/microservices/workflow/rerun/', { workflow_id: workflow });
    const path = `/microservices/workflow/${workflow}/`;
    await until(async () => ['COMPLETED', 'FAILED'].includes((await by.get<{ status: string }>(path)).status));
    const [node] = await by.get<{ status: string; output: { mgid: string }; error: { code: string } | null }[]>(
      `${path}nodes/`,
    );
    return node!;
  };

  describe('get charts of workflows', () => {
    it('which each run draws anew, on one tile', async () => {
      const board = await create();
      const workflow = await make(String(board));
      const first = await run(workflow);
      expect(first).toMatchObject({ status: 'COMPLETED', output: { title: 'Orders' } });
      expect((await run(workflow)).output.mgid).toBe(first.output.mgid);
      const tiles = await tilesOf(board, viewer);
      expect(tiles).toMatchObject([{ mgid: first.output.mgid, name: 'Orders', broken: false }]);
      expect(await chartOf(first.output.mgid, viewer)).toMatchObject({
        chart_type: 'bar',
        rows: [
          ['May', 12],
          ['June', 15],
        ],
        workflow_id: workflow,
        run_version: 2,
        stale: false,
      });
      // Taken off by hand, the next run puts it there again.
      await owner.send('DELETE', `/microservices/tiles/${tiles[0]!.id}/`);
      expect((await run(workflow)).output.mgid).toBe(first.output.mgid);
      expect(await tilesOf(board)).toHaveLength(1);

      const impact = await owner.get<object>(`/microservices/workflow/${workflow}/delete-impact/`);
      expect(impact).toMatchObject({ charts: { count: 1, sample: ['Orders'] }, dashboards: { emptied: 1 } });
      await owner.send('DELETE', `/microservices/workflow/${workflow}/`);
      const gone = await owner.send('DELETE', `/microservices/workflow/${workflow}/permanent-delete/`);
      expect(await gone.json()).toMatchObject({ deleted: { charts: 1 } });
      expect(await tilesOf(board)).toEqual([]);
      expect(await statusOf('GET', `/dashboard-data/?mgid=${first.output.mgid}`)).toBe(404);
    });

    it('in the types that rows can carry, and as a table else', async () => {
      const board = await create();
      for (const [type, items, expected] of [
        [
          'area',
          [
            { d: '2026-01-01', n: 1 },
            { d: '2026-01-02', n: 2 },
          ],
          'area',
        ],
        ['number', [{ label: 'Total', n: 7 }], 'number'],
        [
          'pie',
          [
            { a: 'x', n: 1 },
            { a: 'y', n: 2 },
          ],
          'pie',
        ],
        ['bar', [], 'table'],
        ['scatter', ['a', 'b'], 'table'],
        ['table', [{ a: { b: [1] } }, 7, null], 'table'],
      ] as const) {
        const { output, status } = await run(await make(board, { chart_type: type, items }));
        expect(status).toBe('COMPLETED');
        expect((await chartOf(output.mgid)).chart_type).toBe(expected);
      }
    });

    it('for nobody else’s boards, and for no viewer', async () => {
      const board = await create();
      const stranger = await HttpClient.signUp(platform.baseUrl);
      for (const [by, id, code] of [
        [stranger, board, 'board_not_found'],
        [viewer, board, 'not_board_editor'],
        [owner, 'x', 'board_not_found'],
        [owner, '99999999999', 'board_not_found'],
        [owner, 2_147_483_647, 'board_not_found'],
      ] as const)
        expect(await run(await make(id, {}, by), by)).toMatchObject({ status: 'FAILED', error: { code } });
      expect(await tilesOf(board)).toEqual([]);
    });
  });
});
