import {
  ErasureRegistry,
  exportedArray,
  exportedRow,
  type ExportedColumns,
  type ExportedFile,
  type OwnedData,
} from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const SPENDING: ExportedColumns = {
  table: 'dedicated_agent_spending',
  exported: ['key', 'scope', 'spent_cost', 'spent_tokens', 'calls', 'unpriced_calls', 'updated_at'],
  withheld: {
    agent_id: 'the one agent of the account',
    reserved_cost: 'of calls under way at that moment',
    reserved_tokens: 'of calls under way at that moment',
    refused_cost: 'under which cap a call was refused',
    refused_tokens: 'under which cap a call was refused',
    told: 'which events of the run were sent, which are in the copy',
    owner_told: 'whether a mail was sent',
  },
};

const UNDER_WAY = 'of a call under way at that moment, gone with it';
const RESERVATIONS: ExportedColumns = {
  table: 'dedicated_agent_reservations',
  exported: [],
  withheld: {
    id: UNDER_WAY,
    agent_id: UNDER_WAY,
    keys: UNDER_WAY,
    cost: UNDER_WAY,
    tokens: UNDER_WAY,
    is_priced: UNDER_WAY,
    expires_at: UNDER_WAY,
  },
};

const BATCH = 1000;
const OWN = '(SELECT id FROM dedicated_agents WHERE user_id = $1)';

/** What the agent of an account has spent. */
@Injectable()
export class OwnedAgentBudgets implements OwnedData, OnModuleInit {
  readonly name = 'dedicated_agent_budgets';
  readonly tables = ['dedicated_agent_spending', 'dedicated_agent_reservations'];
  readonly columns = [SPENDING, RESERVATIONS];

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM dedicated_agent_spending WHERE agent_id IN ${OWN})::int
         + (SELECT count(*) FROM dedicated_agent_reservations WHERE agent_id IN ${OWN})::int AS count`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, reservations] = await tx.query<[unknown, number]>(
      `DELETE FROM dedicated_agent_reservations WHERE id IN (
         SELECT id FROM dedicated_agent_reservations WHERE agent_id IN ${OWN} LIMIT ${BATCH})`,
      [userId],
    );
    if (reservations > 0) return reservations;
    const [, counters] = await tx.query<[unknown, number]>(
      `DELETE FROM dedicated_agent_spending WHERE (agent_id, key) IN (
         SELECT agent_id, key FROM dedicated_agent_spending WHERE agent_id IN ${OWN} LIMIT ${BATCH})`,
      [userId],
    );
    return counters;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const read = (after: string | null) =>
      this.dataSource.query<{ cursor: string; row: unknown }[]>(
        `SELECT s.key AS cursor, ${exportedRow(SPENDING, 's')} AS row FROM dedicated_agent_spending s
         WHERE s.agent_id IN ${OWN} AND ($2::text IS NULL OR s.key > $2) ORDER BY s.key LIMIT ${BATCH}`,
        [userId, after],
      );
    if ((await this.countFor(userId)) === 0) return;
    yield { path: 'dedicated-agent/spending.json', content: exportedArray(read) };
  }
}
