import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { TraceRows } from './trace-rows.js';

const BATCH = 200;
const OF_USER = `e.turn_id IN (SELECT t.id FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id WHERE s.user_id = $1)`;

/** What was said in the calls of an account's turns. */
@Injectable()
export class OwnedTraces implements OwnedData, OnModuleInit {
  readonly name = 'traces';
  readonly tables = ['chat_trace_entries'];
  /** Before the turns that they are of. */
  readonly order = 40;

  constructor(
    private readonly dataSource: DataSource,
    private readonly rows: TraceRows,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM chat_trace_entries e WHERE ${OF_USER}`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>(
      `DELETE FROM chat_trace_entries WHERE id IN (SELECT e.id FROM chat_trace_entries e WHERE ${OF_USER} LIMIT ${BATCH})`,
      [userId],
    );
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const turns = await this.dataSource.query<{ turnId: string }[]>(
      `SELECT DISTINCT e.turn_id AS "turnId" FROM chat_trace_entries e WHERE ${OF_USER} ORDER BY 1`,
      [userId],
    );
    for (const { turnId } of turns) {
      const places = (await this.rows.places(turnId)).sort((a, b) => a.beganAt.getTime() - b.beganAt.getTime());
      const contents = await this.rows.contents(
        turnId,
        places.map(({ id }) => id),
      );
      const entries = places.map(({ id, kind, beganAt }) => ({ id, kind, beganAt, ...contents.get(id) }));
      yield { path: `chats/traces/${turnId}.json`, content: JSON.stringify(entries, null, 2) };
    }
  }
}
