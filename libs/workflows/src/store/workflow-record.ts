import { visibleWorkflowIds, workflowRole, type WorkflowRole } from '@app/access';
import type { RunStatus } from '@app/workflow-definition';
import { shownToRunner } from '../progress/shown-to-runner.js';

export interface Person {
  id: number;
  username: string;
  email: string;
}

/** A workflow as one of its viewers sees it (docs/contract/workflows.md#the-workflow). */
export interface WorkflowRecord {
  id: string;
  name: string;
  subtitle: string | null;
  description: string | null;
  summary: string | null;
  jsonSpec: Record<string, unknown>;
  instructions: unknown[];
  status: RunStatus | 'IDLE';
  availableAsApp: boolean;
  csvDashboard: boolean;
  runOnly: boolean;
  chatbotApp: boolean;
  webhookId: string;
  successfulRunCount: number;
  createdAt: Date;
  updatedAt: Date;
  contentRevision: number;
  /** What webhooks and schedules run; null: the newest. */
  publishedRevision: number | null;
  role: WorkflowRole;
  owner: Person;
  lastEditedBy: { id: number; username: string } | null;
  lastEditedAt: Date | null;
  /** Of a received copy: who shared it; null also when that account is gone. */
  sharer: Person | null;
  /** Of a received copy: it may be run and no more, and its definition is not shown. */
  onlyViewInApps: boolean;
}

export interface WorkflowRow {
  id: string;
  name: string;
  subtitle: string | null;
  description: string | null;
  summary: string | null;
  json_spec: Record<string, unknown>;
  instructions: unknown[];
  status: RunStatus | null;
  available_as_app: boolean;
  csv_dashboard: boolean;
  run_only: boolean;
  chatbot_app: boolean;
  webhook_id: string;
  successful_run_count: number;
  created_at: Date;
  updated_at: Date;
  content_revision: number;
  published_revision: number | null;
  role: WorkflowRole;
  owner_id: number;
  owner_username: string;
  owner_email: string;
  last_edited_by_id: number | null;
  editor_username: string | null;
  last_edited_at: Date | null;
  is_app: boolean;
  sharer_id: number | null;
  sharer_username: string | null;
  sharer_email: string | null;
}

/** Workflows with all that a record shows. */
export const WORKFLOW_SOURCES = `
  workflows w
  JOIN users o ON o.id = w.owner_id
  JOIN workflow_revisions v ON v.workflow_id = w.id AND v.content_revision = w.content_revision
  JOIN workflow_webhooks h ON h.workflow_id = w.id AND h.node_id IS NULL
  LEFT JOIN workflow_runs r ON r.id = w.current_run_id
  LEFT JOIN users e ON e.id = w.last_edited_by_id
  LEFT JOIN users sharer ON sharer.id = w.sharer_id`;

/** The user `$1` sees the workflow, be it in the trash or not. */
export const IS_VISIBLE = `w.id IN ${visibleWorkflowIds('$1')}`;

export const WORKFLOW_COLUMNS = `
  w.id, w.name, w.subtitle, w.description, w.summary, w.instructions, w.available_as_app, w.csv_dashboard, w.run_only,
  w.chatbot_app, w.successful_run_count, w.created_at, w.updated_at, w.content_revision, w.published_revision,
  w.owner_id,
  w.last_edited_by_id, w.last_edited_at, v.json_spec, r.status, h.webhook_id, o.username AS owner_username,
  o.email AS owner_email, e.username AS editor_username,
  w.app_of_id IS NOT NULL AS is_app, w.sharer_id, sharer.username AS sharer_username, sharer.email AS sharer_email,
  ${workflowRole('w', '$1')} AS role`;

export function toWorkflowRecord(row: WorkflowRow): WorkflowRecord {
  return {
    id: row.id,
    name: row.name,
    subtitle: row.subtitle,
    description: row.description,
    summary: row.summary,
    jsonSpec: row.is_app ? shownToRunner(row.json_spec) : row.json_spec,
    instructions: row.instructions,
    status: row.status ?? 'IDLE',
    availableAsApp: row.available_as_app,
    csvDashboard: row.csv_dashboard,
    runOnly: row.run_only,
    chatbotApp: row.chatbot_app,
    webhookId: row.webhook_id,
    successfulRunCount: row.successful_run_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    contentRevision: row.content_revision,
    publishedRevision: row.published_revision,
    role: row.role,
    owner: { id: row.owner_id, username: row.owner_username, email: row.owner_email },
    lastEditedBy:
      row.last_edited_by_id === null ? null : { id: row.last_edited_by_id, username: row.editor_username ?? '' },
    lastEditedAt: row.last_edited_at,
    sharer:
      row.sharer_id === null
        ? null
        : { id: row.sharer_id, username: row.sharer_username ?? '', email: row.sharer_email ?? '' },
    onlyViewInApps: row.is_app,
  };
}
