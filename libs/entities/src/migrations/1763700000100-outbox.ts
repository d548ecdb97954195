import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Outbox1763700000100 implements MigrationInterface {
  name = 'Outbox1763700000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE outbox_messages (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT outbox_messages_pkey PRIMARY KEY,
        job text NOT NULL,
        queue text NOT NULL,
        job_key text NOT NULL,
        payload jsonb NOT NULL,
        request_id text,
        attempts integer NOT NULL DEFAULT 0,
        last_error text NOT NULL DEFAULT '',
        created_at timestamptz NOT NULL DEFAULT now(),
        available_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX outbox_messages_available_at ON outbox_messages (available_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE outbox_messages');
  }
}
