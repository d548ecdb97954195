import { foldTotals } from '@app/entities';

/** So many workflows hold the history, whatever its size: what grows is the past. */
const WORKFLOWS = 50;

/**
 * What an old platform has behind it: ended runs and webhook requests, documents, tables, live sessions and keys. Beside it
 * the same few rows of work at hand, whatever the size.
 * @param dataSource with no limit on how long a statement may take
 * @param { ownerId: number, readerId: number, workflowId: string, from: number, to: number } rows from `from` up to `to` are added
 */
export async function addHistory(dataSource, { ownerId, workflowId, from, to }) {
  const series = `generate_series(${from + 1}, ${to}) AS n`;
  if (from === 0)
    await dataSource.query(
      `INSERT INTO workflows (id, owner_id, name) SELECT gen_random_uuid(), $1, 'history ' || n FROM generate_series(1, ${WORKFLOWS}) n`,
      [ownerId],
    );
  await dataSource.query(
    `INSERT INTO workflow_runs (id, workflow_id, version, trigger, content_revision, status, triggered_by_id, created_at, finished_at)
     SELECT gen_random_uuid(), w.ids[1 + n % ${WORKFLOWS}], 1 + n / ${WORKFLOWS}, 'manual', 1, 'COMPLETED', $1, now() - interval '1 hour', now()
     FROM (SELECT array_agg(id ORDER BY name) AS ids FROM workflows WHERE name LIKE 'history %') w, ${series}`,
    [ownerId],
  );
  // Every tenth was started by another run.
  await dataSource.query(
    `UPDATE workflow_runs SET parent_run_id = (SELECT min(id::text)::uuid FROM workflow_runs), parent_key = 'child:' || version, parent_node_id = 'child', is_concurrent = true
     WHERE version % 10 = 0 AND parent_run_id IS NULL`,
  );
  await dataSource.query(
    `INSERT INTO workflow_run_nodes (run_id, node_id, status)
     SELECT id, 'start', 'COMPLETED' FROM workflow_runs r WHERE NOT EXISTS (SELECT FROM workflow_run_nodes n WHERE n.run_id = r.id)`,
  );
  await dataSource.query(
    `INSERT INTO workflow_requests (id, workflow_id, status, finished_at)
     SELECT gen_random_uuid(), $1, 'done', now() FROM ${series}`,
    [workflowId],
  );
  await dataSource.query(
    `INSERT INTO documents (uid, owner_id, filename, path, kind, mime_type, size_bytes, sha256, storage_key, processing_state, index_generation)
     SELECT gen_random_uuid(), $1, 'd' || n, '/media/' || n, 'text', 'text/plain', 1000, '', 'documents/' || n, 'completed', 1 FROM ${series}`,
    [ownerId],
  );
  await dataSource.query(
    `INSERT INTO document_indexes (document_uid, owner_id, generation, chunk_count, term_count, pipeline_version)
     SELECT uid, owner_id, 1, 1, 4, 1 FROM documents d WHERE owner_id = $1
       AND NOT EXISTS (SELECT FROM document_indexes i WHERE i.document_uid = d.uid)`,
    [ownerId],
  );
  await dataSource.query(
    `INSERT INTO chunks (index_id, ordinal, term_count, terms)
     SELECT i.id, 0, 4, array_to_tsvector(ARRAY[i.owner_id || ':zebra', i.owner_id || ':n' || i.id]) FROM document_indexes i
     WHERE owner_id = $1 AND NOT EXISTS (SELECT FROM chunks c WHERE c.index_id = i.id)`,
    [ownerId],
  );
  await dataSource.query(
    `INSERT INTO sessions (id, user_id, ip, user_agent, method, absolute_expires_at)
     SELECT gen_random_uuid(), $1, '', '', 'password', now() + interval '30 days' FROM ${series}`,
    [ownerId],
  );
  await dataSource.query(
    `INSERT INTO idempotency_keys (user_id, key, fingerprint, claim, lease_expires_at, expires_at)
     SELECT $1, 'k' || n, '', gen_random_uuid(), now(), now() + interval '1 day' FROM ${series}`,
    [ownerId],
  );
  await dataSource.query(
    `INSERT INTO loose_files (storage_key, removable_at) SELECT 'coming/' || n, now() + interval '1 hour' FROM ${series}`,
  );
  // As one process of the platform does every few seconds.
  await foldTotals(dataSource);
  await dataSource.query('VACUUM ANALYZE');
}
