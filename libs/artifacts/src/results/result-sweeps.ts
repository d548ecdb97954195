import { SoleTasks } from '@app/queues';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ResultRows } from './result-rows.js';

const EVERY_SECONDS = 600;
const KEPT_DAYS = 7;
const AT_ONCE = 500;

/** Removes what earlier versions gave, once nobody looks at them any more. */
@Injectable()
export class ResultSweeps implements OnApplicationBootstrap {
  private readonly logger = new Logger(ResultSweeps.name);

  constructor(
    private readonly rows: ResultRows,
    private readonly tasks: SoleTasks,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('old results of pages', EVERY_SECONDS, () => this.sweep());
  }

  /** @param days how long they are kept */
  async sweep(days = KEPT_DAYS): Promise<void> {
    let removed = 0;
    for (let some = AT_ONCE; some === AT_ONCE; removed += some) some = await this.rows.sweep(days, AT_ONCE);
    if (removed > 0) this.logger.log(`Removed ${removed} results of earlier versions of pages.`);
  }
}
