import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CatalogedRoute, RouteCatalog } from '../../apps/api/src/http/route-catalog.js';
import { call, postJson, startApi, type TestApi } from '../support/api.js';
import { LONG } from '../support/long.js';
import { startMuteWorker } from '../support/mute-worker.js';
import { BODIES, fillPath, makeResources, QUERIES, type Resources } from '../support/matrix-requests.js';

/**
 * Every route for every kind of caller: the table of statuses is read by people, and a route that is not in it fails.
 * `ATRIUM_WRITE_MATRIX=1` writes it anew; then read every line of the difference.
 */
const TABLE = join(__dirname, '../support/route-matrix.txt');
const ACTORS = ['anonymous', 'expired', 'disabled', 'scopeless', 'other', 'staff', 'reader', 'owner'] as const;
type Actor = (typeof ACTORS)[number];

interface Stage {
  tokens: Record<Actor, string>;
  resources: Resources;
}

/** Routes at a time: half of each is waiting for servers. */
const LANES = 4;
/** Of those whom a route answers alike, by the table, `npm test` sends one to each route, in turn. */
const ALIKE: Actor[][] = [
  ['anonymous', 'expired', 'disabled'],
  ['other', 'reader'],
];
const WRITES = Boolean(process.env.ATRIUM_WRITE_MATRIX);
/** Every caller to every route, and new callers and things after each that changed any. */
const WHOLE = LONG || WRITES;

/** No language model is configured here. */
/** docs/contract/administration.md#costs */
const SHOWN_TO_STAFF = 'GET /microservices/cost-tracker/users/:username/costs';
const NEED_A_MODEL = [
  'summary/generate/',
  'questions/',
  'rewrite-summary/',
  'agent/chat/',
  'agent/artifact-chat/',
  'agent/table-chat/',
  'dashboard-chat/',
  'data-extractor/chat',
  'regenerate/',
  'secure-gpt/chat/',
];

