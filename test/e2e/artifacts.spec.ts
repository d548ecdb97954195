import { Artifacts } from '@app/artifacts';
import { newId } from '@app/common';
import { startApi, type TestApi } from '../support/api.js';
import { auditedActions } from '../support/audit.js';
import type { HttpClient } from '../support/http-client.js';

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

interface Link {
  uid: string;
  access_count: number;
  url: string;
  name: string;
  media_path: string;
  artifact_uid: string | null;
}

const BASE = '/microservices/artifacts/';
const LINKS = '/artifacts/links/';
const TITLES = 'Trips <b>“2026”</b>';

const at = (id: string, rest = '') => `${BASE}${id}/${rest}`;

const ask = async (who: HttpClient, method: string, path: string, body?: unknown): Promise<Answer> => {
  const response = await who.send(method, path, body);
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] };
};

describe('artifacts over HTTP', () => {
  let api: TestApi;
  let owner: HttpClient;
  let friend: HttpClient;
  let stranger: HttpClient;
  let artifacts: Artifacts;
  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);
  const idOf = async ({ username }: HttpClient) =>
    (await sql<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [username]))[0].id;
  const publish = async (who: HttpClient, more: { html?: string; title?: string } = {}, artifactId?: string) => {
    const draft = { title: TITLES, kind: 'report' as const, html: '<h1>1</h1>', queries: [], changeNote: 'First.' };
    const made = await artifacts.publish(await idOf(who), { ...draft, ...more }, artifactId ? { artifactId } : {});
    return made.artifactId;
  };
  /** On a board of the owner's that the friend sees. */
  const share = async (artifactId: string) => {
    const [board] = await sql<[{ id: number }]>(
      `WITH b AS (INSERT INTO boards (owner_id, name) VALUES ($1, 'Board') RETURNING id),
       t AS (INSERT INTO board_tiles (board_id, kind, artifact_id, x, y, w, h) SELECT id, 'artifact', $2, 0, 0, 1, 1 FROM b),
       c AS (INSERT INTO board_collaborators (board_id, user_id, role) SELECT id, $3, 'editor' FROM b)
       SELECT id FROM b`,
      [await idOf(owner), artifactId, await idOf(friend)],
    );
    return board.id;
  };

  beforeAll(async () => {
    api = await startApi();
    [owner, friend, stranger] = await Promise.all([api.signUp(), api.signUp(), api.signUp()]);
    artifacts = api.app.get(Artifacts);
  });
  afterAll(() => api.stop());

  it('are told of without their page, newest first, all or page by page', async () => {
    const id = await publish(owner);
    const second = await publish(owner, { title: 'Second' });
    const { body } = await ask(owner, 'GET', at(id));
    expect(body).toEqual({
      artifact_id: id,
      title: TITLES,
      kind: 'report',
      version: 1,
      created_at: expect.any(String) as string,
      updated_at: expect.any(String) as string,
      dataset_names: [],
      sources: {},
      change_note: 'First.',
      created_by: {
        user_id: String(await idOf(owner)),
        username: owner.username,
        organization_name: `${owner.username} (personal)`,
      },
    });
    const { body: all } = await ask(owner, 'GET', BASE);
    expect(all).toMatchObject({ artifacts: [{ artifact_id: second }, body], next_cursor: null });
    const { body: first } = await ask(owner, 'GET', `${BASE}?limit=1`);
    expect(first).toMatchObject({ artifacts: [{ artifact_id: second }], next_cursor: second });
    const { body: last } = await ask(owner, 'GET', `${BASE}?limit=1&cursor=${second}`);
    expect(last).toMatchObject({ artifacts: [{ artifact_id: id }], next_cursor: null });
    expect(await stranger.get(BASE)).toEqual({ artifacts: [], next_cursor: null });
    for (const wrong of ['limit=0', 'limit=x', 'limit=1000000000000', 'cursor=x'])
      expect((await ask(owner, 'GET', `${BASE}?${wrong}`)).status).toBe(400);
  });

  it('are renamed as their next version, and restored byte for byte', async () => {
    const html = '<p>“Ünï\u2028code” \r\n\t\u{1f600}</p><script>if (1 < 2 && "</scr" + "ipt>") 1</script>';
    const id = await publish(owner, { html });
    expect(await ask(owner, 'PATCH', at(id), { title: ' Renamed ' })).toEqual({
      status: 200,
      body: { artifact_id: id, title: 'Renamed', version: 2 },
    });
    await publish(owner, { html: 'other', title: 'Third' }, id);
    expect(await ask(owner, 'POST', at(id, 'restore/'), { version: 1 })).toEqual({
      status: 200,
      body: { artifact_id: id, title: TITLES, version: 4 },
    });
    const [first, fourth] = [await artifacts.readVersion(id, 1), await artifacts.readVersion(id, null)];
    expect(Buffer.from(fourth.html).equals(Buffer.from(first.html))).toBe(true);
    expect(await owner.get(at(id, 'versions/'))).toEqual({
      artifact_id: id,
      versions: [
        { version: 4, title: TITLES, change_note: 'Restored version 1.', created_at: expect.any(String) as string },
        { version: 3, title: 'Third', change_note: 'First.', created_at: expect.any(String) as string },
        {
          version: 2,
          title: 'Renamed',
          change_note: `Renamed from “${TITLES}”.`,
          created_at: expect.any(String) as string,
        },
        { version: 1, title: TITLES, change_note: 'First.', created_at: expect.any(String) as string },
      ],
    });
    const copy = await ask(owner, 'POST', at(id, 'duplicate/'), {});
    expect(copy).toMatchObject({
      status: 200,
      body: { title: `Copy of ${TITLES}`, version: 1, change_note: `Copy of “${TITLES}”, version 4.` },
    });
    expect(await ask(owner, 'POST', at(id, 'duplicate/'), { title: 'Mine' })).toMatchObject({
      body: { title: 'Mine', version: 1 },
    });
    expect(await artifacts.readVersion(copy.body.artifact_id as string, 1)).toMatchObject({ html });
    const told = await auditedActions(api.database.dataSource, { target: `artifact:${id}` });
    const done = ['published', 'renamed', 'published', 'restored', 'duplicated', 'duplicated'];
    expect(told).toEqual(done.map((verb) => `artifact.${verb}`));
  });

  it('answers a repeated call like the first one', async () => {
    const id = await publish(owner);
    const headers = {
      authorization: `Token ${owner.token}`,
      'content-type': 'application/json',
      'idempotency-key': newId(),
    };
    const restore = async () => {
      const response = await fetch(api.baseUrl + at(id, 'restore/'), {
        method: 'POST',
        headers,
        body: '{"version":1}',
      });
      return response.json();
    };
    expect([await restore(), await restore()]).toEqual(
      [1, 2].map(() => ({ artifact_id: id, title: TITLES, version: 2 })),
    );
  });

  it.each([
    ['"3"', 'A valid integer is required.'],
    ['1.5', 'A valid integer is required.'],
    ['true', 'A valid integer is required.'],
    ['[1]', 'A valid integer is required.'],
    ['null', 'This field may not be null.'],
    [undefined, 'This field is required.'],
    ['0', 'Ensure this value is greater than or equal to 1.'],
    ['-1', 'Ensure this value is greater than or equal to 1.'],
    ['1000000000000', 'Ensure this value is less than or equal to 2147483647.'],
  ])('refuses to restore the version %s in words', async (version, message) => {
    const id = await publish(owner);
    const response = await fetch(api.baseUrl + at(id, 'restore/'), {
      method: 'POST',
      headers: { authorization: `Token ${owner.token}`, 'content-type': 'application/json' },
      body: version === undefined ? '{}' : `{"version": ${version}}`,
    });
    expect([response.status, await response.json()]).toEqual([400, { version: [message] }]);
    expect(await ask(owner, 'POST', at(id, 'restore/'), { version: 2 })).toEqual({
      status: 404,
      body: { detail: 'There is no such version of the artifact.', code: 'version_not_found' },
    });
  });

  it.each<[string, unknown]>([
    ['nothing', {}],
    ['null', { title: null }],
    ['blanks', { title: ' \n ' }],
    ['a list', { title: ['x'] }],
    ['201 characters', { title: 'x'.repeat(201) }],
    ['a null character', { title: 'a\0b' }],
    ['half a character', { title: '\ud800' }],
  ])('refuses %s for a title', async (_what, body) => {
    const id = await publish(owner);
    expect(await ask(owner, 'PATCH', at(id), body)).toEqual({
      status: 400,
      body: { title: [expect.any(String) as string] },
    });
    expect(await owner.get(at(id))).toMatchObject({ version: 1 });
  });

  const ROUTES: [string, string, object | null][] = [
    ['GET', '', null],
    ['PATCH', '', { title: 'T' }],
    ['DELETE', '', null],
    ['GET', 'delete-impact/', null],
    ['GET', 'versions/', null],
    ['POST', 'restore/', { version: 1 }],
    ['POST', 'duplicate/', {}],
  ];

  it.each(ROUTES)(
    '%s %s: 403 for whom a board shows it to, 404 for others and for what is none',
    async (method, rest, given) => {
      const body = given ?? undefined;
      const id = await publish(owner);
      const boardId = await share(id);
      expect(await ask(friend, method, at(id, rest), body)).toEqual({
        status: 403,
        body: { detail: 'Only the creator of the artifact can do this.', code: 'artifact_not_yours' },
      });
      const none = { status: 404, body: { detail: 'Artifact not found.', code: 'artifact_not_found' } };
      expect(await ask(stranger, method, at(id, rest), body)).toEqual(none);
      await sql('DELETE FROM board_collaborators WHERE board_id = $1', [boardId]);
      expect(await ask(friend, method, at(id, rest), body)).toEqual(none);
      for (const unknown of [newId(), '1', 'x'.repeat(300), '%00', '%F0%9F%98%80', `${id}0`])
        expect(await ask(owner, method, at(unknown, rest), body)).toMatchObject({ status: 404 });
      expect(await owner.get(at(id))).toMatchObject({ version: 1 });
    },
  );

  it('are deleted for good, once, with exact counts', async () => {
    const id = await publish(owner);
    await ask(owner, 'PATCH', at(id), { title: 'Two' });
    const boardId = await share(id);
    await ask(owner, 'POST', LINKS, { artifact_uid: id });
    expect(await owner.get(at(id, 'delete-impact/'))).toEqual({
      artifact_id: id,
      versions: 2,
      queries: 0,
      sessions: { count: 0, sample: [] },
      tiles: { count: 1, boards: [{ id: boardId, name: 'Board' }] },
      links: { count: 1 },
      files: { count: 0, bytes: 0 },
    });
    const tries = await Promise.all([1, 2, 3].map(() => ask(owner, 'DELETE', at(id.toUpperCase()))));
    expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
    expect(tries.find(({ status }) => status === 200)!.body).toEqual({
      artifact_id: id,
      deleted: true,
      sessions: 0,
      tiles: 1,
      boards: 1,
      files: 0,
      errors: [],
      versions: 2,
      queries: 0,
    });
    expect(await sql('SELECT id FROM boards WHERE id = $1', [boardId])).toHaveLength(1);
    expect((await owner.get<Link[]>(LINKS)).filter(({ artifact_uid: uid }) => uid === id)).toEqual([]);
    expect((await ask(owner, 'GET', at(id))).status).toBe(404);
  });

  it('lose to a deletion, or come before it, but are never half there', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await publish(owner);
      const answers = await Promise.all([
        ask(owner, 'PATCH', at(id), { title: 'T' }),
        ask(owner, 'DELETE', at(id)),
        ask(owner, 'POST', at(id, 'restore/'), { version: 1 }),
        ask(owner, 'POST', LINKS, { artifact_uid: id }),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => ![200, 201, 404].includes(status))).toEqual([]);
      for (const table of ['artifact_versions', 'board_tiles'])
        expect(await sql(`SELECT FROM ${table} WHERE artifact_id = $1`, [id])).toEqual([]);
      expect(await sql('SELECT FROM permanent_links WHERE artifact_uid = $1', [id])).toEqual([]);
    }
  });

  describe('permanent links', () => {
    it('are one per artifact, of its creator alone, and bear its name', async () => {
      const id = await publish(owner);
      await share(id);
      const made = await Promise.all([1, 2, 3].map(() => ask(owner, 'POST', LINKS, { artifact_uid: id })));
      expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(new Set(made.map(({ body }) => body.url)).size).toBe(1);
      expect(made[0]!.body).toEqual({
        uid: expect.any(String) as string,
        url: expect.stringMatching(
          new RegExp(`^http://localhost:\\d+/artifacts/${id}/public/\\?link=[\\w-]{43}$`),
        ) as string,
        media_path: `/artifacts/${id}/public/`,
        name: TITLES,
        artifact_uid: id,
        created_at: expect.any(String) as string,
        last_accessed_at: null,
        access_count: 0,
      });
      await ask(owner, 'PATCH', at(id), { title: 'Renamed' });
      const [listed] = (await owner.get<Link[]>(LINKS)).filter(({ artifact_uid: uid }) => uid === id);
      expect(listed).toMatchObject({ name: 'Renamed', url: made[0]!.body.url });
      const address = made[0]!.body.url as string;
      expect((await fetch(address)).status).toBe(200);
      expect((await fetch(address.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')))).status).toBe(404);
      expect((await owner.get<Link[]>(LINKS)).find(({ uid }) => uid === listed!.uid)).toMatchObject({
        access_count: 1,
      });
      for (const who of [friend, stranger])
        expect(await ask(who, 'POST', LINKS, { artifact_uid: id })).toEqual({
          status: 404,
          body: { detail: 'Artifact not found.', code: 'artifact_not_found' },
        });
      expect((await ask(friend, 'DELETE', `${LINKS}${listed!.uid}/`)).status).toBe(404);
      expect((await ask(owner, 'DELETE', `${LINKS}${listed!.uid}/`)).status).toBe(204);
      const again = await ask(owner, 'POST', LINKS, { artifact_uid: id, media_path: null });
      expect(again.body.url).not.toBe(made[0]!.body.url);
      expect((await fetch(address)).status).toBe(404);
      // The api itself serves no page.
      expect((await fetch(api.baseUrl + new URL(again.body.url as string).pathname)).status).toBe(404);
      await sql('UPDATE users SET is_active = false WHERE username = $1', [owner.username]);
      expect((await fetch(again.body.url as string)).status).toBe(404);
      await sql('UPDATE users SET is_active = true WHERE username = $1', [owner.username]);
      expect((await fetch(again.body.url as string)).status).toBe(200);
      await ask(owner, 'DELETE', at(id));
      expect((await fetch(again.body.url as string)).status).toBe(404);
    });

    it.each<[number, unknown, object]>([
      [400, {}, { code: 'nothing_to_link' }],
      [400, { artifact_uid: null, media_path: null }, { code: 'nothing_to_link' }],
      [400, { artifact_uid: newId(), media_path: '/media/x' }, { code: 'two_things_to_link' }],
      [400, { artifact_uid: 'x' }, { artifact_uid: [expect.any(String)] }],
      [400, { artifact_uid: 5 }, { artifact_uid: [expect.any(String)] }],
      [400, { media_path: '/artifacts/x/public/' }, { code: 'not_linkable' }],
      [404, { artifact_uid: newId() }, { code: 'artifact_not_found' }],
    ])('%s for %j', async (status, body, answer) => {
      expect(await ask(owner, 'POST', LINKS, body)).toMatchObject({ status, body: answer });
    });
  });
});
