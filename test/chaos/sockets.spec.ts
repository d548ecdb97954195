import { setTimeout as sleep } from 'node:timers/promises';
import { LiveBus, LiveEventLog, LiveRedis } from '@app/live';
import { WebSocket } from 'ws';
import { HttpClient } from '../support/http-client.js';
import { type Platform, type RunningApp, startPlatform } from '../support/platform.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';

/** The run with `npm run test:chaos`; a shorter one of the same kind in `npm test`. */
const full = process.env.ATRIUM_CHAOS === 'full';
const CLIENTS = full ? 100 : 20;
const KILLS = full ? 8 : 2;
const EVERY_MS = 3;

interface Frame {
  type: string;
  seq?: number;
  data: { n: number };
}

/** Reconnects wherever an api listens, as docs/contract/chats.md#the-channel tells clients to. */
class ResumingClient {
  readonly numbers: number[] = [];
  readonly seqs: number[] = [];
  readonly definitions: number[] = [];
  resyncs = 0;
  connections = 0;
  private socket: WebSocket | null = null;
  private isDone = false;

  constructor(
    private readonly path: string,
    private readonly ports: () => number[],
  ) {
    this.connect();
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  end(): void {
    this.isDone = true;
    this.socket?.terminate();
  }

  private connect(): void {
    if (this.isDone) return;
    const ports = this.ports();
    const port = ports[Math.floor(Math.random() * ports.length)];
    const resume = this.seqs.length > 0 ? `&last_seq=${this.seqs.at(-1)}` : '';
    const socket = new WebSocket(`ws://127.0.0.1:${port}${this.path}${resume}`);
    this.socket = socket;
    socket.on('open', () => (this.connections += 1));
    socket.on('message', (data) => this.take(JSON.parse(String(data)) as Frame & { content_revision: number }));
    socket.on('error', () => null);
    socket.on('close', () => setTimeout(() => this.connect(), 50 + Math.random() * 150));
  }

  private take({ type, seq, data, content_revision: revision }: Frame & { content_revision: number }): void {
    if (seq !== undefined) this.seqs.push(seq);
    if (type === 'agent_response') this.numbers.push(data.n);
    if (type === 'workflow_definition_updated') this.definitions.push(revision);
    if (type === 'resync') this.resyncs += 1;
  }
}

describe('chaos: api replicas killed under their sockets', () => {
  let platform: Platform;
  let live: LiveBus;
  let redis: LiveRedis;
  let clients: ResumingClient[] = [];
  const apis: RunningApp[] = [];

  beforeAll(async () => {
    platform = await startPlatform([], { SOCKETS_PER_USER: '1000' });
    apis.push(...(await Promise.all([platform.start('api'), platform.start('api')])));
    redis = new LiveRedis(platform.env.REDIS_URL!, platform.env.REDIS_KEY_PREFIX!);
    live = new LiveBus(redis, new LiveEventLog(redis));
    await until(() => redis.commands.status === 'ready');
  });
  afterAll(async () => {
    for (const client of clients) client.end();
    redis.onApplicationShutdown();
    await platform.stop();
  });

  const ports = () => apis.map(({ ready }) => ready.port as number);

  it('loses no event and repeats none, whoever dies when', async () => {
    const owner = await HttpClient.signUp(`http://127.0.0.1:${ports()[0]}`);
    const { workflow_id: id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: fanOutAndJoin,
    });
    clients = Array.from(
      { length: CLIENTS },
      () => new ResumingClient(`/ws/workflow/${id}/nodes/?token=${owner.token}`, ports),
    );
    await until(() => clients.every(({ seqs }) => seqs.length > 0));

    const sent = { events: 0, saves: 0, isDone: false };
    const publishing = (async () => {
      while (!sent.isDone) {
        sent.events += 1;
        live.publish(`workflow:${id}`, {
          type: 'agent_response',
          nodeExecutionId: 'node',
          data: { status: 'telemetry', n: sent.events },
        });
        await sleep(EVERY_MS);
      }
    })();
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const victim = apis.splice(kill % 2, 1)[0]!;
        await sleep(200 + Math.random() * 300);
        await victim.kill('SIGKILL');
        await fetch(`http://127.0.0.1:${ports()[0]}/microservices/workflow/${id}/`, {
          method: 'PUT',
          headers: { authorization: `Token ${owner.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ name: `After kill ${kill}`, json_spec: fanOutAndJoin }),
        });
        sent.saves += 1;
        apis.splice(kill % 2, 0, await platform.start('api'));
      }
    } finally {
      sent.isDone = true;
      await publishing;
    }

    const all = Array.from({ length: sent.events }, (_, index) => index + 1);
    await until(() => clients.every(({ numbers, isOpen }) => isOpen && numbers.at(-1) === sent.events));
    for (const { numbers, seqs, definitions, resyncs } of clients) {
      expect(numbers).toEqual(all);
      expect(definitions).toEqual(Array.from({ length: sent.saves }, (_, index) => index + 2));
      expect(seqs.every((seq, index) => index === 0 || seq > seqs[index - 1]!)).toBe(true);
      expect(resyncs).toBe(0);
    }
    const resumed = clients.reduce((sum, { connections }) => sum + connections - 1, 0);
    expect(resumed).toBeGreaterThanOrEqual(CLIENTS);
  }, 400_000);
});
