import type { MigrationInterface, QueryRunner } from 'typeorm';
import { countModelTokens } from '../functions/count-model-tokens.js';

/** Tokens are counted as they are written down, as runs are: see the migration before this one. */
export class CountedTokens1766000005402 implements MigrationInterface {
  name = 'CountedTokens1766000005402';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(countModelTokens);
    await runner.query(
      `CREATE TRIGGER model_usage_counted AFTER INSERT ON model_usage REFERENCING NEW TABLE AS new_rows
       FOR EACH STATEMENT EXECUTE FUNCTION count_model_tokens()`,
    );
    // Which organisation that was nobody wrote down: today's stands for it.
    await runner.query(
      `INSERT INTO kept_total_changes (kind, key, part, change)
       SELECT 'model_tokens', counted.key, used.month || counted.of, sum(used.tokens)
       FROM (SELECT user_id, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month,
               sum(prompt_tokens + completion_tokens) AS tokens
             FROM model_usage WHERE created_at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
             GROUP BY 1, 2) used
         JOIN users u ON u.id = used.user_id
         LEFT JOIN organizations o ON o.id = u.organization_id AND NOT o.personal
         CROSS JOIN LATERAL (VALUES ('u' || u.id, coalesce('/o' || o.id, '')), ('o' || o.id, '')) AS counted (key, of)
       WHERE counted.key IS NOT NULL GROUP BY 2, 3 HAVING sum(used.tokens) <> 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER model_usage_counted ON model_usage');
    await runner.query('DROP FUNCTION count_model_tokens');
    for (const table of ['kept_total_changes', 'kept_totals'])
      await runner.query(`DELETE FROM ${table} WHERE kind = 'model_tokens'`);
  }
}
