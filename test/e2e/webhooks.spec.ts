import { HttpClient } from '../support/http-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';

interface Triggered {
  request_id: string;
  queued: boolean;
  queue_position: number;
  duplicate?: true;
}
interface Queue {
  counts: Record<string, number>;
  waiting: number;
  workflow_status: string;
  requests: { id: string; status: string; queue_position: number | null; run_version: number | null; detail: string }[];
}

const TRIGGER = '/microservices/workflow/webhook/';
const withDelay = {
  nodes: [
    { id: 'start', kind: 'webhook_trigger', next: ['wait'] },
    { id: 'wait', kind: 'delay', params: { seconds: 30 } },
  ],
};

describe('webhooks', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;

  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner']);
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  async function create(json: unknown) {
    const { workflow_id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', { json });
    const detail = await owner.get<Record<string, string>>(`/microservices/workflow/${workflow_id}/`);
    return { id: workflow_id, webhook_id: detail.webhook_id!, webhook_secret: detail.webhook_secret! };
  }
  async function post(body: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(platform.baseUrl + TRIGGER, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> & Triggered };
  }
  async function status(query: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${platform.baseUrl}${TRIGGER}status/?${query}`, { headers });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
  const queueOf = (id: string) => owner.get<Queue>(`/microservices/workflow/${id}/webhook-queue/`);
  const act = async (id: string, request: string, action: string) => {
    const response = await owner.send('POST', `/microservices/workflow/${id}/webhook-queue/${request}/`, { action });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('starts a workflow with the payload, and tells how it goes', async () => {
    const { id, ...credential } = await create(fanOutAndJoin);
    const payload = { n: 7, file_path: '/media/secret', _request: { files: ['forged'] } };
    const triggered = await post({ ...credential, payload });
    expect(triggered).toEqual({
      status: 202,
      body: {
        message: 'Workflow run started.',
        request_id: expect.any(String),
        queued: false,
        queue_position: 0,
        workflow_id: id,
      },
    });
    const query = `webhook_id=${credential.webhook_id}&webhook_secret=${credential.webhook_secret}`;
    await until(async () => (await status(query)).body.status === 'COMPLETED');
    const { body } = await status(`${query}&include_output=1`);
    expect(body).toMatchObject({
      workflow_id: id,
      workflow_name: 'Fan out and join',
      current_run_version: 1,
      updated_at: expect.any(String),
    });
    const nodes = body.nodes as { node_id: string; output: Record<string, unknown> }[];
    expect(nodes.find(({ node_id }) => node_id === 'left')!.output).toEqual({ text: 'left 7' });
    expect(nodes[0]!.output).toEqual({ payload: { n: 7 }, headers: {}, files: [] });
    expect(JSON.stringify(nodes)).not.toContain('/media/secret');
    const brief = await status('', {
      'x-webhook-id': credential.webhook_id,
      'x-webhook-secret': credential.webhook_secret,
    });
    expect(Object.keys((brief.body.nodes as object[])[0]!)).toEqual([
      'node_id',
      'kind',
      'status',
      'attempt_count',
      'started_at',
      'finished_at',
    ]);
    expect((await queueOf(id)).requests).toEqual([
      expect.objectContaining({
        status: 'done',
        run_version: 1,
        file_name: '',
        is_branch: false,
        awaiting_approval: false,
        files: [],
        processed: null,
      }),
    ]);
  });

  it('answers an unknown id and a wrong secret alike', async () => {
    const { webhook_id, webhook_secret } = await create(fanOutAndJoin);
    const wrong = await post({ webhook_id, webhook_secret: `${webhook_secret}x` });
    expect(wrong).toEqual({ status: 401, body: { error: expect.any(String), code: 'invalid_webhook_credentials' } });
    expect(await post({ webhook_id: crypto.randomUUID(), webhook_secret })).toEqual(wrong);
    expect(await post({ webhook_id: 'no uuid', webhook_secret })).toEqual(wrong);
    expect(await status(`webhook_id=${webhook_id}&webhook_secret=x`)).toEqual(wrong);
    expect((await status('')).status).toBe(401);
  });

  it('refuses what is wrong in a call', async () => {
    const credential = await create(fanOutAndJoin);
    const refusals: [Record<string, unknown>, string][] = [
      [{ webhook_secret: 'x' }, 'webhook_id'],
      [{ webhook_id: 'x' }, 'webhook_secret'],
      [{ ...credential, payload: [1] }, 'object'],
      [{ ...credential, payload: 'x' }, 'object'],
      [{ ...credential, payload: { text: 'x'.repeat(65_537) } }, '65536'],
      [{ ...credential, is_branch: true }, 'start_node_id'],
      [{ ...credential, is_branch: true, start_node_id: 'ghost' }, 'ghost'],
      [{ ...credential, is_branch: 'perhaps' }, 'boolean'],
      [{ ...credential, payload: { text: 'a\0b' } }, 'Null'],
      [{ ...credential, payload: { text: 'x'.repeat(3_000_000) } }, '65536'],
      [{ ...credential, wait_seconds: 26 }, 'wait_seconds'],
    ];
    for (const [body, hint] of refusals) {
      const { status: code, body: answer } = await post(body);
      expect([code, answer.error]).toEqual([400, expect.stringContaining(hint)]);
    }
    expect((await post(credential, { 'idempotency-key': 'ü' })).status).toBe(400);
    expect((await queueOf(credential.id)).requests).toEqual([]);
  });

  it('takes a repeated event once', async () => {
    const { id, ...credential } = await create(fanOutAndJoin);
    const calls = await Promise.all(
      Array.from({ length: 5 }, () => post({ ...credential, payload: {} }, { 'idempotency-key': 'evt-1' })),
    );
    expect(new Set(calls.map(({ body }) => body.request_id)).size).toBe(1);
    expect(calls.filter(({ body }) => body.duplicate)).toHaveLength(4);
    const byEvent = await post({ ...credential, event_id: 'evt-1' });
    expect(byEvent).toMatchObject({ status: 202, body: { duplicate: true, request_id: calls[0]!.body.request_id } });
    await until(async () => (await queueOf(id)).counts.done === 1);
  });

  it('runs a burst one at a time, in order', async () => {
    const { id, ...credential } = await create(fanOutAndJoin);
    const socket = NodesSocket.of(platform.baseUrl, id, `token=${owner.token}`);
    await until(() => socket.frames.length > 0);
    const started = Date.now();
    const calls = await Promise.all(Array.from({ length: 40 }, (_, n) => post({ ...credential, payload: { n } })));
    expect(calls.every(({ status: code }) => code === 202)).toBe(true);
    await until(async () => (await queueOf(id)).counts.done === 40);
    await until(() => socket.frames.at(-1)!.run_version === 40 && socket.frames.at(-1)!.status === 'COMPLETED');
    // Hundreds of changes, but at most a list per 100 ms, and the last one is complete.
    expect(socket.frames.length).toBeLessThanOrEqual(3 + (Date.now() - started) / 100);
    expect(Object.values(socket.statuses())).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED']);
    socket.close();
    const rows = await platform.database.dataSource.query<{ overlaps: number; disorder: number; outputs: number }[]>(
      `SELECT (SELECT count(*)::int FROM workflow_runs a JOIN workflow_runs b ON a.workflow_id = b.workflow_id
           AND a.version < b.version AND a.finished_at > b.started_at WHERE a.workflow_id = $1) AS overlaps,
         (SELECT count(*)::int FROM workflow_requests a JOIN workflow_requests b ON a.workflow_id = b.workflow_id
           AND a.seq < b.seq AND a.run_version > b.run_version WHERE a.workflow_id = $1) AS disorder,
         (SELECT count(*)::int FROM workflow_outputs WHERE workflow_id = $1) AS outputs`,
      [id],
    );
    expect(rows).toEqual([{ overlaps: 0, disorder: 0, outputs: 40 }]);
  });

  it('shows and steers the queue', async () => {
    const { id, ...credential } = await create(withDelay);
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push((await post({ ...credential, payload: { n } })).body.request_id);
    const [first, second, third] = ids as [string, string, string];
    const queue = await queueOf(id);
    expect(queue).toMatchObject({ counts: { pending: 2, running: 1 }, waiting: 2 });
    expect(queue.requests.map(({ id: request, queue_position }) => [request, queue_position])).toEqual([
      [first, 0],
      [second, 1],
      [third, 2],
    ]);
    expect(await act(id, second, 'cancel')).toEqual({
      status: 200,
      body: { id: second, status: 'cancelled', action: 'cancel' },
    });
    expect((await act(id, first, 'cancel')).body).toMatchObject({ status: 'cancelled' });
    expect((await queueOf(id)).requests[0]).toMatchObject({ id: third, status: 'running', run_version: 2 });
    expect(await act(id, second, 'retry')).toMatchObject({ body: { status: 'pending' } });
    expect(await act(id, second, 'retry')).toMatchObject({
      status: 400,
      body: { error: expect.any(String), code: 'action_not_applicable', status: 'pending' },
    });
    expect(await act(id, second, 'explode')).toMatchObject({
      status: 400,
      body: { error: expect.any(String), code: 'action_not_applicable', status: 'pending' },
    });
    expect(await act(id, second, '')).toMatchObject({ status: 400, body: { action: [expect.any(String)] } });
    expect((await act(id, crypto.randomUUID(), 'cancel')).status).toBe(404);
    await owner.post('/microservices/workflow/rerun/', { workflow_id: id });
    expect((await queueOf(id)).requests.find((request) => request.id === third)).toMatchObject({
      status: 'cancelled',
      detail: 'Superseded by run 3.',
    });
  });

  it('gives a node its own credential, which runs its branch', async () => {
    const { id, ...credential } = await create(fanOutAndJoin);
    await post({ ...credential, payload: { n: 1 } });
    await until(async () => (await queueOf(id)).counts.done === 1);
    const path = `/microservices/workflow/${id}/node-webhook/left/`;
    const issued = await owner.get<Record<string, string>>(path);
    expect(issued).toMatchObject({ workflow_id: id, node_id: 'left', is_branch: true, created: true });
    expect(await owner.get(path)).toEqual({ ...issued, created: false });
    const { webhook_id, webhook_secret } = issued;
    expect((await post({ webhook_id, webhook_secret, payload: { n: 2 } })).status).toBe(202);
    await until(async () => (await queueOf(id)).counts.done === 2);
    const rows = await owner.get<{ node_id: string; output: unknown }[]>(`/microservices/workflow/${id}/nodes/`);
    expect(rows.slice(1).map(({ output }) => output)).toEqual([
      { text: 'left 2' },
      { text: 'right 1' },
      { value: ['left 2', 'right 1'], count: 2 },
    ]);
    expect((await owner.send('GET', `/microservices/workflow/${id}/node-webhook/ghost/`)).status).toBe(404);
    // A call that waits gets what its branch made, not what the run before lent it.
    const alone = await post({
      webhook_id,
      webhook_secret,
      payload: { n: 3 },
      run_to_the_end: false,
      wait_seconds: 20,
    });
    expect(alone).toMatchObject({ status: 200, body: { status: 'done' } });
    expect(alone.body.output).toEqual({ left: { text: 'left 3' } });
    // Of first readers at once one has made it.
    const firsts = await Promise.all(
      Array.from({ length: 8 }, () =>
        owner.get<{ webhook_id: string; created: boolean }>(`/microservices/workflow/${id}/node-webhook/right/`),
      ),
    );
    expect(new Set(firsts.map((one) => one.webhook_id)).size).toBe(1);
    expect(firsts.filter(({ created }) => created)).toHaveLength(1);
  });
});
