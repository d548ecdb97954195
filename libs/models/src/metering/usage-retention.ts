import type { SoleTasks } from '@app/queues';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { DataSource } from 'typeorm';

const SWEEP_SECONDS = 3_600;
const BATCH = 5_000;

/** Forgets what models were used for long ago. */
export class UsageRetention implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tasks: SoleTasks,
    private readonly days: number,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('old uses of models', SWEEP_SECONDS, async () => {
      while ((await this.sweep()) === BATCH);
    });
  }

  /** @returns how many rows went, of one batch */
  async sweep(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM model_usage WHERE id IN (
         SELECT id FROM model_usage WHERE created_at < now() - $1 * interval '1 day' LIMIT ${BATCH}
         FOR UPDATE SKIP LOCKED)`,
      [this.days],
    );
    return count;
  }
}
