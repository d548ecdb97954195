import { Readable } from 'node:stream';
import { ErasureRegistry, exportedRow, type ExportedColumns, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const AGENTS: ExportedColumns = {
  table: 'dedicated_agents',
  exported: ['id', 'status', 'note', 'operator_caps', 'owner_caps', 'created_at', 'updated_at'],
  withheld: { user_id: 'whose copy it is' },
};

const FOLLOWED = 'how it is followed';

const RUNS: ExportedColumns = {
  table: 'dedicated_agent_runs',
  exported: [
    'id',
    'agent_id',
    'status',
    'origin',
    'input',
    'instructions',
    'model',
    'session_id',
    'job_id',
    'attached_files',
    'pending',
    'steers',
    'output',
    'usage',
    'error_code',
    'error_detail',
    'created_at',
    'updated_at',
    'finished_at',
    'halts_on_expiry',
  ],
  withheld: {
    idempotency_key: 'a name that the caller made up for the call',
    request_digest: 'the call again, in short',
    gateway_run_id: FOLLOWED,
    gateway_cursor: FOLLOWED,
    unreachable_since: FOLLOWED,
    attempts: FOLLOWED,
    fence: FOLLOWED,
    lease_owner: FOLLOWED,
    leased_until: FOLLOWED,
    next_attempt_at: FOLLOWED,
    last_error: FOLLOWED,
    log_compacted: 'in how many rows its events are kept',
  },
};

const EVENTS: ExportedColumns = {
  table: 'dedicated_agent_events',
  exported: ['seq', 'event', 'data', 'created_at'],
  withheld: { run_id: 'the run in whose file it stands', pieces: 'how quickly its text was told' },
};

/** Goes with the agent, or with its conversation. */
const SESSION_USAGE: ExportedColumns = {
  table: 'dedicated_agent_session_usage',
  exported: [],
  withheld: {
    session_id: 'the conversation that it is counted for',
    agent_id: 'the one agent of the account',
    counted: 'the same as the use of the runs of the conversation, added up',
    counted_at: FOLLOWED,
  },
};

const NOTICES: ExportedColumns = {
  table: 'dedicated_agent_notices',
  exported: ['id', 'job_id', 'job_name', 'run_id', 'session_id', 'status', 'created_at'],
  withheld: { agent_id: 'the one agent of the account' },
};

/** Runs that one call deletes, each with its events. */
const BATCH = 50;

/** The dedicated agent of an account, with its runs and what was told of them. */
@Injectable()
export class OwnedDedicatedAgents implements OwnedData, OnModuleInit {
  readonly name = 'dedicated_agents';
  readonly tables = [
    'dedicated_agents',
    'dedicated_agent_runs',
    'dedicated_agent_events',
    'dedicated_agent_session_usage',
    'dedicated_agent_notices',
  ];
  readonly columns = [AGENTS, RUNS, EVENTS, SESSION_USAGE, NOTICES];

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM dedicated_agents WHERE user_id = $1)::int + (SELECT count(*) FROM dedicated_agent_runs r
         JOIN dedicated_agents a ON a.id = r.agent_id WHERE a.user_id = $1)::int AS count`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, runs] = await tx.query<[unknown, number]>(
      `DELETE FROM dedicated_agent_runs WHERE id IN (SELECT r.id FROM dedicated_agent_runs r
         JOIN dedicated_agents a ON a.id = r.agent_id WHERE a.user_id = $1 ORDER BY r.id LIMIT ${BATCH})`,
      [userId],
    );
    if (runs > 0) return runs;
    const [, agents] = await tx.query<[unknown, number]>('DELETE FROM dedicated_agents WHERE user_id = $1', [userId]);
    return agents;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const [agent] = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT ${exportedRow(AGENTS, 'a')} || jsonb_build_object('notices', ARRAY(SELECT ${exportedRow(NOTICES, 'n')}
         FROM dedicated_agent_notices n WHERE n.agent_id = a.id ORDER BY n.id)) AS row FROM dedicated_agents a WHERE user_id = $1`,
      [userId],
    );
    if (!agent) return;
    yield { path: 'dedicated-agent/agent.json', content: JSON.stringify(agent.row, null, 2) };
    const runs = await this.dataSource.query<{ id: string }[]>(
      `SELECT r.id FROM dedicated_agent_runs r JOIN dedicated_agents a ON a.id = r.agent_id WHERE a.user_id = $1 ORDER BY r.id`,
      [userId],
    );
    // One at a time: all of them together may be more than a process can hold.
    for (const { id } of runs)
      yield { path: `dedicated-agent/runs/${id}.json`, content: async () => Readable.from([await this.readRun(id)]) };
  }

  /** Empty where it was deleted meanwhile. */
  private async readRun(id: string): Promise<string> {
    const [found] = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT ${exportedRow(RUNS, 'r')} || jsonb_build_object('events', ARRAY(SELECT ${exportedRow(EVENTS, 'e')}
         FROM dedicated_agent_events e WHERE e.run_id = r.id ORDER BY e.seq)) AS row
       FROM dedicated_agent_runs r WHERE r.id = $1`,
      [id],
    );
    return found ? JSON.stringify(found.row, null, 2) : '';
  }
}