describe('every route, for every kind of caller', () => {
  let api: TestApi;
  let stopWorker: () => Promise<void>;
  let ended: Awaited<ReturnType<typeof makeEnded>>;
  const sql = (text: string, values: unknown[] = []) => api.database.dataSource.query(text, values);

  beforeAll(async () => {
    api = await startApi();
    // Chats wait for somebody who answers; runs have to stay as they are.
    stopWorker = startMuteWorker(api);
    ended = await makeEnded();
  });
  afterAll(async () => {
    await stopWorker();
    await api.stop();
  });

  /** Nothing is left of them that a route could end: all stages share them. */
  async function makeEnded(): Promise<Pick<Record<Actor, string>, 'anonymous' | 'expired' | 'disabled'>> {
    const [expired, disabled] = await Promise.all([api.signUp(), api.signUp()]);
    await sql('UPDATE users SET is_active = false WHERE username = $1', [disabled.username]);
    await sql(
      `UPDATE access_tokens SET expires_at = now() - interval '1 second'
       WHERE session_id IN (SELECT s.id FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.username = $1)`,
      [expired.username],
    );
    return { anonymous: '', expired: expired.token, disabled: disabled.token };
  }

  /** Callers of their own for one route: some routes end sessions and accounts. */
  async function makeActors() {
    const signUp = () => api.signUp();
    const [owner, other, staff, reader] = await Promise.all([signUp(), signUp(), signUp(), signUp()]);
    await sql('UPDATE users SET is_staff = true WHERE username = $1', [staff.username]);
    const made = await postJson(
      `${api.baseUrl}/users/api-tokens/`,
      { name: 'n', scopes: ['chats:write'] },
      { authorization: `Token ${owner.token}` },
    );
    const scopeless = (made.body as { token: string }).token;
    const tokens = { scopeless, owner: owner.token, other: other.token, staff: staff.token, reader: reader.token };
    return { tokens: { ...ended, ...tokens }, owner, reader };
  }

  /** What is only read is used by all routes that read. */
  async function makeStage(): Promise<Stage> {
    const { tokens, owner, reader } = await makeActors();
    const resources = await makeResources(api, owner);
    // The document is shown to the reader; nothing else is.
    await sql('INSERT INTO document_shares (document_uid, user_id) SELECT $1, id FROM users WHERE username = $2', [
      resources.uid,
      reader.username,
    ]);
    return { tokens, resources };
  }

  async function statusFor(route: string, token: string, resources: Resources): Promise<number> {
    const [method, path] = route.split(' ') as [string, string];
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Token ${token}` };
    const body = ['GET', 'HEAD', 'DELETE'].includes(method) ? undefined : (BODIES[route]?.(resources) ?? {});
    if (body) headers['content-type'] = 'application/json';
    const ask = () =>
      call(api.baseUrl + fillPath(path, resources) + (QUERIES[route]?.(resources) ?? ''), {
        method,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const answer = await ask();
    // A machine that has so much to do that no connection comes in five seconds says nothing of rights.
    const isBusy = (answer.body as { code?: unknown } | null)?.code === 'database_unavailable';
    return (isBusy ? await ask() : answer).status;
  }

  it('answers as the table says', async () => {
    const routes = api.app.get(RouteCatalog).routes.map(({ method, path }) => `${method} ${path}`);
    const said = await readFile(TABLE, 'utf8');
    const known = new Map(said.split('\n').map((line) => [line.slice(0, line.search(/ +[\d ]+$/)), line]));
    const places = new Map(routes.toSorted().map((route, place) => [route, place]));
    const read = await makeStage();
    const lines = new Map<string, string>();
    const lineOf = async (route: string, { tokens, resources }: Stage) => {
      const told = known.get(route)?.trim().split(/\s+/).slice(2).map(Number);
      const statuses: number[] = [];
      for (const [at, actor] of ACTORS.entries()) {
        const alike = ALIKE.find((group) => group.includes(actor)) ?? [actor];
        const isSent = alike[places.get(route)! % alike.length] === actor;
        const isKnown = told && new Set(alike.map((one) => told[ACTORS.indexOf(one)])).size === 1;
        const spared = isKnown && !isSent && !WHOLE;
        statuses.push(spared ? told[at]! : await statusFor(route, tokens[actor], resources));
      }
      const cells = statuses.map((status, i) => String(status).padEnd(ACTORS[i]!.length));
      return { line: `${route.padEnd(60)} ${cells.join(' ')}`.trimEnd(), isWrite: statuses.some((one) => one < 400) };
    };
    const queue = routes.toSorted((a, b) => lateness(a) - lateness(b));
    const work = async () => {
      let written = await makeStage();
      let isUsed = false;
      for (let route = queue.shift(); route !== undefined; route = queue.shift()) {
        const isRead = /^(GET|HEAD) /.test(route);
        let { line, isWrite } = await lineOf(route, isRead ? read : written);
        // The owner is asked last: who gets through as the table says shows that nothing was gone for those before.
        if (!isRead && isUsed && line !== known.get(route)) {
          written = await makeStage();
          ({ line, isWrite } = await lineOf(route, written));
          isUsed = false;
        }
        // What was refused to all has left everything as it was.
        if (!isRead && isWrite && WHOLE) written = await makeStage();
        isUsed ||= !isRead && isWrite && !WHOLE;
        lines.set(route, line);
      }
    };
    await Promise.all(Array.from({ length: LANES }, work));
    const table = [`${'route'.padEnd(60)} ${ACTORS.join(' ')}`, ...routes.toSorted().map((route) => lines.get(route)!)];
    const actual = `${table.join('\n')}\n`;
    if (WRITES) await writeFile(TABLE, actual);
    expect(actual).toBe(said);
  }, 600_000);

  it('has no line that contradicts what its route declares', async () => {
    const table = (await readFile(TABLE, 'utf8')).trim().split('\n').slice(1);
    const declared = new Map<string, CatalogedRoute>(
      api.app.get(RouteCatalog).routes.map((known) => [`${known.method} ${known.path}`, known]),
    );
    for (const line of table) {
      // Some are longer than their column.
      const [method, path, ...statuses] = line.trim().split(/\s+/);
      const route = `${method} ${path}`;
      const [anonymous, expired, disabled, scopeless, other, staff, reader, owner] = statuses.map(Number) as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      const { isPublic, route: options } = declared.get(route)!;
      const all = [anonymous, expired, disabled, scopeless, other, staff, reader, owner];
      expect([route, all.filter((status) => status >= 500 && !mayBe(route).includes(status))]).toEqual([route, []]);
      // Directories have tokens of their own.
      if (route.includes(' /scim/')) expect([route, all]).toEqual([route, Array(ACTORS.length).fill(401)]);
      else if (isPublic) expect([route, new Set(all).size]).toEqual([route, 1]);
      else {
        expect([route, anonymous, expired, disabled]).toEqual([route, 401, 401, 401]);
        if (![options.scope].flat().includes('chats:write')) expect([route, scopeless]).toEqual([route, 403]);
        if (options.staffOnly) expect([route, other, owner, staff]).toEqual([route, 403, 403, options.status]);
        else expect([route, isFitForOwners(route, owner)]).toEqual([route, true]);
        // Staff see no more of other people's things than anybody else.
        if (!options.staffOnly && route !== SHOWN_TO_STAFF) expect([route, staff]).toEqual([route, other]);
      }
    }
  });
});

/** Whole things go after their parts, and sessions and accounts after all, so that a stage serves many routes. */
function lateness(route: string): number {
  const isEnd = /sessions|logout|\/users\/me\/|deletion|password|deactivat/.test(route);
  return (isEnd ? 200 : 0) + (route.startsWith('DELETE') ? 100 : 0) - route.split('/').length;
}

function isFitForOwners(route: string, status: number): boolean {
  if (status === 503) return NEED_A_MODEL.some((ending) => route.startsWith('POST') && route.endsWith(ending));
  return status < 400 || [400, 404, 409, 412, ...mayBe(route)].includes(status);
}

/** Faults that are none: tool server and database of the matrix are not there to answer. */
function mayBe(route: string): number[] {
  return / \/(mcp-servers|microservices\/data-sources)\//.test(route) ? [502, 503] : [503];
}
