import { startApi, type TestApi } from '../support/api.js';
import { auditedActions } from '../support/audit.js';
import type { HttpClient } from '../support/http-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { mailsTo } from '../support/outbox.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';
import { stopwatch } from '../support/timing.js';

const PATH = '/microservices/workflow/';
const mailOf = ({ username }: HttpClient) => `${username}@test.example`;
const idOf = async (client: HttpClient) => (await client.get<{ info: { id: number } }>('/users/me/')).info.id;

interface Detail {
  id: string;
  name: string;
  my_role: string;
  is_owner: boolean;
  can_edit: boolean;
  json_spec: { nodes: { id: string; params: unknown }[] };
  nodes: { params: unknown; output: unknown }[];
  sharer: { username: string } | null;
  only_view_in_apps: boolean;
  sharees?: { username: string; only_view_in_apps: boolean }[];
  collaborators?: { user: { username: string }; role: string }[];
  webhook_id: string;
  webhook_secret: string;
}

async function answer(client: HttpClient, method: string, path: string, body?: unknown) {
  const response = await client.send(method, path.startsWith('/') ? path : PATH + path, body);
  const text = await response.text();
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Record<string, unknown> | null };
}
const detail = (client: HttpClient, id: string) => client.get<Detail>(`${PATH}${id}/`);
const listed = async (client: HttpClient, query = '') =>
  (await client.get<{ results: Detail[] }>(`${PATH}${query}`)).results;
const statusOf = async (client: HttpClient, id: string) => (await answer(client, 'GET', `${id}/`)).status;

async function appOf(client: HttpClient): Promise<string> {
  const apps = await listed(client, '?available_as_app=true');
  return apps.find(({ only_view_in_apps: isApp }) => isApp)!.id;
}

async function offerTo(client: HttpClient, id: string, from: HttpClient): Promise<string> {
  const { status, body } = await answer(from, 'POST', `${id}/transfer/`, { email: mailOf(client) });
  expect(status).toBe(200);
  return (body!.transfer as { id: string }).id;
}

