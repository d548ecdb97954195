import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { HttpClient } from '../support/http-client.js';
import { startPlatform, type Platform } from '../support/platform.js';
import { testServers } from '../support/servers.js';
import { until } from '../support/until.js';

/** Between the api and Postgres: can fall silent, as a frozen server does, or cut every connection. */
class Wire {
  private readonly pairs = new Set<[Socket, Socket]>();
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async to(host: string, port: number): Promise<Wire> {
    const server = createServer((near) => {
      const far = connect(port, host);
      const pair: [Socket, Socket] = [near, far];
      wire.pairs.add(pair);
      for (const [from, into] of [pair, [far, near]] as const) {
        from.on('data', (bytes) => into.write(bytes));
        from.on('error', () => into.destroy());
        from.on('close', () => {
          wire.pairs.delete(pair);
          into.destroy();
        });
      }
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const wire = new Wire(server, (server.address() as AddressInfo).port);
    return wire;
  }

  /** The connections that exist say nothing more; new ones work, as after a failover. */
  freeze(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  cut(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.resetAndDestroy();
  }

  close(): void {
    this.server.close();
    this.cut();
  }
}

describe('the api while Postgres misbehaves', () => {
  let platform: Platform;
  let wire: Wire;
  let client: HttpClient;
  beforeAll(async () => {
    const { hostname, port } = new URL(testServers().databaseUrl);
    wire = await Wire.to(hostname, Number(port));
    platform = await startPlatform([]);
    const url = new URL(platform.database.url);
    url.host = `127.0.0.1:${wire.port}`;
    const overrides = { DATABASE_URL: url.toString(), DATABASE_STATEMENT_TIMEOUT_MS: '1000', DATABASE_POOL_SIZE: '4' };
    const api = await platform.start('api', overrides);
    client = await HttpClient.signUp(`http://127.0.0.1:${String(api.ready.port)}`);
  }, 60_000);
  afterAll(async () => {
    await platform.stop();
    wire.close();
  }, 30_000);

  const list = () => client.send('GET', '/semantic-search/documents/');
  const create = () =>
    client.send('POST', '/microservices/workflow/start/', {
      json: { name: 'W', nodes: [{ id: 'start', kind: 'manual_trigger' }] },
    });

  it('gives a silent connection up, answers 503 and is back on new ones', async () => {
    await Promise.all(Array.from({ length: 8 }, list));
    wire.freeze();
    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: 12 }, list));
    expect(performance.now() - started).toBeLessThan(9000);
    for (const answer of answers) expect([200, 503]).toContain(answer.status);
    expect(answers.map(({ status }) => status)).toContain(503);
    const refused = answers.find(({ status }) => status === 503)!;
    expect(await refused.json()).toMatchObject({ code: 'database_unavailable' });
    await until(async () => (await list()).status === 200, 5000);
    expect((await Promise.all(Array.from({ length: 8 }, list))).map(({ status }) => status)).toEqual(
      Array(8).fill(200),
    );
  }, 30_000);

  it('answers 503, never 500, when connections break in the middle of transactions', async () => {
    const statuses = new Set<number>();
    const until = Date.now() + 4000;
    const work = Array.from({ length: 12 }, async () => {
      while (Date.now() < until) statuses.add((await create()).status);
    });
    while (Date.now() < until) {
      await new Promise((done) => setTimeout(done, 23));
      wire.cut();
    }
    await Promise.all(work);
    expect([...statuses].toSorted()).toEqual([201, 503]);
  }, 30_000);
});
