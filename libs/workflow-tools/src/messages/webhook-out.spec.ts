import { Webhook } from 'standardwebhooks';
import { errorOf, guardedHttp, outputOf, runTool, startHost, type TestHost } from '../tool-context.spec-support.js';
import { webhookOutTool as tool } from './webhook-out.tool.js';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NEXT = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;

describe('webhook_out', () => {
  let host: TestHost;
  let status = 204;
  let http: ReturnType<typeof guardedHttp>;
  const params = (more: Record<string, unknown> = {}) => ({ url: `${host.url}/hook`, secret: SECRET, ...more });
  const last = () => host.received.at(-1)!;
  const verify = (secret: string) =>
    new Webhook(secret).verify(last().body.toString(), last().headers as Record<string, string>);

  beforeAll(async () => {
    host = await startHost((_, response) => response.writeHead(status, { location: '/elsewhere' }).end('banner'));
    http = guardedHttp(host.host);
  });
  beforeEach(() => (status = 204));
  afterAll(() => host.close());

  it('is signed so that any receiver of Standard Webhooks verifies it', async () => {
    const output = await outputOf(tool, params({ data: { a: 1 } }), { http });
    expect(output).toMatchObject({ status: 204, tries: 1 });
    expect(verify(SECRET)).toEqual({ a: 1 });
    expect(() => verify(NEXT)).toThrow();
    await outputOf(tool, params({ secret: `${SECRET} ${NEXT}`, event_type: 'a.b', data: [1] }), { http });
    expect(verify(NEXT)).toMatchObject({ type: 'a.b', data: [1] });
    expect(verify(SECRET)).toHaveProperty('timestamp');
  });

  it('carries one id through all tries of a node, and another one for another node', async () => {
    const ids = new Set<unknown>();
    for (const attempt of [1, 2]) {
      await outputOf(tool, params(), { http, attempt });
      ids.add(last().headers['webhook-id']);
    }
    expect(ids.size).toBe(1);
    await outputOf(tool, params(), { http, idempotencyKey: 'run:other' });
    ids.add(last().headers['webhook-id']);
    expect(ids.size).toBe(2);
  });

  it('is tried again later, away from its worker, and goes on counting', async () => {
    status = 503;
    const result = await runTool(tool, params({ event_type: 'e' }), { http, now: () => 1_000_000 });
    if (!('wait' in result)) throw new Error('It does not wait.');
    expect(result.wait).toMatchObject({ reason: 'timer', data: { tries: 1, at: 1_000_000 } });
    status = 200;
    const resume = { reason: 'timer' as const, data: result.wait.data!, answer: null };
    const later = { http, resume, now: () => 9_000_000 };
    expect(await outputOf(tool, params({ event_type: 'e' }), later)).toMatchObject({ tries: 2 });
    expect(JSON.parse(last().body.toString())).toMatchObject({ timestamp: new Date(1_000_000).toISOString() });
    expect(last().headers['webhook-timestamp']).toBe('9000');
  });

  it.each([
    [410, 'webhook_gone', false],
    [400, 'webhook_refused', true],
    [302, 'webhook_refused', true],
  ])('ends with status %i, without the words of the host and without following it', async (answer, code, retryable) => {
    status = answer;
    const before = host.received.length;
    const error = await errorOf(tool, params(), { http });
    expect(error).toMatchObject({ code, retryable });
    expect(error.message).not.toContain('banner');
    expect(host.received).toHaveLength(before + 1);
  });

  it('gives up after the last try', async () => {
    status = 500;
    const resume = { reason: 'timer' as const, data: { tries: 6, at: 1 }, answer: null };
    expect(await errorOf(tool, params(), { http, resume })).toMatchObject({ code: 'webhook_refused', retryable: true });
  });

  it.each(['secret', 'whsec_', 'whsec_short', `whsec_${Buffer.alloc(65).toString('base64')}`, `${SECRET} no`])(
    'refuses the secret %s, and does not repeat it',
    async (secret) => {
      const error = await errorOf(tool, params({ secret }), { http });
      expect(error).toMatchObject({ code: 'invalid_params', retryable: false });
      expect(tool.checkParams(params({ secret }), [])).toMatchObject([{ path: 'params.secret' }]);
    },
  );

  it('takes a secret by name, and is guarded', async () => {
    expect(tool.checkParams(params({ secret: '{{_secret.hook}}' }), [])).toEqual([]);
    const inside = params({ url: 'https://169.254.169.254/' });
    expect(await errorOf(tool, inside, { http })).toMatchObject({ code: 'address_refused' });
    const large = params({ data: 'x'.repeat(1_100_000) });
    expect(await errorOf(tool, large, { http })).toMatchObject({ code: 'payload_too_large' });
  });
});
