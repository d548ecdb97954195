import type { RequestFile } from './files/request-file.js';

export type RequestStatus = 'pending' | 'running' | 'done' | 'failed' | 'cancelled';

/** A call in the queue of its workflow (docs/contract/webhooks.md#queue-requests). */
export interface RequestRecord {
  id: string;
  status: RequestStatus;
  /** From 1 for those that wait, 0 for the one that runs, else null. */
  queuePosition: number | null;
  /** The owner has to let it pass first. */
  isAwaiting: boolean;
  fileUrls: string[];
  files: RequestFile[];
  startNodeId: string | null;
  runVersion: number | null;
  queuedAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  detail: string;
}

export interface RequestRow {
  id: string;
  status: RequestStatus;
  queue_position: number | null;
  awaiting_approval: boolean;
  file_urls: string[];
  files: RequestFile[] | null;
  start_node_id: string | null;
  run_version: number | null;
  queued_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  detail: string;
}

/** Of `workflow_requests q`. */
export const REQUEST_FILES = `
  CASE WHEN q.file_urls <> '{}' THEN (
    SELECT jsonb_agg(jsonb_build_object('url', f.url, 'status', f.state, 'filename', f.filename,
      'documentUid', f.document_uid, 'mimeType', f.mime_type, 'sizeBytes', f.size_bytes, 'error', f.error)
      ORDER BY f.position)
    FROM workflow_request_files f WHERE f.request_id = q.id) END AS files`;

export function toRequestRecord(row: RequestRow): RequestRecord {
  return {
    id: row.id,
    status: row.status,
    queuePosition: row.queue_position,
    isAwaiting: row.awaiting_approval && row.status === 'pending',
    fileUrls: row.file_urls,
    files: row.files ?? [],
    startNodeId: row.start_node_id,
    runVersion: row.run_version,
    queuedAt: row.queued_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    detail: row.detail,
  };
}
