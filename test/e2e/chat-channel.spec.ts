import { setTimeout as sleep } from 'node:timers/promises';
import { TurnSweeper } from '@app/agents';
import { newId } from '@app/common';
import type { TestApi } from '../support/api.js';
import { ChatSocket } from '../support/chat-socket.js';
import type { HttpClient } from '../support/http-client.js';
import { inAll, LONG } from '../support/long.js';
import {
  DONE,
  heldWork,
  type ScriptedPlatform,
  startScriptedPlatform,
  type Work,
  writes,
} from '../support/scripted-agent.js';
import { until } from '../support/until.js';
import { grant, stopwatch } from '../support/timing.js';

const CHAT = '/microservices/agent/chat/';
/** Words, characters of two units, repetitions that look like snapshots. */
const PIECES = ['ha', 'ha', 'haha', ' 🙂', '🙂', ...Array.from({ length: 120 }, (_, n) => `word${n} `)];
const TEXT = PIECES.join('');

interface Reply {
  status: string;
  answer: string;
  turn_id: string;
  code?: string;
}

const answered = (socket: ChatSocket, count = 1) => until(() => socket.answers().length >= count, 40_000);

/** As the newest presence frame says. */
function connections(tab: ChatSocket): number | undefined {
  const frame = tab.frames.findLast(({ type }) => type === 'presence');
  return (frame?.data as unknown as { connections: number }[] | undefined)?.[0]?.connections;
}

