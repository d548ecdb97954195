import { setTimeout as sleep } from 'node:timers/promises';
import {
  SealedText,
  TurnClaims,
  TurnLogCompaction,
  Turns,
  turnWork,
  type NewTurn,
  type TurnContext,
  type TurnHandler,
  type TurnOutcome,
} from '@app/agents';
import { BadGatewayError, newId } from '@app/common';
import { ClaimLostError, WorkClaims, WorkRunner } from '@app/work';
import type { INestApplicationContext } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { FormerTurnRunner } from '../support/former-turn-runner.js';
import { followToEnd, startTurnProcess, textOf } from '../support/turns.js';
import { safetyNet, until } from '../support/until.js';
import { inAll } from '../support/long.js';

type Work = (context: TurnContext) => Promise<TurnOutcome>;
const DONE: TurnOutcome = { usage: { promptTokens: 3, completionTokens: 5 }, model: 'm' };

const write =
  (...pieces: string[]): Work =>
  async (context) => {
    context.sources([{ uid: 'a' }]);
    for (const piece of pieces) {
      context.text(piece);
      await context.flush();
    }
    return DONE;
  };

/** A turn that asks something, and tells what was replied. */
const asks =
  (expiresAt: Date | null): Work =>
  async (context) => {
    if (!context.resume) {
      context.text('Before. ');
      const wait = { request_id: 'r1', kind: 'clarification' as const, message: 'Which?', options: [], fields: [] };
      return { wait, expiresAt };
    }
    context.text(`After: ${JSON.stringify(context.resume.reply)}`);
    return DONE;
  };

