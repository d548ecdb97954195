import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Generation = 'G1' | 'G2' | 'G3';
type Json = Record<string, unknown>;

/** What a run does: events one after the other; a number is a pause in milliseconds; a question waits for its answer. */
export type Step = Json | number;

/** What the next answer to such a path is in place of the right one. */
export type Hostility =
  | { kind: 'html' | 'nothing' | 'redirect' | 'wrong type' | 'huge' | 'drip' | 'half frame' }
  | { kind: 'status'; status: number; body: Json }
  /** As text, of whatever type. */
  | { kind: 'page'; status: number; type: string; text: string }
  /** Taken, and never answered. */
  | { kind: 'hang' }
  /** The right answer, and then nobody hears of it. */
  | { kind: 'lost' }
  /** The right answer, broken off behind so many bytes. */
  | { kind: 'cut'; at: number };

interface Run {
  id: string;
  profile: string;
  status: string;
  createdAt: number;
  sessionId: string;
  events: { id: number; frame: Json }[];
  /** G1 and G2: what nobody has fetched yet; null: dropped. */
  queue: Json[] | null;
  isDone: boolean;
  output?: string;
  usage?: Json;
  error?: string;
  pending: Json[];
  isStopping: boolean;
  news: Set<() => void>;
}

const TERMINAL = ['completed', 'failed', 'cancelled', 'interrupted'];

/** A gateway of hermes-agent as its three generations are: /v1/capabilities and /v1/runs, in memory. */
export class HermesServer {
  readonly runs = new Map<string, Run>();
  readonly started: { profile: string; body: Json; key: string | undefined }[] = [];
  readonly steered: string[] = [];
  readonly calls: string[] = [];
  /** Of each run that begins; the last one of all further ones. */
  scripts: Step[][] = [];
  mostRuns = 10;
  /** Events of a run that the third generation still has. */
  journal = 1000;
  isDraining = false;
  private readonly keys = new Map<string, { run: string; body: string }>();
  /** How often a connection was cut. */
  cuts = 0;
  private readonly hostile: { path: RegExp; hostility: Hostility; isLasting: boolean }[] = [];
  private port = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((request, response) => void this.handle(request, response));

