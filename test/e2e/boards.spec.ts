import { ChartsOfNodes } from '@app/artifacts';
import { newId } from '@app/common';
import { startApi, type TestApi } from '../support/api.js';
import { HttpClient } from '../support/http-client.js';
import { rounds } from '../support/long.js';

const BASE = '/microservices';

interface Body {
  [field: string]: unknown;
}
interface Answer {
  status: number;
  body: Body;
}
interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

const PLACE: Place = { x: 0, y: 0, w: 4, h: 3 };

const send = async (client: HttpClient, method: string, path: string, body?: unknown): Promise<Answer> => {
  const response = await client.send(method, BASE + path, body);
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
};

const codeOf = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  return [status, body.code];
};

const chartFor = (client: HttpClient, mgid: string) => send(client, 'GET', `/dashboard-data/?mgid=${mgid}`);
const saveLayout = (client: HttpClient, board: number, revision: unknown, tiles: unknown) =>
  send(client, 'PUT', `/boards/${board}/layout/`, { expected_revision: revision, tiles });

const mailOf = ({ username }: HttpClient) => `${username}@test.example`;

describe('boards', () => {
  let api: TestApi;
  let owner: HttpClient;
  let editor: HttpClient;
  let viewer: HttpClient;
  let stranger: HttpClient;
  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);

  beforeAll(async () => {
    api = await startApi();
    [owner, editor, viewer, stranger] = (await Promise.all(Array.from({ length: 4 }, () => api.signUp()))) as [
      HttpClient,
      HttpClient,
      HttpClient,
      HttpClient,
    ];
  });
  afterAll(() => api.stop());

  const idOf = async ({ username }: HttpClient) =>
    (await sql<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [username]))[0].id;
  const create = async (by = owner, name = 'Sales'): Promise<number> => {
    const { status, body } = await send(by, 'POST', '/boards/', { name });
    expect(status).toBe(201);
    return body.id as number;
  };
  const share = async (board: number, client: HttpClient, role: 'editor' | 'viewer') =>
    send(owner, 'POST', `/boards/${board}/collaborators/`, { emails: [mailOf(client)], role });
  /** A board with an editor and a viewer. */
  const createShared = async (): Promise<number> => {
    const board = await create();
    await share(board, editor, 'editor');
    await share(board, viewer, 'viewer');
    return board;
  };
  const addTile = (board: number, tile: object, by = owner) =>
    send(by, 'POST', `/boards/${board}/tiles/`, { ...PLACE, ...tile });
  const addText = async (board: number, text = 'Hello', by = owner): Promise<number> => {
    const { status, body } = await addTile(board, { kind: 'text', text }, by);
    expect(status).toBe(201);
    return body.id as number;
  };
  const boardOf = async (board: number, by = owner) => (await send(by, 'GET', `/boards/${board}/`)).body;
  const tilesOf = async (board: number, by = owner) => (await boardOf(board, by)).tiles as Body[];
  /** A chart of somebody, of a turn that is returned too. */
  const drawChart = async (by: HttpClient, title = 'Trips'): Promise<{ mgid: string; turn: string }> => {
    const [session] = await sql<[{ id: number }]>(
      `INSERT INTO chat_sessions (user_id, kind, conversation_id, title) VALUES ($1, 'tabular', $2, 'T') RETURNING id`,
      [await idOf(by), newId()],
    );
    const turn = newId();
    await sql(
      `INSERT INTO chat_turns (id, session_id, status, question, model) VALUES ($1, $2, 'completed', 'Q', 'm')`,
      [turn, session.id],
    );
    const mgid = newId();
    await sql(
      `INSERT INTO charts (mgid, owner_id, turn_id, title, chart_type, spec, columns, rows, source)
       VALUES ($1, $2, $3, $4, 'bar', '{}', '[{"name":"n","type":"text"}]', '[["a"]]', '{"type":"file","source_ref":"","sql":"SELECT 1"}')`,
      [mgid, await idOf(by), turn, title],
    );
    return { mgid, turn };
  };
  const chartCount = async (mgid: string) =>
    (await sql<unknown[]>('SELECT FROM charts WHERE mgid = $1', [mgid])).length;

  describe('themselves', () => {
    it('are created, read, renamed, listed and deleted', async () => {
      const created = await send(owner, 'POST', '/boards/', { name: ' Sales ', description: 'Of May' });
      expect(created).toEqual({
        status: 201,
        body: {
          id: expect.any(Number),
          name: 'Sales',
          description: 'Of May',
          revision: 0,
          tile_count: 0,
          my_role: 'owner',
          owner: { id: await idOf(owner), username: owner.username },
          tiles: [],
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      });
      const path = `/boards/${created.body.id as number}/`;
      expect(await send(owner, 'GET', path)).toEqual({ ...created, status: 200 });
      const renamed = await send(owner, 'PATCH', path, { name: 'Sales of May' });
      expect(renamed.body).toMatchObject({ name: 'Sales of May', description: 'Of May', revision: 0 });
      expect((await send(owner, 'PATCH', path, { description: '' })).body.description).toBe('');
      const list = await send(owner, 'GET', '/boards/?page_size=1');
      expect(list.body).toMatchObject({ count: expect.any(Number), previous: null });
      expect((list.body.results as Body[])[0]).not.toHaveProperty('tiles');
      expect((await send(owner, 'DELETE', path)).status).toBe(204);
      expect(await codeOf(send(owner, 'GET', path))).toEqual([404, 'board_not_found']);
    });

    it.each(['0', '2147483647', '2147483648', '99999999999999999999', '-1', 'x', '1e3', '%00'])(
      'of the id %s are nobody’s',
      async (id) => {
        for (const [method, path, body] of [
          ['GET', `/boards/${id}/`],
          ['PATCH', `/boards/${id}/`, { name: 'N' }],
          ['DELETE', `/boards/${id}/`],
          ['POST', `/boards/${id}/tiles/`, { kind: 'text', text: 'T', ...PLACE }],
          ['PUT', `/boards/${id}/layout/`, { expected_revision: 0, tiles: [] }],
          ['GET', `/boards/${id}/collaborators/`],
          ['DELETE', `/boards/${id}/collaborators/1/`],
          ['GET', `/tiles/${id}/`],
          ['PATCH', `/tiles/${id}/`, { title: 'T' }],
          ['DELETE', `/tiles/${id}/`],
          ['POST', `/tiles/${id}/refresh/`, {}],
        ] as const)
          expect((await send(owner, method, path, body)).status).toBe(404);
      },
    );

    it('refuse what is no name', async () => {
      for (const name of [undefined, '', '  ', 'x'.repeat(201), null, [], { a: 1 }, 'a\0b'])
        expect(await send(owner, 'POST', '/boards/', { name })).toMatchObject({
          status: 400,
          body: { name: [expect.any(String)] },
        });
    });
  });

  describe('for several people', () => {
    it('are shared as workflows are', async () => {
      const board = await create();
      const path = `/boards/${board}/collaborators/`;
      const emails = [mailOf(editor).toUpperCase(), mailOf(editor), 'nobody@test.example'];
      expect(await send(owner, 'POST', path, { emails, role: 'editor' })).toEqual({
        status: 200,
        body: {
          added: [mailOf(editor).toUpperCase()],
          updated: [],
          invited: [],
          not_found: ['nobody@test.example'],
          detail: '1 added, 0 updated, 1 not found.',
        },
      });
      expect((await send(owner, 'POST', path, { emails: [mailOf(editor)], role: 'viewer' })).body).toMatchObject({
        added: [],
        updated: [mailOf(editor)],
      });
      const id = await idOf(editor);
      expect((await send(owner, 'PATCH', `${path}${id}/`, { role: 'editor' })).body).toEqual({
        user: { id, username: editor.username, email: mailOf(editor) },
        role: 'editor',
        role_label: 'Can edit',
        created_at: expect.any(String),
      });
      expect((await send(owner, 'GET', path)).body).toHaveLength(1);
      expect(await codeOf(send(owner, 'POST', path, { emails: [mailOf(owner)], role: 'viewer' }))).toEqual([
        400,
        'cannot_add_owner',
      ]);
      expect(await codeOf(send(owner, 'DELETE', `${path}${await idOf(stranger)}/`))).toEqual([
        404,
        'collaborator_not_found',
      ]);
      expect((await send(owner, 'POST', path, { emails: [], role: 'editor' })).status).toBe(400);
      expect((await send(owner, 'POST', path, { emails: [mailOf(viewer)], role: 'owner' })).status).toBe(400);
      expect((await boardOf(board, editor)).my_role).toBe('editor');
      // Somebody leaves.
      expect((await send(editor, 'DELETE', `${path}${id}/`)).status).toBe(204);
      expect((await send(editor, 'GET', `/boards/${board}/`)).status).toBe(404);
    });

    it('let each do what their role allows', async () => {
      const board = await createShared();
      const tile = await addText(board);
      const { revision } = await boardOf(board);
      const layout = { expected_revision: revision, tiles: [{ id: tile, ...PLACE }] };
      const changes = [
        ['PATCH', `/boards/${board}/`, { name: 'N' }],
        ['PUT', `/boards/${board}/layout/`, layout],
        ['PATCH', `/tiles/${tile}/`, { title: 'T' }],
        ['POST', `/boards/${board}/tiles/`, { kind: 'text', text: 'T', ...PLACE }],
        ['DELETE', `/tiles/${tile}/`],
      ] as const;
      for (const [method, path, body] of changes) {
        expect(await codeOf(send(viewer, method, path, body))).toEqual([403, 'not_board_editor']);
        const { status, code } = (await send(stranger, method, path, body).then(({ status, body: { code } }) => ({
          status,
          code,
        }))) as { status: number; code: string };
        expect([status, ['board_not_found', 'tile_not_found'].includes(code)]).toEqual([404, true]);
      }
      for (const [method, path, body] of changes)
        expect((await send(editor, method, path, body)).status).toBeLessThan(300);
      const owned = [
        ['DELETE', `/boards/${board}/`],
        ['GET', `/boards/${board}/collaborators/`],
        ['POST', `/boards/${board}/collaborators/`, { emails: [mailOf(stranger)], role: 'viewer' }],
        ['PATCH', `/boards/${board}/collaborators/${await idOf(viewer)}/`, { role: 'editor' }],
        ['DELETE', `/boards/${board}/collaborators/${await idOf(owner)}/`],
      ] as const;
      for (const [method, path, body] of owned) {
        expect(await codeOf(send(editor, method, path, body))).toEqual([403, 'not_board_owner']);
        expect(await codeOf(send(stranger, method, path, body))).toEqual([404, 'board_not_found']);
      }
    });

    it('show their charts to everybody on them, and to nobody at the next request', async () => {
      const board = await createShared();
      const { mgid } = await drawChart(owner, 'Trips by city');
      expect((await chartFor(viewer, mgid)).status).toBe(403);
      expect((await addTile(board, { kind: 'chart', mgid })).body).toMatchObject({
        kind: 'chart',
        mgid,
        title: null,
        name: 'Trips by city',
        broken: false,
      });
      expect((await chartFor(viewer, mgid)).body).toMatchObject({
        mgid,
        rows: [['a']],
        source: { type: 'file', source_ref: '', sql: null },
      });
      expect((await chartFor(owner, mgid)).body).toMatchObject({ source: { sql: 'SELECT 1' } });
      const unknown = newId();
      expect((await send(viewer, 'GET', `/dashboard-data/?mgids=${mgid},${unknown},x`)).body).toMatchObject({
        charts: [{ mgid }],
        not_found: [unknown, 'x'],
      });
      expect((await chartFor(stranger, mgid)).status).toBe(403);
      await send(owner, 'DELETE', `/boards/${board}/collaborators/${await idOf(viewer)}/`);
      expect(await codeOf(chartFor(viewer, mgid))).toEqual([403, 'chart_not_yours']);
      expect(await codeOf(chartFor(viewer, unknown))).toEqual([404, 'chart_not_found']);
    });

    it('show what somebody put there as long as this person is on them, and active', async () => {
      const board = await createShared();
      const { mgid } = await drawChart(editor, 'Of the editor');
      await addTile(board, { kind: 'chart', mgid }, editor);
      const shown = async () => (await tilesOf(board))[0];
      expect(await shown()).toMatchObject({ broken: false, name: 'Of the editor' });
      await send(owner, 'DELETE', `/boards/${board}/collaborators/${await idOf(editor)}/`);
      expect(await shown()).toMatchObject({ broken: true, name: null });
      expect((await chartFor(owner, mgid)).status).toBe(403);
      await share(board, editor, 'viewer');
      expect((await chartFor(owner, mgid)).status).toBe(200);
      await sql('UPDATE users SET is_active = false WHERE username = $1', [editor.username]);
      expect(await shown()).toMatchObject({ broken: true, name: null });
      expect((await chartFor(owner, mgid)).status).toBe(403);
      await sql('UPDATE users SET is_active = true WHERE username = $1', [editor.username]);
      editor = await api.signUp();
    });
  });

  describe('tiles', () => {
    it('are text, and change', async () => {
      const board = await createShared();
      const { status, body } = await addTile(board, { kind: 'text', text: ' # Hi ', settings: { colour: 'red' } });
      expect([status, body]).toEqual([
        201,
        {
          id: expect.any(Number),
          board_id: board,
          kind: 'text',
          mgid: null,
          artifact_id: null,
          output_id: null,
          text: ' # Hi ',
          title: null,
          name: null,
          ...PLACE,
          settings: { colour: 'red' },
          refresh_seconds: null,
          refreshed_at: null,
          refreshes_at: null,
          last_error: '',
          broken: false,
          added_by: { id: await idOf(owner), username: owner.username },
          created_at: expect.any(String),
          updated_at: expect.any(String),
          board_revision: 1,
        },
      ]);
      const path = `/tiles/${body.id as number}/`;
      expect((await send(editor, 'PATCH', path, { title: 'Note', x: 7, text: 'Bye' })).body).toMatchObject({
        title: 'Note',
        name: 'Note',
        x: 7,
        y: 0,
        text: 'Bye',
        board_revision: 2,
        settings: { colour: 'red' },
      });
      expect((await send(editor, 'PATCH', path, { title: null, settings: {} })).body).toMatchObject({
        title: null,
        settings: {},
      });
      expect((await send(viewer, 'GET', path)).body).toMatchObject({ text: 'Bye', output: null });
      expect(await codeOf(send(stranger, 'GET', path))).toEqual([404, 'tile_not_found']);
      expect((await send(owner, 'DELETE', path)).status).toBe(204);
      expect(await codeOf(send(owner, 'DELETE', path))).toEqual([404, 'tile_not_found']);
      expect(await boardOf(board)).toMatchObject({ revision: 4, tile_count: 0 });
    });

    it('show what their kind says, and nothing else', async () => {
      const board = await create();
      for (const [tile, field] of [
        [{}, 'kind'],
        [{ kind: 'picture' }, 'kind'],
        [{ kind: 'text' }, 'text'],
        [{ kind: 'text', text: 'x'.repeat(20_001) }, 'text'],
        [{ kind: 'text', text: 'x', mgid: newId() }, 'mgid'],
        [{ kind: 'chart', mgid: null }, 'mgid'],
        [{ kind: 'chart', mgid: newId(), text: 'x' }, 'text'],
        [{ kind: 'artifact' }, 'artifact_id'],
        [{ kind: 'output' }, 'output_id'],
        [{ kind: 'text', text: 'x', x: -1 }, 'x'],
        [{ kind: 'text', text: 'x', x: 1001 }, 'x'],
        [{ kind: 'text', text: 'x', y: 1e12 }, 'y'],
        [{ kind: 'text', text: 'x', w: 0 }, 'w'],
        [{ kind: 'text', text: 'x', h: 1.5 }, 'h'],
        [{ kind: 'text', text: 'x', h: 'NaN' }, 'h'],
        [{ kind: 'text', text: 'x', h: null }, 'h'],
        [{ kind: 'text', text: 'x', settings: [] }, 'settings'],
        [{ kind: 'text', text: 'x', settings: { a: 'x'.repeat(8192) } }, 'settings'],
        [{ kind: 'text', text: 'x', refresh_seconds: 60 }, 'refresh_seconds'],
        [{ kind: 'text', text: 'x', refresh_seconds: 59 }, 'refresh_seconds'],
        [{ kind: 'text', text: 'x', title: 'x'.repeat(201) }, 'title'],
      ] as const)
        expect([tile, await addTile(board, tile)]).toEqual([
          tile,
          { status: 400, body: { [field]: [expect.any(String)] } },
        ]);
      for (const [kind, field] of [
        ['chart', 'mgid'],
        ['artifact', 'artifact_id'],
        ['output', 'output_id'],
      ] as const)
        for (const id of [newId(), 'x', "';--", '1e9'])
          expect(await codeOf(addTile(board, { kind, [field]: id }))).toEqual([404, `${kind}_not_found`]);
      expect(await boardOf(board)).toMatchObject({ revision: 0, tile_count: 0 });
    });

    it('are put there by who made what they show', async () => {
      const board = await createShared();
      const { mgid } = await drawChart(owner);
      expect(await codeOf(addTile(board, { kind: 'chart', mgid }, editor))).toEqual([403, 'chart_not_yours']);
      const artifact = newId();
      await sql(`INSERT INTO artifacts (id, owner_id, title, kind, version) VALUES ($1, $2, 'Page', 'page', 2)`, [
        artifact,
        await idOf(owner),
      ]);
      await sql(`INSERT INTO artifact_versions (artifact_id, version, title, html) VALUES ($1, 2, 'Page', '')`, [
        artifact,
      ]);
      const tile = { kind: 'artifact', artifact_id: artifact };
      expect(await codeOf(addTile(board, tile, editor))).toEqual([404, 'artifact_not_found']);
      const added = await addTile(board, { ...tile, settings: { version: 2 } });
      expect(added.body).toMatchObject({ artifact_id: artifact, name: 'Page', broken: false });
      expect(await codeOf(addTile(board, tile, editor))).toEqual([403, 'artifact_not_yours']);
      for (const version of [0, -1, '3', 1.5, 1e12, 3, [], {}])
        expect((await addTile(board, { ...tile, settings: { version } })).body).toEqual({
          settings: [expect.stringContaining('version')],
        });
      // What of it the board shows is up to who made it; all else of the tile is not.
      await sql(`INSERT INTO artifact_versions (artifact_id, version, title, html) VALUES ($1, 1, 'Draft', '')`, [
        artifact,
      ]);
      const { id } = added.body as { id: number };
      const change = (settings: object, by = editor) => send(by, 'PATCH', `/tiles/${id}/`, { settings });
      for (const settings of [{ version: 1 }, {}, { version: null, theme: 'dark' }])
        expect(await codeOf(change(settings))).toEqual([403, 'artifact_not_yours']);
      expect((await change({ version: 2, theme: 'dark' })).status).toBe(200);
      expect((await change({ version: 1 }, owner)).status).toBe(200);
      // Its name is that of the artifact, until it has one of its own.
      await sql(`UPDATE artifacts SET title = 'Renamed' WHERE id = $1`, [artifact]);
      expect((await tilesOf(board, viewer))[0]).toMatchObject({ title: null, name: 'Renamed' });
      await sql('DELETE FROM artifacts WHERE id = $1', [artifact]);
      expect(await tilesOf(board)).toEqual([]);
    });

    it('end at a hundred, however many ask at once', async () => {
      const board = await create();
      await sql(
        `INSERT INTO board_tiles (board_id, kind, text, x, y, w, h) SELECT $1, 'text', 'T', 0, 0, 1, 1 FROM generate_series(1, 97)`,
        [board],
      );
      const answers = await Promise.all(Array.from({ length: 8 }, () => addTile(board, { kind: 'text', text: 'T' })));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
      expect(answers.filter(({ body }) => body.code === 'tile_limit_reached')).toHaveLength(5);
    });
  });

  describe('layouts', () => {
    it('are saved whole or not at all', async () => {
      const board = await create();
      const [first, second] = [await addText(board), await addText(board)];
      const other = await addText(await create());
      const moved = { id: first, x: 5, y: 6, w: 7, h: 8 };
      for (const tiles of [
        [moved, { id: other, ...PLACE }],
        [moved, { id: 2_147_483_647, ...PLACE }],
        [moved, { id: 99_999_999_999, ...PLACE }],
        [moved, { id: -1, ...PLACE }],
        [moved, moved],
        [moved, { id: second, ...PLACE, x: 'NaN' }],
        [moved, { id: second, ...PLACE, w: 0 }],
        [moved, { id: second, ...PLACE, y: Number.MAX_SAFE_INTEGER }],
        [moved, { id: second }],
        [moved, null],
        [moved, [second]],
        Array.from({ length: 101 }, () => moved),
        'all',
        undefined,
      ])
        expect((await saveLayout(owner, board, 2, tiles)).status).toBe(400);
      for (const revision of [-1, 'x', null, 1.5, 1e12])
        expect((await saveLayout(owner, board, revision, [moved])).status).toBe(400);
      const response = await owner.send('PUT', `${BASE}/boards/${board}/layout/`);
      expect(response.status).toBe(400);
      expect((await boardOf(board)).revision).toBe(2);
      expect(await saveLayout(owner, board, 2, [moved])).toEqual({ status: 200, body: { revision: 3 } });
      expect(await tilesOf(board)).toMatchObject([{ id: second, ...PLACE }, moved]);
    });

    it('are not saved over a newer one', async () => {
      const board = await createShared();
      const tile = await addText(board);
      expect((await saveLayout(owner, board, 1, [{ id: tile, x: 1, y: 1, w: 1, h: 1 }])).body).toEqual({ revision: 2 });
      expect(await saveLayout(editor, board, 1, [{ id: tile, x: 2, y: 2, w: 2, h: 2 }])).toEqual({
        status: 409,
        body: {
          detail: expect.any(String),
          code: 'layout_conflict',
          revision: 2,
          tiles: [{ id: tile, x: 1, y: 1, w: 1, h: 1 }],
        },
      });
      // A tile that went meanwhile is a conflict too, not a mistake.
      await send(owner, 'DELETE', `/tiles/${tile}/`);
      expect((await saveLayout(editor, board, 2, [{ id: tile, ...PLACE }])).body).toMatchObject({
        revision: 3,
        tiles: [],
      });
    });

    it('of ten editors lose nothing', async () => {
      const saves = rounds(1000, 80);
      const editors = await Promise.all(Array.from({ length: 10 }, () => api.signUp()));
      const board = await create();
      const emails = editors.map(mailOf);
      await send(owner, 'POST', `/boards/${board}/collaborators/`, { emails, role: 'editor' });
      const tiles = [await addText(board), await addText(board), await addText(board)];
      const start = (await boardOf(board)).revision as number;
      const won = new Map<number, Place[]>();
      let asked = 0;
      const work = async (client: HttpClient, index: number) => {
        let revision = start;
        while (asked < saves) {
          const mine = tiles.map((id, at) => ({ id, x: index, y: asked, w: 1 + at, h: 1 }));
          asked += 1;
          const { status, body } = await saveLayout(client, board, revision, mine);
          // No connection was free: nothing was saved, and they try again.
          if (body.code === 'database_unavailable') continue;
          if (status === 200) {
            // The revision after the one that was read, and nobody else has it.
            expect(body.revision).toBe(revision + 1);
            expect(won.has(revision + 1)).toBe(false);
            won.set(revision + 1, mine);
          } else {
            expect([status, body.code]).toEqual([409, 'layout_conflict']);
            expect(body.revision).toBeGreaterThan(revision);
            expect(body.tiles).toHaveLength(tiles.length);
            // What the loser is given is what somebody has saved as that revision.
            const theirs = won.get(body.revision as number);
            if (theirs) expect(new Set(body.tiles as Place[])).toEqual(new Set(theirs));
          }
          revision = body.revision as number;
        }
      };
      await Promise.all(editors.map(work));
      const last = await boardOf(board);
      expect(last.revision).toBe(start + won.size);
      expect(new Set((last.tiles as Body[]).map(({ id, x, y, w, h }) => JSON.stringify({ id, x, y, w, h })))).toEqual(
        new Set(won.get(last.revision as number)!.map((place) => JSON.stringify(place))),
      );
      expect(asked).toBeGreaterThanOrEqual(saves);
    });
  });

  const keepOutput = async (by: HttpClient): Promise<{ workflow: string; output: string }> => {
    const [workflow, output] = [newId(), newId()];
    await sql(
      `WITH w AS (INSERT INTO workflows (id, owner_id, name) VALUES ($1, $2, 'W') RETURNING id),
       run AS (INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, finished_at)
         SELECT $3, id, 1, 1, 'COMPLETED', 'manual', now() FROM w RETURNING id, workflow_id)
       INSERT INTO workflow_outputs (id, workflow_id, run_id, node_id, node_name, kind, type, value, size_bytes)
       SELECT $4, workflow_id, id, 'n', 'Total', 'merge', 'json', '{"total": 7}', 2 FROM run`,
      [workflow, await idOf(by), newId(), output],
    );
    return { workflow, output };
  };

  describe('show what workflows kept', () => {
    it('to everybody on the board, while whoever put it there may see it', async () => {
      const board = await createShared();
      const { workflow, output } = await keepOutput(owner);
      const tile = { kind: 'output', output_id: output };
      expect(await codeOf(addTile(board, tile, editor))).toEqual([404, 'output_not_found']);
      await sql(`INSERT INTO workflow_collaborators (workflow_id, user_id, role) VALUES ($1, $2, 'viewer')`, [
        workflow,
        await idOf(editor),
      ]);
      const { status, body } = await addTile(board, tile, editor);
      expect([status, body.name, body.broken]).toEqual([201, 'Total', false]);
      const path = `/tiles/${body.id as number}/`;
      expect((await send(viewer, 'GET', path)).body).toMatchObject({
        name: 'Total',
        output: { id: output, workflow, value: { total: 7 }, type: 'json' },
      });
      expect((await send(stranger, 'GET', path)).status).toBe(404);
      await sql('DELETE FROM workflow_collaborators WHERE workflow_id = $1', [workflow]);
      const hidden = { broken: true, name: null, output: null };
      expect((await send(viewer, 'GET', path)).body).toMatchObject(hidden);
      // Not even to its owner: the tile is the editor's.
      expect((await send(owner, 'GET', path)).body).toMatchObject(hidden);
      await sql('DELETE FROM workflow_outputs WHERE id = $1', [output]);
      expect((await send(owner, 'GET', path)).body).toMatchObject({ ...hidden, output_id: null });
    });
  });

  it('get one chart on one tile from a node, however often it is carried out at once', async () => {
    const board = await create();
    const charts = api.app.get(ChartsOfNodes, { strict: false });
    const userId = await idOf(owner);
    const show = () =>
      charts.show(userId, {
        boardId: board,
        title: 'Orders',
        chartType: 'bar',
        items: [{ month: 'May', orders: 12 }],
        originKey: `node of ${board}`,
        workflowId: null,
        runVersion: null,
        turnId: null,
      });
    const made = await Promise.all(Array.from({ length: rounds(50, 10) }, show));
    expect(new Set(made).size).toBe(1);
    expect(await tilesOf(board)).toHaveLength(1);
  });

  describe('keep charts', () => {
    it('whose conversation is deleted, until their last tile goes', async () => {
      const [board, other] = [await create(), await create()];
      const { mgid, turn } = await drawChart(owner);
      const loose = await drawChart(owner);
      const first = (await addTile(board, { kind: 'chart', mgid })).body.id as number;
      await addTile(other, { kind: 'chart', mgid });
      await sql('DELETE FROM chat_turns WHERE id = ANY($1::uuid[])', [[turn, loose.turn]]);
      expect([await chartCount(mgid), await chartCount(loose.mgid)]).toEqual([1, 0]);
      await send(owner, 'DELETE', `/tiles/${first}/`);
      expect((await chartFor(owner, mgid)).status).toBe(200);
      await send(owner, 'DELETE', `/boards/${other}/`);
      expect(await chartCount(mgid)).toBe(0);
    });

    it('whose conversation goes on, whatever becomes of the tile', async () => {
      const board = await create();
      const { mgid } = await drawChart(owner);
      const { body } = await addTile(board, { kind: 'chart', mgid });
      await send(owner, 'DELETE', `/tiles/${body.id as number}/`);
      expect(await chartCount(mgid)).toBe(1);
    });

    it('in every order of a tile and the end of a conversation', async () => {
      for (let round = 0; round < rounds(100, 8); round += 1) {
        const board = await create();
        const { mgid, turn } = await drawChart(owner);
        const [{ status }] = await Promise.all([
          addTile(board, { kind: 'chart', mgid }),
          sql('DELETE FROM chat_turns WHERE id = $1', [turn]),
        ]);
        // Whoever was first: a tile has its chart, and a chart without one is gone.
        expect([status, await chartCount(mgid)]).toEqual(status === 201 ? [201, 1] : [404, 0]);
      }
    });
  });
});
