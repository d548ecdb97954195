import { setTimeout as sleep } from 'node:timers/promises';
import { LiveBus, LiveEventLog, LiveRedis } from '@app/live';
import { WebSocket } from 'ws';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { HttpClient } from '../support/http-client.js';
import { FULL, LONG } from '../support/long.js';
import type { RunningApp } from '../support/platform.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';

/** The run with `npm run test:chaos` and `npm run test:long`; a shorter one of the same kind in `npm test`. */
const full = LONG || FULL;
const CLIENTS = full ? 100 : 12;
const KILLS = full ? 8 : 2;
const EVERY_MS = full ? 3 : 5;

interface Replica {
  baseUrl: string;
  /** A short run hosts the successors of those that are killed: none of them is killed again. */
  process: RunningApp | null;
}

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
    private readonly baseUrls: () => string[],
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
    const baseUrls = this.baseUrls();
    const baseUrl = baseUrls[Math.floor(Math.random() * baseUrls.length)]!;
    const resume = this.seqs.length > 0 ? `&last_seq=${this.seqs.at(-1)}` : '';
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}${this.path}${resume}`);
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
  let platform: HostedPlatform;
  let live: LiveBus;
  let redis: LiveRedis;
  let clients: ResumingClient[] = [];
  const apis: Replica[] = [];

  beforeAll(async () => {
    platform = await hostPlatform([], { SOCKETS_PER_USER: '1000' });
    apis.push(...(await Promise.all([startReplica(), startReplica()])));
    redis = new LiveRedis(platform.env.REDIS_URL!, platform.env.REDIS_KEY_PREFIX!);
    live = new LiveBus(redis, new LiveEventLog(redis));
    await until(() => redis.commands.status === 'ready');
  });
  afterAll(async () => {
    for (const client of clients) client.end();
    redis.onApplicationShutdown();
    await platform.stop();
  });

  async function startReplica(): Promise<Replica> {
    const process = await platform.start('api');
    return { baseUrl: `http://127.0.0.1:${String(process.ready.port)}`, process };
  }
  const hostReplica = async (): Promise<Replica> => ({ baseUrl: (await platform.host('api')).baseUrl, process: null });
  const baseUrls = () => apis.map(({ baseUrl }) => baseUrl);

  it('loses no event and repeats none, whoever dies when', async () => {
    const owner = await HttpClient.signUp(baseUrls()[0]!);
    const { workflow_id: id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: fanOutAndJoin,
    });
    clients = Array.from(
      { length: CLIENTS },
      () => new ResumingClient(`/ws/workflow/${id}/nodes/?token=${owner.token}`, baseUrls),
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
        await victim.process!.kill('SIGKILL');
        await fetch(`${baseUrls()[0]}/microservices/workflow/${id}/`, {
          method: 'PUT',
          headers: { authorization: `Token ${owner.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ name: `After kill ${kill}`, json_spec: fanOutAndJoin }),
        });
        sent.saves += 1;
        apis.splice(kill % 2, 0, await (full ? startReplica() : hostReplica()));
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
  });
});
