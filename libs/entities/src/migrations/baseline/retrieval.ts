import { chunkSignBitsFindOwner } from '../../functions/chunk-sign-bits-find-owner.js';
import { countReadableIndex } from '../../functions/count-readable.js';

/** Passages, their words and vectors, and what is known of a document beyond its text: libs/retrieval, libs/documents. */
export const retrieval: readonly string[] = [
  `CREATE TABLE document_indexes (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT document_indexes_pkey PRIMARY KEY,
    document_uid uuid NOT NULL CONSTRAINT document_indexes_document_uid_fkey REFERENCES documents (uid) ON DELETE CASCADE,
    owner_id integer NOT NULL,
    generation integer NOT NULL,
    chunk_count integer NOT NULL,
    term_count integer NOT NULL,
    embedding_model text,
    created_at timestamptz NOT NULL DEFAULT now(),
    languages text[] NOT NULL DEFAULT '{}',
    pipeline_version integer,
    page_count integer,
    content_sha256 text
  )`,
  'CREATE UNIQUE INDEX document_indexes_document_uid_generation ON document_indexes (document_uid, generation)',
  // What a scope holds is read from the index alone.
  `CREATE INDEX document_indexes_owner ON document_indexes (owner_id)
    INCLUDE (id, document_uid, generation, chunk_count, term_count, embedding_model, languages)`,
  'CREATE INDEX document_indexes_pipeline_version ON document_indexes (pipeline_version, id)',
  // Ranking reads thousands of these rows: nothing of them may lie out of line or be compressed.
  `CREATE TABLE chunks (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT chunks_pkey PRIMARY KEY,
    index_id bigint NOT NULL CONSTRAINT chunks_index_id_fkey REFERENCES document_indexes (id) ON DELETE CASCADE,
    ordinal integer NOT NULL,
    term_count integer NOT NULL,
    terms tsvector NOT NULL
  ) WITH (toast_tuple_target = 8160)`,
  'ALTER TABLE chunks ALTER terms SET STORAGE MAIN',
  'CREATE UNIQUE INDEX chunks_index_id_ordinal ON chunks (index_id, ordinal)',
  // Words wait in a short list and go into the index together: a large text is indexed in a quarter of the time. The list
  // is at most 1 MB, which a search reads in some milliseconds.
  'CREATE INDEX chunks_terms ON chunks USING gin (terms) WITH (fastupdate = on, gin_pending_list_limit = 1024)',
  // From this search estimates how common terms are (libs/retrieval, candidates).
  'CREATE INDEX chunks_terms_sample ON chunks USING gin (terms) WITH (fastupdate = off) WHERE (id % 64) = 0',
  `CREATE TABLE chunk_contents (
    chunk_id bigint CONSTRAINT chunk_contents_pkey PRIMARY KEY CONSTRAINT chunk_contents_chunk_id_fkey
      REFERENCES chunks (id) ON DELETE CASCADE,
    page integer NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    text text NOT NULL,
    spans jsonb NOT NULL DEFAULT '[]',
    context text NOT NULL DEFAULT ''
  )`,
  // Searched by one process: while one core goes through it, another looks for words, and more people search than there
  // are cores.
  `CREATE TABLE chunk_sign_bits (
    chunk_id bigint CONSTRAINT chunk_sign_bits_pkey PRIMARY KEY CONSTRAINT chunk_sign_bits_chunk_id_fkey
      REFERENCES chunks (id) ON DELETE CASCADE,
    index_id bigint NOT NULL,
    bits bit varying NOT NULL,
    owner_id integer NOT NULL,
    magnitudes bit varying
  ) WITH (parallel_workers = 0)`,
  'CREATE INDEX chunk_sign_bits_index_id ON chunk_sign_bits (index_id)',
  'CREATE INDEX chunk_sign_bits_owner_id ON chunk_sign_bits (owner_id)',
  // Vectors stay in their rows, where hundreds of them are read at a time, unless they have more than 2,000 dimensions.
  `CREATE TABLE chunk_vectors (
    chunk_id bigint CONSTRAINT chunk_vectors_pkey PRIMARY KEY CONSTRAINT chunk_vectors_chunk_id_fkey
      REFERENCES chunks (id) ON DELETE CASCADE,
    vector bytea NOT NULL
  ) WITH (toast_tuple_target = 8160)`,
  'ALTER TABLE chunk_vectors ALTER vector SET STORAGE EXTERNAL',
  `CREATE TABLE document_summaries (
    document_uid uuid CONSTRAINT document_summaries_pkey PRIMARY KEY CONSTRAINT document_summaries_document_uid_fkey
      REFERENCES documents (uid) ON DELETE CASCADE,
    status text NOT NULL,
    summary text NOT NULL DEFAULT '',
    language text NOT NULL DEFAULT '',
    model text NOT NULL DEFAULT '',
    questions jsonb NOT NULL DEFAULT '[]',
    last_error text NOT NULL DEFAULT '',
    wanted_language text,
    attempts integer NOT NULL DEFAULT 0,
    fence integer NOT NULL DEFAULT 0,
    leased_until timestamptz,
    generated_at timestamptz,
    lease_owner text,
    next_attempt_at timestamptz DEFAULT now(),
    CONSTRAINT document_summaries_status_check CHECK (status IN ('pending', 'ready', 'failed'))
  )`,
  `CREATE INDEX document_summaries_next_attempt_at ON document_summaries (next_attempt_at)
    WHERE next_attempt_at IS NOT NULL`,
  countReadableIndex,
  `CREATE TRIGGER document_indexes_readable AFTER INSERT OR DELETE ON document_indexes
    FOR EACH ROW EXECUTE FUNCTION count_readable_index()`,
  `CREATE TRIGGER document_indexes_readable_anew
    AFTER UPDATE OF document_uid, owner_id, generation, chunk_count, term_count, embedding_model, languages
    ON document_indexes FOR EACH ROW
    WHEN ((OLD.document_uid, OLD.owner_id, OLD.generation, OLD.chunk_count, OLD.term_count, OLD.embedding_model, OLD.languages)
      IS DISTINCT FROM
      (NEW.document_uid, NEW.owner_id, NEW.generation, NEW.chunk_count, NEW.term_count, NEW.embedding_model, NEW.languages))
    EXECUTE FUNCTION count_readable_index()`,
  chunkSignBitsFindOwner,
  `CREATE TRIGGER chunk_sign_bits_find_owner BEFORE INSERT ON chunk_sign_bits
    FOR EACH ROW WHEN (NEW.owner_id IS NULL) EXECUTE FUNCTION chunk_sign_bits_find_owner()`,
];
