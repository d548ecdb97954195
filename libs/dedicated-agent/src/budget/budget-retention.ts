import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const BATCH = 5_000;
/** A month is shown until it has long been over. */
const MONTHS_DAYS = 400;

/** Counters of long ago. */
@Injectable()
export class BudgetRetention {
  constructor(private readonly dataSource: DataSource) {}

  /** @param days for which runs are kept @returns whether there may be more */
  async removeSome(days: number): Promise<boolean> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM dedicated_agent_spending WHERE (agent_id, key) IN (
         SELECT agent_id, key FROM dedicated_agent_spending
         WHERE updated_at < now() - $1 * interval '1 day' AND (scope IN ('run', 'day') OR updated_at < now() - ${MONTHS_DAYS} * interval '1 day')
           AND reserved_tokens = 0 LIMIT ${BATCH})`,
      [days],
    );
    return count === BATCH;
  }
}
