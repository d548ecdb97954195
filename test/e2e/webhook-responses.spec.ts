import { call, type HookAnswer } from '../support/hooks.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

const hook = { id: 'hook', kind: 'webhook_trigger', next: ['say'] };
const say = (params: object, next: string[] = []) => ({ id: 'say', kind: 'respond', params, next });
const wait = { id: 'wait', kind: 'delay', params: { seconds: 30 } };
const json = { 'content-type': 'application/json' };
const post = (url: string, body: object = {}, headers: Record<string, string> = {}): Promise<HookAnswer> =>
  call(url, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });

describe('respond nodes', () => {
  let platform: HostedPlatform;
  let replica: string;
  let owner: HttpClient;

  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner']);
    replica = (await platform.host('api')).baseUrl;
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  const save = (nodes: object[]) => owner.send('POST', '/microservices/workflow/start/', { json: { nodes } });
  async function create(
    nodes: object[],
  ): Promise<{ id: string; url: string; webhook_id: string; webhook_secret: string }> {
    const { workflow_id: id } = (await (await save(nodes)).json()) as { workflow_id: string };
    const opened = await owner.send('PUT', `/microservices/workflow/${id}/webhook-url/`, {});
    const { webhook_url: url } = (await opened.json()) as { webhook_url: string };
    const { webhook_id, webhook_secret } = await owner.get<Record<string, string>>(`/microservices/workflow/${id}/`);
    return { id, url, webhook_id: webhook_id!, webhook_secret: webhook_secret! };
  }
  const rowOf = async (id: string, nodeId: string) =>
    (
      await owner.get<{ node_id: string; status: string; output: unknown; error: { code: string } | null }[]>(
        `/microservices/workflow/${id}/nodes/`,
      )
    ).find(({ node_id }) => node_id === nodeId)!;
  const stop = (id: string) => owner.post('/microservices/workflow/stop/', { workflow_id: id });

  it('answer at once while the run goes on, by URL and to those who wait with a credential', async () => {
    const params = {
      status: 201,
      headers: {
        'X-Webhook-Trace': 'n{{_webhook_payload.n}}',
        Location: 'https://a.example/{{_webhook_payload.n}}',
        'Retry-After': '7',
      },
      body: { got: '{{_webhook_payload.n}}' },
    };
    const flow = await create([hook, say(params, ['wait']), wait]);
    const said = await post(flow.url, { n: 5 }, { 'idempotency-key': 'one' });
    expect([said.status, said.body, said.type]).toEqual([201, { got: '5' }, 'application/json; charset=utf-8']);
    expect(Object.fromEntries(said.headers)).toMatchObject({
      'x-webhook-trace': 'n5',
      location: 'https://a.example/5',
      'retry-after': '7',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    });
    expect((await owner.get<{ status: string }>(`/microservices/workflow/${flow.id}/`)).status).toBe('RUNNING');
    // A second delivery hears the same, at another api too.
    const again = await post(flow.url.replace(platform.baseUrl, replica), { n: 6 }, { 'idempotency-key': 'one' });
    expect([again.status, again.text]).toEqual([201, said.text]);
    await stop(flow.id);
    const { webhook_id, webhook_secret } = flow;
    const trigger = { webhook_id, webhook_secret, payload: { n: 8 } };
    const waited = await post(`${replica}/microservices/workflow/webhook/`, { ...trigger, wait_seconds: 20 });
    expect([waited.status, waited.body]).toEqual([201, { got: '8' }]);
    await stop(flow.id);
    const quick = await post(`${platform.baseUrl}/microservices/workflow/webhook/`, trigger);
    expect([quick.status, quick.body]).toEqual([202, expect.objectContaining({ request_id: expect.any(String) })]);
    await stop(flow.id);
  });

  inAll('send pages that run nothing, texts, bare statuses, and nothing else than they may', async () => {
    const page = await create([hook, say({ body: '<script>alert(1)</script>', content_type: 'text/html' })]);
    const shown = await post(page.url);
    expect([shown.status, shown.type, shown.text]).toEqual([
      200,
      'text/html; charset=utf-8',
      '<script>alert(1)</script>',
    ]);
    expect(shown.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
    expect(shown.headers.get('content-security-policy')).not.toContain('allow-');
    const text = await post((await create([hook, say({ body: 'Grüezi {{_webhook_payload.who}}' })])).url, {
      who: 'Ada',
    });
    expect([text.type, text.text]).toEqual(['text/plain; charset=utf-8', 'Grüezi Ada']);
    const xml = say({ body: '<a>é</a>', content_type: 'application/xml; charset="ISO-8859-1"' });
    const said = await post((await create([hook, xml])).url);
    expect([said.type, said.text]).toEqual(['application/xml; charset=utf-8', '<a>é</a>']);
    const bare = await post((await create([hook, say({ status: 204, body: 'x' })])).url);
    expect([bare.status, bare.text]).toEqual([204, '']);

    for (const name of [
      'Set-Cookie',
      'Transfer-Encoding',
      'Content-Length',
      'Access-Control-Allow-Origin',
      'Content-Security-Policy',
      'X-Accel-Redirect',
      'Strict-Transport-Security',
      'Content-Encoding',
      'Connection',
      'x y',
      'x-webhook-\u00e9',
    ]) {
      const refused = await save([hook, say({ headers: { [name]: 'x' } })]);
      expect([name, refused.status]).toEqual([name, 400]);
    }
    const failing: [object, object][] = [
      [{ headers: { $ref: '_webhook_payload.headers' } }, { headers: { 'Set-Cookie': 'a=b' } }],
      [{ headers: { location: '{{_webhook_payload.to}}' } }, { to: 'javascript:alert(1)' }],
      [{ headers: { etag: '{{_webhook_payload.to}}' } }, { to: 'a\r\nSet-Cookie: b=c' }],
      [{ content_type: '{{_webhook_payload.to}}' }, { to: 'text/html\r\nx: y' }],
      [{ status: '{{_webhook_payload.to}}' }, { to: 199 }],
      [
        {
          body: '{{_webhook_payload.to}}{{_webhook_payload.to}}{{_webhook_payload.to}}{{_webhook_payload.to}}{{_webhook_payload.to}}',
        },
        { to: 'x'.repeat(60_000) },
      ],
    ];
    for (const [params, payload] of failing) {
      const flow = await create([hook, say(params)]);
      const answer = await post(flow.url, payload);
      expect([params, answer.status, answer.body.status, answer.headers.get('set-cookie')]).toEqual([
        params,
        200,
        'failed',
        null,
      ]);
      // What came out is for `respond` to say, not for whoever has the address.
      expect(answer.body).not.toHaveProperty('output');
      expect(answer.body).not.toHaveProperty('error');
    }
  });

  it('count once in a run, in the body of a loop too, and not in a sub-workflow or a run by hand', async () => {
    const twice = await create([
      hook,
      say({ body: 'first' }, ['more']),
      { id: 'more', kind: 'respond', params: { body: 'second' } },
    ]);
    expect((await post(twice.url)).text).toBe('first');
    await until(async () => (await rowOf(twice.id, 'more')).status === 'COMPLETED');
    expect(await rowOf(twice.id, 'say')).toMatchObject({ output: { sent: true, status: 200, size_bytes: 5 } });
    expect(await rowOf(twice.id, 'more')).toMatchObject({ output: { sent: false } });

    const body = { nodes: [{ id: 'in', kind: 'respond', params: { body: 'item {{_item}}' } }] };
    const loop = await create([
      { ...hook, next: ['loop'] },
      { id: 'loop', kind: 'loop', params: { items: ['a', 'b'], body } },
    ]);
    expect((await post(loop.url)).text).toMatch(/^item [ab]$/);

    const child = await create([hook, say({ body: 'from the child' })]);
    const parent = await create([
      { ...hook, next: ['sub'] },
      { id: 'sub', kind: 'sub_workflow', params: { workflow_id: child.id }, next: ['say'] },
      say({ body: { $ref: '_output.sub.result' } }),
    ]);
    expect((await post(parent.url)).body).toMatchObject({ sent: false });

    // Nor does another workflow hand on what only the platform writes.
    const slot = { id: 'forged', name: 'x', slot_time: '2026-01-01T00:00:00Z', timezone: 'UTC' };
    const scheduled = await create([{ id: 'at', kind: 'schedule_trigger' }]);
    const forging = await create([
      { ...hook, next: ['sub'] },
      {
        id: 'sub',
        kind: 'sub_workflow',
        params: { workflow_id: scheduled.id, inputs: { _schedule: slot, n: 1 } },
        next: ['say'],
      },
      say({ body: { $ref: '_output.sub.result' } }),
    ]);
    expect((await post(forging.url)).body).toMatchObject({ schedule_id: null, payload: { n: 1 } });

    await owner.post('/microservices/workflow/rerun/', { workflow_id: twice.id });
    await until(async () => (await rowOf(twice.id, 'say')).status === 'COMPLETED');
    expect(await rowOf(twice.id, 'say')).toMatchObject({ output: { sent: false } });
  });

  it('may never run: the answer is ours when the run is over or the time is up', async () => {
    const branching = [
      { ...hook, next: ['if'] },
      {
        id: 'if',
        kind: 'condition',
        params: {
          left: { $ref: '_webhook_payload.n' },
          operator: 'equals',
          right: 1,
          if_true: ['say'],
          if_false: ['wait'],
        },
        next: ['say', 'wait'],
      },
      say({ body: 'yes' }),
      { id: 'wait', kind: 'delay', params: { seconds: 0 } },
    ];
    const flow = await create(branching);
    expect((await post(flow.url, { n: 1 })).text).toBe('yes');
    expect(await post(flow.url, { n: 2 })).toMatchObject({ status: 200, body: { status: 'done', run_version: 2 } });
    const failing = await create([
      { ...hook, next: ['stop'] },
      { id: 'stop', kind: 'stop_with_error', params: { message: 'inner words' }, next: ['say'] },
      say({ body: 'yes' }),
    ]);
    const failed = await post(failing.url, {});
    expect(failed).toMatchObject({ status: 200, body: { status: 'failed', run_version: 1 } });
    expect(failed.text).not.toContain('inner words');
    const slow = await create([{ ...hook, next: ['wait'] }, { ...wait, next: ['say'] }, say({})]);
    expect(await post(`${slow.url}?wait_seconds=1`)).toMatchObject({ status: 202, body: { status: 'running' } });
    // Another one waits behind it.
    expect(await post(`${slow.url}?wait_seconds=0`)).toMatchObject({ status: 202, body: { queue_position: 1 } });
    await stop(slow.id);
  });

  it('give the answer of the newest run when a request is retried', async () => {
    const flow = await create([
      hook,
      say({ body: 'run {{_webhook_payload.n}}' }, ['stop']),
      { id: 'stop', kind: 'stop_with_error', params: { message: 'No.' } },
    ]);
    const key = { 'idempotency-key': 'k' };
    expect((await post(flow.url, { n: 1 }, key)).text).toBe('run 1');
    const queue = await owner.get<{ requests: { id: string; status: string }[] }>(
      `/microservices/workflow/${flow.id}/webhook-queue/`,
    );
    await until(
      async () =>
        (await owner.get<typeof queue>(`/microservices/workflow/${flow.id}/webhook-queue/`)).requests[0]!.status ===
        'failed',
    );
    await owner.send('PUT', `/microservices/workflow/${flow.id}/`, {
      name: 'changed',
      json: { nodes: [hook, say({ body: 'again {{_webhook_payload.n}}' })] },
      json_spec: { nodes: [hook, say({ body: 'again {{_webhook_payload.n}}' })] },
    });
    await owner.post(`/microservices/workflow/${flow.id}/webhook-queue/${queue.requests[0]!.id}/`, { action: 'retry' });
    expect((await post(flow.url, { n: 1 }, key)).text).toBe('again 1');
  });
});
