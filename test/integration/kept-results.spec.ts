import { randomBytes } from 'node:crypto';
import { ResultRows } from '@app/agents';
import { newId } from '@app/common';
import { KeyRing, SealingService } from '@app/secrets';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';

const SECRET = 'The settlement code is QX-7731.';

describe('long results of turns', () => {
  let database: TestDatabase;
  let rows: ResultRows;
  let userId: number;

  beforeAll(async () => {
    database = await createTestDatabase();
    rows = new ResultRows(database.dataSource, new SealingService(new KeyRing(randomBytes(32).toString('base64'))));
    userId = await createUserRow(database);
  });
  afterAll(() => database.drop());

  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T>(text, values);

  async function newTurn(sessionId?: number) {
    const session =
      sessionId ??
      (
        await sql<[{ id: number }]>(
          `INSERT INTO chat_sessions (user_id, kind, conversation_id, title) VALUES ($1, 'agent', $2, 'T') RETURNING id`,
          [userId, newId()],
        )
      )[0].id;
    const turnId = newId();
    await sql(
      `INSERT INTO chat_turns (id, session_id, status, question, model) VALUES ($1, $2, 'completed', 'Q', 'm')`,
      [turnId, session],
    );
    return { userId, turnId, sessionId: session, hours: 1 };
  }

  it('are read by their turn and later ones of the conversation, and by nobody else', async () => {
    const owner = await newTurn();
    const handle = (await rows.of(owner).keep({ place: '1.1', tool: 'list', text: SECRET }))!;
    const later = await newTurn(owner.sessionId);
    expect(await rows.of(owner).find(handle)).toEqual({ tool: 'list', text: SECRET });
    expect(await rows.of(later).find(handle)).toEqual({ tool: 'list', text: SECRET });
    expect(await rows.of(await newTurn()).find(handle)).toBeNull();
    expect(await rows.of({ ...owner, userId: userId + 1 }).find(handle)).toBeNull();
  });

  it('stand in the database sealed alone', async () => {
    const owner = await newTurn();
    await rows.of(owner).keep({ place: '1.1', tool: 'list', text: SECRET });
    const [row] = await sql<{ sealed: Buffer }[]>(
      'SELECT content_sealed AS sealed FROM agent_results WHERE turn_id = $1',
      [owner.turnId],
    );
    expect(row!.sealed.includes('QX-7731')).toBe(false);
  });

  it('are replaced by a repetition of their call, whoever makes it', async () => {
    const owner = await newTurn();
    const first = await rows.of(owner).keep({ place: '2.1', tool: 'list', text: 'before' });
    const again = await rows.of(owner).keep({ place: '2.1', tool: 'list', text: 'after' });
    expect(again).toBe(first);
    expect((await rows.of(owner).find(again!))!.text).toBe('after');
  });

  it('are bounded for each turn', async () => {
    const owner = await newTurn();
    const store = rows.of(owner);
    const text = 'x'.repeat(4_000_000);
    for (let n = 1; n <= 8; n += 1) expect(await store.keep({ place: `1.${n}`, tool: 'list', text })).not.toBeNull();
    expect(await store.keep({ place: '1.9', tool: 'list', text: 'one more' })).toBeNull();
    // What is there may be made anew.
    expect(await store.keep({ place: '1.8', tool: 'list', text })).not.toBeNull();
  });

  it('go when their time is over, and with their turn', async () => {
    const [old, owner] = [await newTurn(), await newTurn()];
    const handle = (await rows.of({ ...old, hours: 0 }).keep({ place: '1.1', tool: 'list', text: SECRET }))!;
    expect(await rows.of(old).find(handle)).toBeNull();
    expect(await rows.deleteExpired()).toBe(1);
    await rows.of(owner).keep({ place: '1.1', tool: 'list', text: SECRET });
    await sql('DELETE FROM chat_sessions WHERE id = $1', [owner.sessionId]);
    expect(await sql('SELECT 1 FROM agent_results WHERE turn_id = ANY($1)', [[old.turnId, owner.turnId]])).toEqual([]);
  });
});
