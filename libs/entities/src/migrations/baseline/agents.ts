import { chatTurnEventsFollow } from '../../functions/chat-turn-events-follow.js';

/** Conversations, their turns and what agents keep: libs/agents. */
export const agents: readonly string[] = [
  `CREATE TABLE chat_sessions (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT chat_sessions_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT chat_sessions_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    kind text NOT NULL,
    conversation_id text NOT NULL,
    title text NOT NULL,
    pinned boolean NOT NULL DEFAULT false,
    last_message_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    heard jsonb NOT NULL DEFAULT '{}'
  )`,
  'CREATE UNIQUE INDEX chat_sessions_user_conversation ON chat_sessions (user_id, kind, conversation_id)',
  `CREATE TABLE chat_conversations (
    conversation_id text CONSTRAINT chat_conversations_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT chat_conversations_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    claimed_at timestamptz NOT NULL DEFAULT now()
  )`,
  'CREATE INDEX chat_conversations_user ON chat_conversations (user_id)',
  `CREATE TABLE chat_turns (
    id uuid CONSTRAINT chat_turns_pkey PRIMARY KEY,
    session_id integer NOT NULL CONSTRAINT chat_turns_session_id_fkey REFERENCES chat_sessions (id) ON DELETE CASCADE,
    status text NOT NULL,
    question text NOT NULL,
    answer text NOT NULL DEFAULT '',
    sources jsonb NOT NULL DEFAULT '[]',
    model text NOT NULL,
    prompt_tokens integer,
    completion_tokens integer,
    error_code text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    handler text NOT NULL DEFAULT '',
    request jsonb NOT NULL DEFAULT '{}',
    client_turn_id text,
    replaces uuid,
    is_replaced boolean NOT NULL DEFAULT false,
    attempt integer NOT NULL DEFAULT 0,
    losses integer NOT NULL DEFAULT 0,
    lease_owner text,
    lease_expires_at timestamptz,
    deadline_at timestamptz,
    state jsonb,
    pending jsonb,
    reply jsonb,
    wake_at timestamptz,
    result jsonb,
    error_detail text NOT NULL DEFAULT '',
    started_at timestamptz,
    rating text,
    rating_comment text NOT NULL DEFAULT '',
    CONSTRAINT chat_turns_status_check CHECK (status IN ('queued', 'running', 'waiting_input', 'completed', 'failed',
      'interrupted')),
    CONSTRAINT chat_turns_rating_check CHECK (rating IN ('up', 'down'))
  )`,
  'CREATE INDEX chat_turns_session_created ON chat_turns (session_id, created_at)',
  'CREATE UNIQUE INDEX chat_turns_seq ON chat_turns (seq)',
  'CREATE UNIQUE INDEX chat_turns_client_turn_id ON chat_turns (session_id, client_turn_id)',
  `CREATE UNIQUE INDEX chat_turns_one_at_work ON chat_turns (session_id) WHERE status IN ('running', 'waiting_input')
    AND handler <> ''`,
  `CREATE INDEX chat_turns_unfinished ON chat_turns (created_at) WHERE status IN ('queued', 'running', 'waiting_input')`,
  'CREATE INDEX chat_turns_session_seq ON chat_turns (session_id, seq)',
  // What only the client can read has no words.
  `CREATE INDEX chat_turns_words ON chat_turns USING gin (question gin_trgm_ops, answer gin_trgm_ops)
    WHERE question !~ '^enc:v1:'`,
  // The turns whose text has to be forgotten.
  `CREATE INDEX chat_turns_sealed ON chat_turns (finished_at) WHERE request ? 'sealed'`,
  // No foreign key: thousands of rows a second are written, and each would lock the row of its turn.
  `CREATE TABLE chat_turn_events (
    turn_id uuid,
    seq integer,
    type text NOT NULL,
    data jsonb NOT NULL,
    CONSTRAINT chat_turn_events_pkey PRIMARY KEY (turn_id, seq)
  )`,
  `CREATE TABLE chat_thoughts (
    turn_id uuid CONSTRAINT chat_thoughts_turn_id_fkey REFERENCES chat_turns (id) ON DELETE CASCADE,
    step integer,
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
  `CREATE TABLE agent_memories (
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
    heard jsonb NOT NULL DEFAULT '{}',
    CONSTRAINT agent_memories_kind_check CHECK (kind IN ('preference', 'instruction', 'fact', 'project', 'person'))
  )`,
  'CREATE UNIQUE INDEX agent_memories_once ON agent_memories (user_id, text_key) WHERE superseded_by IS NULL',
  'CREATE INDEX agent_memories_source_turn ON agent_memories (source_turn_id)',
  'CREATE INDEX agent_memories_superseded ON agent_memories (superseded_by)',
  'CREATE INDEX agent_memories_user_id ON agent_memories (user_id)',
  `CREATE TABLE agent_memory_settings (
    user_id integer CONSTRAINT agent_memory_settings_pkey PRIMARY KEY CONSTRAINT agent_memory_settings_user_id_fkey
      REFERENCES users (id) ON DELETE CASCADE,
    is_enabled boolean NOT NULL
  )`,
  `CREATE TABLE agent_memory_turns (
    turn_id uuid CONSTRAINT agent_memory_turns_pkey PRIMARY KEY CONSTRAINT agent_memory_turns_turn_id_fkey
      REFERENCES chat_turns (id) ON DELETE CASCADE
  )`,
  `CREATE TABLE agent_approvals (
    id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT agent_approvals_pkey PRIMARY KEY,
    user_id integer NOT NULL CONSTRAINT agent_approvals_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    key text NOT NULL,
    conversation_id text NOT NULL DEFAULT '',
    summary text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  'CREATE UNIQUE INDEX agent_approvals_once ON agent_approvals (user_id, key, conversation_id)',
  chatTurnEventsFollow,
  `CREATE TRIGGER chat_turns_delete_events AFTER DELETE ON chat_turns REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION chat_turn_events_follow()`,
];
