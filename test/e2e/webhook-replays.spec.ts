import { createHmac } from 'node:crypto';
import { call, senders } from '../support/hooks.js';
import { HttpClient } from '../support/http-client.js';
import { hostPlatform } from '../support/hosted-platform.js';
import { rounds } from '../support/long.js';
import type { Platform, RunningApp } from '../support/platform.js';
import { until } from '../support/until.js';
import { startWorkflow } from '../support/workflow-api.js';
import { fanOutAndJoin } from '../support/workflows.js';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const AT_ONCE = rounds(20, 10);
const SCHEMES = ['github', 'hmac', 'X-Hub-Signature-256', 'zoom', 'slack', 'stripe', 'svix', 'standard-webhooks'];
const json = { 'content-type': 'application/json' };

/** What came to a captured call: an answer, or none where the api died. */
type Outcome = { status: number; requestId: unknown } | null;

const addressOf = ({ ready }: RunningApp) => `http://127.0.0.1:${String(ready.port)}`;

describe('one signed call, replayed by many at once', () => {
  let platform: Platform;
  let owner: HttpClient;
  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner']);
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  async function open(
    scheme: string,
  ): Promise<{ id: string; path: string; headers: Record<string, string>; body: string }> {
    const id = await startWorkflow(owner, fanOutAndJoin);
    const body = JSON.stringify({ id: 'evt_1', event_id: 'Ev1', n: 1, zen: scheme });
    if (scheme === 'X-Hub-Signature-256') {
      const { webhook_id, webhook_secret } = await owner.get<Record<string, string>>(`/microservices/workflow/${id}/`);
      const digest = createHmac('sha256', webhook_secret!).update(body).digest('hex');
      const headers = { ...json, 'x-hub-signature-256': `sha256=${digest}` };
      return { id, path: `/microservices/workflow/webhook/${webhook_id}/`, headers, body };
    }
    const wish = { scheme, secret: SECRET, ...(scheme === 'hmac' && { header_name: 'X-Key' }) };
    const response = await owner.send('PUT', `/microservices/workflow/${id}/webhook-url/`, wish);
    const { webhook_url: url } = (await response.json()) as { webhook_url: string };
    const headers = { ...json, ...senders[scheme]!(SECRET, body, new Date(), 'd1') };
    return { id, path: new URL(url).pathname, headers, body };
  }
  /** Each under names of its own, where a replayer may write them. */
  const replay = (bases: readonly string[], { path, headers, body }: Awaited<ReturnType<typeof open>>) =>
    Array.from({ length: AT_ONCE }, async (_, n): Promise<Outcome> => {
      const named = 'svix-id' in headers || 'webhook-id' in headers ? {} : { 'idempotency-key': `k${n}` };
      try {
        const answer = await call(bases[n % bases.length]! + path, {
          method: 'POST',
          body,
          headers: { ...headers, ...named, ...('x-github-delivery' in headers && { 'x-github-delivery': `d${n}` }) },
        });
        return { status: answer.status, requestId: answer.body.request_id };
      } catch {
        return null;
      }
    });
  const runsOf = async (id: string) =>
    (
      await platform.database.dataSource.query<{ runs: number; requests: number; done: number }[]>(
        `SELECT (SELECT count(*)::int FROM workflow_runs r WHERE r.workflow_id = $1) AS runs,
           (SELECT count(*)::int FROM workflow_runs r WHERE r.workflow_id = $1 AND r.status = 'COMPLETED') AS done,
           (SELECT count(*)::int FROM workflow_requests q WHERE q.workflow_id = $1) AS requests`,
        [id],
      )
    )[0]!;

  it('is one run, also when the api is killed between', async () => {
    const hooks = await Promise.all(SCHEMES.map(open));
    const mortal = await platform.start('api');
    const bases = [platform.baseUrl, addressOf(mortal)];
    const first = hooks.map((hook) => replay(bases, hook));
    await Promise.race(first.flat());
    await mortal.kill('SIGKILL');
    await Promise.all(
      hooks.map(async (hook, place) => {
        const outcomes = await Promise.all([...first[place]!, ...replay([platform.baseUrl], hook)]);
        const answered = outcomes.filter((outcome) => outcome !== null);
        await until(async () => (await runsOf(hook.id)).done > 0);
        expect({
          scheme: SCHEMES[place],
          statuses: [...new Set(answered.map(({ status }) => status))],
          named: new Set(answered.map(({ requestId }) => requestId)).size,
          answered: answered.length >= AT_ONCE * 1.5,
          ...(await runsOf(hook.id)),
        }).toEqual({
          scheme: SCHEMES[place],
          statuses: [202],
          named: 1,
          answered: true,
          runs: 1,
          requests: 1,
          done: 1,
        });
      }),
    );
  });
});
