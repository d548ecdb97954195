import { HttpClient } from '../support/http-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { inAll, rounds } from '../support/long.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';
import { stopwatch } from '../support/timing.js';

interface Row {
  id: string;
  node_id: string;
  status: string;
  output: unknown;
  attempt_count: number;
}
interface Problem {
  code: string;
  node_id: string | null;
  path: string;
}

const withDelay = (seconds: number) => ({
  name: 'Slow',
  nodes: [
    { id: 'start', kind: 'manual_trigger', next: ['wait'] },
    { id: 'wait', kind: 'delay', params: { seconds }, next: ['end'] },
    { id: 'end', kind: 'template', params: { template: 'done' } },
  ],
});
const chain = (next: string[], kind = 'template') => [
  { id: 'a', kind, params: { template: '' }, next: ['b'] },
  { id: 'b', kind: 'template', params: { template: '' }, next },
];

describe('workflows', () => {
  let platform: HostedPlatform;
  let stopRunner: () => Promise<void>;
  let owner: HttpClient;
  let stranger: HttpClient;
  const sockets: NodesSocket[] = [];

  beforeAll(async () => {
    platform = await hostPlatform(['api']);
    stopRunner = await startRunner();
    owner = await HttpClient.signUp(platform.baseUrl);
    stranger = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    for (const socket of sockets) socket.close();
    await platform.stop();
  });

  /** Within this process it does at its stop what SIGTERM makes a process do; `npm run test:long` sends the signal. */
  async function startRunner(): Promise<() => Promise<void>> {
    if (rounds(0, 1) === 1) return (await platform.host('workflow-runner')).stop;
    const { kill } = await platform.start('workflow-runner');
    return () => kill('SIGTERM');
  }
  const create = async (json: unknown, client = owner) =>
    (await client.post<{ workflow_id: string }>('/microservices/workflow/start/', { json })).workflow_id;
  const get = <T>(id: string, path = '', client = owner) => client.get<T>(`/microservices/workflow/${id}/${path}`);
  const rerun = (id: string, client = owner) =>
    client.post<{ version: number }>('/microservices/workflow/rerun/', { workflow_id: id });
  async function answer(method: string, path: string, body?: unknown, client = owner) {
    const response = await client.send(method, path, body);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
  function open(id: string, query = `token=${owner.token}`): NodesSocket {
    const socket = NodesSocket.of(platform.baseUrl, id, query);
    sockets.push(socket);
    return socket;
  }
  async function share(id: string, client: HttpClient, role: string) {
    const me = await client.get<{ info: { id: number } }>('/users/me/');
    await platform.database.dataSource.query(
      'INSERT INTO workflow_collaborators (workflow_id, user_id, role) VALUES ($1, $2, $3)',
      [id, me.info.id, role],
    );
  }

  it('creates, shows, runs, and pushes every list over the socket, the last one complete', async () => {
    const id = await create(fanOutAndJoin);
    const detail = await get<Record<string, unknown>>(id);
    expect(detail).toMatchObject({
      id,
      name: 'Fan out and join',
      user: owner.username,
      status: 'IDLE',
      my_role: 'owner',
      is_owner: true,
      can_edit: true,
      content_revision: 1,
      successful_run_count: 0,
      csv_dashbord: false,
      collaborators: [],
      vueflow_json: {},
      webhook_secret: expect.stringMatching(/^[\w-]{43}$/),
    });
    const socket = open(id);
    await until(() => socket.frames.length > 0);
    expect(socket.statuses()).toEqual({ start: 'PENDING', left: 'PENDING', right: 'PENDING', join: 'PENDING' });

    expect(await rerun(id)).toEqual({ message: expect.any(String), version: 1 });
    await until(() => Object.values(socket.statuses()).every((status) => status === 'COMPLETED'));
    expect(socket.frames.at(-1)).toMatchObject({ run_version: 1, status: 'COMPLETED' });
    expect(socket.frames.map(({ seq }) => seq)).toEqual(
      socket.frames.map((_, index) => index + socket.frames[0]!.seq!),
    );

    const rows = await get<Row[]>(id, 'nodes/');
    expect(rows.map(({ node_id }) => node_id)).toEqual(['start', 'left', 'right', 'join']);
    expect(rows).toEqual(socket.frames.at(-1)!.data);
    expect(rows.at(-1)).toMatchObject({ output: { value: ['left ', 'right '], count: 2 }, attempt_count: 1 });
    expect((detail.nodes as Row[]).map(({ id: row }) => row)).toEqual(rows.map(({ id: row }) => row));
    expect(await get(id)).toMatchObject({ status: 'COMPLETED', successful_run_count: 1 });
    socket.send(JSON.stringify({ type: 'ping' }));
    await until(() => socket.frames.at(-1)!.type === 'pong');
    expect((await rerun(id)).version).toBe(2);
  });

  it('saves with a revision, and tells a conflict and the sockets', async () => {
    const id = await create(fanOutAndJoin);
    const socket = open(id);
    await until(() => socket.frames.length > 0);
    const json_spec = {
      ...fanOutAndJoin,
      nodes: fanOutAndJoin.nodes.slice(0, 1).map((node) => ({ ...node, next: [] })),
    };
    const path = `/microservices/workflow/${id}/`;
    const body = { name: 'Renamed', json_spec, expected_content_revision: 1, subtitle: 'Sub' };
    expect(await answer('PUT', path, body)).toEqual({
      status: 200,
      body: { message: 'Workflow saved.', content_revision: 2, warning: null, warnings: [] },
    });
    expect(await answer('PUT', path, body)).toMatchObject({
      status: 409,
      body: {
        detail: 'Workflow save conflict.',
        content_revision: 2,
        last_edited_by: { username: owner.username },
        last_edited_at: expect.any(String),
        workflow: { id, name: 'Renamed', subtitle: 'Sub' },
      },
    });
    await until(() => socket.frames.some(({ type }) => type === 'workflow_definition_updated'));
    expect(socket.frames.find(({ type }) => type === 'workflow_definition_updated')).toMatchObject({
      data: json_spec,
      actor: { username: owner.username },
    });
    await until(() => Object.keys(socket.statuses()).length === 1);
    expect(await answer('PUT', path, { json_spec })).toEqual({
      status: 400,
      body: { name: ['This field is required.'] },
    });
  });

  it('stops a run, warns who saves meanwhile, and refuses to stop what does not run', async () => {
    const id = await create(withDelay(30));
    await rerun(id);
    await until(async () => (await get<Row[]>(id, 'nodes/'))[1]!.status === 'WAITING');
    const saved = await answer('PUT', `/microservices/workflow/${id}/`, { name: 'Slow', json_spec: withDelay(1) });
    expect(saved.body).toMatchObject({ warning: 'running' });
    expect(await answer('POST', '/microservices/workflow/stop/', { workflow_id: id })).toEqual({
      status: 200,
      body: { workflow_id: id, status: 'STOPPED', nodes_stopped: 2, message: 'Workflow stopped.' },
    });
    const rows = await get<Row[]>(id, 'nodes/');
    expect(rows.map(({ status }) => status)).toEqual(['COMPLETED', 'STOPPED', 'STOPPED']);
    expect(await answer('POST', '/microservices/workflow/stop/', { workflow_id: id })).toMatchObject({
      status: 400,
      body: { error: 'Workflow cannot be stopped. Current status: STOPPED' },
    });
  });

  it('wakes a parked run', async () => {
    const id = await create(withDelay(2));
    await rerun(id);
    await until(async () => (await get<{ status: string }>(id)).status === 'COMPLETED');
  });

  it('keeps strangers out, lets viewers look and editors run', async () => {
    const id = await create(fanOutAndJoin);
    const attempts: [string, string, unknown?][] = [
      ['GET', `/microservices/workflow/${id}/`],
      ['GET', `/microservices/workflow/${id}/nodes/`],
      ['GET', `/microservices/workflow/${id}/webhook-queue/`],
      ['GET', `/microservices/workflow/${id}/node-webhook/start/`],
      ['PUT', `/microservices/workflow/${id}/`, { name: 'x', json_spec: fanOutAndJoin }],
      ['POST', '/microservices/workflow/rerun/', { workflow_id: id }],
      ['POST', '/microservices/workflow/branch-rerun/', { workflow_id: id, start_node_id: 'left' }],
      ['POST', '/microservices/workflow/stop/', { workflow_id: id }],
      ['DELETE', `/microservices/workflow/${id}/`],
    ];
    for (const [method, path, body] of attempts) expect((await answer(method, path, body, stranger)).status).toBe(404);
    expect(await open(id, `token=${stranger.token}`).closed).toBe(404);

    const viewer = await HttpClient.signUp(platform.baseUrl);
    await share(id, viewer, 'viewer');
    const seen = await get<Record<string, unknown>>(id, '', viewer);
    expect(seen).toMatchObject({ my_role: 'viewer', can_edit: false, webhook_secret: '' });
    expect(seen).not.toHaveProperty('collaborators');
    for (const [method, path, body] of attempts.slice(3))
      expect((await answer(method, path, body, viewer)).status).toBe(403);

    const editor = await HttpClient.signUp(platform.baseUrl);
    await share(id, editor, 'editor');
    expect((await rerun(id, editor)).version).toBe(1);
    expect((await answer('DELETE', `/microservices/workflow/${id}/`, undefined, editor)).status).toBe(403);
    const listed = await editor.get<{ results: { id: string; my_role: string }[] }>('/microservices/workflow/');
    expect(listed.results).toEqual([expect.objectContaining({ id, my_role: 'editor' })]);
  });

  it('lets into the socket whom it should, and puts out who loses access or session', async () => {
    const id = await create(fanOutAndJoin);
    expect(await open(id, '').closed).toBe(401);
    expect(await open(id, 'token=wrong').closed).toBe(401);
    expect(await open('not-a-uuid').closed).toBe(404);
    const path = `/ws/workflow/${id}/nodes/`;
    const foreign = new NodesSocket(platform.baseUrl, `${path}?token=${owner.token}`, {
      origin: 'https://evil.example',
    });
    expect(await foreign.closed).toBe(403);
    expect(await new NodesSocket(platform.baseUrl, `/ws/nothing/?token=${owner.token}`).closed).toBe(404);

    const { ticket } = await owner.post<{ ticket: string }>('/ws/ticket/', { channel: path });
    const byTicket = open(id, `ticket=${ticket}`);
    await until(() => byTicket.frames.length > 0);
    expect(await open(id, `ticket=${ticket}`).closed).toBe(401);

    const member = await HttpClient.signUp(platform.baseUrl);
    await share(id, member, 'viewer');
    const watching = [open(id, `token=${member.token}`), open(id, `token=${member.token}`)];
    await until(() => watching.every((socket) => socket.frames.length > 0));
    await platform.database.dataSource.query('DELETE FROM workflow_collaborators WHERE workflow_id = $1', [id]);
    expect(await Promise.all(watching.map(({ closed }) => closed))).toEqual([1008, 1008]);

    const other = await HttpClient.signUp(platform.baseUrl);
    const own = await create(fanOutAndJoin, other);
    const ending = open(own, `token=${other.token}`);
    await until(() => ending.frames.length > 0);
    const took = stopwatch();
    await other.send('POST', '/api/v1/auth/logout/');
    expect(await ending.closed).toBe(1008);
    expect(took()).toBeLessThan(2000);
    expect(byTicket.isOpen).toBe(true);
    byTicket.send('x'.repeat(20_000));
    expect(await byTicket.closed).toBe(1009);
  });

  it('refuses wrong definitions with every problem, and stores nothing', async () => {
    const before = (await owner.get<{ count: number }>('/microservices/workflow/')).count;
    const refused = async (json: unknown) => {
      const { status, body } = await answer('POST', '/microservices/workflow/start/', { json });
      expect(status).toBe(400);
      expect(body.json).toEqual(expect.arrayContaining([expect.any(String)]));
      return ((body.problems ?? []) as Problem[]).map(({ code }) => code);
    };
    expect(await answer('POST', '/microservices/workflow/start/', {})).toEqual({
      status: 400,
      body: { json: ['This field is required.'] },
    });
    expect(await refused('text')).toEqual(['not_an_object']);
    expect(await refused({ nodes: {} })).toEqual(['nodes_not_a_list']);
    expect(await refused({})).toEqual(['nodes_not_a_list']);
    expect(await refused({ nodes: chain(['a']) })).toEqual(['cycle']);
    expect(await refused({ nodes: chain(['nowhere']) })).toEqual(['unknown_node']);
    expect(await refused({ nodes: chain([], 'no_such_kind') })).toEqual(['unknown_kind']);
    expect((await refused({ nodes: [{ id: 'a' }, { id: 'a', kind: 'template' }, 7] })).length).toBeGreaterThan(2);
    expect(
      await refused({ nodes: [{ id: 'a', kind: 'template', params: { template: '{{_output.ghost.x}}' } }] }),
    ).toEqual([expect.stringContaining('reference')]);
    for (const raw of ['{"json":{"nodes":[', '[1]', '{"json":{"nodes":[],"name":"\\u0000"}}', '"x"']) {
      const response = await fetch(`${platform.baseUrl}/microservices/workflow/start/`, {
        method: 'POST',
        headers: { authorization: `Token ${owner.token}`, 'content-type': 'application/json' },
        body: raw,
      });
      expect(response.status).toBe(400);
    }
    expect((await owner.get<{ count: number }>('/microservices/workflow/')).count).toBe(before);
    expect(await owner.post('/microservices/workflow/validate/', { json: { nodes: chain(['a']) } })).toMatchObject({
      valid: false,
      errors: [{ code: 'cycle' }],
    });
    const wrongIds = await answer('POST', '/microservices/workflow/rerun/', { workflow_id: 'x', webhook_payload: [] });
    expect(wrongIds).toMatchObject({
      status: 400,
      body: { workflow_id: ['Must be a valid UUID.'], webhook_payload: [expect.any(String)] },
    });
  });

  it('names what has no name, lists with filters and order, and pages', async () => {
    const client = await HttpClient.signUp(platform.baseUrl);
    const first = await create({ name: 'Untitled workflow', nodes: fanOutAndJoin.nodes }, client);
    const empty = await create({ nodes: [] }, client);
    const named = await create({ name: 'Zebra', nodes: [] }, client);
    await client.send('PUT', `/microservices/workflow/${named}/`, {
      name: 'Zebra',
      json_spec: { nodes: [] },
      available_as_app: 'yes',
    });
    type List = { count: number; next: string | null; results: { id: string; name: string }[] };
    const list = async (query: string) => client.get<List>(`/microservices/workflow/${query}`);
    expect((await list('')).results.map(({ id }) => id)).toEqual([named, empty, first]);
    expect((await list('?ordering=name&page_size=1')).next).toContain('page=2');
    expect((await list('?ordering=-name')).results[0]!.id).toBe(named);
    expect((await list('?available_as_app=1')).results.map(({ id }) => id)).toEqual([named]);
    expect((await list('?with_outputs=true')).results).toEqual([
      { id: first, name: expect.stringContaining('Webhook') },
    ]);
    expect((await list('search/?search=zEB')).results.map(({ id }) => id)).toEqual([named]);
    expect((await list('search/?status=RUNNING')).count).toBe(0);
    expect((await answer('GET', '/microservices/workflow/?tag_ids=x', undefined, client)).status).toBe(400);
  });

  it('moves to the trash, where nothing fires, and back', async () => {
    const id = await create(fanOutAndJoin);
    const { webhook_id, webhook_secret } = await get<Record<string, string>>(id);
    const path = `/microservices/workflow/${id}/`;
    expect(await answer('DELETE', path)).toMatchObject({ status: 200, body: { status: 'trashed', id } });
    expect((await answer('GET', path)).status).toBe(404);
    expect((await answer('POST', '/microservices/workflow/rerun/', { workflow_id: id })).status).toBe(404);
    expect((await answer('POST', '/microservices/workflow/webhook/', { webhook_id, webhook_secret })).status).toBe(401);
    const trash = await owner.get<{ id: string; purge_at: string }[]>('/microservices/workflow/trash/');
    expect(trash).toEqual([expect.objectContaining({ id, purge_at: expect.any(String) })]);
    expect(await answer('POST', `${path}restore/`)).toEqual({ status: 200, body: { status: 'restored', id } });
    expect((await rerun(id)).version).toBe(1);
  });

  it('shows the node kinds with an entity tag', async () => {
    const response = await owner.send('GET', '/microservices/apis/');
    const listing = (await response.json()) as { count: number; tools: { kind: string; params_schema: unknown }[] };
    expect(listing.count).toBe(listing.tools.length);
    expect(listing.tools).toContainEqual(expect.objectContaining({ kind: 'template', side_effects: 'none' }));
    const again = await fetch(`${platform.baseUrl}/microservices/apis/`, {
      headers: { authorization: `Token ${owner.token}`, 'if-none-match': response.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
    const found = await owner.get<{ count: number; tools: { kind: string; category: string }[] }>(
      '/microservices/apis/?category=data&search=read%20XML',
    );
    expect(found).toMatchObject({ count: 1, tools: [{ kind: 'parse_xml', category: 'data' }] });
    expect((await owner.get<{ count: number }>('/microservices/apis/?category=nothing')).count).toBe(0);
    expect(await owner.get('/microservices/apis/template/')).toMatchObject({ kind: 'template' });
    expect((await answer('GET', '/microservices/apis/nothing/')).status).toBe(404);
  });

  inAll('hands its runs over when a runner is stopped', async () => {
    const pauses = Array.from({ length: 8 }, (_, index) => ({
      id: `pause${index}`,
      kind: 'delay',
      params: { seconds: 0.4 },
      next: index < 7 ? [`pause${index + 1}`] : [],
    }));
    const id = await create({ name: 'Pauses', nodes: pauses });
    await rerun(id);
    await until(async () => (await get<Row[]>(id, 'nodes/'))[1]!.status !== 'PENDING');
    const took = stopwatch();
    await stopRunner();
    expect(took()).toBeLessThan(8000);
    expect((await get<{ status: string }>(id)).status).toBe('RUNNING');
    await platform.host('workflow-runner');
    await until(async () => (await get<{ status: string }>(id)).status === 'COMPLETED');
    const attempts = (await get<Row[]>(id, 'nodes/')).map(({ attempt_count }) => attempt_count);
    expect(attempts).toEqual(attempts.map(() => 1));
  });
});
