import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Outside of a transaction: the index is made while others write. */
export class ReconciledSubscriptions1766000005201 implements MigrationInterface {
  name = 'ReconciledSubscriptions1766000005201';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET lock_timeout = 0');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS public.subscriptions_reconciled_at');
    await runner.query(
      `CREATE INDEX CONCURRENTLY subscriptions_reconciled_at ON subscriptions  (reconciled_at) WHERE status IN ('incomplete','trialing','active','past_due','unpaid')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX public.subscriptions_reconciled_at');
  }
}
