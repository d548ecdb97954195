import type { MigrationInterface, QueryRunner } from 'typeorm';
import { usersForgetUsage } from '../functions/users-forget-usage.js';

/** Counters and notices of an account go with it. */
export class ForgottenUsage1766000005403 implements MigrationInterface {
  name = 'ForgottenUsage1766000005403';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(usersForgetUsage);
    await runner.query(
      `CREATE TRIGGER users_forget_usage AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION users_forget_usage()`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER users_forget_usage ON users');
    await runner.query('DROP FUNCTION users_forget_usage');
  }
}
