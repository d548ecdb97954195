import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What later turns of a conversation go on from, and what a turn at work keeps of its steps. */
export class Conversations1766000002200 implements MigrationInterface {
  name = 'Conversations1766000002200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE chat_turn_work (turn_id uuid CONSTRAINT chat_turn_work_pkey PRIMARY KEY
         CONSTRAINT chat_turn_work_turn_id_fkey REFERENCES chat_turns (id) ON DELETE CASCADE,
       work_sealed bytea, uids uuid[] NOT NULL DEFAULT '{}', tokens integer NOT NULL DEFAULT 0,
       citations integer NOT NULL DEFAULT 0)`,
    );
    await runner.query('CREATE INDEX chat_turn_work_uids ON chat_turn_work USING gin (uids)');
    await runner.query(
      `CREATE TABLE chat_session_summaries (session_id integer CONSTRAINT chat_session_summaries_pkey PRIMARY KEY
         CONSTRAINT chat_session_summaries_session_id_fkey REFERENCES chat_sessions (id) ON DELETE CASCADE,
       through_seq bigint NOT NULL, summary_sealed bytea NOT NULL, uids uuid[] NOT NULL DEFAULT '{}')`,
    );
    await runner.query('CREATE INDEX chat_session_summaries_uids ON chat_session_summaries USING gin (uids)');
    await runner.query(
      `CREATE TABLE chat_turn_steps (turn_id uuid
         CONSTRAINT chat_turn_steps_turn_id_fkey REFERENCES chat_turns (id) ON DELETE CASCADE,
       seq integer, texts bytea NOT NULL, CONSTRAINT chat_turn_steps_pkey PRIMARY KEY (turn_id, seq))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE chat_turn_steps');
    await runner.query('DROP TABLE chat_session_summaries');
    await runner.query('DROP TABLE chat_turn_work');
  }
}
