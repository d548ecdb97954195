import { MicroBatcher } from '@app/common';
import { wasRolledBack } from '@app/entities';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { StoredActors } from '@app/workflow-definition';
import type { NextRun } from './run-ends.js';

/** A run that was claimed for the first time. */
export interface BegunRun extends Omit<NextRun, 'started_at'> {
  started_at: Date;
  lease_owner: string;
  acts_as: StoredActors | null;
}

interface Waiting {
  runId: string;
  worker: string;
  settle(run: BegunRun | null): void;
  fail(error: unknown): void;
}

/** Bytes of the payload as it is stored: a larger one is claimed alone, so that nobody waits for it. */
const MAX_SHARED_PAYLOAD = 16 * 1024;
const RULES = {
  most: 64,
  atOnce: 2,
  overflow: 16,
  crowdedPerSecond: 100,
  gatherMs: 4,
  // Calls that were taken in together become jobs together.
  inBursts: true,
  enough: () => 16,
};

/** Claims runs that begin; those that come at once share a statement. */
export class RunBegins {
  private readonly logger = new Logger(RunBegins.name);
  private readonly batches = new MicroBatcher<Waiting>((batch) => this.carry(batch), RULES);

  constructor(
    private readonly dataSource: DataSource,
    private readonly leaseSeconds: number,
  ) {}

  /** Null: it is not a plain run that nobody has begun (`workflow_begin_runs`). @throws what the database says */
  claim(runId: string, worker: string): Promise<BegunRun | null> {
    return new Promise((settle, fail) => this.batches.push({ runId, worker, settle, fail }));
  }

  private async carry(batch: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.dataSource.query<BegunRun[]>(
        '/* kept */ SELECT * FROM workflow_begin_runs($1, $2, $3, $4)',
        [batch.map(({ runId }) => runId), batch.map(({ worker }) => worker), this.leaseSeconds, MAX_SHARED_PAYLOAD],
      );
      for (const { runId, worker, settle } of batch) {
        // Asked for twice: whoever asked first has it, and the other one asks for a run that is held.
        const at = rows.findIndex((row) => row.id === runId && row.lease_owner === worker);
        settle(at === -1 ? null : rows.splice(at, 1)[0]!);
      }
    } catch (error) {
      if (!wasRolledBack(error)) for (const { fail } of batch) fail(error);
      else {
        // One of them must not fail the others; none of them was claimed.
        this.logger.warn(`${batch.length} runs are claimed one by one: ${String(error)}`);
        for (const { settle } of batch) settle(null);
      }
    }
  }
}
