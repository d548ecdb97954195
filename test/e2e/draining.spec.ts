import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient } from '../support/http-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { hostPlatform } from '../support/hosted-platform.js';
import type { Platform, RunningApp } from '../support/platform.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

/** Longer than an api that closes at once gives anybody. */
const PATIENT_MS = 7000;
/** The most that a caller may ask for. */
const WAIT_SECONDS = 25;

interface Answered {
  status: number;
  connection: string | undefined;
  body: string;
}

const answerOf = (sent: ClientRequest): Promise<Answered> =>
  new Promise((done, fail) => {
    sent.once('error', fail);
    sent.once('response', (response: IncomingMessage) => {
      let body = '';
      response.setEncoding('utf8').on('data', (piece: string) => (body += piece));
      response.once('error', fail);
      response.once('end', () =>
        done({ status: response.statusCode ?? 0, connection: response.headers.connection, body }),
      );
    });
  });

/** What is under way when an api is told to stop, without any help of a load balancer. */
describe('an api that is told to stop', () => {
  let platform: Platform;
  let told: RunningApp;
  let base: string;
  /** Goes on. */
  let other: string;
  let owner: HttpClient;

  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner'], { SHUTDOWN_DRAIN_SECONDS: '60' });
    other = platform.baseUrl;
    told = await platform.start('api');
    base = `http://127.0.0.1:${String(told.ready.port)}`;
    owner = await HttpClient.signUp(other);
  });
  afterAll(() => platform.stop());

  /** A workflow whose runs last, and the path of its webhook. */
  async function lasting(): Promise<{ id: string; hook: string }> {
    const nodes = [
      { id: 'hook', kind: 'webhook_trigger', next: ['wait'] },
      { id: 'wait', kind: 'delay', params: { seconds: 600 } },
    ];
    const { workflow_id: id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: { nodes },
    });
    const opened = await owner.send('PUT', `/microservices/workflow/${id}/webhook-url/`, {});
    return { id, hook: new URL(((await opened.json()) as { webhook_url: string }).webhook_url).pathname };
  }
  const isRunning = async (id: string) =>
    (await owner.get<{ status: string }>(`/microservices/workflow/${id}/`)).status === 'RUNNING';
  const stop = (id: string) => owner.post('/microservices/workflow/stop/', { workflow_id: id });

  it('answers callers who wait, uploads and connections that it has, and sends followers elsewhere', async () => {
    const headers = { authorization: `Token ${owner.token}` };

    const followed = await lasting();
    await fetch(`${other}${followed.hook}?wait_seconds=0`, { method: 'POST', body: '{}' });
    await until(() => isRunning(followed.id));
    const events = await fetch(`${base}/microservices/workflow/${followed.id}/history/1/events/`, { headers });
    expect(events.status).toBe(200);
    const heard = events.text();
    const socket = NodesSocket.of(base, followed.id, `token=${owner.token}`);
    await until(() => socket.isOpen);
    // A connection that has spoken, and will speak again.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = (path: string) => answerOf(request(base + path, { headers, agent }).end());
    expect((await call('/users/me/')).status).toBe(200);
    // Half of an upload.
    const boundary = 'half';
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="path"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n`;
    const uploading = request(`${base}/semantic-search/upload/`, {
      method: 'POST',
      headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
      agent: false,
    });
    const uploaded = answerOf(uploading);
    uploading.write(`${part}first `);
    // A caller who waits for the end of a run.
    const awaited = await lasting();
    const waiting = request(`${base}${awaited.hook}?wait_seconds=${WAIT_SECONDS}`, { method: 'POST', agent: false });
    const waited = answerOf(waiting);
    waiting.end('{}');
    await until(() => isRunning(awaited.id));

    const stopped = performance.now();
    const ended = told.kill('SIGTERM');
    await until(() =>
      fetch(`${base}/healthz/`).then(
        () => false,
        () => true,
      ),
    );
    expect(await call('/users/me/')).toMatchObject({ status: 200, connection: 'close' });
    await sleep(Math.max(0, PATIENT_MS - (performance.now() - stopped)));
    expect(socket.isOpen).toBe(true);
    uploading.end(`second\r\n--${boundary}--\r\n`);
    expect(await uploaded).toMatchObject({ status: 201, connection: 'close' });
    await stop(awaited.id);
    const { status, body } = await waited;
    expect([status, JSON.parse(body)]).toEqual([200, expect.objectContaining({ status: 'cancelled' })]);
    // An end, not a break: the client comes back from where it was.
    expect(await heard).toContain('event: snapshot');
    expect(await socket.closed).toBe(1001);
    await ended;
    expect(told.process.exitCode).toBe(0);
    await stop(followed.id);
  });

  inAll('has an end for those who wait too long', async () => {
    const api = await platform.start('api', { SHUTDOWN_DRAIN_SECONDS: '1' });
    const { id, hook } = await lasting();
    const url = `http://127.0.0.1:${String(api.ready.port)}${hook}?wait_seconds=${WAIT_SECONDS}`;
    const waiting = fetch(url, { method: 'POST', body: '{}' });
    await until(() => isRunning(id));
    await api.kill('SIGTERM');
    // It is written down and goes on; the caller is told so.
    expect((await waiting).status).toBe(202);
    await stop(id);
  });
});
