import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What agents keep of a user over conversations. */
export class Memories1765000000500 implements MigrationInterface {
  name = 'Memories1765000000500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE agent_memories (
        id uuid CONSTRAINT agent_memories_pkey PRIMARY KEY,
        user_id integer NOT NULL CONSTRAINT agent_memories_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
        kind text NOT NULL,
        text text NOT NULL,
        text_key text NOT NULL,
        confidence real NOT NULL,
        source_turn_id uuid CONSTRAINT agent_memories_source_turn_id_fkey REFERENCES chat_turns (id) ON DELETE SET NULL,
        superseded_by uuid CONSTRAINT agent_memories_superseded_by_fkey REFERENCES agent_memories (id) ON DELETE CASCADE,
        recall_count integer NOT NULL DEFAULT 0,
        last_recalled_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT agent_memories_kind_check CHECK (kind IN ('preference', 'instruction', 'fact', 'project', 'person'))
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX agent_memories_once ON agent_memories (user_id, text_key) WHERE superseded_by IS NULL',
    );
    await runner.query('CREATE INDEX agent_memories_source_turn ON agent_memories (source_turn_id)');
    await runner.query('CREATE INDEX agent_memories_superseded ON agent_memories (superseded_by)');
    await runner.query(`
      CREATE TABLE agent_memory_settings (
        user_id integer CONSTRAINT agent_memory_settings_pkey PRIMARY KEY
          CONSTRAINT agent_memory_settings_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
        is_enabled boolean NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE agent_memory_turns (
        turn_id uuid CONSTRAINT agent_memory_turns_pkey PRIMARY KEY
          CONSTRAINT agent_memory_turns_turn_id_fkey REFERENCES chat_turns (id) ON DELETE CASCADE
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE agent_memory_turns, agent_memory_settings, agent_memories');
  }
}
