import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose a use of models was and what it cost by which price, which totals were looked at, and who was told of limits. */
export class UsageOfPools1766000005400 implements MigrationInterface {
  name = 'UsageOfPools1766000005400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE usage_notices (
        pool text NOT NULL,
        month text NOT NULL,
        measure text NOT NULL,
        threshold integer NOT NULL,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT usage_notices_threshold_check CHECK (threshold IN (80, 100)),
        CONSTRAINT usage_notices_measure_check CHECK (measure IN ('workflow_runs', 'model_tokens', 'storage')),
        CONSTRAINT usage_notices_pkey PRIMARY KEY (pool, month, measure, threshold)
      )`);
    await runner.query('ALTER TABLE kept_totals ADD looked_value bigint');
    await runner.query(`ALTER TABLE model_usage ADD organization_id integer, ADD cached_cost numeric(20,10),
        ADD cache_write_cost numeric(20,10), ADD price_source text, ADD price_version text`);
    // Validated by a later migration, which holds nobody up.
    await runner.query(
      `ALTER TABLE model_usage ADD CONSTRAINT model_usage_price_source_check
         CHECK (price_source IN ('deployment', 'genai-prices')) NOT VALID`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE model_usage DROP CONSTRAINT model_usage_price_source_check');
    await runner.query(`ALTER TABLE model_usage DROP COLUMN price_version, DROP COLUMN price_source,
        DROP COLUMN cache_write_cost, DROP COLUMN cached_cost, DROP COLUMN organization_id`);
    await runner.query('ALTER TABLE kept_totals DROP COLUMN looked_value');
    await runner.query('DROP TABLE usage_notices');
  }
}
