import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Retrieval1763700000400 implements MigrationInterface {
  name = 'Retrieval1763700000400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE document_indexes (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT document_indexes_pkey PRIMARY KEY,
        document_uid uuid NOT NULL CONSTRAINT document_indexes_document_uid_fkey REFERENCES documents (uid) ON DELETE CASCADE,
        owner_id integer NOT NULL,
        generation integer NOT NULL,
        chunk_count integer NOT NULL,
        term_count integer NOT NULL,
        embedding_model text,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX document_indexes_document_uid_generation ON document_indexes (document_uid, generation)',
    );

    // Ranking reads thousands of these rows: nothing of them may lie out of line or be compressed.
    await runner.query(`
      CREATE TABLE chunks (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT chunks_pkey PRIMARY KEY,
        index_id bigint NOT NULL CONSTRAINT chunks_index_id_fkey REFERENCES document_indexes (id) ON DELETE CASCADE,
        ordinal integer NOT NULL,
        term_count integer NOT NULL,
        terms tsvector NOT NULL
      ) WITH (toast_tuple_target = 8160)`);
    await runner.query('ALTER TABLE chunks ALTER COLUMN terms SET STORAGE MAIN');
    await runner.query('CREATE UNIQUE INDEX chunks_index_id_ordinal ON chunks (index_id, ordinal)');
    // Without the pending list, which every search would have to read to its end.
    await runner.query('CREATE INDEX chunks_terms ON chunks USING gin (terms) WITH (fastupdate = off)');
    // From this search estimates how common terms are (libs/retrieval, candidates).
    await runner.query(
      'CREATE INDEX chunks_terms_sample ON chunks USING gin (terms) WITH (fastupdate = off) WHERE id % 64 = 0',
    );
    await runner.query(`
      CREATE TABLE chunk_contents (
        chunk_id bigint CONSTRAINT chunk_contents_pkey PRIMARY KEY
          CONSTRAINT chunk_contents_chunk_id_fkey REFERENCES chunks (id) ON DELETE CASCADE,
        page integer NOT NULL,
        start_offset integer NOT NULL,
        end_offset integer NOT NULL,
        text text NOT NULL,
        spans jsonb NOT NULL DEFAULT '[]'
      )`);

    await runner.query(`
      CREATE TABLE chunk_sign_bits (
        chunk_id bigint CONSTRAINT chunk_sign_bits_pkey PRIMARY KEY
          CONSTRAINT chunk_sign_bits_chunk_id_fkey REFERENCES chunks (id) ON DELETE CASCADE,
        index_id bigint NOT NULL,
        bits bit varying NOT NULL
      )`);
    await runner.query('CREATE INDEX chunk_sign_bits_index_id ON chunk_sign_bits (index_id)');
    await runner.query(`
      CREATE TABLE chunk_vectors (
        chunk_id bigint CONSTRAINT chunk_vectors_pkey PRIMARY KEY
          CONSTRAINT chunk_vectors_chunk_id_fkey REFERENCES chunks (id) ON DELETE CASCADE,
        vector bytea NOT NULL
      )`);
    await runner.query('ALTER TABLE chunk_vectors ALTER COLUMN vector SET STORAGE EXTERNAL');

    await runner.query(`
      CREATE TABLE chat_sessions (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT chat_sessions_pkey PRIMARY KEY,
        user_id integer NOT NULL CONSTRAINT chat_sessions_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
        kind text NOT NULL,
        conversation_id text NOT NULL,
        title text NOT NULL,
        pinned boolean NOT NULL DEFAULT false,
        last_message_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX chat_sessions_user_conversation ON chat_sessions (user_id, kind, conversation_id)',
    );
    await runner.query(`
      CREATE TABLE chat_turns (
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
        CONSTRAINT chat_turns_status_check CHECK (status IN ('running', 'completed', 'failed', 'interrupted'))
      )`);
    await runner.query('CREATE INDEX chat_turns_session_created ON chat_turns (session_id, created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE chat_turns, chat_sessions, chunk_vectors, chunk_sign_bits, chunk_contents, chunks, document_indexes',
    );
  }
}
