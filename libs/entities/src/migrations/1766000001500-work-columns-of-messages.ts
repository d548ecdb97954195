import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages are work as the others are (libs/work). What is finished has nothing more to be done on. */
export class WorkColumnsOfMessages1766000001500 implements MigrationInterface {
  name = 'WorkColumnsOfMessages1766000001500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE outgoing_messages ADD fence integer NOT NULL DEFAULT 0, ADD lease_owner text,
         ADD leased_until timestamptz, ALTER next_attempt_at DROP NOT NULL`,
    );
    await runner.query(`UPDATE outgoing_messages SET next_attempt_at = NULL WHERE state <> 'waiting'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('UPDATE outgoing_messages SET next_attempt_at = now() WHERE next_attempt_at IS NULL');
    await runner.query(
      `ALTER TABLE outgoing_messages DROP fence, DROP lease_owner, DROP leased_until,
         ALTER next_attempt_at SET NOT NULL`,
    );
  }
}
