import { newId, newTimeOrderedId } from '@app/common';
import { AgentRunFeed, type AgentRunEvent, RunLogCompaction } from '@app/dedicated-agent';
import { LiveBus, LiveModule } from '@app/live';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { safetyNet, until } from '../support/until.js';
import { createUser } from '../support/workflows.js';

type Told = [event: string, data: Record<string, unknown>];

const delta = (text: string): Told => ['message.delta', { delta: text }];
const ENDED: Told = ['run.completed', { output: 'x' }];

describe('the log of an ended run of a dedicated agent', () => {
  let database: TestDatabase;
  let app: INestApplicationContext;
  let feed: AgentRunFeed;
  let agentId: string;
  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T[]>(text, values);

  beforeAll(async () => {
    database = await createTestDatabase();
    const config = testConfig(database.url, { REDIS_KEY_PREFIX: `logs-${process.pid}` });
    app = await NestFactory.createApplicationContext(LiveModule.forRoot(config), { logger: false });
    feed = new AgentRunFeed(database.dataSource, app.get(LiveBus));
    agentId = newId();
    await sql(`INSERT INTO dedicated_agents (id, user_id, status) VALUES ($1, $2, 'running')`, [
      agentId,
      await createUser(database.dataSource),
    ]);
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  /** Told in uneven steps of time, once backwards. */
  async function addRun(told: readonly Told[], { isOver = true, from = 0, id = newTimeOrderedId() } = {}) {
    if (from === 0)
      await sql(`INSERT INTO dedicated_agent_runs (id, agent_id, input) VALUES ($1, $2, 'x')`, [id, agentId]);
    await sql(
      `INSERT INTO dedicated_agent_events (run_id, seq, event, data, created_at)
       SELECT $1, $4 + n.at, n.event, n.data, '2026-11-28T10:00:00Z'::timestamptz
         + (n.at * 37 - CASE WHEN n.at % 5 = 0 THEN 400 ELSE 0 END) * interval '1 ms'
       FROM unnest($2::text[], $3::text[]::jsonb[]) WITH ORDINALITY AS n (event, data, at)`,
      [id, told.map(([event]) => event), told.map(([, data]) => JSON.stringify(data)), from],
    );
    if (isOver)
      await sql(
        `UPDATE dedicated_agent_runs SET status = 'completed', finished_at = now() - interval '1 second' WHERE id = $1`,
        [id],
      );
    return id;
  }

  async function follow(id: string, after = 0): Promise<AgentRunEvent[]> {
    const events: AgentRunEvent[] = [];
    for await (const event of feed.follow(id, { after, signal: safetyNet() })) if (event) events.push(event);
    return events;
  }
  const fromEverywhere = async (id: string, count: number) => {
    const all = [];
    for (let after = 0; after <= count; after += 1) all.push(await follow(id, after));
    return all;
  };
  const rowsOf = (id: string) =>
    sql<{ seq: number; event: string; pieces: string | null }>(
      'SELECT seq, event, data, pieces FROM dedicated_agent_events WHERE run_id = $1 ORDER BY seq',
      [id],
    );
  const compact = (dataSource = database.dataSource) => new RunLogCompaction(dataSource).compactSome(0);

  it('is told the same from every place once it is compacted', async () => {
    const pieces = ['One ', 'é🙂', ' two', '\n\n', '', '🙂', '"drei"', '\\u0000', ' five'];
    const told: Told[] = [
      ...pieces.slice(0, 4).map(delta),
      ['tool.started', { tool: 't' }],
      delta('alone'),
      ['tool.completed', { tool: 't' }],
      ...pieces.slice(4).map(delta),
      ['reasoning.delta', { delta: 'hm' }],
      ['reasoning.delta', { delta: ', so' }],
      // Of a gateway that says more, or something else, than its text.
      ['message.delta', { delta: 'with', more: 1 }],
      ['message.delta', { delta: 7 }],
      ENDED,
    ];
    const id = await addRun(told);
    const before = await fromEverywhere(id, told.length);
    expect(before[0]!.map(({ event, data }) => [event, data])).toEqual(told);
    expect(await compact()).toEqual({ compacted: 1, mayBeMore: false });
    const kept = await rowsOf(id);
    expect(kept.map(({ seq, event, pieces: p }) => [seq, event, p !== null])).toEqual([
      [4, 'message.delta', true],
      [5, 'tool.started', false],
      [6, 'message.delta', false],
      [7, 'tool.completed', false],
      [12, 'message.delta', true],
      [14, 'reasoning.delta', true],
      [15, 'message.delta', false],
      [16, 'message.delta', false],
      [17, 'run.completed', false],
    ]);
    expect(await fromEverywhere(id, told.length)).toEqual(before);
    expect(await compact()).toEqual({ compacted: 0, mayBeMore: false });
    expect(await rowsOf(id)).toEqual(kept);
  });

  it('is told to its end to whoever reads it at that moment, over many pages', async () => {
    const told = [...Array.from({ length: 1800 }, (_, at) => delta(`${at} `)), ENDED];
    const id = await addRun(told);
    const before = await follow(id);
    const seen: AgentRunEvent[] = [];
    for await (const event of feed.follow(id, { after: 3, signal: safetyNet() })) {
      if (event) seen.push(event);
      if (seen.length === 300) await compact();
    }
    expect(seen).toEqual(before.slice(3));
    expect((await rowsOf(id)).map(({ seq }) => seq)).toEqual([500, 1000, 1500, 1800, 1801]);
    expect(await follow(id)).toEqual(before);
    // What is long already stays as it is, and comes in pages that a process can hold.
    const long = await addRun([...Array.from({ length: 40 }, () => delta(newId().repeat(4000))), ENDED]);
    const read = await follow(long);
    expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: 41 }, (_, at) => at + 1));
    await compact();
    expect(await rowsOf(long)).toHaveLength(41);
    expect(await follow(long)).toEqual(read);
  });

  it('keeps its rows while the run is at work, and when the work on them breaks off', async () => {
    const id = await addRun(['a', 'b', 'c'].map(delta), { isOver: false });
    const seen: AgentRunEvent[] = [];
    const reading = (async () => {
      for await (const event of feed.follow(id, { after: 0, signal: safetyNet() })) if (event) seen.push(event);
    })();
    await until(() => seen.length === 3);
    expect(await compact()).toEqual({ compacted: 0, mayBeMore: false });
    expect(await rowsOf(id)).toHaveLength(3);
    await addRun([delta('d'), ENDED], { id, from: 3 });
    const rows = await rowsOf(id);
    await expect(
      database.dataSource.transaction(async (tx) => {
        expect((await compact(tx as unknown as DataSource)).compacted).toBe(1);
        throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    expect(await rowsOf(id)).toEqual(rows);
    // Its reader is at its third event while they become one row.
    await compact();
    await reading;
    expect(seen.map(({ seq, event, data }) => [seq, event, data.delta])).toEqual([
      [1, 'message.delta', 'a'],
      [2, 'message.delta', 'b'],
      [3, 'message.delta', 'c'],
      [4, 'message.delta', 'd'],
      [5, 'run.completed', undefined],
    ]);
  });

  it('is compacted by one of two at once, and by none while it is deleted', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => addRun([...['a', 'b', 'c'].map(delta), ENDED])));
    const found = await Promise.all([compact(), compact(), compact()]);
    expect(found.reduce((sum, { compacted }) => sum + compacted, 0)).toBe(30);
    for (const id of ids) expect(await rowsOf(id)).toHaveLength(2);
    const gone = await addRun([...['a', 'b'].map(delta), ENDED]);
    await database.dataSource.transaction(async (tx) => {
      await tx.query('DELETE FROM dedicated_agent_runs WHERE id = $1', [gone]);
      expect((await compact()).compacted).toBe(0);
    });
    expect(await rowsOf(gone)).toEqual([]);
  });
});
