import { ConflictError, toJsonText } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const MAX_STEERS = 50;

/** What people say to runs of our own loop while those are at work. */
@Injectable()
export class RunSteers {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws ConflictError `run_not_accepting_steer` once it has ended, or was told too much */
  async add(runId: string, message: string): Promise<void> {
    const [rows] = await this.dataSource.query<[{ id: string }[], number]>(
      `UPDATE dedicated_agent_runs SET steers = steers || $2::jsonb WHERE id = $1 AND finished_at IS NULL
         AND status <> 'stopping' AND jsonb_array_length(steers) < ${MAX_STEERS} RETURNING id`,
      [runId, toJsonText([message])],
    );
    if (rows.length === 0) throw new ConflictError('The run takes no more words.', { code: 'run_not_accepting_steer' });
  }

  /** @param heard how many of them are known */
  async after(runId: string, heard: number): Promise<string[]> {
    const [row] = await this.dataSource.query<{ steers: string[] }[]>(
      'SELECT steers FROM dedicated_agent_runs WHERE id = $1',
      [runId],
    );
    return (row?.steers ?? []).slice(heard);
  }
}
