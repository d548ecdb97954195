import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Totals that changed since somebody looked, and uses of models by organisation. */
export class LookedTotals1766000005404 implements MigrationInterface {
  name = 'LookedTotals1766000005404';
  /** CONCURRENTLY works outside of transactions only. */
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are under way, and nobody waits for it.
    await runner.query('SET lock_timeout = 0');
    // What an attempt left behind that was cut off is invalid.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS kept_totals_unlooked');
    await runner.query(
      `CREATE INDEX CONCURRENTLY kept_totals_unlooked ON kept_totals (kind)
         WHERE looked_value IS DISTINCT FROM value AND kind IN ('workflow_runs', 'model_tokens', 'storage')`,
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS model_usage_organization');
    await runner.query(
      `CREATE INDEX CONCURRENTLY model_usage_organization ON model_usage (organization_id, created_at)
         WHERE organization_id IS NOT NULL`,
    );
    await runner.query('ALTER TABLE model_usage VALIDATE CONSTRAINT model_usage_price_source_check');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX model_usage_organization');
    await runner.query('DROP INDEX kept_totals_unlooked');
  }
}