  constructor(
    readonly generation: Generation,
    readonly key = 'a-key-of-the-gateway',
  ) {
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket)).on('error', () => undefined);
    });
  }

  async listen(): Promise<this> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The next answer to the path, once. */
  fail(path: RegExp, hostility: Hostility): void {
    this.hostile.push({ path, hostility, isLasting: false });
  }

  /** All answers to the path, until it is forgiven. */
  keepFailing(path: RegExp, hostility: Hostility): void {
    this.hostile.push({ path, hostility, isLasting: true });
  }

  /** As when its network is away: what it does goes on. `listen` brings it back. */
  async leave(): Promise<void> {
    this.server.close();
    this.hangUp();
    await once(this.server, 'close');
  }

  /** As when its process ends and begins again: what was in memory is gone, the third generation remembers the names. */
  restart(): void {
    this.hangUp();
    for (const run of this.runs.values()) run.isDone = true;
    if (this.generation === 'G1') this.runs.clear();
    for (const run of this.runs.values()) {
      run.queue = null;
      run.events = [];
      if (!TERMINAL.includes(run.status)) {
        run.status = 'interrupted';
        run.error = 'The gateway restarted before this run settled.';
      }
    }
  }

  hangUp(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    for (const run of this.runs.values()) run.isDone = true;
    if (!this.server.listening) return;
    await this.leave();
  }

  /** What was to go wrong and has not. */
  forgive(): void {
    this.hostile.length = 0;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://gateway');
    const [, profile = 'default', path = ''] = /^(?:\/p\/([^/]+))?(\/.*)$/.exec(url.pathname)!;
    this.calls.push(`${request.method} ${path}`);
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const at = this.hostile.findIndex((one) => one.path.test(`${request.method} ${path}`));
    const hostility = this.hostile[at]?.hostility ?? null;
    if (this.hostile[at]?.isLasting === false) this.hostile.splice(at, 1);
    if (hostility && (await this.misbehave(response, hostility))) return;
    const out = new Wire(
      response,
      hostility?.kind === 'cut' ? hostility.at : null,
      hostility?.kind === 'lost',
      () => (this.cuts += 1),
    );
    if (request.headers.authorization !== `Bearer ${this.key}`)
      return out.json(401, {
        error: { message: 'Invalid API key', type: 'gateway_auth_error', code: 'gateway_auth_failed' },
      });
    const text = Buffer.concat(pieces).toString('utf8');
    if (text.length > 10_000_000) return out.json(413, fault('Request body too large', 'body_too_large'));
    const body = (text === '' ? {} : JSON.parse(text)) as Json;
    if (path === '/v1/capabilities') return out.json(200, this.capabilities());
    if (path === '/v1/runs' && request.method === 'POST')
      return this.begin(out, profile, body, request.headers['idempotency-key'] as string | undefined);
    const [, id, action = ''] = /^\/v1\/runs\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const run = this.runs.get(id ?? '');
    if (!run || run.profile !== profile) return out.json(404, fault(`Run not found: ${id}`, 'run_not_found'));
    if (action === '') return out.json(200, this.record(run));
    if (action === 'events') return this.stream(out, run, request, url);
    if (action === 'approval') return this.approve(out, run, body);
    if (action === 'steer') return this.steer(out, run, body);
    return this.end(out, run);
  }

  private capabilities(): Json {
    return {
      object: 'hermes.api_server.capabilities',
      features: {
        run_submission: true,
        run_status: true,
        run_events_sse: true,
        run_stop: true,
        ...(this.generation === 'G1'
          ? { run_approval_response: true }
          : {
              run_approval: true,
              run_steer: true,
              runs_idempotency: { supported: true, durable: true, retention_seconds: 86_400 },
            }),
      },
    };
  }

  private begin(out: Wire, profile: string, body: Json, given: string | undefined): void {
    const key = this.generation === 'G1' ? undefined : given;
    const before = key === undefined ? undefined : this.keys.get(`${profile} ${key}`);
    if (before && before.body !== JSON.stringify(body))
      return out.json(409, fault('Idempotency-Key was already used', 'idempotency_key_conflict'));
    if (before)
      return out.json(202, {
        run_id: before.run,
        status: this.runs.get(before.run)?.status ?? 'queued',
        replayed: true,
      });
    if (this.isDraining) return out.json(503, fault('Draining', 'gateway_draining'));
    if (!body.input) return out.json(400, fault("Missing 'input' field", null));
    const live = [...this.runs.values()].filter(({ status }) => !TERMINAL.includes(status));
    if (live.length >= this.mostRuns)
      return out.json(429, fault('Too many runs', 'rate_limit_exceeded'), { 'retry-after': '1' });
    const id = `run_${randomBytes(16).toString('hex')}`;
    const run: Run = {
      id,
      profile,
      status: 'queued',
      createdAt: now(),
      sessionId: String(body.session_id ?? id),
      events: [],
      queue: [],
      isDone: false,
      pending: [],
      isStopping: false,
      news: new Set(),
    };
    this.runs.set(id, run);
    if (key !== undefined) this.keys.set(`${profile} ${key}`, { run: id, body: JSON.stringify(body) });
    this.started.push({ profile, body, key: given });
    const script = this.scripts.length > 1 ? this.scripts.shift()! : (this.scripts[0] ?? []);
    void this.play(run, script);
    out.json(202, { run_id: id, status: 'started', replayed: false });
  }

  private async play(run: Run, script: readonly Step[]): Promise<void> {
    run.status = 'running';
    for (const step of script) {
      if (typeof step === 'number') {
        for (let waited = 0; waited < step && !run.isStopping && !run.isDone; waited += 5) await sleep(5);
        continue;
      }
      if (run.isDone) return;
      if (run.isStopping) break;
      this.tell(run, step);
      while (run.pending.length > 0 && !run.isStopping && !run.isDone) await sleep(5);
    }
    if (run.isStopping && !run.isDone) this.tell(run, { event: 'run.cancelled' });
  }

  private tell(run: Run, told: Json): void {
    const frame = { run_id: run.id, timestamp: now(), ...told };
    const event = String(told.event);
    if (event === 'approval.request') {
      run.pending.push(frame);
      run.status = 'waiting_for_approval';
    }
    if (/^run\.(completed|failed|cancelled|interrupted)$/.test(event)) {
      run.status = event.slice(4);
      Object.assign(run, { output: told.output, usage: told.usage, error: told.error });
      run.isDone = true;
    }
    run.queue?.push(frame);
    run.events.push({ id: (run.events.at(-1)?.id ?? 0) + 1, frame });
    while (run.events.length > this.journal) run.events.shift();
    for (const wake of run.news) wake();
  }

  private record(run: Run): Json {
    const approval = run.pending.at(-1);
    return {
      object: 'hermes.run',
      run_id: run.id,
      status: run.status,
      created_at: run.createdAt,
      updated_at: now(),
      session_id: run.sessionId,
      ...(approval && { approval }),
      ...(run.output !== undefined && { output: run.output }),
      ...(run.usage && { usage: run.usage }),
      ...(run.error !== undefined && { error: run.error }),
    };
  }

  private async stream(out: Wire, run: Run, request: IncomingMessage, url: URL): Promise<void> {
    const isNumbered = this.generation === 'G3';
    const { queue } = run;
    if (isNumbered ? run.events.length === 0 && run.isDone : queue === null)
      return out.json(404, fault(`Run not found: ${run.id}`, 'run_not_found'));
    let last = Number(request.headers['last-event-id'] ?? url.searchParams.get('last_seq') ?? 0);
    out.head(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    await out.write(': keepalive\n\n');
    try {
      while (!out.isGone) {
        const frames = isNumbered
          ? run.events.filter(({ id }) => id > last)
          : queue!.splice(0).map((frame) => ({ id: 0, frame }));
        for (const { id, frame } of frames) {
          await out.write(`${isNumbered ? `id: ${id}\n` : ''}data: ${JSON.stringify(frame)}\n\n`);
          last = id;
        }
        if (frames.length === 0 && run.isDone) break;
        if (frames.length === 0) await this.newsOf(run, out);
      }
      if (!out.isGone) await out.write(': stream closed\n\n');
      out.end();
    } finally {
      if (!isNumbered) run.queue = null;
    }
  }

  private async newsOf(run: Run, out: Wire): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    run.news.add(resolve);
    await Promise.race([promise, sleep(50, undefined, { ref: false })]);
    run.news.delete(resolve);
    if (Math.random() < 0.2) await out.write(': keepalive\n\n');
  }

  private approve(out: Wire, run: Run, { choice, request_id: named, all, resolve_all: each }: Json): void {
    if (!['once', 'session', 'always', 'deny'].includes(String(choice)))
      return out.json(400, fault('Invalid approval choice', 'invalid_approval_choice'));
    if (run.isDone) return out.json(409, fault('No approval session', 'approval_not_active'));
    const id = this.generation === 'G1' ? undefined : named;
    const answered =
      all === true || each === true
        ? run.pending
        : id === undefined
          ? run.pending.slice(0, 1)
          : run.pending.filter((one) => one.request_id === id);
    if (answered.length === 0) return out.json(409, fault('No pending approval', 'approval_not_pending'));
    run.pending = run.pending.filter((one) => !answered.includes(one));
    run.status = run.pending.length > 0 ? 'waiting_for_approval' : 'running';
    const echoed = id === undefined ? {} : { request_id: id };
    this.tell(run, { event: 'approval.responded', choice, ...echoed, resolved: answered.length });
    out.json(200, {
      object: 'hermes.run.approval_response',
      run_id: run.id,
      choice,
      ...echoed,
      resolved: answered.length,
    });
  }

  private steer(out: Wire, run: Run, { input, message, text }: Json): void {
    const said = input ?? message ?? text;
    if (run.status !== 'running') return out.json(409, fault('Not accepting steer', 'run_not_accepting_steer'));
    if (typeof said !== 'string' || said === '') return out.json(400, fault('Missing text', 'invalid_steer_input'));
    this.steered.push(said);
    this.tell(run, { event: 'run.steered', accepted: true });
    out.json(200, { object: 'hermes.run.steer', run_id: run.id, accepted: true });
  }

  private end(out: Wire, run: Run): void {
    if (TERMINAL.includes(run.status))
      return this.generation === 'G1'
        ? out.json(404, fault(`Run not found: ${run.id}`, 'run_not_found'))
        : out.json(200, this.record(run));
    run.status = 'stopping';
    run.isStopping = true;
    out.json(200, { run_id: run.id, status: 'stopping' });
  }

  /** @returns whether that was the answer */
  private async misbehave(response: ServerResponse, hostility: Hostility): Promise<boolean> {
    response.on('error', () => undefined);
    if (hostility.kind === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
    else if (hostility.kind === 'nothing') response.destroy();
    else if (hostility.kind === 'redirect') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    else if (hostility.kind === 'wrong type') response.writeHead(200, { 'content-type': 'image/png' }).end('png');
    else if (hostility.kind === 'huge')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${'x'.repeat(10_000_000)}\n\n`);
    else if (hostility.kind === 'half frame')
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('data: {"event":"message.delta","delta":"ha');
    else if (hostility.kind === 'status')
      response.writeHead(hostility.status, { 'content-type': 'application/json' }).end(JSON.stringify(hostility.body));
    else if (hostility.kind === 'page')
      response.writeHead(hostility.status, { 'content-type': hostility.type }).end(hostility.text);
    else if (hostility.kind === 'hang') return true;
    else if (hostility.kind === 'drip') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      while (!response.destroyed) {
        response.write('x');
        await sleep(20);
      }
    } else return false;
    return true;
  }
}

/** Writes in pieces whose borders nobody chose. */
class Wire {
  isGone = false;
  private left: number;

  constructor(
    private readonly response: ServerResponse,
    cutAt: number | null,
    private readonly isLost: boolean,
    private readonly whenCut: () => void,
  ) {
    this.left = cutAt ?? Infinity;
    response.on('close', () => (this.isGone = true)).on('error', () => undefined);
  }

  json(status: number, body: Json, headers: Record<string, string> = {}): void {
    if (this.isLost) return void this.response.destroy();
    this.response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }

  head(status: number, headers: Record<string, string>): void {
    this.response.writeHead(status, headers);
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length && !this.isGone;) {
      const most = bytes.length > 1_000_000 ? 65_536 : 40;
      const size = Math.min(1 + Math.floor(Math.random() * most), bytes.length - at, this.left);
      if (size > 0) this.response.write(bytes.subarray(at, at + size));
      at += size;
      this.left -= size;
      if (this.left <= 0) {
        // What was written arrives before the connection is reset.
        await sleep(5);
        this.response.destroy();
        this.isGone = true;
        this.whenCut();
      } else if (Math.random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  end(): void {
    this.response.end();
  }
}

const now = (): number => Date.now() / 1000;
const fault = (message: string, code: string | null): Json => ({
  error: { message, type: 'invalid_request_error', param: null, code },
});
