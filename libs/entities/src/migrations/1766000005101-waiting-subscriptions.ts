import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Outside of a transaction: the indexes are made while others write. */
export class WaitingSubscriptions1766000005101 implements MigrationInterface {
  name = 'WaitingSubscriptions1766000005101';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET lock_timeout = 0');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS public.subscriptions_coupon_code');
    await runner.query(
      `CREATE INDEX CONCURRENTLY subscriptions_coupon_code ON subscriptions  (coupon_code) WHERE coupon_code IS NOT NULL`,
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS public.subscriptions_waiting');
    await runner.query(
      `CREATE INDEX CONCURRENTLY subscriptions_waiting ON subscriptions  (checkout_expires_at) WHERE status = 'incomplete' OR give_back = 'due'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX public.subscriptions_waiting');
    await runner.query('DROP INDEX public.subscriptions_coupon_code');
  }
}
