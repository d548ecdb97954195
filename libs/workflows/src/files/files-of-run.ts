import type { DataSource } from 'typeorm';

/**
 * Whether the document came with the call that started the run, or the run of the same workflow whose body it is. Such
 * files are the run's, whoever its nodes act as.
 */
export async function cameWithRun(dataSource: DataSource, documentUid: string, runId: string): Promise<boolean> {
  const rows = await dataSource.query<unknown[]>(
    `WITH RECURSIVE line AS (
       SELECT id, parent_run_id, queue_request_id, workflow_id FROM workflow_runs WHERE id = $2::uuid
       UNION ALL
       SELECT up.id, up.parent_run_id, up.queue_request_id, up.workflow_id
       FROM line l JOIN workflow_runs up ON up.id = l.parent_run_id AND up.workflow_id = l.workflow_id)
     SELECT FROM line l JOIN workflow_request_files came ON came.request_id = l.queue_request_id
     WHERE came.document_uid = $1 LIMIT 1`,
    [documentUid, runId],
  );
  return rows.length > 0;
}
