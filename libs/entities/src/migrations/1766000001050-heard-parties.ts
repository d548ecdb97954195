import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A conversation remembers whose words its agent has read. */
export class HeardParties1766000001050 implements MigrationInterface {
  name = 'HeardParties1766000001050';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE chat_sessions ADD COLUMN heard jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE chat_sessions DROP COLUMN heard');
  }
}
