import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Conversations with tables: their steps, what clients keep of them, and charts (docs/contract/tables.md#questions,
 * docs/contract/tables.md#charts).
 */
export class TabularChats1763900000300 implements MigrationInterface {
  name = 'TabularChats1763900000300';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE charts, tabular_messages, chat_thoughts');
  }
}

const statements = [
  `CREATE TABLE chat_thoughts (
    turn_id uuid NOT NULL CONSTRAINT chat_thoughts_turn_id_fkey REFERENCES chat_turns (id) ON DELETE CASCADE,
    step integer NOT NULL,
    type text NOT NULL,
    text text NOT NULL,
    sql text,
    row_count integer,
    duration_ms integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT chat_thoughts_pkey PRIMARY KEY (turn_id, step),
    CONSTRAINT chat_thoughts_type_check CHECK (type IN ('plan', 'schema', 'sql', 'result', 'error', 'answer'))
  )`,
  `CREATE TABLE tabular_messages (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT tabular_messages_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT tabular_messages_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    store text NOT NULL,
    uid uuid NOT NULL,
    conversation_id text NOT NULL,
    question text NOT NULL,
    answer text NOT NULL,
    sql text,
    mgid text,
    file_uids uuid[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT tabular_messages_store_check CHECK (store IN ('database', 'spreadsheet'))
  )`,
  'CREATE UNIQUE INDEX tabular_messages_user_store_uid ON tabular_messages (user_id, store, uid)',
  'CREATE INDEX tabular_messages_conversation ON tabular_messages (user_id, store, conversation_id, id)',
  `CREATE TABLE charts (
    mgid uuid CONSTRAINT charts_pkey PRIMARY KEY,
    owner_id integer NOT NULL CONSTRAINT charts_owner_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    turn_id uuid CONSTRAINT charts_turn_id_fkey REFERENCES chat_turns (id) ON DELETE CASCADE,
    title text NOT NULL,
    chart_type text NOT NULL,
    spec jsonb NOT NULL,
    columns jsonb NOT NULL,
    rows jsonb NOT NULL,
    truncated boolean NOT NULL DEFAULT false,
    source jsonb NOT NULL,
    refreshed_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  'CREATE INDEX charts_owner_created ON charts (owner_id, created_at)',
  'CREATE INDEX charts_turn_id ON charts (turn_id)',
];
