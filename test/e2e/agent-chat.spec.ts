import { setTimeout as sleep } from 'node:timers/promises';
import { BadGatewayError, GatewayTimeoutError, newId, NotFoundError } from '@app/common';
import { startApi, type TestApi } from '../support/api.js';
import { EventStream } from '../support/event-stream.js';
import type { HttpClient } from '../support/http-client.js';
import {
  DONE,
  heldWork,
  type ScriptedPlatform,
  startScriptedPlatform,
  type Work,
  writes,
} from '../support/scripted-agent.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Reply {
  status: string;
  answer: string;
  message: string;
  turn_id: string;
  queue_position: number;
  chat_session_id: number;
  generated_files_urls: string[];
  sources: unknown[];
  usage: object | null;
  input: { request_id: string; kind: string; options: { value: string }[] } | null;
  mgid?: string;
  dashboard_id?: string;
  code?: string;
  detail?: string;
  error?: string;
}

const CHAT = '/microservices/agent/chat/';

const textOf = (stream: EventStream) =>
  stream.events.map(({ event, data }) => (event === 'delta' ? (data.text as string) : '')).join('');

const asks =
  (kind: 'clarification' | 'missing_param' | 'approval'): Work =>
  async (context) => {
    if (context.resume) {
      context.text(`Told: ${JSON.stringify(context.resume.reply)}`);
      return DONE;
    }
    const options =
      kind === 'approval'
        ? [
            { value: 'once', label: 'Once' },
            { value: 'deny', label: 'No' },
          ]
        : [];
    const fields = kind === 'missing_param' ? [{ name: 'to', label: 'To', type: 'string', required: true }] : [];
    return { wait: { request_id: 'r1', kind, message: 'Which one?', options, fields }, expiresAt: null };
  };

