import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was said in the calls of a turn, for its owner. */
export class ChatTraces1766000002500 implements MigrationInterface {
  name = 'ChatTraces1766000002500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE chat_trace_entries (
         id uuid NOT NULL,
         turn_id uuid NOT NULL,
         kind text NOT NULL,
         began_at timestamp with time zone NOT NULL,
         content_sealed bytea NOT NULL,
         created_at timestamp with time zone NOT NULL DEFAULT now(),
         CONSTRAINT chat_trace_entries_kind_check CHECK (kind IN ('model', 'tool')),
         CONSTRAINT chat_trace_entries_pkey PRIMARY KEY (id),
         CONSTRAINT chat_trace_entries_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES chat_turns (id) ON DELETE CASCADE)`,
    );
    await runner.query('CREATE INDEX chat_trace_entries_turn ON chat_trace_entries (turn_id)');
    await runner.query('CREATE INDEX chat_trace_entries_created ON chat_trace_entries (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE chat_trace_entries');
  }
}
