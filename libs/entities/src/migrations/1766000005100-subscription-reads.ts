import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SubscriptionReads1766000005100 implements MigrationInterface {
  name = 'SubscriptionReads1766000005100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions ADD reads_begun integer NOT NULL DEFAULT 0');
    await runner.query('ALTER TABLE subscriptions ADD read_written integer NOT NULL DEFAULT 0');
    await runner.query(`ALTER TABLE subscriptions ADD give_back text NOT NULL DEFAULT 'none'`);
    await runner.query('ALTER TABLE subscriptions ADD trial_end_told_at TIMESTAMP WITH TIME ZONE');
    await runner.query(
      `ALTER TABLE subscriptions ADD CONSTRAINT subscriptions_give_back_check CHECK (give_back IN ('none','due','done')) NOT VALID`,
    );
    await runner.query('ALTER TABLE subscriptions VALIDATE CONSTRAINT subscriptions_give_back_check');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions DROP CONSTRAINT subscriptions_give_back_check');
    await runner.query('ALTER TABLE subscriptions DROP COLUMN trial_end_told_at');
    await runner.query('ALTER TABLE subscriptions DROP COLUMN give_back');
    await runner.query('ALTER TABLE subscriptions DROP COLUMN read_written');
    await runner.query('ALTER TABLE subscriptions DROP COLUMN reads_begun');
  }
}