describe('the agent’s chat', () => {
  let platform: ScriptedPlatform;
  let api: TestApi;
  let client: HttpClient;

  beforeAll(async () => {
    platform = await startScriptedPlatform();
    api = platform.api;
    client = await api.signUp();
  });
  afterAll(() => platform.stop());

  const script = (work: Work) => platform.script(work);
  async function post(body: object, { path = CHAT, from = client, headers = {}, at = api } = {}) {
    const response = await fetch(at.baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Token ${from.token}`, ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Reply };
  }
  const turnsOf = (conversationId: string) =>
    api.database.dataSource.query<{ id: string; status: string; is_replaced: boolean }[]>(
      `SELECT t.id, t.status, t.is_replaced FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
       WHERE s.conversation_id = $1 ORDER BY t.seq`,
      [conversationId],
    );
  const queueOf = (conversationId: string) =>
    client.get<{ turns: { turn_id: string; status: string; queue_position: number | null }[]; limit: number }>(
      `${CHAT}queue/?conversation_id=${conversationId}`,
    );

  it('answers in the shared shape', async () => {
    const message = script(async (context) => {
      context.sources([{ uid: 'a' }]);
      context.text('**Done**');
      const extras = { mgid: 'm1', dashboard_id: 'd1', generated_files_urls: ['/media/a.xlsx'] };
      return { ...DONE, extras };
    });
    const { status, body, headers } = await post({ conversation_id: 'shape', message });
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'completed',
      answer: '**Done**',
      message: '**Done**',
      turn_id: expect.any(String),
      queue_position: 0,
      chat_session_id: expect.any(Number),
      mgid: 'm1',
      dashboard_id: 'd1',
      generated_files_urls: ['/media/a.xlsx'],
      sources: [{ uid: 'a' }],
      usage: { prompt_tokens: 3, completion_tokens: 5 },
      input: null,
    });
    expect(headers.get('x-turn-id')).toBe(body.turn_id);
    expect(headers.get('x-chat-session-id')).toBe(String(body.chat_session_id));
  });

  it('refuses what it cannot begin, and stores nothing of that', async () => {
    const conversation = newId();
    const base = { conversation_id: conversation, message: 'Q' };
    expect((await post({ message: 'Q' })).status).toBe(400);
    expect((await post({ ...base, conversation_id: 'x'.repeat(129) })).status).toBe(400);
    expect((await post({ ...base, message: ' ' })).body).toMatchObject({ code: 'message_required' });
    expect((await post({ ...base, file_uids: Array.from({ length: 11 }, newId) })).status).toBe(400);
    expect((await post({ ...base, reasoning_effort: 'huge' })).status).toBe(400);
    expect(await post({ ...base, llm_model_id: 77 })).toMatchObject({ status: 404, body: { code: 'model_not_found' } });
    expect(await post({ ...base, chat_session_id: 999_999 })).toMatchObject({
      status: 404,
      body: { code: 'chat_session_not_found' },
    });
    for (const timeout of ['4', '601', 'x'])
      expect((await post(base, { path: `${CHAT}?timeout=${timeout}` })).status).toBe(400);
    expect(await turnsOf(conversation)).toEqual([]);
    const bare = await startApi();
    try {
      const from = await bare.signUp();
      expect(await post(base, { at: bare, from })).toMatchObject({
        status: 503,
        body: { code: 'model_not_configured' },
      });
      expect(await bare.database.dataSource.query('SELECT 1 FROM chat_sessions')).toEqual([]);
      expect(await bare.database.dataSource.query('SELECT 1 FROM chat_conversations')).toEqual([]);
    } finally {
      await bare.stop();
    }
  });

  it('leaves a conversation to its first user', async () => {
    const conversation_id = newId();
    const stranger = await api.signUp();
    const message = script(writes(['mine']));
    expect((await post({ conversation_id, message })).status).toBe(200);
    expect(await post({ conversation_id, message }, { from: stranger })).toMatchObject({
      status: 403,
      body: { code: 'conversation_claimed' },
    });
    const [turn] = await turnsOf(conversation_id);
    for (const path of ['', 'events/'])
      expect((await stranger.send('GET', `/microservices/chat-turns/${turn!.id}/${path}`)).status).toBe(404);
    for (const [path, body] of [
      ['stop/', { conversation_id, turn_id: turn!.id }],
      ['reply/', { turn_id: turn!.id, request_id: 'r', reply: 'x' }],
      ['regenerate/', { turn_id: turn!.id }],
    ] as const) {
      const { status } = await post(body, { path: CHAT + path, from: stranger });
      expect([path, status]).toEqual([path, path === 'stop/' ? 409 : 404]);
    }
    expect((await stranger.get<{ turns: object[] }>(`${CHAT}queue/?conversation_id=${conversation_id}`)).turns).toEqual(
      [],
    );
  });

  it('queues twenty turns behind the one at work, and no more', async () => {
    const conversation_id = newId();
    const held = heldWork();
    const first = post({ conversation_id, message: script(held.work) });
    await held.begun;
    const queued = [];
    for (let n = 1; n <= 20; n += 1) queued.push(await post({ conversation_id, message: script(writes([`${n}`])) }));
    expect(queued.map(({ body }) => [body.status, body.queue_position])).toEqual(
      Array.from({ length: 20 }, (_, index) => ['queued', index + 1]),
    );
    expect(await post({ conversation_id, message: 'one too many' })).toMatchObject({
      status: 409,
      body: { code: 'queue_full' },
    });
    const { turns, limit } = await queueOf(conversation_id);
    expect(limit).toBe(20);
    expect(turns.map(({ status, queue_position }) => [status, queue_position])).toEqual([
      ['running', null],
      ...Array.from({ length: 20 }, (_, index) => ['queued', index + 1]),
    ]);
    const stopped = queued[4]!.body.turn_id;
    expect(await post({ conversation_id, turn_id: stopped }, { path: `${CHAT}stop/` })).toMatchObject({
      status: 200,
      body: { status: 'interrupted', turn_id: stopped },
    });
    expect((await queueOf(conversation_id)).turns).toHaveLength(20);
    held.release();
    expect((await first).body.answer).toBe('Begun. Done.');
    await until(async () => (await queueOf(conversation_id)).turns.length === 0);
    const statuses = (await turnsOf(conversation_id)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'completed')).toHaveLength(20);
    expect(statuses.filter((status) => status === 'interrupted')).toHaveLength(1);
  });

  it('stops the turn at work, keeps what it told, and goes on with the next', async () => {
    const conversation_id = newId();
    const held = heldWork('Some of it. ');
    const first = post({ conversation_id, message: script(held.work) });
    await held.begun;
    const next = await post({ conversation_id, message: script(writes(['next'])) });
    const stopped = await post({ conversation_id }, { path: `${CHAT}stop/`, at: platform.other });
    const { body } = await first;
    expect(stopped.body).toEqual({ status: 'interrupted', turn_id: body.turn_id });
    expect(body).toMatchObject({ status: 'interrupted', answer: 'Some of it. ' });
    const path = `/microservices/chat-turns/${next.body.turn_id}/`;
    await until(async () => (await client.get<{ status: string }>(path)).status === 'completed');
    expect(await post({ conversation_id }, { path: `${CHAT}stop/` })).toMatchObject({
      status: 409,
      body: { code: 'no_turn_running' },
    });
  });

  inAll('tells what goes on when the time is over, and lets it go on when the client leaves', async () => {
    const conversation_id = newId();
    const held = heldWork();
    const late = post({ conversation_id, message: script(held.work) }, { path: `${CHAT}?timeout=5` });
    await held.begun;
    const leaving = new AbortController();
    const left = heldWork();
    const other = newId();
    const call = fetch(api.baseUrl + CHAT, {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'content-type': 'application/json', authorization: `Token ${client.token}` },
      body: JSON.stringify({ conversation_id: other, message: script(left.work) }),
    });
    await left.begun;
    leaving.abort();
    await expect(call).rejects.toThrow();
    const { status, body } = await late;
    expect([status, body.code]).toEqual([504, 'turn_continues']);
    expect((await turnsOf(conversation_id)).map(({ id }) => id)).toEqual([body.turn_id]);
    held.release();
    left.release();
    for (const id of [conversation_id, other])
      await until(async () => (await turnsOf(id)).every((turn) => turn.status === 'completed'));
  });

  it.each([
    ['clarification', 'clarification', { reply: 'the red one' }, '{"message":"the red one"}'],
    ['missing_param', 'missing_param', { values: { to: 'a@b.example' } }, '{"values":{"to":"a@b.example"}}'],
    ['approval', 'clarification', { choice: 'once' }, '{"choice":"once"}'],
  ] as const)('asks and goes on with the reply: %s', async (kind, status, reply, told) => {
    const conversation_id = newId();
    const asked = await post({ conversation_id, message: script(asks(kind)) });
    expect(asked.body).toMatchObject({
      status,
      message: 'Which one?',
      input: { request_id: 'r1', kind, message: 'Which one?', expires_at: null },
    });
    const { turn_id } = asked.body;
    const path = `${CHAT}reply/`;
    expect((await post({ turn_id, request_id: 'r1' }, { path })).body.code).toBe('reply_required');
    expect(await post({ turn_id, request_id: 'other', ...reply }, { path })).toMatchObject({
      status: 409,
      body: { code: 'turn_not_waiting' },
    });
    if (kind === 'approval')
      expect((await post({ turn_id, request_id: 'r1', reply: 'yes' }, { path })).body.code).toBe('invalid_choice');
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => post({ turn_id, request_id: 'r1', ...reply }, { path })),
    );
    expect(replies.map((one) => one.status).toSorted()).toEqual([200, 409, 409, 409, 409]);
    expect(replies.find((one) => one.status === 200)!.body).toMatchObject({
      status: 'completed',
      turn_id,
      answer: `Told: ${told}`,
      input: null,
    });
  });

  it('takes the next message for the reply of a waiting turn', async () => {
    const conversation_id = newId();
    const asked = await post({ conversation_id, message: script(asks('clarification')) });
    const { body } = await post({ conversation_id, message: 'The blue one', client_turn_id: 'c-2' });
    expect(body).toMatchObject({ status: 'completed', turn_id: asked.body.turn_id });
    expect(body.answer).toContain('The blue one');
    expect((await post({ conversation_id, message: 'The blue one', client_turn_id: 'c-2' })).body).toEqual(body);
    const other = await post({ conversation_id, message: 'The red one', client_turn_id: 'c-2' });
    expect([other.status, other.body]).toEqual([409, expect.objectContaining({ code: 'client_turn_id_conflict' })]);
    expect(await turnsOf(conversation_id)).toHaveLength(1);
  });

  it.each([
    ['model_error', 502, new BadGatewayError('It broke off.', { code: 'model_error' })],
    ['model_timeout', 504, new GatewayTimeoutError('Too slow.', { code: 'model_timeout' })],
    ['document_not_found', 404, new NotFoundError('Gone.', { code: 'document_not_found' })],
    ['internal_error', 500, new Error('a secret inside')],
  ])('answers for a turn that failed: %s is %i', async (code, status, error) => {
    const conversation_id = newId();
    const message = script(() => Promise.reject(error));
    const { status: got, body } = await post({ conversation_id, message });
    expect([got, body.code]).toEqual([status, code]);
    expect(JSON.stringify(body)).not.toContain('secret inside');
    expect(body.turn_id).toBe((await turnsOf(conversation_id))[0]!.id);
  });

  it('makes twenty calls with one client_turn_id one turn, which all wait for', async () => {
    const conversation_id = newId();
    let runs = 0;
    const message = script(async (context) => {
      runs += 1;
      await sleep(300);
      context.text('once');
      return DONE;
    });
    const calls = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        post({ conversation_id, message, client_turn_id: 'mine' }, { at: index % 2 ? api : platform.other }),
      ),
    );
    expect(new Set(calls.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(calls[0]!.body).toMatchObject({ status: 'completed', answer: 'once' });
    expect([runs, (await turnsOf(conversation_id)).length]).toEqual([1, 1]);
    const again = await post({ conversation_id, message, client_turn_id: 'mine' });
    const other = await post({ conversation_id, message: `${message}!`, client_turn_id: 'mine' });
    expect([other.status, other.body]).toEqual([
      409,
      expect.objectContaining({ code: 'client_turn_id_conflict', turn_id: expect.any(String) as string }),
    ]);
    expect(again.body).toEqual(calls[0]!.body);
  });

  it('makes calls with one Idempotency-Key one turn, also while it is at work', async () => {
    const conversation_id = newId();
    const held = heldWork();
    const message = script(held.work);
    const headers = { 'idempotency-key': newId() };
    const calls = Array.from({ length: 5 }, () => post({ conversation_id, message }, { headers }));
    await held.begun;
    expect(await post({ conversation_id, message: 'another' }, { headers })).toMatchObject({
      status: 409,
      body: { code: 'idempotency_key_conflict' },
    });
    held.release();
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers.filter(({ headers: got }) => got.get('idempotency-replayed') === 'true')).toHaveLength(4);
    expect(await turnsOf(conversation_id)).toHaveLength(1);
  });

  it('asks again in place of the last turn', async () => {
    const conversation_id = newId();
    let runs = 0;
    const message = script(async (context) => {
      runs += 1;
      context.text(`take ${runs}`);
      return DONE;
    });
    const former = await post({ conversation_id, message: script(writes(['hello'])) });
    const last = await post({ conversation_id, message });
    const path = `${CHAT}regenerate/`;
    expect(await post({ turn_id: former.body.turn_id }, { path })).toMatchObject({
      status: 409,
      body: { code: 'turn_not_last' },
    });
    const { body } = await post({ turn_id: last.body.turn_id }, { path });
    expect(body).toMatchObject({ status: 'completed', answer: 'take 2' });
    const session = body.chat_session_id;
    const messages = await client.get<{ message: string; turn_id: string }[]>(
      `/microservices/chat-sessions/${session}/messages/`,
    );
    expect(messages.map((one) => one.message)).toEqual([expect.any(String), 'hello', message, 'take 2']);
    expect(await client.get(`/microservices/chat-sessions/${session}/`)).toMatchObject({ message_count: 4 });
    expect(await client.get(`/microservices/chat-turns/${body.turn_id}/`)).toMatchObject({
      replaces: last.body.turn_id,
      question: message,
    });
    expect(await post({ turn_id: last.body.turn_id }, { path })).toMatchObject({ status: 409 });
    expect(await post({ turn_id: newId() }, { path })).toMatchObject({ status: 404, body: { code: 'turn_not_found' } });
  });

  function streamOf(turnId: string, lastEventId?: string, at = api, query = '') {
    const url = `${at.baseUrl}/microservices/chat-turns/${turnId}/events/${query}`;
    return new EventStream(url, client, lastEventId);
  }

  describe('events', () => {
    it('follow a turn on every replica, and replay it from every place', async () => {
      const conversation_id = newId();
      const pieces = Array.from({ length: 40 }, (_, index) => `piece ${index} 🙂 `);
      const call = post({ conversation_id, message: script(writes(pieces, 5)) });
      await until(async () => (await turnsOf(conversation_id)).length === 1);
      const [turn] = await turnsOf(conversation_id);
      const streams = [streamOf(turn!.id), streamOf(turn!.id, undefined, platform.other)];
      await Promise.all(streams.map(({ ended }) => ended));
      const { body } = await call;
      expect(body.answer).toBe(pieces.join(''));
      for (const stream of streams) {
        expect(textOf(stream)).toBe(body.answer);
        expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } });
      }
      const numbered = streams[0]!.events.filter(({ id }) => id !== null);
      expect(numbered.map(({ id }) => Number(id))).toEqual(numbered.map((_, index) => index + 1));
      expect(streams[1]!.events.filter(({ id }) => id !== null)).toEqual(numbered);
      for (const place of [0, 1, 17, numbered.length - 1]) {
        const replay = streamOf(turn!.id, String(place), platform.other);
        const asked = streamOf(turn!.id, undefined, api, `?after=${place}`);
        expect([await replay.ended, await asked.ended]).toEqual([200, 200]);
        expect(replay.events).toEqual(numbered.slice(place));
        expect(asked.events).toEqual(numbered.slice(place));
      }
      // Tells a browser, which comes back by itself, to stop.
      expect(await streamOf(turn!.id, String(numbered.length)).ended).toBe(204);
      expect(await streamOf(turn!.id, undefined, api, `?after=${numbered.length}`).ended).toBe(200);
    });

    it('are all told to whoever comes with a number that the log of a turn under way has not come to', async () => {
      const conversation_id = newId();
      const held = heldWork();
      const call = post({ conversation_id, message: script(held.work) });
      await held.begun;
      const [turn] = await turnsOf(conversation_id);
      const streams = [streamOf(turn!.id, '999'), streamOf(turn!.id, undefined, platform.other, '?after=999')];
      await until(() => streams.every((stream) => stream.names().includes('started')));
      held.release();
      expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual([200, 200]);
      await call;
      const whole = streamOf(turn!.id);
      await whole.ended;
      for (const stream of streams) expect(stream.events).toEqual(whole.events);
      // After the end there is no more to come, whatever the number.
      expect(await streamOf(turn!.id, '999').ended).toBe(204);
    });

    it('tell once of a turn whose log is kept no longer, to whoever has come how far', async () => {
      const { body } = await post({ conversation_id: newId(), message: script(writes(['whole'], 5)) });
      const turnId = String(body.turn_id);
      await api.database.dataSource.query('DELETE FROM chat_turn_events WHERE turn_id = $1', [turnId]);
      for (const place of [undefined, '2']) {
        const retold = streamOf(turnId, place);
        expect(await retold.ended).toBe(200);
        expect(retold.names()).toEqual(['sources', 'delta', 'end']);
        expect(textOf(retold)).toBe('whole');
        expect(await streamOf(turnId, retold.lastId()).ended).toBe(204);
      }
    });

    it('tell where a turn stands in the queue', async () => {
      const conversation_id = newId();
      const held = heldWork();
      const first = post({ conversation_id, message: script(held.work) });
      await held.begun;
      const { body } = await post({ conversation_id, message: script(writes(['second'])) });
      const stream = streamOf(body.turn_id);
      await until(() => stream.names().includes('queued'));
      expect(stream.events[0]).toMatchObject({ id: null, data: { position: 1 } });
      held.release();
      await stream.ended;
      expect(textOf(stream)).toBe('second');
      await first;
    });
  });
});
