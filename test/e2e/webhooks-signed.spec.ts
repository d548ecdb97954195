import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { audited } from '../support/audit.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';
import { inAll } from '../support/long.js';

interface Answer {
  status: number;
  body: Record<string, unknown> & { request_id: string };
}
const PATH = '/microservices/workflow/webhook/';

const signed = (key: string, id: string, body: string, at = new Date()) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(key).sign(id, at, body),
});
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const at = (minutes: number) => new Date(Date.now() + minutes * 60_000);

describe('proofs of webhook calls', () => {
  let platform: HostedPlatform;
  let replica: string;
  let owner: HttpClient;

  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner']);
    replica = (await platform.host('api')).baseUrl;
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  async function create(json: unknown = fanOutAndJoin) {
    const { workflow_id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', { json });
    const detail = await owner.get<Record<string, string>>(`/microservices/workflow/${workflow_id}/`);
    return { id: workflow_id, webhook_id: detail.webhook_id!, webhook_secret: detail.webhook_secret! };
  }
  async function post(
    path: string,
    body: string | Buffer<ArrayBuffer>,
    headers: Record<string, string> = {},
    base = platform.baseUrl,
  ): Promise<Answer> {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }
  const trigger = (body: object, headers: Record<string, string> = {}, base?: string) =>
    post(PATH, JSON.stringify(body), headers, base);
  const count = async (id: string) =>
    Number(
      (
        await platform.database.dataSource.query('SELECT count(*) FROM workflow_requests WHERE workflow_id = $1', [id])
      )[0].count,
    );

  it('takes signed calls only, once a credential has a signing key', async () => {
    const { id, ...credential } = await create();
    const path = `/microservices/workflow/${id}/webhook-signing-key/`;
    const { signing_key: key, ...issued } = await owner.post<Record<string, string>>(path, {});
    expect(issued).toEqual({
      workflow_id: id,
      node_id: null,
      webhook_id: credential.webhook_id,
      previous_valid_until: null,
    });
    expect(key).toMatch(/^whsec_/);
    const body = `{ "webhook_id": "${credential.webhook_id}",  "payload": {"n": 1} }`;
    const call = (headers: Record<string, string>, text = body) => post(PATH, text, headers);
    const refused = await trigger({ ...credential, payload: {} });
    expect(refused).toEqual({ status: 401, body: { error: expect.any(String), code: 'invalid_webhook_credentials' } });

    const first = await call(signed(key!, 'msg_1', body));
    expect(first).toMatchObject({ status: 202, body: { workflow_id: id } });
    // The id of the message is its key: a second delivery, signed anew, is the same request.
    const again = await call(signed(key!, 'msg_1', body, new Date(Date.now() + 1000)));
    expect(again).toMatchObject({ status: 202, body: { duplicate: true, request_id: first.body.request_id } });
    // One of several signatures is enough.
    const right = signed(key!, 'msg_2', body);
    const several = {
      ...right,
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')} v1a,x ${right['webhook-signature']}`,
    };
    expect((await call(several)).status).toBe(202);

    const wrong: [Record<string, string>, string][] = [
      [signed(key!, 'msg_3', body, at(-6)), body],
      [signed(key!, 'msg_3', body, at(6)), body],
      [signed(key!, 'msg_3', body), `${body} `],
      [{ ...signed(key!, 'msg_3', body), 'webhook-id': 'msg_4' }, body],
      [{ ...signed(key!, 'msg_3', body), 'webhook-signature': 'v1' }, body],
      [signed(`whsec_${Buffer.alloc(32).toString('base64')}`, 'msg_3', body), body],
      [
        signed(key!, 'msg_3', JSON.stringify({ ...credential, webhook_secret: 'x' })),
        JSON.stringify({ ...credential, webhook_secret: 'x' }),
      ],
    ];
    for (const [headers, text] of wrong) expect(await call(headers, text)).toEqual(refused);
    expect((await call(signed(key!, 'msg_5', body, at(-4)))).status).toBe(202);
    expect(await count(id)).toBe(3);

    // Reading needs the secret, as before.
    const status = await fetch(`${platform.baseUrl}${PATH}status/`, {
      headers: { 'x-webhook-id': credential.webhook_id, 'x-webhook-secret': credential.webhook_secret },
    });
    expect(status.status).toBe(200);

    const rotated = await owner.post<Record<string, string>>(path, {
      signing_key: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    });
    expect(Date.parse(rotated.previous_valid_until!)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    for (const one of [key!, rotated.signing_key!])
      expect((await call(signed(one, `by ${one}`, body))).status).toBe(202);
    const settings = await owner.get<{ credentials: object[] }>(`/microservices/workflow/${id}/webhook-settings/`);
    expect(settings.credentials).toEqual([expect.objectContaining({ has_signing_key: true, node_id: null })]);
    expect(JSON.stringify(settings)).not.toContain('whsec_');
    expect((await owner.send('POST', path, { signing_key: 'whsec_short' })).status).toBe(400);

    expect((await owner.send('DELETE', path)).status).toBe(204);
    expect((await owner.send('DELETE', path)).status).toBe(404);
    for (const base of [platform.baseUrl, replica])
      expect((await trigger({ ...credential }, {}, base)).status).toBe(202);
    const entries = await audited(platform.database.dataSource);
    expect(entries.map(({ action }) => action)).toContain('webhook.signing_key_removed');
    expect(JSON.stringify(entries)).not.toContain('whsec');
    expect(platform.log()).not.toContain(key!.slice(6));
  });

  it('lets senders post what they like, and sign as they do', async () => {
    const { id, ...credential } = await create({ nodes: [{ id: 'hook', kind: 'webhook_trigger', save_output: true }] });
    const path = `${PATH}${credential.webhook_id}/`;
    const secret = { 'x-webhook-secret': credential.webhook_secret };
    const outputs = async (requestId: string) => {
      const answer = await post(`${path}?wait_seconds=10`, '{}', { ...secret, 'idempotency-key': requestId });
      return (answer.body.output as { hook: { payload: unknown; headers: Record<string, string> } } | undefined)?.hook;
    };
    const plain = await post(`${path}?wait_seconds=10`, '{"action":"opened","file_uid":"x"}', {
      ...secret,
      'x-github-event': 'issues',
      'x-api-token': 'geheim',
      cookie: 'a=b',
      'idempotency-key': 'one',
    });
    expect(plain).toMatchObject({
      status: 200,
      body: {
        status: 'done',
        run_version: 1,
        error: null,
        output: {
          hook: {
            payload: { action: 'opened' },
            headers: { 'x-github-event': 'issues', 'content-type': 'application/json' },
            files: [],
          },
        },
      },
    });
    expect(JSON.stringify(plain)).not.toContain('geheim');
    expect((await outputs('one'))!.payload).toEqual({ action: 'opened' });
    // As GitHub does: the secret signs, and is not sent.
    const event = JSON.stringify({ zen: 'Keep it logically awesome.' });
    const hub = (by: string) => ({
      'x-hub-signature-256': `sha256=${createHmac('sha256', by).update(event).digest('hex')}`,
      'x-github-delivery': 'guid-1',
    });
    const delivered = await post(path, event, hub(credential.webhook_secret));
    expect(delivered.status).toBe(202);
    expect(await post(path, event, hub(credential.webhook_secret))).toMatchObject({
      body: { duplicate: true, request_id: delivered.body.request_id },
    });
    // The signature covers the body alone: whoever replays a call can write other headers.
    const replay = { ...hub(credential.webhook_secret), 'x-github-delivery': 'guid-2', 'idempotency-key': 'other' };
    expect(await post(path, event, replay)).toMatchObject({
      body: { duplicate: true, request_id: delivered.body.request_id },
    });
    const refused = await post(path, event, hub('wrong'));
    expect(refused).toEqual({ status: 401, body: { error: expect.any(String), code: 'invalid_webhook_credentials' } });
    for (const headers of [
      {},
      { 'x-webhook-secret': 'wrong' },
      { ...hub(credential.webhook_secret), 'x-webhook-secret': 'wrong' },
    ])
      expect(await post(path, event, headers as Record<string, string>)).toEqual(refused);
    expect(await post(`${PATH}${crypto.randomUUID()}/`, event, secret)).toEqual(refused);
    expect(await post(`${PATH}status/`, event, secret)).toEqual(refused);

    const list = await post(`${path}?wait_seconds=10`, '[1,2]', secret);
    expect(list.body.output).toMatchObject({ hook: { payload: { body: [1, 2] } } });
    const fields = await post(`${path}?wait_seconds=10`, 'a=1&a=2&b=x%20y', {
      ...secret,
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(fields.body.output).toMatchObject({ hook: { payload: { a: ['1', '2'], b: 'x y' } } });
    for (const [body, code] of [
      ['{', 'parse_error'],
      [JSON.stringify({ text: 'x'.repeat(65_537) }), 'invalid_payload'],
      [JSON.stringify({ text: 'x'.repeat(400_000) }), 'invalid_payload'],
      ['{"a":"\\u0000"}', 'invalid_payload'],
      [`${'['.repeat(200)}${']'.repeat(200)}`, 'parse_error'],
    ] as const)
      expect(await post(path, body, secret)).toMatchObject({ status: 400, body: { code, error: expect.any(String) } });
    for (const [body, type, payload] of [
      ['<a/>', 'application/xml', { body: '<a/>' }],
      ['hello', 'text/plain', { body: 'hello' }],
      ['{"id": 12345678901234567890}', 'application/json', { id: '12345678901234567890' }],
      [Buffer.from([0xff, 0x00]), 'application/octet-stream', { body_base64: '/wA=' }],
    ] as const) {
      const taken = await post(`${path}?wait_seconds=10`, body, { ...secret, 'content-type': type });
      expect(taken.body.output).toMatchObject({ hook: { payload } });
    }
    const form = new FormData();
    form.set('a', '1');
    form.set('f', new Blob(['text']), 'a.txt');
    const parts = new Response(form);
    const uploaded = await post(`${path}?wait_seconds=10`, Buffer.from(await parts.clone().arrayBuffer()), {
      ...secret,
      'content-type': parts.headers.get('content-type')!,
    });
    expect(uploaded.body.output).toMatchObject({
      hook: { payload: { a: '1' }, uploads: [{ field: 'f', text: 'text' }] },
    });
    expect((await post(path, 'x', { ...secret, 'content-type': 'text/plain; charset=klingon' })).status).toBe(415);
    await until(async () => (await count(id)) === 9);
  });

  inAll('rotates secrets without losing a call, on every replica, and per node', async () => {
    const { id, ...credential } = await create();
    for (const base of [platform.baseUrl, replica]) expect((await trigger(credential, {}, base)).status).toBe(202);
    const path = `/microservices/workflow/${id}/webhook-secret/rotate/`;
    const second = await owner.post<Record<string, string>>(path, {});
    expect(second).toMatchObject({ workflow_id: id, node_id: null, webhook_id: credential.webhook_id });
    expect(Date.parse(second.previous_valid_until!)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const detail = await owner.get<Record<string, string>>(`/microservices/workflow/${id}/`);
    expect(detail.webhook_secret).toBe(second.webhook_secret);
    const third = await owner.post<Record<string, string>>(path, {});
    const all = [credential.webhook_secret, second.webhook_secret!, third.webhook_secret!];
    for (const webhook_secret of all)
      for (const base of [replica, platform.baseUrl])
        expect((await trigger({ ...credential, webhook_secret }, {}, base)).status).toBe(202);

    await platform.database.dataSource.query(
      `UPDATE workflow_webhook_keys SET expires_at = now() + interval '1 second' WHERE webhook_id = $1`,
      [credential.webhook_id],
    );
    await until(
      async () => (await trigger(credential)).status === 401 && (await trigger(credential, {}, replica)).status === 401,
    );
    expect((await trigger({ ...credential, webhook_secret: third.webhook_secret })).status).toBe(202);

    const last = await owner.post<Record<string, string | null>>(path, { keep_previous: false });
    expect(last.previous_valid_until).toBeNull();
    await until(
      async () => (await trigger({ ...credential, webhook_secret: third.webhook_secret }, {}, replica)).status === 401,
    );
    for (const base of [platform.baseUrl, replica])
      expect((await trigger({ ...credential, webhook_secret: last.webhook_secret }, {}, base)).status).toBe(202);

    expect((await owner.send('POST', path, { node_id: 'left' })).status).toBe(404);
    const node = await owner.get<Record<string, string>>(`/microservices/workflow/${id}/node-webhook/left/`);
    const rotated = await owner.post<Record<string, string>>(path, { node_id: 'left' });
    expect(rotated).toMatchObject({ node_id: 'left', webhook_id: node.webhook_id });
    for (const webhook_secret of [node.webhook_secret!, rotated.webhook_secret!])
      expect((await trigger({ webhook_id: node.webhook_id, webhook_secret })).status).toBe(202);
    expect(await owner.get(`/microservices/workflow/${id}/node-webhook/left/`)).toMatchObject({
      webhook_secret: rotated.webhook_secret,
      created: false,
    });
    const many = await Promise.all(Array.from({ length: 8 }, () => owner.send('POST', path, {})));
    expect(many.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 409, 409, 409]);
  });

  it('is for the owner alone', async () => {
    const { id } = await create();
    const editor = await HttpClient.signUp(platform.baseUrl);
    const stranger = await HttpClient.signUp(platform.baseUrl);
    await platform.database.dataSource.query(
      `INSERT INTO workflow_collaborators (workflow_id, user_id, role) SELECT $1, id, 'editor' FROM users WHERE username = $2`,
      [id, editor.username],
    );
    for (const [method, path, body] of [
      ['GET', 'webhook-settings/', undefined],
      ['PATCH', 'webhook-settings/', { requires_approval: true }],
      ['POST', 'webhook-secret/rotate/', {}],
      ['POST', 'webhook-signing-key/', {}],
      ['DELETE', 'webhook-signing-key/', undefined],
    ] as const)
      for (const [who, status] of [
        [editor, 403],
        [stranger, 404],
      ] as const)
        expect([path, (await who.send(method, `/microservices/workflow/${id}/${path}`, body)).status]).toEqual([
          path,
          status,
        ]);
  });

  it('answers an unknown id and a wrong secret in the same time', async () => {
    const { webhook_id, webhook_secret } = await create();
    const times: Record<'unknown' | 'wrong', number[]> = { unknown: [], wrong: [] };
    for (let round = 0; round < 150; round += 1)
      for (const [kind, id] of [
        ['unknown', crypto.randomUUID()],
        ['wrong', webhook_id],
      ] as const) {
        const started = performance.now();
        expect((await trigger({ webhook_id: id, webhook_secret: `${webhook_secret}x` })).status).toBe(401);
        times[kind].push(performance.now() - started);
      }
    const [unknown, wrong] = [median(times.unknown), median(times.wrong)];
    expect(Math.abs(unknown - wrong)).toBeLessThan(Math.max(0.5, 0.35 * wrong));
  });
});