describe('the chat channel over two api replicas', () => {
  let platform: ScriptedPlatform;
  let api: TestApi;
  let other: TestApi;
  let client: HttpClient;
  const sockets: ChatSocket[] = [];

  beforeAll(async () => {
    platform = await startScriptedPlatform({ SOCKETS_PER_USER: '40' });
    ({ api, other } = platform);
    client = await api.signUp();
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.cut();
  });
  afterAll(() => platform.stop());

  const script = (work: Work) => platform.script(work);
  function open(
    conversationId: string,
    { at = api, from = client, query = '', texts = undefined as ReadonlyMap<string, string> | undefined } = {},
  ): ChatSocket {
    const socket = new ChatSocket(at.baseUrl, conversationId, { client: from, query, ...(texts ? { texts } : {}) });
    sockets.push(socket);
    return socket;
  }
  async function opened(...given: Parameters<typeof open>): Promise<ChatSocket> {
    const socket = open(...given);
    await socket.opened;
    // Let in, not only connected.
    await grant(100);
    return socket;
  }
  async function ask(
    conversation_id: string,
    work: Work,
    { from = client, at = api, query = '' } = {},
  ): Promise<Reply> {
    const response = await fetch(`${at.baseUrl}${CHAT}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Token ${from.token}` },
      body: JSON.stringify({ conversation_id, message: script(work) }),
    });
    return (await response.json()) as Reply;
  }

  it('shows every stage, and the answer last, the same on every replica', async () => {
    const id = newId();
    const tabs = [await opened(id), await opened(id, { at: other })];
    const reply = await ask(id, async (context) => {
      context.stage('stage:planning', 'Looks around');
      context.stage('stage:tool_started', { tool: 'search', step_id: '1', step_description: 'Searches' });
      context.stage('stage:tool_finished', {
        tool: 'search',
        step_id: '1',
        success: true,
        duration_ms: 5,
        error: null,
      });
      context.sources([{ uid: 'a' }]);
      await writes(PIECES)(context);
      return { ...DONE, extras: { mgid: 'm1', generated_files_urls: ['/media/x'] } };
    });
    await Promise.all(tabs.map((tab) => answered(tab)));
    for (const tab of tabs) {
      expect(tab.frames.every(({ type, node_id }) => type === 'agent_response' && node_id === 'chat')).toBe(true);
      expect(
        tab.frames.map(({ data }) => data.event_type ?? data.status).filter((type) => type !== 'stage:partial_answer'),
      ).toEqual([
        'stage:thinking',
        'stage:planning',
        'stage:tool_started',
        'stage:tool_finished',
        'stage:sources',
        'stage:done',
        'completed',
      ]);
      expect(tab.plain.get(reply.turn_id)).toBe(TEXT);
      expect(tab.placed.get(reply.turn_id)).toBe(TEXT);
      expect(tab.telemetry('stage:tool_finished')[0]!.event).toEqual({
        tool: 'search',
        step_id: '1',
        success: true,
        duration_ms: 5,
        error: null,
      });
      expect(tab.answers()).toEqual([
        {
          ...reply,
          message: TEXT,
          mgid: 'm1',
          generated_files_urls: ['/media/x'],
          seq: expect.any(Number),
        },
      ]);
    }
    expect(tabs[0]!.answers()).toEqual(tabs[1]!.answers());
    const seqs = tabs[0]!.frames.flatMap(({ data }) => data.seq ?? []);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  });

  it('shows a turn at work from its beginning, the text as one snapshot', async () => {
    const id = newId();
    const held = heldWork(TEXT, ' And the end.');
    const reply = ask(id, async (context) => {
      context.stage('stage:planning', 'Looks around');
      for (const piece of ['One. ', 'Two. ']) {
        context.text(piece);
        await context.flush();
      }
      return held.work(context);
    });
    await held.begun;
    const late = await opened(id, { at: other });
    await until(() => late.telemetry('stage:partial_answer').length > 0);
    expect(late.frames.map(({ data }) => data.event_type)).toEqual([
      'stage:thinking',
      'stage:planning',
      'stage:partial_answer',
    ]);
    expect(late.frames.map(({ data }) => data.seq === undefined)).toEqual([true, true, false]);
    expect(late.telemetry('stage:partial_answer')[0]!.event).toEqual({ offset: 0, text: `One. Two. ${TEXT}` });
    held.release();
    await answered(late);
    const { answer, turn_id } = await reply;
    expect(late.plain.get(turn_id)).toBe(answer);
  });

  inAll('brings the answer of a call that was queued, and of one that ran out of time', async () => {
    const id = newId();
    const tab = await opened(id, { at: other });
    const held = heldWork();
    const late = ask(id, held.work, { query: '?timeout=5' });
    await held.begun;
    const between = heldWork('sec', 'ond');
    const queued = await ask(id, between.work);
    const third = await ask(id, writes(['third']));
    expect([queued.status, third.status]).toEqual(['queued', 'queued']);
    await until(() => tab.telemetry('stage:queued', third.turn_id).length > 0);
    expect(tab.telemetry('stage:queued', queued.turn_id).map(({ event }) => event)).toEqual([{ position: 1 }]);
    const { code, turn_id } = await late;
    expect(code).toBe('turn_continues');
    held.release();
    await between.begun;
    await until(() => tab.telemetry('stage:queued', third.turn_id).length > 1);
    between.release();
    await answered(tab, 3);
    expect(tab.answers().map((data) => [data.turn_id, data.message])).toEqual([
      [turn_id, 'Begun. Done.'],
      [queued.turn_id, 'second'],
      [third.turn_id, 'third'],
    ]);
    expect(tab.telemetry('stage:queued', third.turn_id).map(({ event }) => event)).toEqual([
      { position: 2 },
      { position: 1 },
    ]);
  });

  inAll('makes up the same text whenever a client was cut off, with and without a place', async () => {
    const id = newId();
    const first = await opened(id);
    // The end comes when the forgetful client stays: after it, nothing tells that there was a turn.
    const stays = Promise.withResolvers<void>();
    const done = ask(id, async (context) => {
      await writes(PIECES.slice(0, 100), 15)(context);
      await stays.promise;
      return writes(PIECES.slice(100), 15)(context);
    });
    await until(() => first.frames.length > 0);
    const turnId = first.frames[0]!.data.turn_id;
    const hop = async (kind: 'query' | 'message' | 'forgetful') => {
      let socket = open(id);
      for (let hops = 0; socket.answers().length === 0 && hops < (kind === 'forgetful' ? 8 : 1000); hops += 1) {
        await sleep(Math.random() * 90);
        if (socket.answers().length > 0) break;
        const lastSeq = socket.lastSeq(turnId);
        const texts = kind === 'forgetful' ? undefined : new Map(socket.placed);
        socket.cut();
        const at = hops % 2 ? api : other;
        const place = kind === 'query' ? `&turn_id=${turnId}&last_seq=${lastSeq}` : '';
        socket = open(id, { at, query: place, ...(texts ? { texts } : {}) });
        if (kind === 'forgetful') await socket.opened;
        if (kind === 'message') {
          await socket.opened;
          socket.say({ type: 'resume', turn_id: turnId, last_seq: lastSeq });
        }
      }
      if (kind === 'forgetful') {
        await until(() => socket.frames.length > 0);
        stays.resolve();
      }
      await answered(socket);
      return socket;
    };
    const once = ['query', 'message', 'forgetful'] as const;
    const kinds = LONG ? ([...once, 'query', 'message'] as const) : once;
    const ends = await Promise.all(kinds.map((kind) => hop(kind)));
    expect((await done).answer).toBe(TEXT);
    for (const socket of ends) {
      expect(socket.plain.get(turnId)).toBe(TEXT);
      expect(socket.placed.get(turnId)).toBe(TEXT);
      expect(socket.answers()[0]!.message).toBe(TEXT);
    }
  });

  it('gives turns that passed while a client was away to who comes back to the one before', async () => {
    const id = newId();
    const tab = await opened(id);
    const first = await ask(id, writes(['first']));
    await answered(tab);
    const lastSeq = tab.lastSeq(first.turn_id);
    tab.cut();
    const second = await ask(id, writes(['second']));
    const third = await ask(id, writes(['third']));
    const back = await opened(id, { at: other, query: `&turn_id=${first.turn_id}&last_seq=${lastSeq}` });
    await answered(back, 2);
    expect(back.answers().map((data) => data.turn_id)).toEqual([second.turn_id, third.turn_id]);
    back.say({ type: 'resume', turn_id: second.turn_id, last_seq: 0 });
    await answered(back, 3);
    expect(back.answers()[2]).toEqual(back.answers()[0]);
    const early = await opened(id, { at: other, query: `&turn_id=${first.turn_id}&last_seq=0` });
    await answered(early, 3);
    expect(early.answers().map((data) => data.message)).toEqual(['first', 'second', 'third']);
    const fresh = await opened(id);
    await sleep(200);
    expect(fresh.frames).toEqual([]);
    expect(back.answers()).toHaveLength(3);
  });

  it('ends a turn before it shows the next one, so that whoever comes back to that has all before', async () => {
    const conversation = newId();
    const held = heldWork();
    const first = ask(conversation, held.work);
    await held.begun;
    for (let turn = 0; turn < 15; turn += 1) await ask(conversation, writes(['one ', 'two ', 'three']));
    const stopped = (await ask(conversation, writes(['never']))).turn_id;
    const socket = await opened(conversation);
    await until(() => socket.telemetry('stage:queued', stopped).length > 0);
    await client.post(`${CHAT}stop/`, { conversation_id: conversation, turn_id: stopped });
    await until(() => socket.answers(stopped).length === 1);
    expect(socket.answers(stopped)[0]).toMatchObject({ status: 'interrupted' });
    expect(socket.answers(stopped)[0]).not.toHaveProperty('seq');
    held.release();
    await first;
    await until(() => socket.answers().length === 17);
    const numbered = socket.frames.filter(({ data }) => data.seq !== undefined).map(({ data }) => data.turn_id);
    const runs = numbered.filter((turn, at) => turn !== numbered[at - 1]);
    expect(runs).toHaveLength(16);
    for (const turn of new Set(numbered)) {
      const last = socket.frames.findLast(({ data }) => data.turn_id === turn && data.seq !== undefined)!;
      expect(last.data.status).toBe('completed');
    }
  });

  it('asks on the socket, says what was replied, and stops', async () => {
    const id = newId();
    const tab = await opened(id);
    const wait = {
      request_id: 'r1',
      kind: 'approval' as const,
      message: 'Send it?',
      options: [{ value: 'once', label: 'Once' }],
      fields: [],
    };
    const reply = await ask(id, async (context) => {
      if (!context.resume) return { wait, expiresAt: null };
      context.text('Sent.');
      return DONE;
    });
    await answered(tab);
    expect(tab.answers()[0]).toMatchObject({
      status: 'clarification',
      message: 'Send it?',
      input: { request_id: 'r1', kind: 'approval' },
    });
    const late = await opened(id, { at: other });
    await answered(late);
    expect(late.answers()[0]).toEqual(tab.answers()[0]);
    await client.post(`${CHAT}reply/`, { turn_id: reply.turn_id, request_id: 'r1', choice: 'once' });
    await answered(tab, 2);
    expect(tab.telemetry('stage:reply')[0]!.event).toEqual({ request_id: 'r1', reply: { choice: 'once' } });
    expect(tab.answers()[1]).toMatchObject({ status: 'completed', message: 'Sent.' });
    const after = await opened(id, { query: `&turn_id=${reply.turn_id}&last_seq=0` });
    await answered(after);
    expect(after.answers().map(({ status }) => status)).toEqual(['completed']);

    const held = heldWork('So far. ');
    const stopped = ask(id, held.work);
    await held.begun;
    await client.post(`${CHAT}stop/`, { conversation_id: id });
    await answered(tab, 3);
    expect(tab.answers()[2]).toMatchObject({ status: 'interrupted', message: 'So far. ' });
    expect((await stopped).status).toBe('interrupted');
    const failed = await ask(id, () => Promise.reject(new Error('inside')));
    await answered(tab, 4);
    expect(tab.telemetry('stage:error')[0]!.event).toEqual({
      message: 'The answer broke off.',
      code: 'internal_error',
    });
    expect(tab.answers()[3]).toMatchObject({ status: 'failed', turn_id: failed.turn_id, code: 'internal_error' });
  });

  it('lets nobody in but the owner, and puts a stranger out who came before the first message', async () => {
    const id = newId();
    const stranger = await api.signUp();
    const early = await opened(id, { from: stranger, at: other });
    const crowd = await Promise.all(
      Array.from({ length: 12 }, (_, n) => opened(id, { from: stranger, at: n % 2 ? api : other })),
    );
    const mine = await opened(id);
    await ask(id, writes(['mine alone']));
    await answered(mine);
    const took = stopwatch();
    expect(await early.closed).toBe(1008);
    expect(took()).toBeLessThan(5000);
    expect(early.frames).toEqual([]);
    for (const socket of crowd) expect([await socket.closed, socket.frames]).toEqual([1008, []]);
    expect(await open(id, { from: stranger }).closed).toBe(403);
    const nobody = new ChatSocket(api.baseUrl, id, { query: 'token=wrong' });
    expect(await nobody.closed).toBe(401);
    expect(await new ChatSocket(api.baseUrl, id, {}).closed).toBe(401);
    expect(await open('x'.repeat(129)).closed).toBe(404);
    expect(await open(id, { query: '&last_seq=1' }).closed).toBe(400);
    expect(await open(id, { query: '&last_seq=x&turn_id=y' }).closed).toBe(400);
    mine.say({ type: 'resume', turn_id: newId(), last_seq: 0 });
    mine.say({ type: 'ping' });
    await until(() => mine.frames.some(({ type }) => type === 'pong'));
    const { ticket } = await client.post<{ ticket: string }>('/ws/ticket/', { channel: `/ws/chat/${id}` });
    const ticketed = new ChatSocket(other.baseUrl, id, { query: `ticket=${ticket}` });
    sockets.push(ticketed);
    await ticketed.opened;
    expect(await new ChatSocket(other.baseUrl, id, { query: `ticket=${ticket}` }).closed).toBe(401);
  });

  it('shows a resume of a turn of another conversation to nobody', async () => {
    const [id, foreign] = [newId(), newId()];
    const stranger = await api.signUp();
    const theirs = await ask(foreign, writes(['theirs']), { from: stranger });
    const elsewhere = await ask(newId(), writes(['mine, elsewhere']));
    await ask(id, writes(['mine']));
    const tab = await opened(id);
    for (const turn_id of [theirs.turn_id, elsewhere.turn_id]) tab.say({ type: 'resume', turn_id, last_seq: 0 });
    await grant(500);
    expect(tab.frames).toEqual([]);
  });

  it('names conversations as the client does, whatever the name', async () => {
    for (const id of ['a/b c', 'ümläut?#%41', `${newId()}/`]) {
      const tab = await opened(id);
      const reply = await ask(id, writes(['here']));
      await answered(tab);
      expect(tab.answers()[0]).toMatchObject({ turn_id: reply.turn_id, message: 'here' });
    }
  });

  it('ends with the session', async () => {
    const own = await api.signUp();
    const id = newId();
    await ask(id, writes(['mine']), { from: own });
    const tab = await opened(id, { from: own, at: other });
    const took = stopwatch();
    await own.send('POST', '/api/v1/auth/logout/', {});
    expect(await tab.closed).toBe(1008);
    expect(took()).toBeLessThan(5000);
  });

  it('says in how many places a conversation is open', async () => {
    const id = newId();
    await ask(id, writes(['x']));
    const tabs = [await opened(id), await opened(id, { at: other })];
    for (const tab of tabs) tab.say({ type: 'presence', state: 'viewing' });
    await until(() => tabs.every((tab) => connections(tab) === 2));
    tabs[1]!.cut();
    await until(() => connections(tabs[0]!) === 1);
  });

  inAll('joins pieces for a client that is slow, and loses none', async () => {
    const piece = 'x'.repeat(65_536);
    let tab: ChatSocket;
    // Who is slow for half a minute is sent away, which a busy machine may need for this: then it is done again.
    do {
      const id = newId();
      tab = await opened(id);
      tab.pause();
      const { answer, turn_id } = await ask(id, writes(Array.from({ length: 200 }, (_, n) => `${n} ${piece}`)));
      tab.resume();
      await until(() => !tab.isOpen || tab.answers().length > 0);
      if (!tab.isOpen) continue;
      expect(tab.placed.get(turn_id) === answer).toBe(true);
      expect(tab.plain.get(turn_id) === answer).toBe(true);
      expect(tab.telemetry('stage:partial_answer').length).toBeLessThan(190);
    } while (!tab.isOpen);
  });

  inAll('ends the turns of a conversation that is deleted', async () => {
    const id = newId();
    const tab = await opened(id);
    const begun = Promise.withResolvers<void>();
    const call = ask(id, async (context) => {
      while (!context.signal.aborted) {
        context.text('more ');
        await sleep(2);
        begun.resolve();
      }
      throw context.signal.reason;
    });
    await begun.promise;
    const queued = await ask(id, writes(['never']));
    const { chat_session_id } = await client.get<{ chat_session_id: number }>(
      `/microservices/chat-turns/${queued.turn_id}/`,
    );
    expect((await client.send('DELETE', `/microservices/chat-sessions/${chat_session_id}/`)).status).toBe(204);
    expect(['interrupted', undefined]).toContain((await call).status);
    await grant(1500);
    expect(tab.placed.get(queued.turn_id)).toBeUndefined();
    await platform.worker.get(TurnSweeper).forgetLogs(48);
    const rows = await api.database.dataSource.query<object[]>(
      `SELECT e.turn_id, e.seq, e.type, e.data FROM chat_turn_events e WHERE NOT EXISTS (SELECT 1 FROM chat_turns t WHERE t.id = e.turn_id)`,
    );
    expect(rows).toEqual([]);
    const again = await ask(id, writes(['anew']));
    await until(() => tab.answers(again.turn_id).length === 1);
  });
});
