/**
 * Adds the counts of one generation to the totals `readable_chunks` and `readable_terms` of its owner, `p_times` over.
 */
export const countReadable = `
CREATE OR REPLACE FUNCTION count_readable(p_index document_indexes, p_times integer)
RETURNS void
LANGUAGE sql
AS $$
  INSERT INTO kept_total_changes (kind, key, part, change)
  SELECT c.kind, p_index.owner_id, jsonb_build_array(p_index.embedding_model, to_jsonb(p_index.languages)), c.change * p_times
  FROM (VALUES ('readable_chunks', p_index.chunk_count), ('readable_terms', p_index.term_count)) AS c (kind, change)
  WHERE c.change <> 0
$$`;

/**
 * A document that gets another generation, goes to the trash, comes back or goes for good.
 *
 * Its rows are found by their keys: a plan that was made while the tables were small must not read through them for each row.
 */
export const countReadableDocument = `
CREATE OR REPLACE FUNCTION count_readable_document()
RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    PERFORM count_readable(i, -1) FROM document_indexes i
    WHERE i.document_uid = OLD.uid AND i.generation = OLD.index_generation AND i.owner_id = OLD.owner_id;
  END IF;
  -- Before the deletion, whose cascade takes the generation away.
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  IF NEW.deleted_at IS NULL THEN
    PERFORM count_readable(i, 1) FROM document_indexes i
    WHERE i.document_uid = NEW.uid AND i.generation = NEW.index_generation AND i.owner_id = NEW.owner_id;
  END IF;
  RETURN NULL;
END $$`;

/**
 * A generation that is changed while it answers. The lock keeps its document as it is until then; whether it is in the
 * trash is asked behind the lock. A generation that does not answer takes none, since its worker would hold it for long:
 * it is put in place by the transaction that wrote it.
 */
export const countReadableIndex = `
CREATE OR REPLACE FUNCTION count_readable_index()
RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan TO 'off'
AS $$
DECLARE
  v_deleted_at timestamptz;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    SELECT d.deleted_at INTO v_deleted_at FROM documents d WHERE d.uid = OLD.document_uid AND d.index_generation = OLD.generation
      AND d.owner_id = OLD.owner_id FOR SHARE;
    IF FOUND AND v_deleted_at IS NULL THEN PERFORM count_readable(OLD, -1); END IF;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    SELECT d.deleted_at INTO v_deleted_at FROM documents d WHERE d.uid = NEW.document_uid AND d.index_generation = NEW.generation
      AND d.owner_id = NEW.owner_id FOR SHARE;
    IF FOUND AND v_deleted_at IS NULL THEN PERFORM count_readable(NEW, 1); END IF;
  END IF;
  RETURN NULL;
END $$`;
