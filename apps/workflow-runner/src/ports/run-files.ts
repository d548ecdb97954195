import type { DataSource } from 'typeorm';

/**
 * SQL: whether the document with the uid `uid` came with the call that started the run `runId`, or the run of the same
 * workflow whose body it is. Such files are the run's, whoever its nodes act as.
 */
export function isFileOfRun(uid: string, runId: string): string {
  return `EXISTS (
    WITH RECURSIVE line AS (
      SELECT id, parent_run_id, queue_request_id, workflow_id FROM workflow_runs WHERE id = ${runId}
      UNION ALL
      SELECT up.id, up.parent_run_id, up.queue_request_id, up.workflow_id
      FROM line l JOIN workflow_runs up ON up.id = l.parent_run_id AND up.workflow_id = l.workflow_id)
    SELECT FROM line l JOIN workflow_request_files came ON came.request_id = l.queue_request_id
    WHERE came.document_uid = ${uid})`;
}

/** Whether a document came with the call that started the run. */
export async function cameWithRun(database: DataSource, uid: string, runId: string | undefined): Promise<boolean> {
  if (runId === undefined) return false;
  const [row] = await database.query<unknown[]>(
    `SELECT FROM documents d WHERE d.uid = $1 AND d.deleted_at IS NULL AND ${isFileOfRun('d.uid', '$2::uuid')}`,
    [uid, runId],
  );
  return row !== undefined;
}
