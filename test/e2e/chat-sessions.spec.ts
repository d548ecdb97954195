import { newId } from '@app/common';
import { retriedTransaction } from '@app/entities';
import type { TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { lockWaits } from '../support/lock-waits.js';
import {
  DONE,
  heldWork,
  type ScriptedPlatform,
  startScriptedPlatform,
  type Work,
  writes,
} from '../support/scripted-agent.js';
import { until } from '../support/until.js';

interface Session {
  id: number;
  title: string;
  kind: string;
  conversation_id: string;
  pinned: boolean;
  message_count: number;
}
interface Message {
  id: number;
  turn_id: string;
  role: string;
  message: string;
  status: string;
  rating: string | null;
}

const CHAT = '/microservices/agent/chat/';
const SESSIONS = '/microservices/chat-sessions/';

describe('chat sessions', () => {
  let platform: ScriptedPlatform;
  let api: TestApi;
  let client: HttpClient;

  beforeAll(async () => {
    platform = await startScriptedPlatform();
    ({ api } = platform);
    client = await api.signUp();
  });
  afterAll(() => platform.stop());

  const ask = (conversation_id: string, work: Work, from = client) =>
    from.post<{ turn_id: string; chat_session_id: number }>(CHAT, { conversation_id, message: platform.script(work) });
  const messagesOf = (id: number, query = '') => client.get<Message[]>(`${SESSIONS}${id}/messages/${query}`);
  const list = (query = '', from = client) =>
    from.get<{ count: number; next: string | null; results: Session[] }>(`${SESSIONS}${query}`);

  it('give messages field by field, those of turns that wait, work and ask included', async () => {
    const conversation_id = newId();
    const done = await ask(conversation_id, async (context) => {
      context.sources([{ uid: 'a' }]);
      context.text('first');
      return { ...DONE, extras: { mgid: 'm1', dashboard_id: 'd1', generated_files_urls: ['/media/x'] } };
    });
    const held = heldWork('half ', 'whole');
    const call = ask(conversation_id, async (context) => {
      context.sources([{ uid: 'b' }]);
      return held.work(context);
    });
    await held.begun;
    const wait = { request_id: 'r', kind: 'clarification' as const, message: 'Which?', options: [], fields: [] };
    await ask(conversation_id, async () => ({ wait, expiresAt: null }));
    const messages = await messagesOf(done.chat_session_id);
    expect(messages.map(({ role, status, message }) => [role, status, role === 'user' ? '' : message])).toEqual([
      ['user', 'completed', ''],
      ['assistant', 'completed', 'first'],
      ['user', 'completed', ''],
      ['assistant', 'running', 'half '],
      ['user', 'completed', ''],
      ['assistant', 'queued', ''],
    ]);
    expect(messages[1]).toEqual({
      id: messages[0]!.id + 1,
      turn_id: done.turn_id,
      role: 'assistant',
      message: 'first',
      status: 'completed',
      sources: [{ uid: 'a' }],
      mgid: 'm1',
      dashboard_id: 'd1',
      generated_files_urls: ['/media/x'],
      input: null,
      rating: null,
      rating_comment: '',
      created_at: expect.any(String),
    });
    expect(messages[3]).toMatchObject({ sources: [{ uid: 'b' }], mgid: null, generated_files_urls: [] });
    held.release();
    await call;
    await until(async () => (await messagesOf(done.chat_session_id)).at(-1)!.status === 'waiting_input');
    expect((await messagesOf(done.chat_session_id)).at(-1)).toMatchObject({
      input: { request_id: 'r', message: 'Which?' },
    });
    await client.post(`${CHAT}stop/`, { conversation_id });
    expect((await messagesOf(done.chat_session_id)).at(-1)).toMatchObject({ status: 'interrupted', input: null });
  });

  it('give messages in pages from the end', async () => {
    const conversation_id = newId();
    let session = 0;
    for (let n = 1; n <= 6; n += 1) session = (await ask(conversation_id, writes([`answer ${n}`]))).chat_session_id;
    const all = await messagesOf(session);
    expect(all).toHaveLength(12);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => a - b));
    for (const limit of [1, 2, 3, 5, 12]) {
      const pages: Message[] = [];
      for (let before = ''; ; before = `&before=${pages[0]!.id}`) {
        const page = await messagesOf(session, `?limit=${limit}${before}`);
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(limit);
        pages.unshift(...page);
      }
      expect(pages).toEqual(all);
    }
    for (const wrong of ['?limit=0', '?limit=201', '?before=x'])
      expect((await client.send('GET', `${SESSIONS}${session}/messages/${wrong}`)).status).toBe(400);
  });

  it('are listed by kind, found by what was said, and nobody else’s', async () => {
    const word = `zebra${newId().slice(0, 8)}`;
    const other = await api.signUp();
    const [first, second] = [
      await ask(newId(), writes([`The ${word} runs.`])),
      await ask(newId(), writes(['nothing'])),
    ];
    await ask(newId(), writes([`Their ${word}`]), other);
    await client.send('PATCH', `${SESSIONS}${second.chat_session_id}/`, { title: `About a ${word}`, pinned: true });
    const made = await client.post<Session>(SESSIONS, { kind: 'workflow', title: '100%_sure' });
    const found = await list(`?search=${word.toUpperCase()}`);
    expect([found.count, found.results.map(({ id }) => id)]).toEqual([
      2,
      [second.chat_session_id, first.chat_session_id],
    ]);
    expect((await list(`?search=${word}&kind=workflow`)).count).toBe(0);
    expect((await list('?search=0%25_s')).results.map(({ id }) => id)).toEqual([made.id]);
    expect((await list('?search=0%25xs')).count).toBe(0);
    expect((await list('?kind=workflow')).results).toEqual([made]);
    expect((await list('?search=ze&page_size=1')).next).toContain('page=2');
    expect((await list(`?search=${word}`, other)).count).toBe(1);
    expect((await list('?search=%20%20')).count).toBe((await list()).count);
    // What was replaced is not part of the conversation any more.
    await client.post(`${CHAT}regenerate/`, { turn_id: first.turn_id });
    expect((await list(`?search=${word}`)).count).toBe(2);
    await api.database.dataSource.query(
      `UPDATE chat_turns SET answer = 'other' WHERE session_id = $1 AND NOT is_replaced`,
      [first.chat_session_id],
    );
    expect((await list(`?search=${word}`)).count).toBe(1);
  });

  it('find words by an index, not by reading everything', async () => {
    const sql = <T>(text: string) => api.database.dataSource.query<T>(text);
    const [{ id }] = await sql<[{ id: number }]>(
      `INSERT INTO chat_sessions (user_id, kind, conversation_id, title)
       SELECT id, 'chat', 'many', 'Many' FROM users ORDER BY id LIMIT 1 RETURNING id`,
    );
    await sql(`INSERT INTO chat_turns (id, session_id, status, question, answer, model)
      SELECT gen_random_uuid(), ${id}, 'completed', md5(n::text), md5(n::text) || md5((n + 1)::text), ''
      FROM generate_series(1, 2000) n`);
    const runner = api.database.dataSource.createQueryRunner();
    await runner.query('SET enable_seqscan = off');
    const plan: Record<string, string>[] = await runner.query(
      `EXPLAIN SELECT 1 FROM chat_turns t WHERE t.question !~ '^enc:v1:' AND (t.question ILIKE '%abcdef%' OR t.answer ILIKE '%abcdef%')`,
    );
    await runner.query('RESET enable_seqscan');
    await runner.release();
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('chat_turns_words');
  });

  it('keep what somebody thinks of an answer', async () => {
    const { chat_session_id: session, turn_id } = await ask(newId(), writes(['rated']));
    const [question, answer] = await messagesOf(session);
    const rate = async (message: number | string, body: object, from = client) => {
      const response = await from.send('PUT', `${SESSIONS}${session}/messages/${message}/feedback/`, body);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    expect(await rate(answer!.id, { rating: 'down', comment: 'Wrong.' })).toMatchObject({
      status: 200,
      body: { id: answer!.id, turn_id, rating: 'down', rating_comment: 'Wrong.' },
    });
    expect((await messagesOf(session))[1]).toMatchObject({ rating: 'down', rating_comment: 'Wrong.' });
    expect((await rate(answer!.id, { rating: null })).body).toMatchObject({ rating: null, rating_comment: '' });
    expect(await rate(question!.id, { rating: 'up' })).toMatchObject({ status: 400, body: { code: 'not_an_answer' } });
    expect((await rate(answer!.id, {})).status).toBe(400);
    expect((await rate(answer!.id, { rating: 'great' })).status).toBe(400);
    const stranger = await api.signUp();
    for (const [message, from] of [
      [answer!.id, stranger],
      [answer!.id + 1000, client],
      ['9'.repeat(15), client],
      ['x', client],
    ] as const)
      expect(await rate(message, { rating: 'up' }, from)).toMatchObject({
        status: 404,
        body: { code: 'message_not_found' },
      });
  });

  it('may be created beforehand and talked in', async () => {
    const session = await client.post<Session>(SESSIONS, { kind: 'chat', title: 'Plans' });
    const { conversation_id } = session;
    const reply = await client.post<{ chat_session_id: number }>(CHAT, {
      conversation_id,
      chat_session_id: session.id,
      message: platform.script(writes(['there'])),
    });
    expect(reply.chat_session_id).toBe(session.id);
    expect(await client.get(`${SESSIONS}${session.id}/`)).toMatchObject({ title: 'Plans', message_count: 2 });
  });

  it('takes the name of its first conversation, and no other after that', async () => {
    const created = () => client.post<Session>(SESSIONS, { kind: 'chat' });
    const [session, other] = [await created(), await created()];
    const message = platform.script(writes(['there']));
    const talk = async (conversation_id: string, chat_session_id: number) => {
      const response = await client.send('POST', CHAT, { conversation_id, chat_session_id, message });
      const { code, chat_session_id: id } = (await response.json()) as { code?: string; chat_session_id?: number };
      return [response.status, code ?? id];
    };
    const name = newId();
    expect(await talk(name, session.id)).toEqual([200, session.id]);
    expect(await client.get(`${SESSIONS}${session.id}/`)).toMatchObject({ conversation_id: name, message_count: 2 });
    expect(await talk(name, session.id)).toEqual([200, session.id]);
    expect(await talk(newId(), session.id)).toEqual([409, 'conversation_mismatch']);
    expect(await talk(name, other.id)).toEqual([409, 'conversation_mismatch']);
  });

  it('may be named by its number in one tab and by its conversation in another, at once', async () => {
    const session = await client.post<Session>(SESSIONS, { kind: 'chat' });
    const message = platform.script(writes(['there']));
    const statuses = await Promise.all(
      Array.from({ length: 16 }, async (_, tab) => {
        const number = tab % 2 === 0 ? { chat_session_id: session.id } : {};
        const body = { conversation_id: session.conversation_id, message, ...number };
        return (await client.send('POST', CHAT, body)).status;
      }),
    );
    expect(statuses).toEqual(statuses.map(() => 200));
  });

  it('is deleted although others hold its turns in another order', async () => {
    const conversation_id = newId();
    const first = await ask(conversation_id, writes(['one']));
    const second = await ask(conversation_id, writes(['two']));
    const { dataSource } = platform.api.database;
    let deleted: Promise<Response> | undefined;
    // The one that is ended for it is the deletion; on a machine that stalls this writer, which begins anew as all do.
    await retriedTransaction(dataSource, async (writer) => {
      await writer.query(`SET LOCAL deadlock_timeout = '30s'`);
      const hold = (turnId: string) => writer.query('SELECT 1 FROM chat_turns WHERE id = $1 FOR KEY SHARE', [turnId]);
      await hold(second.turn_id);
      const isDeleted = (deleted ??= client.send('DELETE', `${SESSIONS}${first.chat_session_id}/`)).then(() => true);
      await until(async () => (await lockWaits(dataSource)) > 0 || (await Promise.race([isDeleted, false])));
      await hold(first.turn_id);
    });
    expect((await deleted!).status).toBe(204);
  });

  it('does not keep a stop waiting while somebody deletes it', async () => {
    const conversation_id = newId();
    const held = heldWork();
    const asked = ask(conversation_id, held.work);
    await held.begun;
    const deleter = platform.api.database.dataSource.createQueryRunner();
    try {
      await deleter.startTransaction();
      await deleter.query('SELECT 1 FROM chat_sessions WHERE conversation_id = $1 FOR UPDATE', [conversation_id]);
      expect((await client.send('POST', `${CHAT}stop/`, { conversation_id })).status).toBe(200);
    } finally {
      await deleter.rollbackTransaction();
      await deleter.release();
    }
    await asked;
  });
});
