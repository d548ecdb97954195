import type { DataSource } from 'typeorm';

const BATCH = 500;

/** Takes finished requests out of the queue's records once nobody asks for them any more; their runs stay. */
export class RequestRetention {
  constructor(
    private readonly dataSource: DataSource,
    private readonly days: number,
  ) {}

  /** @returns how many went; a full batch means that there may be more. */
  async removeSome(): Promise<{ removed: number; mayBeMore: boolean }> {
    const [, removed] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM workflow_requests WHERE id = ANY(ARRAY(
         SELECT id FROM workflow_requests WHERE queued_at < now() - $1 * interval '1 day'
           AND finished_at < now() - $1 * interval '1 day' AND status IN ('done', 'failed', 'cancelled')
         LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
      [this.days],
    );
    return { removed, mayBeMore: removed === BATCH };
  }

  /** Secrets, signing keys and addresses that were replaced and are taken no more. */
  async removeExpiredKeys(): Promise<void> {
    await this.dataSource.query('DELETE FROM workflow_webhook_keys WHERE expires_at <= now()');
    await this.dataSource.query('DELETE FROM workflow_webhook_urls WHERE expires_at <= now()');
  }
}
