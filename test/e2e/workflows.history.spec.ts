import { EventStream } from '../support/event-stream.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { ask } from '../support/workflow-api.js';
import { stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';

type Json = Record<string, unknown>;
interface Listing {
  count: number;
  next: string | null;
  results: Json[];
}

const step = (id: string, next: string[], more: Json = {}) => ({
  id,
  kind: 'template',
  params: { template: id },
  next,
  ...more,
});
const failing = {
  name: 'Fails half-way',
  nodes: [
    step('a', ['b']),
    { id: 'b', kind: 'stop_with_error', params: { message: 'No good.', code: 'no_good' }, next: ['c'] },
    step('c', [], { params: { template: 'after {{_output.a.text}}' } }),
  ],
};
const slow = (seconds: number) => ({
  name: 'Slow',
  nodes: [
    step('first', ['wait']),
    { id: 'wait', kind: 'delay', params: { seconds }, next: ['last'] },
    step('last', []),
  ],
});

const at = (id: string, path = '') => `/microservices/workflow/${id}/history/${path}`;

describe('the history of runs', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;
  let editor: HttpClient;
  let viewer: HttpClient;
  let stranger: HttpClient;
  let quiet: EventStream;
  const streams: EventStream[] = [];

  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner']);
    [owner, editor, viewer, stranger] = await Promise.all([
      HttpClient.signUp(platform.baseUrl),
      HttpClient.signUp(platform.baseUrl),
      HttpClient.signUp(platform.baseUrl),
      HttpClient.signUp(platform.baseUrl),
    ]);
  });
  afterAll(async () => {
    for (const stream of streams) stream.close();
    await platform.stop();
  });

  const sql = <T>(text: string, values: unknown[]) => platform.database.dataSource.query<T>(text, values);
  async function create(json: unknown): Promise<string> {
    const { workflow_id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', { json });
    for (const [client, role] of [
      [editor, 'editor'],
      [viewer, 'viewer'],
    ] as const)
      await sql(
        `INSERT INTO workflow_collaborators (workflow_id, user_id, role) SELECT $1, id, $3 FROM users WHERE username = $2`,
        [workflow_id, client.username, role],
      );
    return workflow_id;
  }
  const list = (id: string, query = '') => owner.get<Listing>(at(id, query));
  const run = async (id: string, payload?: Json) =>
    (
      await owner.post<{ version: number }>('/microservices/workflow/rerun/', {
        workflow_id: id,
        ...(payload && { webhook_payload: payload }),
      })
    ).version;
  const ended = (id: string, version: number) =>
    until(async () => (await owner.get<Json>(at(id, `${version}/`))).finished_at !== null);
  const save = (id: string, json_spec: unknown) =>
    ask(owner, 'PUT', `/microservices/workflow/${id}/`, { name: 'N', json_spec });
  const follow = (id: string, version: number, client = owner, lastEventId?: string, baseUrl = platform.baseUrl) => {
    const stream = new EventStream(`${baseUrl}${at(id, `${version}/events/`)}`, client, lastEventId);
    streams.push(stream);
    return stream;
  };

  it('keeps quiet streams alive with a comment each 15 seconds', async () => {
    const id = await create(slow(600));
    quiet = follow(id, await run(id));
    await until(() => quiet.events.length > 0);
    // Until the last test has ended.
    expect(quiet.comments).toBe(0);
  });

  it('lists runs, filtered and in pages, and shows each with the definition that it had', async () => {
    const id = await create(failing);
    await ended(id, await run(id, { n: 1 }));
    await save(id, { ...failing, nodes: [step('a', [])] });
    await ended(id, await run(id));

    const { results, count } = await list(id);
    expect(count).toBe(2);
    expect(results.map(({ version, status }) => [version, status])).toEqual([
      [2, 'COMPLETED'],
      [1, 'FAILED'],
    ]);
    expect(results[1]).toEqual({
      version: 1,
      status: 'FAILED',
      trigger: 'manual',
      triggered_by: { id: expect.any(Number), username: owner.username },
      request_id: null,
      schedule_id: null,
      parent_version: null,
      is_branch: false,
      start_node_id: null,
      content_revision: 1,
      started_at: expect.any(String),
      finished_at: expect.any(String),
      duration_seconds: expect.any(Number),
      nodes: { total: 3, completed: 1, failed: 1, skipped: 1 },
      error: { node_id: 'b', code: 'no_good', message: 'No good.' },
      tokens: 0,
      spend: 0,
      expires_at: expect.any(String),
    });
    const keptFor = Date.parse(String(results[1]!.expires_at)) - Date.parse(String(results[1]!.finished_at));
    expect(keptFor).toBe(90 * 86_400_000);
    expect((await list(id, '?status=FAILED')).results.map(({ version }) => version)).toEqual([1]);
    expect((await list(id, '?trigger=webhook')).count).toBe(0);
    const page = await list(id, '?page_size=1');
    expect([page.results.length, page.count, typeof page.next]).toEqual([1, 2, 'string']);
    expect(await ask(owner, 'GET', at(id, '?status=LOST'))).toMatchObject({
      status: 400,
      body: { status: ['"LOST" is not a valid choice.'] },
    });

    expect(await owner.get<Json>(at(id, '1/'))).toMatchObject({
      version: 1,
      node_counts: { total: 3, completed: 1, failed: 1, skipped: 1 },
      json_spec: { nodes: [{ id: 'a' }, { id: 'b', kind: 'stop_with_error' }, { id: 'c' }] },
      webhook_payload: { n: 1 },
      nodes: [
        { node_id: 'a', status: 'COMPLETED', output: { text: 'a' }, attempt_count: 1 },
        { node_id: 'b', status: 'FAILED', output: { error: { code: 'no_good' } } },
        { node_id: 'c', status: 'SKIPPED' },
      ],
    });
    expect((await ask(owner, 'GET', at(id, '99/'))).body).toEqual({ detail: 'Run not found.', code: 'run_not_found' });
    expect((await ask(owner, 'GET', at(id, 'x/'))).status).toBe(404);
  });

  it('runs only what failed again, with the definition of then or of now', async () => {
    const id = await create(failing);
    await ended(id, await run(id, { n: 7 }));
    const again = await ask(owner, 'POST', at(id, '1/retry/'), { from: 'failed' });
    expect(again).toMatchObject({ status: 200, body: { message: expect.any(String), version: 2, nodes_reused: 1 } });
    await ended(id, 2);
    expect(await owner.get<Json>(at(id, '2/'))).toMatchObject({
      status: 'FAILED',
      parent_version: 1,
      webhook_payload: { n: 7 },
      nodes: [{ attempt_count: 1 }, { status: 'FAILED' }, {}],
    });
    const startedAt = async (version: number) =>
      (await owner.get<{ nodes: { started_at: string }[] }>(at(id, `${version}/`))).nodes[0]!.started_at;
    expect(await startedAt(2)).toBe(await startedAt(1));

    const mended = { ...failing, nodes: [failing.nodes[0], step('b', ['c']), failing.nodes[2]] };
    await save(id, mended);
    const latest = { from: 'failed', spec: 'latest' };
    expect((await ask(editor, 'POST', at(id, '1/retry/'), latest)).body).toMatchObject({ version: 3, nodes_reused: 1 });
    await ended(id, 3);
    expect(await owner.get<Json>(at(id, '3/'))).toMatchObject({
      status: 'COMPLETED',
      content_revision: 2,
      triggered_by: { username: editor.username },
      nodes: [{}, { output: { text: 'b' } }, { output: { text: 'after a' } }],
    });
    expect((await ask(owner, 'POST', at(id, '1/retry/'), { from: 'start' })).body).toMatchObject({ nodes_reused: 0 });
    await ended(id, 4);
    expect(await startedAt(4)).not.toBe(await startedAt(1));

    await save(id, { ...failing, nodes: [step('other', [])] });
    expect(await ask(owner, 'POST', at(id, '1/retry/'), latest)).toMatchObject({
      status: 409,
      body: { code: 'spec_incompatible', missing_nodes: ['a'], detail: expect.any(String) },
    });
    expect((await ask(owner, 'POST', at(id, '1/retry/'), { from: 'middle' })).status).toBe(400);
  });

  it('keeps a branch a branch when it is run again', async () => {
    const id = await create({ ...failing, nodes: [failing.nodes[0], step('b', ['c']), failing.nodes[2]] });
    await ended(id, await run(id));
    await owner.post('/microservices/workflow/branch-rerun/', { workflow_id: id, start_node_id: 'c' });
    await ended(id, 2);
    expect((await ask(owner, 'POST', at(id, '2/retry/'), { from: 'start' })).body).toMatchObject({ version: 3 });
    await ended(id, 3);
    expect((await list(id, '?trigger=branch')).results).toMatchObject([
      { version: 3, is_branch: true, start_node_id: 'c', parent_version: 2, nodes: { completed: 3 } },
      { version: 2, parent_version: 1 },
    ]);
    expect(await owner.get<Json>(at(id, '3/'))).toMatchObject({ nodes: [{}, {}, { output: { text: 'after a' } }] });
  });

  it('lets each role do what it may, and refuses while a run is active', async () => {
    const id = await create(slow(30));
    const version = await run(id);
    await until(async () => (await list(id)).results[0]!.status === 'RUNNING');
    expect((await list(id)).results[0]).toMatchObject({ finished_at: null, duration_seconds: null, expires_at: null });
    const answers = async (method: string, path: string, body?: unknown) =>
      Promise.all(
        [stranger, viewer, editor, owner].map(async (client) => {
          const answer = await ask(client, method, at(id, path), body);
          return [answer.status, answer.body.code];
        }),
      );
    const [notFound, ok] = [
      [404, 'workflow_not_found'],
      [200, undefined],
    ];
    const active = [409, 'run_active'];
    expect(await answers('GET', '')).toEqual([notFound, ok, ok, ok]);
    expect(await answers('GET', `${version}/`)).toEqual([notFound, ok, ok, ok]);
    expect(await answers('POST', `${version}/retry/`, {})).toEqual([
      notFound,
      [403, 'not_workflow_editor'],
      active,
      active,
    ]);
    expect(await answers('DELETE', `${version}/`)).toEqual([
      notFound,
      [403, 'not_workflow_owner'],
      [403, 'not_workflow_owner'],
      active,
    ]);
    expect(await ask(stranger, 'GET', at(id, `${version}/events/`))).toMatchObject({ status: 404 });
    await owner.post('/microservices/workflow/stop/', { workflow_id: id });
    expect((await list(id)).results[0]).toMatchObject({ status: 'STOPPED', error: { code: 'stopped' } });
    expect((await ask(owner, 'DELETE', at(id, `${version}/`))).status).toBe(204);
    expect((await list(id)).count).toBe(0);
    expect(await ask(owner, 'DELETE', at(id, `${version}/`))).toMatchObject({ status: 404 });
    expect(await owner.get<Json>(`/microservices/workflow/${id}/`)).toMatchObject({ status: 'IDLE' });
  });

  it('starts one of many retries at once', async () => {
    const id = await create({ ...failing, nodes: [...failing.nodes, ...slow(20).nodes] });
    await run(id);
    await until(async () => (await list(id)).results[0]!.status === 'RUNNING');
    await owner.post('/microservices/workflow/stop/', { workflow_id: id });
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(owner, 'POST', at(id, '1/retry/'), {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    await owner.post('/microservices/workflow/stop/', { workflow_id: id });
  });

  it('tells a run as it happens, over another replica from where the client left off, and to its end', async () => {
    const other = await platform.host('api');
    const id = await create(slow(2));
    const version = await run(id);
    const first = follow(id, version, viewer);
    await until(
      () =>
        first.events.some(({ data }) => data.node_id === 'wait' && data.status === 'WAITING') ||
        (first.events[0]?.data.nodes as Json[] | undefined)?.[1]?.status === 'WAITING',
    );
    expect(first.names()[0]).toBe('snapshot');
    expect(first.events[0]!.data).toMatchObject({ run: { version }, nodes: [{ node_id: 'first' }, {}, {}] });
    first.close();

    const second = follow(id, version, viewer, first.lastId(), other.baseUrl);
    expect(await second.ended).toBe(200);
    const names = second.names();
    expect(names).not.toContain('snapshot');
    expect(names.slice(-2)).toEqual(['run', 'done']);
    // Nothing is missed: first's picture with second's changes is the whole run.
    const state = new Map((first.events[0]!.data.nodes as Json[]).map((node) => [node.node_id, node]));
    for (const { event, data } of [...first.events, ...second.events])
      if (event === 'node') state.set(data.node_id, data);
    expect([...state.values()].map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
    expect(second.events.at(-2)!.data).toMatchObject({ version, status: 'COMPLETED', nodes: { completed: 3 } });
    expect(second.events.at(-1)!.data).toEqual({ version, status: 'COMPLETED' });
    expect(await follow(id, version, viewer, second.lastId()).ended).toBe(204);

    const late = follow(id, version);
    expect(await late.ended).toBe(200);
    expect(late.names()).toEqual(['snapshot', 'run', 'done']);
    for (const odd of ['x', '1.2', `${version}.99999999999999999.1`, `${version + 1}.1.1`]) {
      const stream = follow(id, version, owner, odd);
      await stream.ended;
      expect(stream.names()).toEqual(['snapshot', 'run', 'done']);
    }
    await other.stop();
  });

  inAll('lets go of followers who leave, and puts out those who may see it no more', async () => {
    const id = await create(slow(60));
    const version = await run(id);
    const [mine, theirs] = [follow(id, version), follow(id, version, viewer)];
    await until(() => mine.events.length > 0 && theirs.events.length > 0);
    await ask(owner, 'DELETE', `/microservices/workflow/${id}/collaborators/`);
    await sql('DELETE FROM workflow_collaborators WHERE workflow_id = $1', [id]);
    const took = stopwatch();
    await theirs.ended;
    expect(took()).toBeLessThan(6_000);
    expect(theirs.names()).not.toContain('done');
    await owner.post('/microservices/workflow/stop/', { workflow_id: id });
    await mine.ended;
    expect(mine.events.at(-2)!.data).toMatchObject({ status: 'STOPPED' });
    expect(mine.events.filter(({ event, data }) => event === 'node' && data.status === 'STOPPED')).toHaveLength(2);
  });

  inAll('kept the quiet stream alive', async () => {
    await until(() => quiet.comments > 0);
    expect(quiet.names()).not.toContain('done');
  });
});
