import { AppLogger } from '@app/observability';
import { LiveBus } from '@app/live';
import { Redis } from 'ioredis';
import { startApi, type TestApi } from '../support/api.js';
import { HttpClient } from '../support/http-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { rawCall } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';
import { stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';

const idOf = async (client: HttpClient) => (await client.get<{ info: { id: number } }>('/users/me/')).info.id;
const numbers = (socket: NodesSocket) =>
  socket.ofType('agent_response').map(({ data }) => (data as unknown as { n: number }).n);
const seqs = (socket: NodesSocket) => socket.frames.flatMap(({ seq }) => seq ?? []);
const rising = (values: number[]) => values.every((value, index) => index === 0 || value > values[index - 1]!);
const isAt = (socket: NodesSocket, version: number) => socket.ofType('workflow_nodes').at(-1)?.run_version === version;
const events = (socket: NodesSocket) =>
  socket.frames.filter(({ type }) => type !== 'workflow_nodes').map(({ seq, data }) => ({ seq, data }));
const people = (socket: NodesSocket) =>
  (socket.ofType('presence').at(-1)?.data as unknown as { user: { username: string }; state: string }[]) ?? [];

describe('the workflow channel over two api replicas', () => {
  let api: TestApi;
  let other: TestApi;
  let owner: HttpClient;
  const sockets: NodesSocket[] = [];
  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);

  beforeAll(async () => {
    api = await startApi({ SOCKETS_PER_USER: '12' });
    other = await api.startReplica();
    owner = await api.signUp();
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.close();
  });
  afterAll(async () => {
    await other.stop();
    await api.stop();
  });

  const create = async (json: unknown = fanOutAndJoin, client = owner) =>
    (await client.post<{ workflow_id: string }>('/microservices/workflow/start/', { json })).workflow_id;
  function open(id: string, { at = api, query = '', client = owner } = {}): NodesSocket {
    const socket = NodesSocket.of(at.baseUrl, id, `token=${client.token}${query}`);
    sockets.push(socket);
    return socket;
  }
  async function opened(...given: Parameters<typeof open>): Promise<NodesSocket> {
    const socket = open(...given);
    await until(() => socket.frames.length > 0);
    return socket;
  }
  async function member(id: string, role = 'viewer'): Promise<HttpClient> {
    const client = await api.signUp();
    await sql('INSERT INTO workflow_collaborators (workflow_id, user_id, role) VALUES ($1, $2, $3)', [
      id,
      await idOf(client),
      role,
    ]);
    return client;
  }
  const save = (id: string, name: string, spec: { nodes: unknown } = fanOutAndJoin) =>
    owner.send('PUT', `/microservices/workflow/${id}/`, { name, json_spec: { ...spec, name } });
  const ask = (id: string, n: number, from = api) =>
    from.app.get(LiveBus).publish(`workflow:${id}`, {
      type: 'agent_response',
      nodeExecutionId: 'node',
      data: { status: 'telemetry', n },
    });

  it('sends the list first and alone, and numbers frames so that they rise on every replica', async () => {
    const id = await create();
    const here = await opened(id);
    const there = await opened(id, { at: other });
    expect(here.frames.map(({ type }) => type)).toEqual(['workflow_nodes']);
    for (let n = 1; n <= 20; n += 1) ask(id, n, n % 2 ? api : other);
    await save(id, 'Renamed');
    await until(() => [here, there].every((socket) => socket.ofType('workflow_definition_updated').length === 1));
    await until(() => [here, there].every((socket) => numbers(socket).length === 20));
    for (const socket of [here, there]) {
      expect(numbers(socket).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      expect(rising(seqs(socket))).toBe(true);
    }
    expect(events(here)).toEqual(events(there));
    expect(here.ofType('workflow_definition_updated')[0]).toMatchObject({
      data: { name: 'Renamed' },
      actor: { username: owner.username },
      content_revision: 2,
    });
  });

  it('does not send a list again that says nothing new', async () => {
    const id = await create();
    const socket = await opened(id);
    for (let times = 0; times < 5; times += 1) {
      api.app.get(LiveBus).publish(`workflow:${id}`, { type: 'nodes_changed', runVersion: 0 });
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    await opened(id);
    expect(socket.ofType('workflow_nodes')).toHaveLength(1);
  });

  it('gives what was missed to who resumes, on any replica, once and in order', async () => {
    const id = await create();
    const first = await opened(id);
    ask(id, 1);
    await until(() => numbers(first).length === 1);
    const { lastSeq } = first;
    first.close();
    await first.closed;
    ask(id, 2);
    await save(id, 'Saved meanwhile');
    ask(id, 3, other);
    const stays = await opened(id, { at: other, query: `&last_seq=${lastSeq}` });
    await until(() => stays.ofType('workflow_nodes').length > 0);
    expect(stays.frames.map(({ type }) => type)).toEqual([
      'agent_response',
      'workflow_definition_updated',
      'agent_response',
      'workflow_nodes',
    ]);
    expect(numbers(stays)).toEqual([2, 3]);
    expect(rising([lastSeq, ...seqs(stays)])).toBe(true);
    ask(id, 4);
    await until(() => numbers(stays).length === 3);
    stays.say({ type: 'resume', last_seq: lastSeq });
    await until(() => numbers(stays).length === 6);
    expect(numbers(stays)).toEqual([2, 3, 4, 2, 3, 4]);
  });

  it('loses and repeats nothing while clients come back under load', async () => {
    const id = await create();
    const counts = { published: 0, resumed: 0, isDone: false };
    const publisher = (async () => {
      while (!counts.isDone) {
        counts.published += 1;
        ask(id, counts.published, counts.published % 2 ? api : other);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    const hopper = async () => {
      const heard: number[] = [];
      let socket = await opened(id);
      let seen = socket.lastSeq;
      for (let hop = 0; hop < 12; hop += 1) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
        socket.close();
        await socket.closed;
        heard.push(...numbers(socket));
        seen = Math.max(seen, socket.lastSeq);
        socket = await opened(id, { at: hop % 2 ? api : other, query: `&last_seq=${seen}` });
        counts.resumed += 1;
        expect(socket.ofType('resync')).toEqual([]);
      }
      return { heard, socket };
    };
    const hoppers = await Promise.all([hopper(), hopper(), hopper()]).finally(() => (counts.isDone = true));
    await publisher;
    for (const { heard, socket } of hoppers) {
      const all = () => [...heard, ...numbers(socket)];
      await until(() => all().includes(counts.published));
      const order = all();
      // Two replicas publish at once: which of two neighbours comes first is Redis' to say.
      const from = Math.min(...order);
      expect(order.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: counts.published - from + 1 }, (_, index) => index + from),
      );
    }
    expect(counts.published).toBeGreaterThan(100);
  });

  it('says so when what was missed is known no longer', async () => {
    const id = await create();
    const first = await opened(id);
    const { lastSeq } = first;
    for (let n = 1; n <= 510; n += 1) ask(id, n);
    await until(() => numbers(first).length === 510);
    const late = await opened(id, { query: `&last_seq=${lastSeq}` });
    await until(() => numbers(late).length === 500);
    expect(late.frames[0]).toEqual({ type: 'resync', reason: 'events_lost' });
    const redis = new Redis(api.config.redis.url);
    const keys = await redis.keys(`${api.config.redis.keyPrefix}:live:{workflow:${id}}:*`);
    expect(keys).toHaveLength(2);
    await redis.del(...keys);
    redis.disconnect();
    const after = await opened(id, { query: `&last_seq=${first.lastSeq}` });
    expect(after.frames[0]!.type).toBe('resync');
    expect(await open(id, { query: '&last_seq=soon' }).closed).toBe(400);
    ask(id, 511);
    await until(() => numbers(first).length === 511);
    expect(numbers(after)).toEqual([511]);
    expect(first.ofType('resync')).toHaveLength(1);
    expect(after.lastSeq).toBeGreaterThan(first.lastSeq - 1);
  });

  it('makes up for what was published while the replicas could not hear it', async () => {
    const id = await create();
    const [here, there] = [await opened(id), await opened(id, { at: other })];
    const redis = new Redis(api.config.redis.url);
    const list = (await redis.client('LIST')) as string;
    const named = list.split('\n').filter((line) => line.includes(`name=${api.config.redis.keyPrefix}:live-sub`));
    // What does the jobs of the api has such a connection, too.
    expect(named.filter((line) => !line.includes(' sub=0 ')).length).toBeGreaterThanOrEqual(2);
    for (const line of named) await redis.client('KILL', 'ID', /id=(\d+)/.exec(line)![1]!);
    for (let n = 1; n <= 50; n += 1) ask(id, n);
    const { version } = await owner.post<{ version: number }>('/microservices/workflow/rerun/', { workflow_id: id });
    await until(() => [here, there].every((socket) => numbers(socket).length === 50));
    for (const socket of [here, there]) {
      expect(numbers(socket)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
      await until(() => socket.ofType('workflow_nodes').at(-1)!.run_version === version);
      expect(socket.ofType('resync')).toEqual([]);
    }
    redis.disconnect();
  });

  it('tells who is here on all replicas to those who say that they are', async () => {
    const id = await create();
    const editor = await member(id, 'editor');
    const silent = await opened(id);
    const mine = await opened(id);
    const theirs = await opened(id, { at: other, client: editor });
    mine.say({ type: 'presence', state: 'viewing' });
    theirs.say({ type: 'presence', state: 'editing', node_id: 'left' });
    await until(() => people(mine).length === 2 && people(theirs).length === 2);
    expect(people(mine)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ user: { id: expect.any(Number), username: owner.username }, state: 'viewing' }),
        expect.objectContaining({ state: 'editing', node_id: 'left', connections: 1 }),
      ]),
    );
    theirs.close();
    await until(() => people(mine).length === 1);
    mine.say({ type: 'presence', state: 'away' });
    mine.say({ type: 'nonsense' });
    mine.send('[1,');
    expect(silent.ofType('presence')).toEqual([]);
  });

  it('lets nobody stay whose access ends, not even while they connect', async () => {
    const id = await create();
    const clients = await Promise.all(Array.from({ length: 6 }, () => member(id)));
    const racing = clients.flatMap((client) => [open(id, { client }), open(id, { client, at: other })]);
    await sql('DELETE FROM workflow_collaborators WHERE workflow_id = $1', [id]);
    const took = stopwatch();
    for (const client of clients)
      api.app.get(LiveBus).publish(`workflow:${id}`, { type: 'access_changed', userId: await idOf(client) });
    const codes = await Promise.all(racing.map(({ closed }) => closed));
    expect(took()).toBeLessThan(5000);
    expect(codes.every((code) => code === 1008 || code === 404)).toBe(true);
  });

  it('tells nobody anything more who asks after their access has ended, heard of or not', async () => {
    const id = await create();
    const client = await member(id);
    const socket = await opened(id, { client });
    ask(id, 1);
    await until(() => numbers(socket).length === 1);
    // In the database alone: nobody is told, and the next look at all sockets is up to seconds away.
    await sql('DELETE FROM workflow_collaborators WHERE workflow_id = $1', [id]);
    socket.say({ type: 'resume', last_seq: 0 });
    socket.say({ type: 'presence', state: 'viewing' });
    expect(await socket.closed).toBe(1008);
    expect(numbers(socket)).toEqual([1]);
    expect(socket.ofType('presence')).toEqual([]);
  });

  it('puts everybody out when the workflow goes to the trash', async () => {
    const id = await create();
    const [mine, theirs] = [await opened(id), await opened(id, { at: other, client: await member(id) })];
    await owner.send('DELETE', `/microservices/workflow/${id}/`);
    const took = stopwatch();
    expect(await Promise.all([mine.closed, theirs.closed])).toEqual([1008, 1008]);
    expect(took()).toBeLessThan(2000);
  });

  it('takes no expired token, no foreign ticket and no ticket twice', async () => {
    const id = await create();
    const another = await create();
    const client = await member(id);
    await sql(
      `UPDATE access_tokens SET expires_at = now() - interval '1 second'
       WHERE session_id IN (SELECT id FROM sessions WHERE user_id = $1)`,
      [await idOf(client)],
    );
    // A replica that has just answered this caller remembers the token for 5 s at most.
    expect(await open(id, { client, at: other }).closed).toBe(401);
    const ticketFor = async (channel: string) =>
      (await owner.post<{ ticket: string }>('/ws/ticket/', { channel })).ticket;
    const path = `/ws/workflow/${id}/nodes/`;
    const ticket = await ticketFor(path);
    const redeem = (given: string, at = other) => {
      const socket = new NodesSocket(at.baseUrl, path, { protocols: [`ticket.${given}`] });
      sockets.push(socket);
      return socket;
    };
    const good = redeem(ticket);
    await until(() => good.frames.length > 0);
    expect(await redeem(ticket).closed).toBe(401);
    const bare = new NodesSocket(other.baseUrl, path, { protocols: [await ticketFor(path)] });
    await until(() => bare.frames.length > 0);
    bare.close();
    expect(await redeem(await ticketFor(`/ws/workflow/${another}/nodes/`)).closed).toBe(401);
    const old = await ticketFor(path);
    await sql(`UPDATE socket_tickets SET expires_at = now() - interval '1 second'`);
    expect(await redeem(old).closed).toBe(401);
    const stranger = await api.signUp();
    expect(await open(id, { client: stranger }).closed).toBe(404);
    const { ticket: theirs } = await stranger.post<{ ticket: string }>('/ws/ticket/', { channel: path });
    expect(await redeem(theirs).closed).toBe(404);
    const evil = new NodesSocket(api.baseUrl, `${path}?token=${owner.token}`, { origin: 'https://evil.example' });
    expect(await evil.closed).toBe(403);
    const nobody = new NodesSocket(api.baseUrl, path);
    expect(await nobody.closed).toBe(401);
    // As a route answers, so that clients which are no browsers can tell why.
    expect([evil.refusal, nobody.refusal]).toMatchObject([
      { headers: { 'x-request-id': expect.any(String) }, body: { detail: 'Foreign origin.', code: 'foreign_origin' } },
      {
        headers: { 'www-authenticate': 'Token', 'cache-control': 'no-store' },
        body: { detail: expect.any(String), code: 'not_authenticated' },
      },
    ]);
    const own = new NodesSocket(api.baseUrl, `${path}?token=${owner.token}`, { origin: api.baseUrl });
    sockets.push(own);
    await until(() => own.frames.length > 0);
  });

  it('answers calls of clients that offer HTTP/2, with their bodies', async () => {
    const offer = {
      Connection: 'close, Upgrade, HTTP2-Settings',
      Upgrade: 'h2c',
      'HTTP2-Settings': 'AAMAAABkAAQAAP__',
    };
    expect((await rawCall(api.baseUrl, 'GET', '/healthz/', offer)).status).toBe(200);
    const json = { ...offer, 'Content-Type': 'application/json' };
    expect(await rawCall(api.baseUrl, 'POST', '/api/v1/token/login/', json, '{"username": "ada"}')).toEqual({
      status: 400,
      body: { password: ['This field is required.'] },
    });
  });

  it('bounds how many sockets one has, and what they say', async () => {
    const client = await api.signUp();
    const id = await create(fanOutAndJoin, client);
    const many = await Promise.all(Array.from({ length: 12 }, () => opened(id, { client })));
    const tooMany = open(id, { client });
    expect(await tooMany.closed).toBe(429);
    expect(tooMany.refusal).toMatchObject({ headers: { 'retry-after': '5' }, body: { code: 'throttled' } });
    many[0]!.close();
    await until(async () => {
      const socket = open(id, { client });
      return Promise.race([socket.closed.then(() => false), until(() => socket.frames.length > 0).then(() => true)]);
    });
    const errors = jest.spyOn(AppLogger.prototype, 'error');
    many[1]!.send('x'.repeat(20_000));
    expect(await many[1]!.closed).toBe(1009);
    // Whoever sends such frames fills no log.
    expect(errors).not.toHaveBeenCalled();
    for (let n = 0; n < 300; n += 1) many[2]!.say({ type: 'ping' });
    expect(await many[2]!.closed).toBe(1008);
    expect(many[3]!.isOpen).toBe(true);
  });

  inAll('holds no memory for a slow reader: the newest list, and events up to a bound', async () => {
    // The system keeps 4 MB for a connection that was never read fast, and up to 36 MB for others: who is slow has read
    // but a short list. Ten lists of these nodes are more.
    const nodes = Array.from({ length: 1000 }, (_, index) => ({
      id: `n${index}`,
      kind: 'template',
      params: { template: `${index} ${'x'.repeat(1000)}` },
    }));
    let slow: NodesSocket;
    let [given, taken] = [0, 0];
    // Who is slow for half a minute is sent away, which a busy machine may need for this: then it is done again.
    do {
      const large = await create();
      const reader = await opened(large);
      slow = await opened(large);
      slow.pause();
      expect((await save(large, 'Large', { nodes })).status).toBe(200);
      for (let version = 1; version <= 10; version += 1) {
        await sql('UPDATE workflows SET current_run_id = NULL WHERE id = $1', [large]);
        await owner.post('/microservices/workflow/rerun/', { workflow_id: large });
        await until(() => isAt(reader, version));
      }
      slow.resume();
      await until(() => !slow.isOpen || isAt(slow, 10));
      given = reader.ofType('workflow_nodes').length;
      taken = slow.ofType('workflow_nodes').length;
    } while (!slow.isOpen);
    expect(taken).toBeLessThan(given);

    const id = await create();
    const quick = await opened(id);
    slow = await opened(id);
    slow.pause();
    const big = 'y'.repeat(20_000);
    for (let n = 0; n < 600; n += 1) {
      api.app.get(LiveBus).publish(`workflow:${id}`, {
        type: 'agent_response',
        nodeExecutionId: 'node',
        data: { n, big },
      });
      // On a busy machine the quick reader would be a slow one otherwise.
      if (n % 50 === 49) await until(() => numbers(quick).length === n + 1);
    }
    slow.resume();
    await until(() => !slow.isOpen);
    expect([1006, 1013]).toContain(await slow.closed);
    expect(numbers(slow).length).toBeLessThan(600);
    const back = await opened(id, { at: other, query: `&last_seq=${slow.lastSeq}` });
    expect(back.frames[0]!.type).toBe('resync');
  });

  inAll('sends clients to another replica when it is stopped', async () => {
    const id = await create();
    const third = await api.startReplica();
    const socket = await opened(id, { at: third });
    ask(id, 1);
    await until(() => numbers(socket).length === 1);
    await third.stop();
    expect(await socket.closed).toBe(1001);
    ask(id, 2);
    const back = await opened(id, { at: other, query: `&last_seq=${socket.lastSeq}` });
    expect(numbers(back)).toEqual([2]);
  });
});
