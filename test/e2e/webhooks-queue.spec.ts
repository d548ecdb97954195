import { auditedActions } from '../support/audit.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';

interface Queue {
  counts: Record<string, number>;
  waiting: number;
  awaiting_approval: number;
  requests: {
    id: string;
    status: string;
    queue_position: number | null;
    awaiting_approval: boolean;
    run_version: number | null;
    detail: string;
  }[];
}
const PATH = '/microservices/workflow/webhook/';
const slow = {
  nodes: [
    { id: 'start', kind: 'webhook_trigger', next: ['wait'] },
    { id: 'wait', kind: 'delay', params: { seconds: 30 } },
  ],
};
const failing = {
  nodes: [
    { id: 'start', kind: 'webhook_trigger', next: ['stop'] },
    { id: 'stop', kind: 'stop_with_error', params: { message: 'Not today.' } },
  ],
};

describe('the webhook queue', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;

  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner'], { WEBHOOK_QUEUE_LIMIT: '12' });
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  async function create(json: unknown) {
    const { workflow_id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', { json });
    const detail = await owner.get<Record<string, string>>(`/microservices/workflow/${workflow_id}/`);
    return { id: workflow_id, webhook_id: detail.webhook_id!, webhook_secret: detail.webhook_secret! };
  }
  async function trigger(body: object, headers: Record<string, string> = {}) {
    const response = await fetch(platform.baseUrl + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Record<string, unknown> & { request_id: string };
    return { status: response.status, body: answer, headers: response.headers };
  }
  const queueOf = (id: string) => owner.get<Queue>(`/microservices/workflow/${id}/webhook-queue/?limit=200`);
  const find = async (id: string, request: string) => (await queueOf(id)).requests.find((one) => one.id === request)!;
  const act = async (id: string, request: string, action: string, who = owner) => {
    const response = await who.send('POST', `/microservices/workflow/${id}/webhook-queue/${request}/`, { action });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const setApproval = (id: string, requires_approval: boolean) =>
    owner.send('PATCH', `/microservices/workflow/${id}/webhook-settings/`, { requires_approval });
  /** The counter of the workflow and the rows agree, and nothing waits beside an idle workflow. */
  async function expectConsistent(id: string) {
    const rows = await platform.database.dataSource.query<object[]>(
      `SELECT w.pending_requests = count(q.id) FILTER (WHERE q.status = 'pending') AS counted,
         count(q.id) FILTER (WHERE q.status = 'running') <= 1 AS single
       FROM workflows w LEFT JOIN workflow_requests q ON q.workflow_id = w.id WHERE w.id = $1 GROUP BY w.id`,
      [id],
    );
    expect(rows).toEqual([{ counted: true, single: true }]);
  }

  it('lets the owner approve and reject, and nobody else', async () => {
    const { id, ...credential } = await create(fanOutAndJoin);
    expect((await setApproval(id, true)).status).toBe(200);
    const calls = [];
    for (let n = 0; n < 4; n += 1) calls.push(await trigger({ ...credential, payload: { n }, event_id: `e${n}` }));
    expect(calls[1]).toMatchObject({ status: 202, body: { queued: true, queue_position: 2, awaiting_approval: true } });
    expect(await trigger({ ...credential, event_id: 'e1' })).toMatchObject({
      body: { duplicate: true, awaiting_approval: true, queue_position: 2 },
    });
    const [first, second, third, fourth] = calls.map(({ body }) => body.request_id) as [string, string, string, string];
    const queue = await queueOf(id);
    expect(queue).toMatchObject({ counts: { pending: 4 }, waiting: 4, awaiting_approval: 4 });
    expect(queue.requests.map((one) => [one.id, one.awaiting_approval])).toEqual(
      [first, second, third, fourth].map((one) => [one, true]),
    );
    const editor = await HttpClient.signUp(platform.baseUrl);
    await platform.database.dataSource.query(
      `INSERT INTO workflow_collaborators (workflow_id, user_id, role) SELECT $1, id, 'editor' FROM users WHERE username = $2`,
      [id, editor.username],
    );
    expect((await act(id, second, 'approve', editor)).status).toBe(403);
    expect(await act(id, second, 'approve')).toEqual({
      status: 200,
      body: { id: second, status: 'pending', action: 'approve' },
    });
    await until(async () => (await find(id, second)).status === 'done');
    expect(await act(id, first, 'reject')).toMatchObject({
      status: 200,
      body: { status: 'cancelled', action: 'reject' },
    });
    expect(await find(id, first)).toMatchObject({ status: 'cancelled', detail: 'Rejected by the owner.' });
    for (const [request, action, status] of [
      [second, 'approve', 'done'],
      [second, 'reject', 'done'],
      [second, 'retry', 'done'],
      [second, 'cancel', 'done'],
      [first, 'approve', 'cancelled'],
      [first, 'cancel', 'cancelled'],
      [third, 'retry', 'pending'],
    ] as const)
      expect(await act(id, request, action)).toMatchObject({
        status: 400,
        body: { error: expect.any(String), code: 'action_not_applicable', status },
      });
    // Who may not approve cannot get around it by a retry; the owner's retry is an approval.
    expect((await act(id, first, 'retry', editor)).status).toBe(200);
    expect(await find(id, first)).toMatchObject({ status: 'pending', awaiting_approval: true, queue_position: 3 });
    expect((await act(id, first, 'cancel', editor)).status).toBe(200);
    expect((await act(id, first, 'retry')).status).toBe(200);
    await until(async () => (await find(id, first)).status === 'done');
    // Without the setting new calls run at once; those that wait go on waiting.
    expect((await setApproval(id, false)).status).toBe(200);
    expect((await trigger({ ...credential, wait_seconds: 10 })).body).toMatchObject({ status: 'done' });
    expect(await find(id, third)).toMatchObject({ status: 'pending', awaiting_approval: true });
    const both = await Promise.all([act(id, third, 'approve'), act(id, third, 'approve'), act(id, third, 'reject')]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    await act(id, fourth, 'cancel');
    await until(async () => (await queueOf(id)).waiting === 0);
    await expectConsistent(id);
    const actions = await auditedActions(platform.database.dataSource);
    expect(new Set(actions.filter((action) => action.startsWith('webhook.')))).toEqual(
      new Set(['webhook.approval_changed', 'webhook.request_approved', 'webhook.request_rejected']),
    );
  });

  it('waits for the end of the run when it is asked to', async () => {
    const { id: _quick, ...credential } = await create(fanOutAndJoin);
    const started = await trigger({ ...credential, payload: { n: 1 }, event_id: 'x', wait_seconds: 25 });
    expect(started).toMatchObject({
      status: 200,
      body: { status: 'done', run_version: 1, queue_position: 0, error: null },
    });
    expect(started.body.output).toEqual({ join: { value: ['left 1', 'right 1'], count: 2 } });
    expect(await trigger({ ...credential, event_id: 'x', wait_seconds: 1 })).toMatchObject({
      status: 200,
      body: { duplicate: true, status: 'done', request_id: started.body.request_id },
    });
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, n) => trigger({ ...credential, payload: { n }, wait_seconds: 25 })),
    );
    expect(many.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(many.map(({ body }) => (body.output as { join: { value: string[] } }).join.value[0])).toEqual(
      Array.from({ length: 8 }, (_, n) => `left ${n}`),
    );
    const large = await create({
      nodes: [
        { id: 'start', kind: 'webhook_trigger', next: ['text'] },
        {
          id: 'text',
          kind: 'template',
          params: { template: '{{_output.start.payload.t}}{{_output.start.payload.t}}' },
        },
      ],
    });
    const { webhook_id, webhook_secret } = large;
    const stored = await trigger({
      webhook_id,
      webhook_secret,
      payload: { t: 'far too long '.repeat(4000) },
      wait_seconds: 20,
    });
    expect(stored).toMatchObject({
      status: 200,
      body: { status: 'done', output: { text: { media_path: expect.any(String) } } },
    });
    expect(JSON.stringify(stored.body)).not.toContain('$stored');
    const broken = await create(failing);
    expect(
      await trigger({ webhook_id: broken.webhook_id, webhook_secret: broken.webhook_secret, wait_seconds: 10 }),
    ).toMatchObject({ status: 200, body: { status: 'failed', error: { node_id: 'stop', message: 'Not today.' } } });
    const long = await create(slow);
    const before = Date.now();
    const late = await trigger({ webhook_id: long.webhook_id, webhook_secret: long.webhook_secret, wait_seconds: 1 });
    expect(late).toMatchObject({ status: 202, body: { status: 'running', output: {} } });
    expect(Date.now() - before).toBeGreaterThan(900);
    // A caller who goes away leaves nothing behind.
    const abort = new AbortController();
    const waiting = fetch(platform.baseUrl + PATH, {
      method: 'POST',
      signal: abort.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ webhook_id: long.webhook_id, webhook_secret: long.webhook_secret, wait_seconds: 25 }),
    }).catch(() => null);
    await until(async () => (await queueOf(long.id)).waiting === 1);
    abort.abort();
    await waiting;
  });

  it('refuses what does not fit into the queue, and takes retries to its tail', async () => {
    const { id, ...credential } = await create(slow);
    const calls = [];
    for (let n = 0; n < 13; n += 1) calls.push(await trigger({ ...credential, payload: { n } }));
    expect(calls.every(({ status }) => status === 202)).toBe(true);
    expect(calls.map(({ body }) => body.queue_position)).toEqual(Array.from({ length: 13 }, (_, n) => n));
    const refused = await trigger(credential);
    expect(refused).toMatchObject({ status: 503, body: { code: 'queue_full', detail: expect.any(String) } });
    expect(refused.headers.get('retry-after')).toBe('10');
    const ids = calls.map(({ body }) => body.request_id);
    await act(id, ids[3]!, 'cancel');
    await act(id, ids[5]!, 'cancel');
    await act(id, ids[3]!, 'retry');
    const queue = await queueOf(id);
    expect(queue.requests.map((one) => one.id)).toEqual([
      ids[0],
      ...[1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 3, 5].map((n) => ids[n]),
    ]);
    expect(queue.requests.map((one) => one.queue_position)).toEqual([...Array(12).keys(), null]);
    await expectConsistent(id);
    // In the trash nothing waits, and nobody gets in.
    expect((await owner.send('DELETE', `/microservices/workflow/${id}/`)).status).toBe(200);
    await until(async () => (await trigger(credential)).status === 401);
    expect((await owner.send('POST', `/microservices/workflow/${id}/restore/`)).status).toBe(200);
    expect((await queueOf(id)).counts).toMatchObject({ pending: 0, running: 0, cancelled: 13 });
    expect((await trigger(credential)).status).toBe(202);
    await expectConsistent(id);
  });

  it('lists those that ended last, whenever they came', async () => {
    const { id, ...credential } = await create(slow);
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push((await trigger(credential)).body.request_id);
    for (const n of [3, 1, 2, 0]) expect((await act(id, ids[n]!, 'cancel')).status).toBe(200);
    for (const limit of [1, 2, 4])
      expect(
        (await owner.get<Queue>(`/microservices/workflow/${id}/webhook-queue/?limit=${limit}`)).requests.map(
          (one) => one.id,
        ),
      ).toEqual([0, 2, 1, 3].slice(0, limit).map((n) => ids[n]));
  });

  it('fails a call for a branch that was taken out of the workflow before its turn', async () => {
    const end = { id: 'end', kind: 'template', params: { template: 'done' } };
    const { id, ...credential } = await create({ nodes: [...slow.nodes, end] });
    const first = (await trigger(credential)).body.request_id;
    const branch = (await trigger({ ...credential, is_branch: true, start_node_id: 'end' })).body.request_id;
    const third = (await trigger(credential)).body.request_id;
    const json_spec = { nodes: [{ id: 'start', kind: 'webhook_trigger' }] };
    await owner.send('PUT', `/microservices/workflow/${id}/`, { name: 'Shorter', json_spec });
    await act(id, first, 'cancel');
    await until(async () => (await find(id, third)).status === 'done');
    expect(await find(id, branch)).toMatchObject({ status: 'failed', detail: expect.stringContaining('no longer') });
    const { error } = await owner.get<{ error: object }>(`/microservices/workflow/${id}/history/2/`);
    expect(error).toMatchObject({ code: 'unknown_node' });
    await expectConsistent(id);
  });

  it('takes a retry with the same Idempotency-Key once', async () => {
    const { id, ...credential } = await create(failing);
    const { body } = await trigger({ ...credential, wait_seconds: 20 });
    const retry = () =>
      fetch(`${platform.baseUrl}/microservices/workflow/${id}/webhook-queue/${body.request_id}/`, {
        method: 'POST',
        headers: {
          authorization: `Token ${owner.token}`,
          'content-type': 'application/json',
          'idempotency-key': 'again',
        },
        body: JSON.stringify({ action: 'retry' }),
      });
    expect((await retry()).status).toBe(200);
    await until(async () => (await find(id, body.request_id)).run_version === 2);
    await until(async () => (await find(id, body.request_id)).status === 'failed');
    const repeated = await retry();
    expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(await repeated.json()).toEqual({ id: body.request_id, status: 'pending', action: 'retry' });
    expect(await find(id, body.request_id)).toMatchObject({ status: 'failed', run_version: 2 });
  });

  it('refuses calls while the account of the owner is deactivated', async () => {
    const someone = await HttpClient.signUp(platform.baseUrl);
    const { workflow_id } = await someone.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: fanOutAndJoin,
    });
    const { webhook_id, webhook_secret } = await someone.get<Record<string, string>>(
      `/microservices/workflow/${workflow_id}/`,
    );
    const credential = { webhook_id, webhook_secret };
    expect((await trigger(credential)).status).toBe(202);
    const setActive = (active: boolean) =>
      platform.database.dataSource.query('UPDATE users SET is_active = $2 WHERE username = $1', [
        someone.username,
        active,
      ]);
    await setActive(false);
    // At once, although this process knows the credential from the call before.
    const refused = await trigger(credential);
    expect([refused.status, refused.body]).toMatchObject([401, { code: 'invalid_webhook_credentials' }]);
    await setActive(true);
    expect((await trigger(credential)).status).toBe(202);
  });

  it('survives people who act at once', async () => {
    const { id, ...credential } = await create(fanOutAndJoin);
    const ids: string[] = [];
    for (let n = 0; n < 10; n += 1) ids.push((await trigger({ ...credential, payload: { n } })).body.request_id);
    // Cancels that race with starts, ends, each other and retries.
    await Promise.all(
      ids.flatMap((request) => ['cancel', 'retry', 'cancel', 'retry'].map((action) => act(id, request, action))),
    );
    await until(async () => {
      const { counts } = await queueOf(id);
      return counts.pending === 0 && counts.running === 0;
    });
    await expectConsistent(id);
    const rows = await platform.database.dataSource.query<{ wrong: number }[]>(
      `SELECT count(*)::int AS wrong FROM workflow_requests q LEFT JOIN workflow_runs r
         ON r.workflow_id = q.workflow_id AND r.version = q.run_version
       WHERE q.workflow_id = $1 AND NOT CASE q.status WHEN 'done' THEN r.status = 'COMPLETED'
         WHEN 'cancelled' THEN r.status IS NULL OR r.status = 'STOPPED' ELSE false END`,
      [id],
    );
    expect(rows).toEqual([{ wrong: 0 }]);
    expect((await queueOf(id)).counts.failed).toBe(0);
  });

  it('takes five deliveries at once for one, by key, event and replica', async () => {
    const { id, ...credential } = await create(fanOutAndJoin);
    const second = await platform.host('api');
    const bases = [platform.baseUrl, second.baseUrl];
    for (let event = 0; event < 10; event += 1) {
      const answers = await Promise.all(
        Array.from({ length: 5 }, async (_, n) => {
          const response = await fetch(bases[n % 2]! + PATH, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...(n < 3 && { 'idempotency-key': `k${event}` }) },
            body: JSON.stringify({ ...credential, ...(n >= 3 && { event_id: `k${event}` }) }),
          });
          return { status: response.status, body: (await response.json()) as { request_id: string; duplicate?: true } };
        }),
      );
      expect(answers.every(({ status }) => status === 202)).toBe(true);
      expect(new Set(answers.map(({ body }) => body.request_id)).size).toBe(1);
      expect(answers.filter(({ body }) => body.duplicate)).toHaveLength(4);
    }
    await until(async () => (await queueOf(id)).counts.done === 10);
    const [{ runs }] = await platform.database.dataSource.query<[{ runs: number }]>(
      'SELECT count(*)::int AS runs FROM workflow_runs WHERE workflow_id = $1',
      [id],
    );
    expect(runs).toBe(10);
    // After a day the key is free again.
    await platform.database.dataSource.query(
      `UPDATE workflow_requests SET queued_at = queued_at - interval '25 hours' WHERE workflow_id = $1`,
      [id],
    );
    expect((await trigger({ ...credential, event_id: 'k0' })).body.duplicate).toBeUndefined();
  });
});
