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

const JOBS: ExportedColumns = {
  table: 'dedicated_agent_jobs',
  exported: [
    'id',
    'name',
    'prompt',
    'kind',
    'interval_minutes',
    'cron',
    'run_at',
    'timezone',
    'display',
    'repeat_times',
    'repeat_completed',
    'misfire_policy',
    'notify',
    'budget',
    'halts_on_expiry',
    'made_by_job',
    'enabled',
    'state',
    'next_run_at',
    'requested_at',
    'last_run_at',
    'last_status',
    'last_error',
    'created_at',
    'updated_at',
  ],
  withheld: {
    agent_id: 'the one agent of the account',
    anchor_at: 'how its times are counted',
    due_at: 'the earlier one of two times that are in the copy',
    claimed_until: 'which process is at it',
    version: 'how many changes there were',
    told_error: 'a reason that stands among the executions',
  },
};

const EXECUTIONS: ExportedColumns = {
  table: 'dedicated_agent_executions',
  exported: [
    'id',
    'job_id',
    'scheduled_for',
    'source',
    'status',
    'late',
    'missed',
    'run_id',
    'started_at',
    'finished_at',
    'error',
  ],
  withheld: {},
};

const BATCH = 1000;
const OWN = `SELECT j.id FROM dedicated_agent_jobs j JOIN dedicated_agents a ON a.id = j.agent_id WHERE a.user_id = $1`;

/** The jobs of somebody's agent, and what became of their times. */
@Injectable()
export class OwnedAgentJobs implements OwnedData, OnModuleInit {
  readonly name = 'dedicated_agent_jobs';
  readonly tables = ['dedicated_agent_jobs', 'dedicated_agent_executions'];
  readonly columns = [JOBS, EXECUTIONS];

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM dedicated_agent_executions WHERE job_id IN (${OWN}))::int
         + (SELECT count(*) FROM (${OWN}) own)::int AS count`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, executions] = await tx.query<[unknown, number]>(
      `DELETE FROM dedicated_agent_executions WHERE id IN (
         SELECT id FROM dedicated_agent_executions WHERE job_id IN (${OWN}) LIMIT ${BATCH})`,
      [userId],
    );
    if (executions > 0) return executions;
    const [, jobs] = await tx.query<[unknown, number]>(`DELETE FROM dedicated_agent_jobs WHERE id IN (${OWN})`, [
      userId,
    ]);
    return jobs;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const jobs = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT ${exportedRow(JOBS, 'j')} AS row FROM dedicated_agent_jobs j WHERE j.id IN (${OWN}) ORDER BY j.created_at, j.id`,
      [userId],
    );
    if (jobs.length === 0) return;
    yield { path: 'dedicated-agent/jobs.json', content: toJson(jobs) };
    const read = (after: string | null) =>
      this.dataSource.query<{ cursor: string; row: unknown }[]>(
        `SELECT e.id AS cursor, ${exportedRow(EXECUTIONS, 'e')} AS row FROM dedicated_agent_executions e
         WHERE e.job_id IN (${OWN}) AND ($2::uuid IS NULL OR e.id > $2) ORDER BY e.id LIMIT ${BATCH}`,
        [userId, after],
      );
    yield { path: 'dedicated-agent/executions.json', content: exportedArray(read) };
  }
}

function toJson(found: readonly { row: unknown }[]): string {
  return JSON.stringify(
    found.map(({ row }) => row),
    null,
    2,
  );
}