describe('turns', () => {
  let database: TestDatabase;
  let userId: number;
  const apps: INestApplicationContext[] = [];
  const works = new Map<string, Work>();
  let turns: Turns;
  let away: Turns;

  const handler = (name: TurnHandler['name']): TurnHandler => ({
    name,
    run: (context) => works.get(context.turn.request.work as string)!(context),
  });

  beforeAll(async () => {
    database = await createTestDatabase();
    userId = await createUserRow(database);
    const config = testConfig(database.url);
    for (let worker = 0; worker < 2; worker += 1)
      apps.push(await startTurnProcess(config, [handler('agent'), handler('document')]));
    const asking = await startTurnProcess(config);
    const deaf = await startTurnProcess({ ...config, redis: { ...config.redis, url: 'redis://127.0.0.1:1' } });
    apps.push(asking, deaf);
    turns = asking.get(Turns);
    away = deaf.get(Turns);
  });
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await database.drop();
  });

  const setActive = (isActive: boolean) =>
    database.dataSource.query('UPDATE users SET is_active = $2 WHERE id = $1', [userId, isActive]);

  /** A turn that does `work`. */
  const ask = (work: Work, turn: Partial<NewTurn> = {}) => {
    const name = newId();
    works.set(name, work);
    const { conversation = { conversationId: newId() }, question = 'Q', ...rest } = turn;
    return turns.begin({
      userId,
      kind: 'chat',
      conversation,
      question,
      handler: 'agent',
      request: { work: name },
      ...rest,
    });
  };

  it('tells everything in order, and again from every place', async () => {
    const { turnId } = await ask(async (context) => {
      context.stage('stage:thinking', 'Reads');
      return write('Hel', 'lo ', 'there')(context);
    });
    const events = await followToEnd(turns, turnId);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(events.map(({ type }) => type)).toEqual(['started', 'stage', 'sources', 'delta', 'delta', 'delta', 'end']);
    expect(events.at(-1)!.data).toEqual({
      status: 'completed',
      usage: { prompt_tokens: 3, completion_tokens: 5 },
      error: null,
    });
    for (const { seq } of events) expect(await followToEnd(turns, turnId, seq)).toEqual(events.slice(seq));
    expect(await turns.get(userId, turnId)).toMatchObject({
      status: 'completed',
      answer: 'Hello there',
      sources: [{ uid: 'a' }],
      model: 'm',
      usage: { promptTokens: 3, completionTokens: 5 },
    });
    await database.dataSource.query('DELETE FROM chat_turn_events WHERE turn_id = $1', [turnId]);
    expect(textOf(await followToEnd(turns, turnId))).toBe('Hello there');
  });

  it('keeps characters whole and drops what cannot be kept', async () => {
    const { turnId } = await ask(write('a\ud83d', '\ude00b\0', '\udc00c\ud800'));
    const events = await followToEnd(turns, turnId);
    expect(textOf(events)).toBe('a😀b\ufffdc');
    let offset = 0;
    for (const event of events)
      if (event.type === 'delta') {
        expect(event.data.offset).toBe(offset);
        offset += event.data.text.length;
      }
  });

  it('does one turn of a conversation at a time, in order, and several conversations at once', async () => {
    const conversation = { conversationId: newId() };
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const seen: string[] = [];
    const first = await ask(
      async () => {
        seen.push('first begins');
        await gate;
        seen.push('first ends');
        return DONE;
      },
      { conversation },
    );
    const followers = [];
    for (const name of ['second', 'third'])
      followers.push(
        await ask(
          async () => {
            seen.push(name);
            return DONE;
          },
          { conversation },
        ),
      );
    await until(() => seen.length === 1);
    expect(await turns.get(userId, followers[1]!.turnId)).toMatchObject({ status: 'queued', queuePosition: 2 });
    const positions: number[] = [];
    const following = (async () => {
      const events = turns.follow(followers[1]!.turnId, { after: 0, signal: safetyNet() });
      for await (const event of events) if (event?.type === 'queued') positions.push(event.data.position);
    })();
    await followToEnd(turns, (await ask(write('elsewhere'))).turnId);
    expect(seen).toEqual(['first begins']);
    await until(() => positions.length > 0);
    release();
    await following;
    expect(seen).toEqual(['first begins', 'first ends', 'second', 'third']);
    expect(positions[0]).toBe(2);
    expect(await turns.get(userId, first.turnId)).toMatchObject({ status: 'completed' });
  });

  it('is one turn, however often a client asks for it at once', async () => {
    let calls = 0;
    const conversation = { conversationId: newId() };
    const work: Work = async () => {
      calls += 1;
      return DONE;
    };
    const begun = await Promise.all(
      Array.from({ length: 20 }, () => ask(work, { conversation, clientTurnId: 'mine' })),
    );
    expect(new Set(begun.map(({ turnId }) => turnId)).size).toBe(1);
    expect(begun.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1);
    await followToEnd(turns, begun[0]!.turnId);
    expect(await ask(work, { conversation, clientTurnId: 'mine' })).toMatchObject({ isRepeat: true });
    expect(calls).toBe(1);
  });

  it('stops at once, keeps what was told, and goes on with the next', async () => {
    const conversation = { conversationId: newId() };
    let hasStopped = false;
    const { turnId } = await ask(
      async (context) => {
        context.text('as far as this');
        await context.flush();
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        hasStopped = true;
        context.text(' and no further');
        await context.flush();
        return DONE;
      },
      { conversation },
    );
    const next = await ask(write('next'), { conversation });
    const waiting = await ask(write('never'), { conversation });
    await until(async () => (await turns.get(userId, turnId)).answer !== '');
    await expect(turns.stop(userId + 1_000_000, { turnId })).rejects.toMatchObject({ code: 'no_turn_running' });
    expect(await turns.stop(userId, { turnId: waiting.turnId })).toBe(waiting.turnId);
    expect(await turns.stop(userId, conversation)).toBe(turnId);
    const events = await followToEnd(turns, turnId);
    expect(events.at(-1)).toMatchObject({ type: 'end', data: { status: 'interrupted' } });
    await until(() => hasStopped);
    expect(textOf(await followToEnd(turns, next.turnId))).toBe('next');
    expect(await turns.get(userId, turnId)).toMatchObject({ status: 'interrupted', answer: 'as far as this' });
    expect(await turns.get(userId, waiting.turnId)).toMatchObject({ status: 'interrupted', answer: '' });
    await expect(turns.stop(userId, conversation)).rejects.toMatchObject({ code: 'no_turn_running' });
  });

  it('waits for a reply, of which the first counts, and for no longer than it said', async () => {
    const { turnId } = await ask(asks(null));
    await until(async () => (await turns.get(userId, turnId)).status === 'waiting_input');
    expect(await turns.get(userId, turnId)).toMatchObject({ answer: 'Before. ', pending: { message: 'Which?' } });
    await expect(turns.reply(userId, turnId, 'other', {})).rejects.toMatchObject({ code: 'turn_not_waiting' });
    const replies = await Promise.allSettled([1, 2, 3].map((n) => turns.reply(userId, turnId, 'r1', { n })));
    expect(replies.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const n = replies.findIndex(({ status }) => status === 'fulfilled') + 1;
    const events = await followToEnd(turns, turnId);
    expect(events.map(({ type }) => type)).toEqual([
      'started',
      'delta',
      'question',
      'reply',
      'started',
      'delta',
      'end',
    ]);
    expect(textOf(events)).toBe(`Before. After: {"n":${n}}`);

    const conversation = { conversationId: newId() };
    const first = await ask(asks(null), { conversation });
    await until(async () => (await turns.get(userId, first.turnId)).status === 'waiting_input');
    const second = await ask(asks(null), {
      conversation,
      question: 'This one',
      repliesToWaiting: true,
      clientTurnId: 'c',
    });
    expect(second).toMatchObject({ turnId: first.turnId, isReply: true });
    expect(textOf(await followToEnd(turns, first.turnId))).toContain('This one');
    const third = await ask(asks(null), {
      conversation,
      question: 'This one',
      repliesToWaiting: true,
      clientTurnId: 'c',
    });
    expect(third).toMatchObject({ turnId: first.turnId, isRepeat: true });

    const expiring = await ask(asks(new Date(Date.now() + 300)));
    expect(textOf(await followToEnd(turns, expiring.turnId))).toBe('Before. After: null');
  });

  it('take no reply to a question that has expired, though no runner has noticed yet', async () => {
    const conversation = { conversationId: newId() };
    const expiresAt = new Date(Date.now() + 1000);
    const { turnId } = await ask(asks(expiresAt), { conversation });
    await until(async () => (await turns.get(userId, turnId)).status === 'waiting_input');
    // Nobody works for whoever is not active.
    await setActive(false);
    await until(() => Date.now() > expiresAt.getTime() + 50);
    await expect(turns.reply(userId, turnId, 'r1', { choice: 'once' })).rejects.toMatchObject({
      code: 'turn_not_waiting',
    });
    const next = await ask(write('Next'), { conversation, question: 'Yes', repliesToWaiting: true });
    expect(next).toMatchObject({ isReply: false });
    expect(next.turnId).not.toBe(turnId);
    await setActive(true);
    expect(textOf(await followToEnd(turns, turnId))).toBe('Before. After: null');
    expect(textOf(await followToEnd(turns, next.turnId))).toBe('Next');
  });

  it('is taken up where a lost worker left it, which can tell nothing any more', async () => {
    let isZombieOver = false;
    const { turnId } = await ask(async (context) => {
      if (context.turn.attempt === 1) {
        context.sources([{ uid: 'first' }]);
        context.text('One, ');
        await context.saveState({ step: 1 });
        await database.dataSource.query(
          `UPDATE chat_turns SET attempt = attempt + 1, lease_expires_at = now() WHERE id = $1`,
          [context.turn.id],
        );
        for (let at = 0; at < 200 && !context.signal.aborted; at += 1) {
          context.text('z');
          await sleep(20);
        }
        isZombieOver = true;
        await expect(context.saveState({ step: 9 })).rejects.toThrow(ClaimLostError);
        return DONE;
      }
      expect(context.published.sources).toEqual([{ uid: 'first' }]);
      expect(context.turn.state).toEqual({ step: 1 });
      context.sources([{ uid: 'second' }]);
      context.text('two.');
      return DONE;
    });
    const events = await followToEnd(turns, turnId);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(textOf(events)).toMatch(/^One, z*two\.$/);
    await until(() => isZombieOver);
    expect(await turns.get(userId, turnId)).toMatchObject({ answer: textOf(events), sources: [{ uid: 'first' }] });
  });

  it('rests while the account is deactivated, from the very moment, and goes on afterwards', async () => {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    let begun = 0;
    const { turnId } = await ask(async (context) => {
      begun += 1;
      if (begun > 1) return write('again')(context);
      context.text('told before ');
      await context.flush();
      await gate;
      return write('told after')(context);
    });
    await until(async () => (await turns.get(userId, turnId)).answer === 'told before ');
    await setActive(false);
    try {
      release();
      const waiting = await ask(write('later'));
      await apps[0]!.get(WorkRunner).sweep();
      await sleep(500);
      expect((await turns.get(userId, turnId)).status).toBe('queued');
      expect((await turns.get(userId, waiting.turnId)).status).toBe('queued');
      expect(begun).toBe(1);
      await setActive(true);
      await until(async () => {
        await apps[0]!.get(WorkRunner).sweep();
        return (await turns.get(userId, turnId)).status === 'completed';
      }, 20_000);
      expect((await turns.get(userId, turnId)).answer).not.toContain('told after');
      expect(textOf(await followToEnd(turns, waiting.turnId))).toBe('later');
    } finally {
      await setActive(true);
    }
  });

  it('fails with a code and keeps what was told', async () => {
    const { turnId } = await ask(async (context) => {
      context.text('So far');
      await context.flush();
      throw new BadGatewayError('The model endpoint failed.', { code: 'model_error' });
    });
    const events = await followToEnd(turns, turnId);
    expect(events.at(-1)!.data).toMatchObject({
      status: 'failed',
      error: { code: 'model_error', detail: 'The model endpoint failed.' },
    });
    expect(await turns.get(userId, turnId)).toMatchObject({ status: 'failed', answer: 'So far' });
  });

  it('belongs to the first who spoke, and has an end to its queue', async () => {
    const conversation = { conversationId: newId() };
    const stranger = await createUserRow(database);
    const { turnId, sessionId } = await ask(
      (context) => new Promise((resolve) => context.signal.addEventListener('abort', () => resolve(DONE))),
      { conversation },
    );
    await expect(ask(write('x'), { conversation, userId: stranger })).rejects.toMatchObject({
      code: 'conversation_claimed',
    });
    await expect(ask(write('x'), { conversation: { sessionId }, userId: stranger })).rejects.toMatchObject({
      code: 'chat_session_not_found',
    });
    await expect(turns.get(stranger, turnId)).rejects.toMatchObject({ code: 'turn_not_found' });
    await until(async () => (await turns.get(userId, turnId)).status === 'running');
    const asked = await Promise.allSettled(Array.from({ length: 25 }, () => ask(write('x'), { conversation })));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    await turns.stop(userId, conversation);
    await until(async () => (await turns.listUnfinished(userId, conversation.conversationId)).length === 0);
  });

  inAll('is begun and heard by a process without Redis, if later', async () => {
    const name = newId();
    works.set(name, write('from', ' afar'));
    const { turnId } = await away.begin({
      userId,
      kind: 'chat',
      conversation: {},
      question: 'Q',
      handler: 'document',
      request: { work: name },
    });
    expect(textOf(await followToEnd(away, turnId))).toBe('from afar');
  });

  const rowsOf = (turnId: string) =>
    database.dataSource.query<{ seq: number; type: string; data: object }[]>(
      'SELECT seq, type, data FROM chat_turn_events WHERE turn_id = $1 ORDER BY seq',
      [turnId],
    );
  const compact = () => new TurnLogCompaction(database.dataSource).compactEnded(48, 0);

  async function fromEverywhere(turnId: string, count: number) {
    const all = [];
    for (let after = 0; after < count; after += 1) all.push(await followToEnd(turns, turnId, after));
    return all;
  }

  describe('whose log is compacted', () => {
    it('is told the same from every place', async () => {
      const pieces = ['One ', 'é🙂', ' two', '\n\n', '🙂', 'drei ', '"four"', '\\u0000', ' five'];
      const { turnId } = await ask(async (context) => {
        await write(...pieces.slice(0, 4))(context);
        context.stage('stage:tool_started', { tool: 't' });
        await context.flush();
        context.text('alone');
        await context.flush();
        context.stage('stage:tool_finished', { tool: 't' });
        await context.flush();
        return write(...pieces.slice(4))(context);
      });
      const told = await followToEnd(turns, turnId);
      const before = await fromEverywhere(turnId, told.length);
      expect(before[0]).toEqual(told);
      await compact();
      expect((await rowsOf(turnId)).map(({ type }) => type)).toEqual([
        'started',
        'sources',
        'delta',
        'stage',
        'delta',
        'stage',
        'delta',
        'end',
      ]);
      expect(await fromEverywhere(turnId, told.length)).toEqual(before);
      const kept = await rowsOf(turnId);
      await compact();
      expect(await rowsOf(turnId)).toEqual(kept);
      // As a worker does whose last write arrives late: the numbers are taken once.
      await database.dataSource.query(
        `INSERT INTO chat_turn_events (turn_id, seq, type, data) SELECT $1, s, 'delta', d
         FROM unnest($2::int[], $3::jsonb[]) AS late(s, d)`,
        [turnId, told.slice(2, 4).map(({ seq }) => seq), told.slice(2, 4).map(({ data }) => JSON.stringify(data))],
      );
      expect(await fromEverywhere(turnId, told.length)).toEqual(before);
      await compact();
      expect(await fromEverywhere(turnId, told.length)).toEqual(before);
    });

    it('is told the same where only the client may read it', async () => {
      const sealed = apps[0]!.get(SealedText);
      const name = newId();
      works.set(name, async (context) => {
        let offset = 0;
        for (const piece of ['Geheim', 'nis 🙂', ' und', ' mehr']) {
          context.text(sealed.seal(context.turn.id, offset, piece));
          offset += piece.length;
          if (piece !== ' und') await context.flush();
        }
        return DONE;
      });
      const { turnId } = await ask(write(), { request: { work: name, sealed: 'x' } });
      const told = await followToEnd(turns, turnId);
      expect(textOf(told)).toBe('Geheimnis 🙂 und mehr');
      const before = await fromEverywhere(turnId, told.length);
      await compact();
      expect(JSON.stringify(await rowsOf(turnId))).not.toMatch(/Geheim|mehr/);
      expect(await rowsOf(turnId)).toHaveLength(3);
      expect(await fromEverywhere(turnId, told.length)).toEqual(before);
    });

    it('is told to its end to whoever reads it at that moment, over many pages', async () => {
      const { turnId } = await ask(write());
      await followToEnd(turns, turnId);
      const { dataSource } = database;
      await dataSource.query(`UPDATE chat_turn_events SET seq = 1203 WHERE turn_id = $1 AND type = 'end'`, [turnId]);
      await dataSource.query(
        `INSERT INTO chat_turn_events SELECT $1, n + 2, 'delta',
           jsonb_build_object('offset', (n - 1) * 5, 'text', to_char(n, 'FM0000 ')) FROM generate_series(1, 1200) n`,
        [turnId],
      );
      const before = await followToEnd(turns, turnId);
      expect(before).toHaveLength(1203);
      const seen = [];
      for await (const event of turns.follow(turnId, { after: 0, signal: safetyNet() })) {
        if (event) seen.push(event);
        if (seen.length === 300) await compact();
      }
      expect(seen).toEqual(before);
      expect(await rowsOf(turnId)).toHaveLength(4);
    });

    it('keeps its rows while it is under way, and when the work on them breaks off', async () => {
      const { promise: gate, resolve: release } = Promise.withResolvers<void>();
      const { turnId } = await ask(async (context) => {
        const outcome = await write('a', 'b', 'c')(context);
        await gate;
        return outcome;
      });
      await until(async () => (await turns.get(userId, turnId)).answer === 'abc');
      await compact();
      expect(await rowsOf(turnId)).toHaveLength(5);
      release();
      await followToEnd(turns, turnId);
      const told = await rowsOf(turnId);
      await expect(
        database.dataSource.transaction(async (tx) => {
          await new TurnLogCompaction(tx as unknown as DataSource).compactEnded(48, 0);
          throw new Error('killed');
        }),
      ).rejects.toThrow('killed');
      expect(await rowsOf(turnId)).toEqual(told);
      await compact();
      expect(await rowsOf(turnId)).toHaveLength(4);
    });
  });

  it('takes the place of the last turn only', async () => {
    const conversation = { conversationId: newId() };
    const first = await ask(write('1'), { conversation });
    await followToEnd(turns, first.turnId);
    const second = await ask(write('2'), { conversation });
    await followToEnd(turns, second.turnId);
    await expect(ask(write('x'), { conversation, replaces: first.turnId })).rejects.toMatchObject({
      code: 'turn_not_last',
    });
    const again = await Promise.allSettled(
      [0, 1].map(() => ask(write('3'), { conversation, replaces: second.turnId })),
    );
    expect(again.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  /** Nobody hears of it; the claims of the test alone take it. */
  async function unheard(): Promise<{ id: string; session: number }> {
    const begun = await ask(write('x'), { handler: 'table' });
    return { id: begun.turnId, session: begun.sessionId };
  }
  const loseWorker = (id: string) =>
    database.dataSource.query(`UPDATE chat_turns SET lease_expires_at = now() - interval '1 s' WHERE id = $1`, [id]);

  describe('beside a workflow-runner of the release before', () => {
    let claims: WorkClaims;
    let former: FormerTurnRunner;
    const claim = (session: number) => claims.claim(turnWork, [String(session)]);

    beforeAll(async () => {
      await Promise.all(apps.splice(0, 2).map((app) => app.close()));
      claims = apps[0]!.get(WorkClaims);
      former = new FormerTurnRunner(database.dataSource, 'former:1');
    });

    it('is worked on by one of both', async () => {
      for (let round = 0; round < 10; round += 1) {
        const { id, session } = await unheard();
        const taken = await Promise.all([claim(session), former.claim(session), claim(session), former.claim(session)]);
        expect(taken.filter((one) => one !== null)).toHaveLength(1);
        expect(taken.find((one) => one !== null)).toMatchObject((taken[0] ?? taken[2]) ? { key: [id] } : { id });
      }
    });

    it('goes from one to the other and back when workers are lost, and when they stop', async () => {
      const { id, session } = await unheard();
      const first = (await claim(session))!;
      expect(await former.claim(session)).toBeNull();
      await loseWorker(id);
      // A worker that was lost before it had begun leaves a limit that the other can work with.
      const second = (await former.claim(session))!;
      expect(second).toMatchObject({ id, attempt: 2 });
      expect(second.deadline_at.getTime()).toBeGreaterThan(Date.now());
      await expect(claims.hold(first)).rejects.toThrow(ClaimLostError);
      expect(await claims.renew([first])).toEqual([first]);
      expect(await claim(session)).toBeNull();
      await loseWorker(id);
      const third = (await claim(session))!;
      expect(third).toMatchObject({ fence: 3, wasLost: true });
      expect(await former.extend(second)).toBe(false);
      await claims.postpone(third, { afterSeconds: 0, reason: '', isTry: false });
      expect(await former.claim(session)).toMatchObject({ attempt: 4, losses: 0 });
      await former.release();
      const fifth = (await claim(session))!;
      expect(fifth).toMatchObject({ fence: 5, wasLost: false });
      const turnClaims = apps[0]!.get(TurnClaims);
      await turnClaims.begin(fifth, 900);
      const question = { request_id: 'r', kind: 'clarification' as const, message: '?', options: [], fields: [] };
      await turnClaims.suspend(fifth, { ...question, expires_at: null });
      expect([await claim(session), await former.claim(session)]).toEqual([null, null]);
      await turns.reply(userId, id, 'r', { yes: true });
      expect(await former.claim(session)).toMatchObject({ attempt: 6 });
    });

    inAll('fails when five workers in a row were lost with it, with what was told', async () => {
      const { id, session } = await unheard();
      const next = await ask(write('next'), { handler: 'table', conversation: { sessionId: session } });
      for (let lost = 0; lost < 5; lost += 1) {
        const held = (await claim(session))!;
        expect(held.key).toEqual([id]);
        const { lastSeq } = await apps[0]!.get(TurnClaims).begin(held, 900);
        await database.dataSource.query(`SELECT chat_append_events($1::jsonb)`, [
          JSON.stringify([{ t: id, s: lastSeq + 1, k: 'delta', d: { offset: lost, text: 'x' } }]),
        ]);
        await loseWorker(id);
      }
      const worker = await startTurnProcess(testConfig(database.url), [handler('agent'), handler('table')]);
      try {
        await until(async () => {
          await worker.get(WorkRunner).sweep();
          return (await turns.get(userId, id)).status === 'failed';
        });
        const events = await followToEnd(turns, id);
        expect(events.at(-1)!.data).toMatchObject({ status: 'failed', error: { code: 'worker_lost' } });
        expect(await turns.get(userId, id)).toMatchObject({ status: 'failed', answer: 'xxxxx' });
        expect(textOf(await followToEnd(turns, next.turnId))).toBe('next');
      } finally {
        await worker.close();
      }
    });
  });
});
