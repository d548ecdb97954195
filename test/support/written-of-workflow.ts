import type { DataSource } from 'typeorm';

/** All that is written of a workflow, but for ids and times; of its jobs those for runs that nobody has claimed. */
export async function writtenOf(dataSource: DataSource, workflowId: string): Promise<Record<string, unknown>> {
  const [row] = await dataSource.query<[{ written: Record<string, unknown> }]>(
    `SELECT jsonb_build_object(
       'workflow', (SELECT jsonb_build_object('pending', w.pending_requests, 'version', w.current_run_version,
          'succeeded', w.successful_run_count, 'current', (SELECT r.version FROM workflow_runs r WHERE r.id = w.current_run_id))
          FROM workflows w WHERE w.id = $1),
       'runs', (SELECT jsonb_agg(to_jsonb(r) - '{id,workflow_id,queue_request_id,correlation_id}'::text[]
          || jsonb_build_object('created_at', 1, 'started_at', r.started_at IS NULL, 'finished_at', r.finished_at IS NULL,
            'lease_expires_at', r.lease_expires_at > now() + interval '1 second') ORDER BY r.version)
          FROM workflow_runs r WHERE r.workflow_id = $1),
       'nodes', (SELECT jsonb_agg(to_jsonb(n) - 'run_id' ORDER BY r.version, n.node_id)
          FROM workflow_run_nodes n JOIN workflow_runs r ON r.id = n.run_id WHERE r.workflow_id = $1),
       'outputs', (SELECT jsonb_agg(to_jsonb(o) - '{id,workflow_id,run_id,created_at}'::text[] ORDER BY o.node_id)
          FROM workflow_outputs o WHERE o.workflow_id = $1),
       'requests', (SELECT jsonb_agg(to_jsonb(q) - '{id,workflow_id,seq,correlation_id,queued_at}'::text[]
          || jsonb_build_object('started_at', q.started_at IS NULL, 'finished_at', q.finished_at IS NULL) ORDER BY q.seq)
          FROM workflow_requests q WHERE q.workflow_id = $1),
       'ended', (SELECT jsonb_object_agg(t.part, t.count) FROM (
          SELECT c.part, sum(c.value) AS count FROM (
            SELECT part, change AS value FROM kept_total_changes WHERE kind = 'webhook_requests' AND key = $1::text
            UNION ALL SELECT part, value FROM kept_totals WHERE kind = 'webhook_requests' AND key = $1::text) c
          GROUP BY c.part) t),
       'jobs', (SELECT jsonb_agg(to_jsonb(m) - '{id,payload,job_key,request_id,available_at,created_at}'::text[]
          || jsonb_build_object('run', r.version, 'fence', m.payload->'fence', 'key', m.job_key = r.id || ':0',
            'request', m.request_id = r.correlation_id) ORDER BY r.version)
          FROM outbox_messages m JOIN workflow_runs r ON r.id = (m.payload->>'runId')::uuid
          WHERE m.queue = 'runs' AND r.workflow_id = $1 AND r.status = 'PENDING')) AS written`,
    [workflowId],
  );
  return row.written;
}
