import type { MigrationInterface, QueryRunner } from 'typeorm';

export class PaymentEvents1766000005200 implements MigrationInterface {
  name = 'PaymentEvents1766000005200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE payment_events (
        processor text NOT NULL,
        event_id text NOT NULL,
        type text NOT NULL,
        object_kind text,
        object_id text,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL,
        received_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        handled_at TIMESTAMP WITH TIME ZONE,
        CONSTRAINT payment_events_object_check CHECK ((object_kind IS NULL) = (object_id IS NULL)),
        CONSTRAINT payment_events_pkey PRIMARY KEY (processor, event_id)
      )`);
    await runner.query(
      `CREATE INDEX payment_events_handled_at ON payment_events  (handled_at) WHERE handled_at IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX payment_events_open ON payment_events  (processor, object_kind, object_id) WHERE handled_at IS NULL`,
    );
    await runner.query(`CREATE TABLE payment_objects (
        attempts integer NOT NULL DEFAULT '0',
        fence integer NOT NULL DEFAULT '0',
        lease_owner text,
        leased_until TIMESTAMP WITH TIME ZONE,
        last_error text NOT NULL DEFAULT '',
        processor text NOT NULL,
        kind text NOT NULL,
        id text NOT NULL,
        next_attempt_at TIMESTAMP WITH TIME ZONE DEFAULT now(),
        read_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),
        CONSTRAINT payment_objects_kind_check CHECK (kind IN ('checkout','subscription')),
        CONSTRAINT payment_objects_pkey PRIMARY KEY (processor, kind, id)
      )`);
    await runner.query(
      `CREATE INDEX payment_objects_read_at ON payment_objects  (read_at) WHERE next_attempt_at IS NULL`,
    );
    await runner.query(
      `CREATE INDEX payment_objects_next_attempt_at ON payment_objects  (next_attempt_at) WHERE next_attempt_at IS NOT NULL`,
    );
    await runner.query(`ALTER TABLE subscriptions ADD reconciled_at TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE subscriptions DROP COLUMN reconciled_at`);
    await runner.query(`DROP INDEX public.payment_objects_next_attempt_at`);
    await runner.query(`DROP INDEX public.payment_objects_read_at`);
    await runner.query(`DROP TABLE payment_objects`);
    await runner.query(`DROP INDEX public.payment_events_open`);
    await runner.query(`DROP INDEX public.payment_events_handled_at`);
    await runner.query(`DROP TABLE payment_events`);
  }
}
