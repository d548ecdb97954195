import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Outside of a transaction: the index is made while others write. */
export class CustomersOfSubscriptions1766000005800 implements MigrationInterface {
  name = 'CustomersOfSubscriptions1766000005800';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SET lock_timeout = 0');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS public.subscriptions_processor_customer_id');
    await runner.query(
      `CREATE INDEX CONCURRENTLY subscriptions_processor_customer_id ON subscriptions  (processor_customer_id) WHERE processor_customer_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX public.subscriptions_processor_customer_id');
  }
}
