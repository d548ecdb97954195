import { randomBytes } from 'node:crypto';
import {
  AgentHistory,
  type AgentState,
  ChatEncryption,
  DocumentQuotes,
  GivenUpTurns,
  KeptState,
  newAgentState,
  OwnedChats,
  PastTurns,
  SessionSummaries,
  TurnWorkLog,
} from '@app/agents';
import { newId } from '@app/common';
import type { Outbox } from '@app/queues';
import { KeyRing, SealingService } from '@app/secrets';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { contentOf } from '../support/exported.js';

const SECRET = 'the hotel limit is 180 francs';

describe('what an agent did in earlier turns', () => {
  const sealing = new SealingService(new KeyRing(randomBytes(32).toString('base64')));
  const workLog = new TurnWorkLog(sealing);
  let database: TestDatabase;
  let past: PastTurns;
  let history: AgentHistory;
  let summaries: SessionSummaries;
  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T>(text, values);

  beforeAll(async () => {
    database = await createTestDatabase();
    past = new PastTurns(database.dataSource, workLog);
    history = new AgentHistory(database.dataSource, sealing, past);
    summaries = new SessionSummaries(database.dataSource, sealing, past, {} as Outbox);
  });
  afterAll(() => database.drop());

  async function addDocument(ownerId: number): Promise<string> {
    const uid = newId();
    await sql(
      `INSERT INTO documents (uid, owner_id, filename, path, kind, mime_type, size_bytes, sha256, storage_key, processing_state)
       VALUES ($1, $2, 'a', '', 'text', 'text/plain', 1, '', '', 'completed')`,
      [uid, ownerId],
    );
    return uid;
  }

  async function addSession(userId: number): Promise<number> {
    const [{ id }] = await sql<[{ id: number }]>(
      `INSERT INTO chat_sessions (user_id, kind, conversation_id, title) VALUES ($1, 'chat', $2, 'T') RETURNING id`,
      [userId, newId()],
    );
    return id;
  }

  /** At work, with a search that has found something in the document. */
  async function addTurn(sessionId: number, uid: string, more: Partial<AgentState> = {}): Promise<string> {
    const id = newId();
    await sql(
      `INSERT INTO chat_turns (id, session_id, status, question, answer, model, handler)
       VALUES ($1, $2, 'running', 'What is the limit?', 'It is known [7].', 'm', 'agent')`,
      [id, sessionId],
    );
    const call = { id: 'c1', name: 'semantic_search', input: { query: 'limit' } };
    const output = `${JSON.stringify({ document_uid: uid, citation: 7, text: SECRET })}${' '.repeat(300)}`;
    const state: AgentState = {
      ...newAgentState(),
      opening: 'What is the limit?',
      steps: 2,
      messages: [
        { role: 'assistant', content: '', toolCalls: [call] },
        { role: 'tool', outcomes: [{ callId: 'c1', name: call.name, output, isError: false }] },
        { role: 'assistant', content: 'It is known [7].' },
      ],
      isAnswered: true,
      sources: [{ citation: 7, uid, filename: 'a', page: null, text: SECRET, path: null }],
      ...more,
    };
    const { row, added } = await new KeptState([]).pack(state);
    await sql('UPDATE chat_turns SET state = $2 WHERE id = $1', [id, JSON.stringify(row)]);
    await sql('INSERT INTO chat_turn_steps (turn_id, seq, texts) VALUES ($1, $2, $3)', [id, added!.seq, added!.texts]);
    return id;
  }

  async function end(turnId: string, status = 'completed'): Promise<void> {
    const told = { status, errorCode: status === 'failed' ? 'model_error' : '', told: 'It is known [7].' };
    await database.dataSource.transaction(async (tx) => {
      await workLog.keep(tx, turnId, told);
      await tx.query('UPDATE chat_turns SET status = $2, state = NULL, finished_at = now() WHERE id = $1', [
        turnId,
        status,
      ]);
    });
  }

  async function nextTurn(sessionId: number): Promise<string> {
    const id = newId();
    await sql(`INSERT INTO chat_turns (id, session_id, status, question, model) VALUES ($1, $2, 'queued', 'Q', '')`, [
      id,
      sessionId,
    ]);
    return id;
  }

  const read = async (userId: number, sessionId: number) =>
    history.before({
      userId,
      sessionId,
      beforeTurnId: await nextTurn(sessionId),
      tokens: 20_000,
      readsCalls: true,
    });

  it.each(['completed', 'interrupted', 'failed'])(
    'is kept sealed where a turn is %s, and read as it was',
    async (status) => {
      const userId = await createUserRow(database);
      const sessionId = await addSession(userId);
      const turnId = await addTurn(sessionId, await addDocument(userId));
      await end(turnId, status);
      const { turns, earlier } = await read(userId, sessionId);
      expect(turns[0]!.messages!.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      expect(JSON.stringify(turns)).toContain(SECRET);
      expect(earlier).toMatchObject({ last: 7, sources: [{ citation: 7, text: SECRET }] });
      const [row] = await sql<{ sealed: Buffer }[]>(
        'SELECT work_sealed AS sealed FROM chat_turn_work WHERE turn_id = $1',
        [turnId],
      );
      expect(row!.sealed.toString('latin1')).not.toContain('hotel');
      expect(await sql('SELECT FROM chat_turn_steps WHERE turn_id = $1', [turnId])).toEqual([]);
    },
  );

  it('is given to nobody who may not read what it rests on, and its numbers stay taken', async () => {
    const [owner, userId] = [await createUserRow(database), await createUserRow(database)];
    const uid = await addDocument(owner);
    await sql('INSERT INTO document_shares (document_uid, user_id) VALUES ($1, $2)', [uid, userId]);
    const sessionId = await addSession(userId);
    const turnId = await addTurn(sessionId, uid);
    await end(turnId);
    expect(JSON.stringify(await read(userId, sessionId))).toContain(SECRET);
    await sql('DELETE FROM document_shares WHERE document_uid = $1', [uid]);
    const withdrawn = await read(userId, sessionId);
    expect(JSON.stringify(withdrawn)).not.toContain(SECRET);
    expect(withdrawn.earlier).toEqual({ sources: [], last: 7 });
    await database.dataSource.transaction((tx) => new DocumentQuotes().forgetDocuments([uid], [userId], tx));
    const [row] = await sql<{ sealed: Buffer | null; citations: number }[]>(
      'SELECT work_sealed AS sealed, citations FROM chat_turn_work WHERE turn_id = $1',
      [turnId],
    );
    expect(row).toEqual({ sealed: null, citations: 7 });
    expect((await read(userId, sessionId)).earlier.last).toBe(7);
  });

  it('goes when its client encrypts its chats, and comes with a copy of the data until then', async () => {
    const userId = await createUserRow(database);
    const sessionId = await addSession(userId);
    const uid = await addDocument(userId);
    const turnId = await addTurn(sessionId, uid);
    await end(turnId);
    const next = (await summaries.next(sessionId, userId, 10, 1_000)) ?? {
      notes: null,
      messages: [],
      turnIds: [turnId],
      throughSeq: 1,
    };
    await summaries.keep(sessionId, next, `They asked: ${SECRET}`);
    const files = [];
    for await (const file of new OwnedChats(database.dataSource, workLog, sealing).exportFor(userId))
      files.push(JSON.parse(await contentOf(file)) as { summary: string; turns: { work: object }[] });
    expect(files[0]!.summary).toContain(SECRET);
    expect(JSON.stringify(files[0]!.turns[0]!.work)).toContain(SECRET);
    await new ChatEncryption(database.dataSource, { replaceWith: () => Promise.resolve() }).migrate(
      userId,
      randomBytes(32),
    );
    expect(await sql('SELECT FROM chat_session_summaries WHERE session_id = $1', [sessionId])).toEqual([]);
    expect(await sql('SELECT FROM chat_turn_work WHERE turn_id = $1 AND work_sealed IS NOT NULL', [turnId])).toEqual(
      [],
    );
    expect((await read(userId, sessionId)).turns).toEqual([]);
  });

  it('is made of what a turn had that was given up', async () => {
    const userId = await createUserRow(database);
    const sessionId = await addSession(userId);
    const turnId = await addTurn(sessionId, await addDocument(userId), { isAnswered: false });
    await sql(
      `UPDATE chat_turns SET status = 'failed', error_code = 'worker_lost', finished_at = now() WHERE id = $1`,
      [turnId],
    );
    expect(await new GivenUpTurns(database.dataSource, workLog).keepWork(1)).toBeGreaterThan(0);
    expect(JSON.stringify((await read(userId, sessionId)).turns)).toContain(SECRET);
    expect(await sql('SELECT FROM chat_turns WHERE id = $1 AND state IS NOT NULL', [turnId])).toEqual([]);
    expect(await new GivenUpTurns(database.dataSource, workLog).keepWork(1)).toBe(0);
  });

  it('is put in short from the oldest on, and made anew where a part may not be read any more', async () => {
    const [owner, userId] = [await createUserRow(database), await createUserRow(database)];
    const shared = await addDocument(owner);
    await sql('INSERT INTO document_shares (document_uid, user_id) VALUES ($1, $2)', [shared, userId]);
    const sessionId = await addSession(userId);
    const ids: string[] = [];
    for (const uid of [shared, await addDocument(userId), await addDocument(userId)]) {
      ids.push(await addTurn(sessionId, uid));
      await end(ids.at(-1)!);
    }
    const room = 400;
    const first = (await summaries.next(sessionId, userId, room, 10_000))!;
    expect([first.turnIds, first.notes]).toEqual([ids.slice(0, 2), null]);
    await summaries.keep(sessionId, first, 'Notes with [7].');
    const before = await read(userId, sessionId);
    expect(before).toMatchObject({ summary: { text: 'Notes with [7].' }, isWhole: true });
    expect(before.turns.map(({ turnId }) => turnId)).toEqual([ids[2]]);
    expect(before.earlier.sources.length).toBeGreaterThan(1);
    expect(await summaries.next(sessionId, userId, room, 10_000)).toBeNull();
    await sql('DELETE FROM document_shares WHERE document_uid = $1', [shared]);
    const after = await read(userId, sessionId);
    expect([after.summary, after.isWhole, after.isLong]).toEqual([null, false, true]);
    expect(after.turns).toHaveLength(3);
    const anew = (await summaries.next(sessionId, userId, room, 10_000))!;
    expect(anew.turnIds).toEqual(ids.slice(0, 2));
    expect(JSON.stringify(anew.messages.slice(0, 4))).not.toContain(SECRET);
    // Nobody summarises what was asked for anew in the meantime.
    await sql('UPDATE chat_turns SET is_replaced = true WHERE id = $1', [ids[1]]);
    await summaries.keep(sessionId, anew, 'Too late.');
    expect((await read(userId, sessionId)).summary).toBeNull();
  });
});
