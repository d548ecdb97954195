import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Turns become durable work: claimed, fenced, resumed, with a log of what was told. */
export class Turns1765000000100 implements MigrationInterface {
  name = 'Turns1765000000100';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  // A process of the release before may still write turns: what it leaves out has a default.
  `ALTER TABLE chat_turns
     ADD COLUMN handler text NOT NULL DEFAULT '',
     ADD COLUMN request jsonb NOT NULL DEFAULT '{}',
     ADD COLUMN client_turn_id text,
     ADD COLUMN replaces uuid,
     ADD COLUMN is_replaced boolean NOT NULL DEFAULT false,
     ADD COLUMN attempt integer NOT NULL DEFAULT 0,
     ADD COLUMN losses integer NOT NULL DEFAULT 0,
     ADD COLUMN lease_owner text,
     ADD COLUMN lease_expires_at timestamptz,
     ADD COLUMN deadline_at timestamptz,
     ADD COLUMN state jsonb,
     ADD COLUMN pending jsonb,
     ADD COLUMN reply jsonb,
     ADD COLUMN wake_at timestamptz,
     ADD COLUMN result jsonb,
     ADD COLUMN error_detail text NOT NULL DEFAULT '',
     ADD COLUMN started_at timestamptz,
     ADD COLUMN rating text,
     ADD COLUMN rating_comment text NOT NULL DEFAULT '',
     DROP CONSTRAINT chat_turns_status_check,
     ADD CONSTRAINT chat_turns_status_check
       CHECK (status IN ('queued', 'running', 'waiting_input', 'completed', 'failed', 'interrupted')),
     ADD CONSTRAINT chat_turns_rating_check CHECK (rating IN ('up', 'down'))`,
  'CREATE UNIQUE INDEX chat_turns_client_turn_id ON chat_turns (session_id, client_turn_id)',
  `CREATE UNIQUE INDEX chat_turns_one_at_work ON chat_turns (session_id)
     WHERE status IN ('running', 'waiting_input') AND handler <> ''`,
  `CREATE INDEX chat_turns_unfinished ON chat_turns (created_at) WHERE status IN ('queued', 'running', 'waiting_input')`,
  // No foreign key: thousands of rows a second are written, and each would lock the row of its turn.
  `CREATE TABLE chat_turn_events (
     turn_id uuid NOT NULL,
     seq integer NOT NULL,
     type text NOT NULL,
     data jsonb NOT NULL,
     CONSTRAINT chat_turn_events_pkey PRIMARY KEY (turn_id, seq)
   )`,
  `CREATE FUNCTION chat_turn_events_follow() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     DELETE FROM chat_turn_events e USING gone g WHERE e.turn_id = g.id;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER chat_turns_delete_events AFTER DELETE ON chat_turns REFERENCING OLD TABLE AS gone
     FOR EACH STATEMENT EXECUTE FUNCTION chat_turn_events_follow()`,
  // One row per turn and call. What a turn has already under that number is not touched: then somebody else writes there.
  // Nothing is written for a turn that has ended or was deleted: nobody would ever clear it away.
  // Pieces of text need not wait for the disk: who loses the last moments with the server still has them in memory.
  `CREATE FUNCTION chat_append_events(entries jsonb) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM set_config('synchronous_commit', 'off', true);
     RETURN QUERY INSERT INTO chat_turn_events AS w (turn_id, seq, type, data)
       SELECT e.t, e.s, e.k, e.d FROM jsonb_to_recordset(entries) AS e(t uuid, s integer, k text, d jsonb)
       WHERE EXISTS (SELECT 1 FROM chat_turns o WHERE o.id = e.t AND o.status = 'running')
       ON CONFLICT DO NOTHING RETURNING w.turn_id;
   END $$`,
  `CREATE TABLE chat_conversations (
     conversation_id text NOT NULL CONSTRAINT chat_conversations_pkey PRIMARY KEY,
     user_id integer NOT NULL CONSTRAINT chat_conversations_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
     claimed_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE INDEX chat_conversations_user ON chat_conversations (user_id)',
  `INSERT INTO chat_conversations (conversation_id, user_id, claimed_at)
     SELECT DISTINCT ON (conversation_id) conversation_id, user_id, created_at FROM chat_sessions
     ORDER BY conversation_id, created_at, id`,
];

const DOWN = [
  'DROP TABLE chat_conversations',
  'DROP FUNCTION chat_append_events(jsonb)',
  'DROP TRIGGER chat_turns_delete_events ON chat_turns',
  'DROP FUNCTION chat_turn_events_follow()',
  'DROP TABLE chat_turn_events',
  'DROP INDEX chat_turns_unfinished',
  'DROP INDEX chat_turns_one_at_work',
  'DROP INDEX chat_turns_client_turn_id',
  `UPDATE chat_turns SET status = 'interrupted' WHERE status IN ('queued', 'waiting_input')`,
  `ALTER TABLE chat_turns
     DROP CONSTRAINT chat_turns_rating_check,
     DROP CONSTRAINT chat_turns_status_check,
     ADD CONSTRAINT chat_turns_status_check CHECK (status IN ('running', 'completed', 'failed', 'interrupted')),
     DROP COLUMN handler, DROP COLUMN request, DROP COLUMN client_turn_id, DROP COLUMN replaces, DROP COLUMN is_replaced,
     DROP COLUMN attempt, DROP COLUMN losses, DROP COLUMN lease_owner, DROP COLUMN lease_expires_at, DROP COLUMN deadline_at,
     DROP COLUMN state, DROP COLUMN pending, DROP COLUMN reply, DROP COLUMN wake_at,
     DROP COLUMN result, DROP COLUMN error_detail, DROP COLUMN started_at,
     DROP COLUMN rating, DROP COLUMN rating_comment`,
];
