import type { MigrationInterface, QueryRunner } from 'typeorm';
import { countEndedRequests } from '../functions/count-ended-requests.js';
import { countReadable, countReadableDocument, countReadableIndex } from '../functions/count-readable.js';
import { countStorage } from '../functions/count-storage.js';

const STORED: [table: string, part: string][] = [
  ['documents', 'media'],
  ['tabular_files', 'media'],
  ['written_files', 'workflow'],
];
const COUNTED = [...STORED.map(([table]) => table), 'workflow_requests', 'document_indexes'];
const ENDED = (row: string) => `${row}.status NOT IN ('pending', 'running')`;

const TRIGGERS = [
  ...STORED.flatMap(([table, part]) => [
    `CREATE TRIGGER ${table}_stored_more AFTER INSERT ON ${table} REFERENCING NEW TABLE AS new_rows
     FOR EACH STATEMENT EXECUTE FUNCTION count_storage('${part}')`,
    `CREATE TRIGGER ${table}_stored_less AFTER DELETE ON ${table} REFERENCING OLD TABLE AS old_rows
     FOR EACH STATEMENT EXECUTE FUNCTION count_storage('${part}')`,
    `CREATE TRIGGER ${table}_stored_anew AFTER UPDATE OF size_bytes, owner_id ON ${table} FOR EACH ROW
     WHEN ((OLD.size_bytes, OLD.owner_id) IS DISTINCT FROM (NEW.size_bytes, NEW.owner_id))
     EXECUTE FUNCTION count_storage('${part}')`,
  ]),
  `CREATE TRIGGER workflow_requests_ended_at_once AFTER INSERT ON workflow_requests FOR EACH ROW
   WHEN (${ENDED('NEW')}) EXECUTE FUNCTION count_ended_requests()`,
  `CREATE TRIGGER workflow_requests_ended AFTER UPDATE OF status, workflow_id ON workflow_requests FOR EACH ROW
   WHEN ((OLD.status, OLD.workflow_id) IS DISTINCT FROM (NEW.status, NEW.workflow_id) AND (${ENDED('OLD')} OR ${ENDED('NEW')}))
   EXECUTE FUNCTION count_ended_requests()`,
  `CREATE TRIGGER workflow_requests_forgotten AFTER DELETE ON workflow_requests REFERENCING OLD TABLE AS old_rows
   FOR EACH STATEMENT EXECUTE FUNCTION count_ended_requests()`,
  `CREATE TRIGGER documents_readable_anew AFTER UPDATE OF index_generation, deleted_at, owner_id ON documents FOR EACH ROW
   WHEN ((OLD.index_generation, OLD.deleted_at IS NULL, OLD.owner_id)
     IS DISTINCT FROM (NEW.index_generation, NEW.deleted_at IS NULL, NEW.owner_id))
   EXECUTE FUNCTION count_readable_document()`,
  `CREATE TRIGGER documents_readable_less BEFORE DELETE ON documents FOR EACH ROW
   WHEN (OLD.index_generation IS NOT NULL AND OLD.deleted_at IS NULL) EXECUTE FUNCTION count_readable_document()`,
  `CREATE TRIGGER document_indexes_readable AFTER INSERT OR DELETE ON document_indexes FOR EACH ROW
   EXECUTE FUNCTION count_readable_index()`,
  `CREATE TRIGGER document_indexes_readable_anew
   AFTER UPDATE OF document_uid, owner_id, generation, chunk_count, term_count, embedding_model, languages ON document_indexes
   FOR EACH ROW WHEN ((OLD.document_uid, OLD.owner_id, OLD.generation, OLD.chunk_count, OLD.term_count, OLD.embedding_model, OLD.languages)
     IS DISTINCT FROM (NEW.document_uid, NEW.owner_id, NEW.generation, NEW.chunk_count, NEW.term_count, NEW.embedding_model, NEW.languages))
   EXECUTE FUNCTION count_readable_index()`,
];

const SUMS = [
  ...STORED.map(
    ([table, part]) => `SELECT 'storage', owner_id::text, '${part}', sum(size_bytes) FROM ${table} GROUP BY owner_id`,
  ),
  `SELECT 'webhook_requests', workflow_id::text, status, count(*) FROM workflow_requests r WHERE ${ENDED('r')}
   GROUP BY workflow_id, status`,
  ...['chunk', 'term'].map(
    (unit) => `SELECT 'readable_${unit}s', i.owner_id::text,
       jsonb_build_array(i.embedding_model, to_jsonb(i.languages))::text, sum(i.${unit}_count)
     FROM documents d JOIN document_indexes i
       ON i.document_uid = d.uid AND i.generation = d.index_generation AND i.owner_id = d.owner_id
     WHERE d.deleted_at IS NULL GROUP BY 2, 3`,
  ),
];

/** Sums over history are kept in the transaction that changes them; of existing rows they are added up once. */
export class KeptTotals1766000001400 implements MigrationInterface {
  name = 'KeptTotals1766000001400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE kept_totals (
        kind text, key text, part text,
        value bigint NOT NULL,
        CONSTRAINT kept_totals_pkey PRIMARY KEY (kind, key, part)
      )`);
    await runner.query('CREATE INDEX kept_totals_empty ON kept_totals (kind) WHERE value = 0');
    await runner.query(`
      CREATE TABLE kept_total_changes (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT kept_total_changes_pkey PRIMARY KEY,
        kind text NOT NULL, key text NOT NULL, part text NOT NULL,
        change bigint NOT NULL
      )`);
    await runner.query('CREATE INDEX kept_total_changes_key ON kept_total_changes (kind, key)');
    for (const source of [countStorage, countEndedRequests, countReadable, countReadableDocument, countReadableIndex])
      await runner.query(source);
    // Nobody writes between the sums and the triggers; readers go on.
    await runner.query(`LOCK TABLE ${COUNTED.join(', ')} IN SHARE ROW EXCLUSIVE MODE`);
    for (const trigger of TRIGGERS) await runner.query(trigger);
    for (const sums of SUMS) await runner.query(`INSERT INTO kept_total_changes (kind, key, part, change) ${sums}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const trigger of TRIGGERS) {
      const [, name, table] = /CREATE TRIGGER (\w+)[^]*?\bON (\w+)\s/.exec(trigger)!;
      await runner.query(`DROP TRIGGER ${name} ON ${table}`);
    }
    await runner.query(
      'DROP FUNCTION count_storage, count_ended_requests, count_readable_document, count_readable_index',
    );
    await runner.query('DROP FUNCTION count_readable');
    await runner.query('DROP TABLE kept_total_changes, kept_totals');
  }
}
