import { HttpClient } from '../support/http-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { LONG } from '../support/long.js';
import { hostPlatform } from '../support/hosted-platform.js';
import type { Platform, RunningApp } from '../support/platform.js';
import { freePort } from '../support/free-port.js';
import { startRoundRobin } from '../support/round-robin.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';

/** The places whose api is replaced; the next one goes in the same way. */
const REPLACED = LONG ? [0, 1] : [0];
const CALLS_PER_SECOND = LONG ? 40 : 20;
/** Nobody could wait for it: those that are left by then are stopped by hand, or told twice. */
const ENDLESS = '300';

/** `npm run bench -- rolling` is the long form: ten restarts under 200 calls a second. */
describe('a rolling update', () => {
  let platform: Platform;
  const bases: string[] = [];
  const apis: RunningApp[] = [];
  const ports: number[] = [];

  beforeAll(async () => {
    platform = await hostPlatform(['workflow-runner'], {});
    for (let place = 0; place < 2; place += 1) {
      ports.push(await freePort());
      bases.push(`http://127.0.0.1:${ports[place]}`);
      apis.push(await start(place, REPLACED.includes(place) ? '3' : ENDLESS));
    }
  });
  afterAll(async () => {
    // Nobody waits for the load balancer any more.
    await Promise.all(apis.filter(({ process }) => process.exitCode === null).map((api) => api.kill('SIGINT')));
    await platform.stop();
  });

  const start = (place: number, delay: string) =>
    platform.start('api', { API_PORT: String(ports[place]), SHUTDOWN_DELAY_SECONDS: delay });

  it('drops no call, tells sockets to come back, and says so in time', async () => {
    const owner = await HttpClient.signUp(bases[0]!);
    const { workflow_id: id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: fanOutAndJoin,
    });
    const opened = await owner.send('PUT', `/microservices/workflow/${id}/webhook-url/`, {});
    const hook = new URL(((await opened.json()) as { webhook_url: string }).webhook_url).pathname;
    const authorization = `Token ${owner.token}`;
    const json = { 'content-type': 'application/json' };
    const load = startRoundRobin(
      bases,
      [
        { method: 'GET', path: '/users/me/', headers: { authorization }, status: 200 },
        { method: 'POST', path: hook, headers: json, body: '{"n":1}', status: 202 },
        { method: 'GET', path: `/microservices/workflow/${id}/`, headers: { authorization }, status: 200 },
      ],
      CALLS_PER_SECOND,
    );
    await until(() => bases.every((base) => load.isReady(base)));
    for (const place of REPLACED) {
      const base = bases[place]!;
      const socket = NodesSocket.of(base, id, `token=${owner.token}`);
      await until(() => socket.isOpen);
      const ended = apis[place]!.kill('SIGTERM');
      await until(async () => (await fetch(`${base}/readyz/`)).status === 503);
      // It goes on serving, and each answer sends the connection elsewhere.
      const served = await fetch(`${base}/users/me/`, { headers: { authorization } });
      expect([served.status, served.headers.get('connection')]).toEqual([200, 'close']);
      expect((await fetch(`${base}/healthz/`)).status).toBe(200);
      expect(socket.isOpen).toBe(true);
      await ended;
      expect(await socket.closed).toBe(1001);
      apis[place] = await start(place, ENDLESS);
      await until(() => load.isReady(base));
    }
    const sent = await load.stop();
    expect(load.failures).toEqual([]);
    expect(sent).toBeGreaterThan(5 * CALLS_PER_SECOND);
  });

  it('waits for nobody when it is stopped by hand, or told twice', async () => {
    const ways = [['SIGINT'], ['SIGTERM', 'SIGTERM']] as const;
    for (const [place, signals] of ways.entries()) {
      const api = apis[place]!;
      const ended = api.kill(signals[0]);
      const readyz = `${bases[place]}/readyz/`;
      if (signals.length > 1) {
        // Signals that are not yet taken are one.
        await until(async () => (await fetch(readyz)).status === 503);
        void api.kill(signals[1]);
      }
      await ended;
      expect(api.process.exitCode).toBe(0);
    }
  });
});
