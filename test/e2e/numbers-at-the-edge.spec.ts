import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { apiToken, postMcp } from '../support/mcp-client.js';
import { startWorkflow } from '../support/workflow-api.js';

/** Numbers that JavaScript reads as others. */
const LOST = ['1e400', '-1e400', '9007199254740993', '123456789012345678901', '1e-400'];
/** Numbers that it holds, a fraction as its nearest. */
const HELD = ['9007199254740991', '0.1000000000000000055', '1e300', '-0', '10000000000000000000000'];
const FORM = 'application/x-www-form-urlencoded';

const multipart = (data: string) => {
  const form = new FormData();
  form.append('data', data);
  return form;
};

describe('numbers at the edge', () => {
  let api: TestApi;
  let user: HttpClient;
  let hook: string;
  let delivery: { path: string; secret: string };
  let mcp: string;

  beforeAll(async () => {
    api = await startApi();
    user = await api.signUp();
    const id = await startWorkflow(user, { nodes: [{ id: 'hook', kind: 'webhook_trigger' }] });
    const opened = await user.send('PUT', `/microservices/workflow/${id}/webhook-url/`, { scheme: 'none' });
    hook = new URL(((await opened.json()) as { webhook_url: string }).webhook_url).pathname;
    const { webhook_id, webhook_secret } = await user.get<Record<string, string>>(`/microservices/workflow/${id}/`);
    delivery = { path: `/microservices/workflow/webhook/${webhook_id}/`, secret: webhook_secret! };
    mcp = await apiToken(user, ['workflows:read']);
  });
  afterAll(() => api.stop());

  const send = (
    path: string,
    type: string,
    body: NonNullable<RequestInit['body']>,
    headers: Record<string, string> = {},
  ) =>
    fetch(`${api.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Token ${user.token}`, ...(type && { 'content-type': type }), ...headers },
      body,
    });
  const push = (type: string, body: NonNullable<RequestInit['body']>) => send('/users/metadata/push/', type, body);

  /** What cannot be kept is refused: these are clients that can be told. */
  const refusing: Record<string, (number: string) => Promise<{ status: number; text(): Promise<string> }>> = {
    'a JSON body': (number) => push('application/json', `{"data":{"a":[${number}]}}`),
    'JSON in a JSON body': (number) => push('application/json', JSON.stringify({ data: `{"a":[${number}]}` })),
    'JSON in a form': (number) => push(FORM, `data=${encodeURIComponent(`{"a":[${number}]}`)}`),
    'JSON in a multipart form': (number) => push('', multipart(`{"a":[${number}]}`)),
    'arguments of an MCP tool': async (number) => {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_workflows","arguments":{"page":${number}}}}`;
      const { status, text } = await postMcp(api.baseUrl, body, { authorization: `Bearer ${mcp}` });
      return { status, text: () => Promise.resolve(text.includes('cannot be kept') ? 'number_out_of_range' : text) };
    },
  };

  it.each(Object.keys(refusing))('are refused in %s, or kept', async (place) => {
    const found: unknown[] = [];
    for (const number of LOST) {
      const answer = await refusing[place]!(number);
      const text = await answer.text();
      if (answer.status !== 400 || !text.includes('number_out_of_range')) found.push([number, answer.status, text]);
    }
    for (const number of HELD) {
      const answer = await refusing[place]!(number);
      const text = await answer.text();
      if (text.includes('number_out_of_range')) found.push([number, answer.status, text]);
    }
    expect(found).toEqual([]);
  });

  it.each([
    ['page', '/microservices/workflow/?page='],
    ['wait_seconds', `/hooks/x/?wait_seconds=`],
  ])('are refused in the query as %s', async (_, path) => {
    for (const number of LOST.slice(0, 4)) {
      const answer = await fetch(`${api.baseUrl}${path}${number}`, {
        method: path.startsWith('/hooks') ? 'POST' : 'GET',
        headers: { authorization: `Token ${user.token}` },
      });
      expect([number, answer.status >= 400 && answer.status < 500]).toEqual([number, true]);
    }
  });

  it.each(['by URL', 'with a credential'])('are kept as text where a sender cannot be told (%s)', async (how) => {
    const deliver = (type: string, body: NonNullable<RequestInit['body']>) =>
      how === 'by URL'
        ? send(hook, type, body)
        : send(delivery.path, type, body, { 'x-webhook-secret': delivery.secret });
    for (const number of LOST) {
      const bodies: [type: string, body: string][] = [
        ['application/json', `{"a":${number}}`],
        ['application/vnd.shop+json', `{"a":${number}}`],
        ['text/plain', `{"a":${number}}`],
        ['', `{"a":${number}}`],
        [FORM, `a=${number}`],
      ];
      for (const [type, body] of bodies) expect((await deliver(type, new TextEncoder().encode(body))).status).toBe(202);
      expect((await deliver('application/xml', `<a>${number}</a>`)).status).toBe(202);
      const stored = await api.database.dataSource.query<{ payload: { a?: unknown; body?: unknown } }[]>(
        'SELECT payload FROM workflow_requests ORDER BY seq DESC LIMIT 6',
      );
      expect(stored.map(({ payload }) => payload.a ?? payload.body)).toEqual([
        `<a>${number}</a>`,
        ...Array.from({ length: 5 }, () => number),
      ]);
    }
  });
});