describe('sharing workflows', () => {
  let api: TestApi;
  let other: TestApi;
  let owner: HttpClient;
  let ann: HttpClient;
  let bob: HttpClient;
  const sockets: NodesSocket[] = [];
  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);

  beforeAll(async () => {
    api = await startApi();
    other = await api.startReplica();
    owner = await api.signUp();
  });
  beforeEach(async () => {
    [ann, bob] = [await api.signUp(), await api.signUp()];
  });
  afterAll(async () => {
    for (const socket of sockets) socket.close();
    await other.stop();
    await api.stop();
  });

  const create = async (json: object = fanOutAndJoin, client = owner) =>
    (await client.post<{ workflow_id: string }>(`${PATH}start/`, { json })).workflow_id;
  const collaborate = (id: string, emails: string[], role = 'viewer', client = owner) =>
    answer(client, 'POST', `${id}/collaborators/`, { emails, role });
  const share = (id: string, emails: string[], asApp: boolean, client = owner) =>
    answer(client, 'POST', `${id}/share/`, { emails, only_view_in_apps: asApp });
  const unshare = (id: string, emails: string[], client = owner) =>
    answer(client, 'POST', `${id}/unshare/`, { emails });
  async function watch(client: HttpClient, id: string, at = other): Promise<NodesSocket> {
    const socket = NodesSocket.of(at.baseUrl, id, `token=${client.token}`);
    sockets.push(socket);
    await until(() => socket.frames.length > 0);
    return socket;
  }
  const auditOf = async (id: string) =>
    (await auditedActions(api.database.dataSource, { target: `workflow:${id}` })).toSorted();
  describe('with collaborators', () => {
    it('adds, changes and removes them, tells who was found, mails once and writes it down', async () => {
      const id = await create();
      const given = [mailOf(ann).toUpperCase(), 'nobody@test.example', mailOf(ann)];
      expect(await collaborate(id, given)).toEqual({
        status: 200,
        body: {
          added: [mailOf(ann).toUpperCase()],
          updated: [],
          invited: [],
          not_found: ['nobody@test.example'],
          detail: expect.any(String),
        },
      });
      expect(await collaborate(id, [mailOf(ann), mailOf(bob)], 'editor')).toMatchObject({
        body: { added: [mailOf(bob)], updated: [mailOf(ann)], not_found: [] },
      });
      const people = await answer(owner, 'GET', `${id}/collaborators/`);
      expect(people).toEqual({
        status: 200,
        body: [ann, bob].map((client) => ({
          user: { id: expect.any(Number), username: client.username, email: mailOf(client) },
          role: 'editor',
          role_label: 'Can edit',
          created_at: expect.any(String),
        })),
      });
      expect((await detail(owner, id)).collaborators).toEqual(people.body);
      expect(await detail(ann, id)).not.toHaveProperty('collaborators');
      const annId = await idOf(ann);
      expect(await answer(owner, 'PATCH', `${id}/collaborators/${annId}/`, { role: 'viewer' })).toMatchObject({
        status: 200,
        body: { user: { id: annId }, role: 'viewer' },
      });
      expect((await listed(ann)).map(({ my_role }) => my_role)).toEqual(['viewer']);
      expect(await answer(owner, 'DELETE', `${id}/collaborators/${annId}/`)).toEqual({ status: 204, body: null });
      expect(await statusOf(ann, id)).toBe(404);
      expect((await answer(owner, 'DELETE', `${id}/collaborators/${annId}/`)).body).toMatchObject({
        code: 'collaborator_not_found',
      });
      const mails = await mailsTo(api, mailOf(ann), 2);
      expect(mails.filter(({ subject }) => subject.includes('Fan out and join'))).toHaveLength(1);
      expect(await auditOf(id)).toEqual([
        'workflow.collaborator_added',
        'workflow.collaborator_added',
        'workflow.collaborator_changed',
        'workflow.collaborator_changed',
        'workflow.collaborator_removed',
      ]);
    });

    it('is the business of the owner: 403 for collaborators, who may leave, 404 for strangers', async () => {
      const id = await create();
      await collaborate(id, [mailOf(ann)], 'editor');
      const [annId, bobId, ownerId] = [await idOf(ann), await idOf(bob), await idOf(owner)];
      const attempts: [string, string, unknown?][] = [
        ['GET', `${id}/collaborators/`],
        ['POST', `${id}/collaborators/`, { emails: [mailOf(bob)], role: 'editor' }],
        ['PATCH', `${id}/collaborators/${annId}/`, { role: 'viewer' }],
        ['DELETE', `${id}/collaborators/${ownerId}/`],
        ['POST', `${id}/share/`, { emails: [mailOf(bob)] }],
        ['POST', `${id}/unshare/`, { emails: [mailOf(bob)] }],
        ['POST', `${id}/transfer/`, { email: mailOf(ann) }],
        ['GET', `${id}/transfer/`],
        ['DELETE', `${id}/transfer/`],
      ];
      for (const [method, path, body] of attempts) {
        expect([path, (await answer(ann, method, path, body)).status]).toEqual([path, 403]);
        expect([path, (await answer(bob, method, path, body)).status]).toEqual([path, 404]);
      }
      expect((await answer(bob, 'DELETE', `${id}/collaborators/${bobId}/`)).status).toBe(404);
      expect((await answer(ann, 'DELETE', `${id}/collaborators/${annId}/`)).status).toBe(204);
      expect(await statusOf(ann, id)).toBe(404);
      expect((await collaborate(id, [mailOf(owner)])).body).toMatchObject({ code: 'cannot_add_owner' });
      expect((await share(id, [mailOf(owner)], false)).body).toMatchObject({ code: 'cannot_add_owner' });
      expect((await collaborate(id, ['x'])).status).toBe(400);
      expect((await collaborate(id, [])).status).toBe(400);
      expect((await collaborate(id, [mailOf(ann)], 'owner')).status).toBe(400);
      expect((await answer(owner, 'DELETE', `${id}/collaborators/x/`)).status).toBe(404);
    });

    it('closes the sockets of who is removed, on every replica, and of nobody else', async () => {
      const id = await create();
      await collaborate(id, [mailOf(ann), mailOf(bob)]);
      const gone = [await watch(ann, id, api), await watch(ann, id, other)];
      const stays = await watch(bob, id);
      const took = stopwatch();
      await answer(owner, 'DELETE', `${id}/collaborators/${await idOf(ann)}/`);
      expect(await Promise.all(gone.map(({ closed }) => closed))).toEqual([1008, 1008]);
      expect(took()).toBeLessThan(2000);
      expect(stays.isOpen).toBe(true);
    });

    it('adds one person once, however many ask at once', async () => {
      const id = await create();
      const answers = await Promise.all(Array.from({ length: 8 }, () => collaborate(id, [mailOf(ann)], 'editor')));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(answers.filter(({ body }) => (body!.added as string[]).length === 1)).toHaveLength(1);
      const [row] = await sql<[{ count: number }]>(
        'SELECT count(*)::int FROM workflow_collaborators WHERE workflow_id = $1',
        [id],
      );
      expect(row.count).toBe(1);
    });

    it('lets editors run but not save what is run_only', async () => {
      const id = await create();
      await collaborate(id, [mailOf(ann)], 'editor');
      const save = (client: HttpClient, more = {}) =>
        answer(client, 'PUT', `${id}/`, { name: 'Named', json_spec: fanOutAndJoin, ...more });
      expect((await save(owner, { run_only: true })).status).toBe(200);
      expect(await save(ann)).toMatchObject({ status: 403, body: { code: 'run_only' } });
      expect((await detail(ann, id)).can_edit).toBe(false);
      expect((await answer(ann, 'POST', 'rerun/', { workflow_id: id })).status).toBe(200);
      expect((await save(owner, { run_only: false })).status).toBe(200);
      expect((await save(ann)).status).toBe(200);
    });
  });

  describe('as copies', () => {
    it('gives a workflow of their own, without secrets, that nothing later changes', async () => {
      const id = await create({
        name: 'With a key',
        nodes: [
          {
            id: 'call',
            kind: 'http_request',
            params: { url: 'https://api.example/', auth: 'bearer', token: 'literal-token-1' },
          },
          {
            id: 'named',
            kind: 'http_request',
            params: { url: 'https://x.example/', auth: 'bearer', token: 'literal-token-2' },
          },
        ],
      });
      expect(await share(id, [mailOf(ann), 'nobody@test.example'], false)).toEqual({
        status: 200,
        body: { added: [mailOf(ann)], invited: [], not_found: ['nobody@test.example'], detail: expect.any(String) },
      });
      expect((await share(id, [mailOf(ann)], false)).body).toMatchObject({ added: [mailOf(ann)] });
      const copies = await listed(ann);
      expect(copies).toHaveLength(1);
      const copy = await detail(ann, copies[0]!.id);
      expect(copy).toMatchObject({
        name: 'With a key',
        my_role: 'owner',
        is_owner: true,
        can_edit: true,
        only_view_in_apps: false,
        sharer: { username: owner.username, email: mailOf(owner) },
        sharees: [],
      });
      expect(JSON.stringify(copy)).not.toMatch(/literal-token-[12]/);
      expect(copy.webhook_id).not.toBe((await detail(owner, id)).webhook_id);
      expect((await detail(owner, id)).sharees).toEqual([
        { id: await idOf(ann), username: ann.username, email: mailOf(ann), only_view_in_apps: false },
      ]);
      await mailsTo(api, mailOf(ann), 2);
      const save = { name: 'Mine', json_spec: fanOutAndJoin };
      expect((await answer(ann, 'PUT', `${copy.id}/`, save)).status).toBe(200);
      expect((await detail(owner, id)).name).toBe('With a key');
      expect((await unshare(id, [mailOf(ann), mailOf(bob)])).body).toMatchObject({
        removed: [mailOf(ann)],
        not_found: [mailOf(bob)],
      });
      expect((await detail(owner, id)).sharees).toEqual([]);
      await answer(owner, 'DELETE', `${id}/`);
      expect((await answer(owner, 'DELETE', `${id}/permanent-delete/`)).status).toBe(200);
      expect(await detail(ann, copy.id)).toMatchObject({ name: 'Mine', sharer: { username: owner.username } });
      expect(await auditOf(id)).toEqual(expect.arrayContaining(['workflow.shared', 'workflow.unshared']));
    });
  });

  describe('as apps', () => {
    const secretive = {
      name: 'App',
      nodes: [
        { id: 'start', kind: 'manual_trigger', next: ['middle'] },
        { id: 'middle', kind: 'template', params: { template: 'inner-workings' }, next: ['end'] },
        { id: 'end', kind: 'template', params: { template: 'result' } },
      ],
    };

    it('lets the receiver run and see results, and hides what it does everywhere', async () => {
      const id = await create(secretive);
      expect((await share(id, [mailOf(ann)], true)).status).toBe(200);
      const app = await appOf(ann);
      const shown = await detail(ann, app);
      expect(shown).toMatchObject({
        my_role: 'owner',
        is_owner: true,
        can_edit: false,
        only_view_in_apps: true,
        sharer: { username: owner.username },
        webhook_secret: '',
      });
      expect(shown.json_spec.nodes.map(({ id: node }) => node)).toEqual(['start', 'middle', 'end']);
      const socket = await watch(ann, app);
      expect((await answer(ann, 'POST', 'rerun/', { workflow_id: app })).status).toBe(200);
      expect((await answer(ann, 'POST', 'stop/', { workflow_id: app })).status).toBe(200);
      await until(() => socket.frames.length > 1);
      const refused: [string, string, unknown?][] = [
        ['PUT', `${app}/`, { name: 'x', json_spec: fanOutAndJoin }],
        ['GET', `${app}/collaborators/`],
        ['POST', `${app}/share/`, { emails: [mailOf(bob)] }],
        ['POST', `${app}/transfer/`, { email: mailOf(bob) }],
        ['GET', `${app}/versions/`],
        ['GET', `${app}/versions/1/`],
        ['GET', `${app}/history/`],
        ['GET', `${app}/history/1/`],
        ['GET', `${app}/secrets/`],
        ['GET', `${app}/schedules/`],
        ['GET', `${app}/webhook-queue/`],
        ['GET', `${app}/node-webhook/start/`],
        ['POST', `${app}/webhook-secret/rotate/`, {}],
        ['POST', 'branch-rerun/', { workflow_id: app, start_node_id: 'middle' }],
      ];
      for (const [method, path, body] of refused)
        expect([path, await answer(ann, method, path, body)]).toEqual([
          path,
          { status: 403, body: expect.objectContaining({ code: 'only_view_in_apps' }) },
        ]);
      const seen = [
        shown,
        await listed(ann),
        await listed(ann, 'search/?search=App'),
        await ann.get(`${PATH}${app}/nodes/`),
        await ann.get(`${PATH}${app}/outputs/`),
        socket.frames,
      ];
      expect(JSON.stringify(seen)).not.toContain('inner-workings');
      expect(await statusOf(ann, id)).toBe(404);
      expect(await statusOf(bob, app)).toBe(404);
    });

    it('follows what it was shared from: the published revision, or the newest', async () => {
      const id = await create(secretive);
      await share(id, [mailOf(ann)], true);
      const app = await appOf(ann);
      const socket = await watch(ann, app);
      const save = async (name: string) => {
        const json_spec = { ...secretive, nodes: [...secretive.nodes, { id: name, kind: 'manual_trigger' }] };
        expect((await answer(owner, 'PUT', `${id}/`, { name, json_spec })).status).toBe(200);
      };
      await save('second');
      expect((await detail(ann, app)).name).toBe('second');
      await until(() => socket.ofType('workflow_definition_updated').length === 1);
      const [frame] = socket.ofType('workflow_definition_updated');
      expect(frame).not.toHaveProperty('actor');
      expect(JSON.stringify(frame)).not.toContain('inner-workings');
      expect((await answer(owner, 'POST', `${id}/versions/2/publish/`)).status).toBe(200);
      await save('third');
      await answer(ann, 'POST', 'rerun/', { workflow_id: app });
      expect((await detail(ann, app)).name).toBe('second');
      expect((await detail(ann, app)).nodes).toHaveLength(4);
      await save('fourth');
      await answer(owner, 'POST', `${id}/versions/4/publish/`);
      await Promise.all(Array.from({ length: 6 }, () => answer(ann, 'POST', 'rerun/', { workflow_id: app })));
      const revisions = await sql<{ name: string }[]>(
        'SELECT name FROM workflow_revisions WHERE workflow_id = $1 ORDER BY content_revision',
        [app],
      );
      expect(revisions.map(({ name }) => name)).toEqual(['App', 'second', 'fourth']);
    });

    it('goes with the workflow into the trash and back, and out of the world', async () => {
      const id = await create(secretive);
      await share(id, [mailOf(ann), mailOf(bob)], true);
      const [annApp, bobApp] = [await appOf(ann), await appOf(bob)];
      await answer(ann, 'POST', 'rerun/', { workflow_id: annApp });
      const socket = await watch(ann, annApp);
      expect((await answer(bob, 'DELETE', `${bobApp}/`)).status).toBe(200);
      expect((await answer(owner, 'DELETE', `${id}/`)).body).toMatchObject({ side_effects: { shared_apps: 1 } });
      expect(await socket.closed).toBe(1008);
      const [run] = await sql<[{ status: string }]>('SELECT status FROM workflow_runs WHERE workflow_id = $1', [
        annApp,
      ]);
      expect(run.status).toBe('STOPPED');
      for (const [client, app] of [[ann, annApp] as const, [bob, bobApp] as const]) {
        expect(await statusOf(client, app)).toBe(404);
        expect(await client.get(`${PATH}trash/`)).toEqual([]);
        expect((await answer(client, 'POST', `${app}/restore/`)).status).toBe(404);
      }
      expect((await answer(owner, 'POST', `${id}/restore/`)).status).toBe(200);
      expect(await statusOf(ann, annApp)).toBe(200);
      expect(await statusOf(bob, bobApp)).toBe(404);
      expect((await bob.get<unknown[]>(`${PATH}trash/`)).length).toBe(1);
      expect((await answer(bob, 'POST', `${bobApp}/restore/`)).status).toBe(200);
      expect(await statusOf(bob, bobApp)).toBe(200);
      await answer(owner, 'DELETE', `${id}/`);
      expect((await answer(owner, 'DELETE', `${id}/permanent-delete/`)).status).toBe(200);
      expect(await sql('SELECT FROM workflows WHERE id = ANY($1::uuid[])', [[annApp, bobApp]])).toEqual([]);
    });

    it('is taken back by unshare, out of the receiver’s reach, and comes back as it was', async () => {
      const id = await create(secretive);
      await share(id, [mailOf(ann)], true);
      const app = await appOf(ann);
      await answer(ann, 'POST', 'rerun/', { workflow_id: app });
      const socket = await watch(ann, app);
      expect((await unshare(id, [mailOf(ann)])).body).toMatchObject({ removed: [mailOf(ann)] });
      expect(await socket.closed).toBe(1008);
      expect(await statusOf(ann, app)).toBe(404);
      expect(await ann.get(`${PATH}trash/`)).toEqual([]);
      expect((await answer(ann, 'POST', `${app}/restore/`)).status).toBe(404);
      expect((await answer(ann, 'POST', 'rerun/', { workflow_id: app })).status).toBe(404);
      await share(id, [mailOf(ann)], true);
      expect(await appOf(ann)).toBe(app);
      await share(id, [mailOf(ann)], false);
      const [copy, ...rest] = await listed(ann);
      expect(rest).toEqual([]);
      expect(copy).toMatchObject({ only_view_in_apps: false });
      expect(await statusOf(ann, app)).toBe(404);
      await share(id, [mailOf(ann)], true);
      expect((await listed(ann)).map(({ only_view_in_apps: isApp }) => isApp).toSorted()).toEqual([false, true]);
      expect((await detail(owner, id)).sharees).toEqual([expect.objectContaining({ only_view_in_apps: true })]);
    });

    it('is given once, however many share at once', async () => {
      const id = await create(secretive);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => share(id, [mailOf(ann), mailOf(bob)], index % 2 === 0)),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const sharees = (await detail(owner, id)).sharees!;
      expect(sharees.map(({ username }) => username).toSorted()).toEqual([ann.username, bob.username].toSorted());
    });
  });

  describe('and handing them over', () => {
    it('happens when the new owner accepts, and leaves nothing that others can pull', async () => {
      const id = await create();
      const carol = await api.signUp();
      await collaborate(id, [mailOf(bob)], 'editor');
      await share(id, [mailOf(carol)], true);
      const app = await appOf(carol);
      const before = await detail(owner, id);
      await owner.post(`${PATH}${id}/schedules/`, { name: 'Daily', kind: 'cron', cron: '0 9 * * *', timezone: 'UTC' });
      await owner.post(`${PATH}${id}/secrets/`, { name: 'key', value: 'very-secret' });
      await owner.post(`${PATH}rerun/`, { workflow_id: id });
      const transfer = await offerTo(ann, id, owner);
      expect((await detail(owner, id)).is_owner).toBe(true);
      expect(await answer(owner, 'GET', `${id}/transfer/`)).toMatchObject({ body: { id: transfer } });
      expect(await ann.get(`${PATH}transfers/`)).toEqual([
        {
          id: transfer,
          workflow: { id, name: 'Fan out and join' },
          from: { id: await idOf(owner), username: owner.username, email: mailOf(owner) },
          to: { id: await idOf(ann), username: ann.username, email: mailOf(ann) },
          collaborators: 1,
          apps: 1,
          content_revision: 1,
          nodes: ['start', 'left', 'right', 'join'].map((nodeId) =>
            expect.objectContaining({ node_id: nodeId, acts_as: { id: expect.any(Number), username: owner.username } }),
          ),
          created_at: expect.any(String),
          expires_at: expect.any(String),
        },
      ]);
      expect(await statusOf(ann, id)).toBe(404);
      expect((await answer(bob, 'POST', `transfers/${transfer}/accept/`)).status).toBe(404);
      const [mine, bobs] = [await watch(owner, id), await watch(bob, id)];
      expect(await answer(ann, 'POST', `transfers/${transfer}/accept/`, {})).toEqual({
        status: 200,
        body: { status: 'accepted', workflow_id: id },
      });
      expect(await Promise.all([mine.closed, bobs.closed])).toEqual([1008, 1008]);
      const after = await detail(ann, id);
      expect(after).toMatchObject({
        my_role: 'owner',
        status: 'STOPPED',
        collaborators: [],
        sharees: [],
        sharer: null,
      });
      expect(after.webhook_id).not.toBe(before.webhook_id);
      const { webhook_id, webhook_secret } = before;
      expect((await answer(owner, 'POST', 'webhook/', { webhook_id, webhook_secret })).status).toBe(401);
      for (const client of [owner, bob]) expect(await statusOf(client, id)).toBe(404);
      expect(await statusOf(carol, app)).toBe(404);
      expect(await ann.get(`${PATH}${id}/secrets/`)).toMatchObject({});
      expect(JSON.stringify(await ann.get(`${PATH}${id}/secrets/`))).not.toContain('key');
      expect(JSON.stringify(await ann.get(`${PATH}${id}/schedules/`))).toContain('"state":"paused"');
      expect((await answer(ann, 'POST', `transfers/${transfer}/accept/`)).status).toBe(404);
      expect(await ann.get(`${PATH}transfers/`)).toEqual([]);
      const subjects = (await mailsTo(api, mailOf(owner), 2)).map(({ subject }) => subject);
      expect(subjects).toContain('The workflow “Fan out and join” was handed over');
      expect(await auditOf(id)).toEqual(expect.arrayContaining(['workflow.transfer_offered', 'workflow.transferred']));
    });

    it('keeps the people when the new owner says so', async () => {
      const id = await create();
      const carol = await api.signUp();
      await collaborate(id, [mailOf(ann), mailOf(bob)], 'viewer');
      await share(id, [mailOf(carol), mailOf(ann)], true);
      const transfer = await offerTo(ann, id, owner);
      const annApp = await appOf(ann);
      expect((await answer(ann, 'POST', `transfers/${transfer}/accept/`, { keep_people: true })).status).toBe(200);
      const { collaborators, sharees } = await detail(ann, id);
      expect(collaborators!.map(({ user, role }) => [user.username, role])).toEqual([
        [bob.username, 'viewer'],
        [owner.username, 'editor'],
      ]);
      expect(sharees!.map(({ username }) => username)).toEqual([carol.username]);
      expect(await statusOf(ann, annApp)).toBe(404);
      expect(await detail(carol, await appOf(carol))).toMatchObject({ sharer: { username: ann.username } });
    });

    it('ends by refusal, by taking it back, by a new offer, with time, and with the trash', async () => {
      const id = await create();
      const gone = { status: 404, body: { detail: expect.any(String), code: 'transfer_not_found' } };
      const accept = (transfer: string, client = ann) => answer(client, 'POST', `transfers/${transfer}/accept/`, {});
      const declined = await offerTo(ann, id, owner);
      expect((await answer(ann, 'POST', `transfers/${declined}/decline/`)).body).toEqual({
        status: 'declined',
        workflow_id: null,
      });
      expect(await accept(declined)).toEqual(gone);
      const withdrawn = await offerTo(ann, id, owner);
      expect((await answer(owner, 'DELETE', `${id}/transfer/`)).status).toBe(204);
      expect(await accept(withdrawn)).toEqual(gone);
      expect(await answer(owner, 'GET', `${id}/transfer/`)).toEqual(gone);
      const replaced = await offerTo(ann, id, owner);
      await offerTo(bob, id, owner);
      expect(await accept(replaced)).toEqual(gone);
      const expired = await offerTo(ann, id, owner);
      await sql(`UPDATE workflow_transfers SET expires_at = now() - interval '1 second' WHERE id = $1`, [expired]);
      expect(await accept(expired)).toEqual(gone);
      expect(await ann.get(`${PATH}transfers/`)).toEqual([]);
      const trashed = await offerTo(ann, id, owner);
      await answer(owner, 'DELETE', `${id}/`);
      expect(await accept(trashed)).toEqual(gone);
      await answer(owner, 'POST', `${id}/restore/`);
      expect(await accept(trashed)).toEqual(gone);
      expect(await answer(owner, 'POST', `${id}/transfer/`, { email: 'nobody@test.example' })).toMatchObject({
        status: 404,
        body: { code: 'user_not_found' },
      });
      expect((await answer(owner, 'POST', `${id}/transfer/`, { email: mailOf(owner) })).body).toMatchObject({
        code: 'cannot_add_owner',
      });
    });

    it('has one outcome when it is accepted, refused and taken back at once', async () => {
      for (let round = 0; round < 5; round += 1) {
        const id = await create();
        const transfer = await offerTo(ann, id, owner);
        const outcomes = await Promise.all([
          answer(ann, 'POST', `transfers/${transfer}/accept/`, {}),
          answer(ann, 'POST', `transfers/${transfer}/decline/`),
          answer(owner, 'DELETE', `${id}/transfer/`),
          answer(ann, 'POST', `transfers/${transfer}/accept/`, {}),
        ]);
        expect(outcomes.filter(({ status }) => status < 300)).toHaveLength(1);
        const owners = [await statusOf(owner, id), await statusOf(ann, id)];
        expect(owners.toSorted()).toEqual([200, 404]);
      }
    });
  });
});
