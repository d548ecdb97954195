import { allowsWorkflow } from '@app/access';
import { NotFoundError, type Page, type PageRequest } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SharedApps } from '../access/shared-apps.js';
import { WebhookCredentials } from '../webhooks/webhook-credentials.js';
import { NodeRows, type NodeRow } from '../progress/node-rows.js';
import {
  IS_VISIBLE,
  type Person,
  toWorkflowRecord,
  WORKFLOW_SOURCES,
  WORKFLOW_COLUMNS,
  type WorkflowRecord,
  type WorkflowRow,
} from './workflow-record.js';

export interface WorkflowFilter {
  availableAsApp?: boolean | undefined;
  csvDashboard?: boolean | undefined;
  chatbotApp?: boolean | undefined;
  /** In name or description, any case. */
  search?: string | undefined;
  status?: string | undefined;
  /** Only with at least one of these tags, which are the viewer's own. */
  tagIds?: readonly string[] | undefined;
  /** Only workflows with a node that keeps its output. */
  withOutputs?: boolean | undefined;
  /** Fields by their wire names, comma-separated, `-` before one for descending; others are ignored. Newest first. */
  ordering?: string | undefined;
}

export interface Collaborator {
  user: Person;
  role: 'editor' | 'viewer';
  createdAt: Date;
}

/** Somebody whom the owner gave a copy, or the app. */
export interface Sharee extends Person {
  onlyViewInApps: boolean;
}

export interface WorkflowDetail extends WorkflowRecord {
  vueflowJson: Record<string, unknown>;
  /** Empty for viewers: whoever has it can start runs. */
  webhookSecret: string;
  nodes: NodeRow[];
  /** Null unless the viewer is the owner. */
  collaborators: Collaborator[] | null;
  /** Null unless the viewer is the owner. */
  sharees: Sharee[] | null;
  /** Whether a received app wants to reach more than its receiver agreed to; null for all else. */
  isAsking: boolean | null;
}

export interface TrashedWorkflow extends WorkflowRecord {
  deletedAt: Date;
  purgeAt: Date;
}

/** Whether its owner may take it out of the trash: an app only as long as it is shared. */
export const MAY_COME_BACK = `(w.app_of_id IS NULL OR w.app_state = 'shared'
  AND EXISTS (SELECT FROM workflows source WHERE source.id = w.app_of_id AND source.deleted_at IS NULL))`;

const orderings = new Map(
  Object.entries({
    id: 'w.id',
    name: 'lower(w.name)',
    subtitle: 'lower(w.subtitle)',
    description: 'lower(w.description)',
    summary: 'lower(w.summary)',
    user: 'o.username',
    status: "coalesce(r.status, 'IDLE')",
    available_as_app: 'w.available_as_app',
    csv_dashbord: 'w.csv_dashboard',
    run_only: 'w.run_only',
    chatbot_app: 'w.chatbot_app',
    created_at: 'w.created_at',
    updated_at: 'w.updated_at',
    last_edited_at: 'w.last_edited_at',
    content_revision: 'w.content_revision',
    successful_run_count: 'w.successful_run_count',
  }),
);

@Injectable()
export class WorkflowReader {
  constructor(
    private readonly dataSource: DataSource,
    private readonly nodeRows: NodeRows,
    private readonly credentials: WebhookCredentials,
    private readonly apps: SharedApps,
  ) {}

  /** Owned, received and collaborated workflows, without the trash. */
  async list(userId: number, filter: WorkflowFilter, at: PageRequest): Promise<Page<WorkflowRecord>> {
    const values: unknown[] = [userId];
    const conditions = [IS_VISIBLE, 'w.deleted_at IS NULL'];
    const add = (condition: (parameter: string) => string, value: unknown) => {
      if (value === undefined) return;
      values.push(value);
      conditions.push(condition(`$${values.length}`));
    };
    add((value) => `w.available_as_app = ${value}`, filter.availableAsApp);
    add((value) => `w.csv_dashboard = ${value}`, filter.csvDashboard);
    add((value) => `w.chatbot_app = ${value}`, filter.chatbotApp);
    add((value) => `coalesce(r.status, 'IDLE') = ${value}`, filter.status);
    const pattern = filter.search?.replace(/[\\%_]/g, '\\$&');
    add((value) => `(w.name ILIKE ${value} OR w.description ILIKE ${value})`, pattern && `%${pattern}%`);
    add(
      (value) => `w.id IN (SELECT workflow_id FROM workflow_tag_links WHERE tag_id = ANY(${value}::uuid[]))`,
      filter.tagIds?.length ? filter.tagIds : undefined,
    );
    if (filter.withOutputs) conditions.push(`v.json_spec::jsonb @? '$.nodes[*].save_output ? (@ == true)'`);
    const where = conditions.join(' AND ');
    const [rows, [total]] = await Promise.all([
      this.dataSource.query<WorkflowRow[]>(
        `SELECT ${WORKFLOW_COLUMNS} FROM ${WORKFLOW_SOURCES} WHERE ${where} ORDER BY ${orderBy(filter.ordering)}
         LIMIT ${at.pageSize} OFFSET ${(at.page - 1) * at.pageSize}`,
        values,
      ),
      this.dataSource.query<{ count: number }[]>(
        `SELECT count(*)::int AS count FROM ${WORKFLOW_SOURCES} WHERE ${where}`,
        values,
      ),
    ]);
    return { count: total?.count ?? 0, items: rows.map(toWorkflowRecord) };
  }

  async listTrash(userId: number): Promise<TrashedWorkflow[]> {
    const rows = await this.dataSource.query<(WorkflowRow & { deleted_at: Date; purge_at: Date })[]>(
      `SELECT ${WORKFLOW_COLUMNS}, w.deleted_at, w.purge_at FROM ${WORKFLOW_SOURCES}
       WHERE w.owner_id = $1 AND w.deleted_at IS NOT NULL AND ${MAY_COME_BACK} ORDER BY w.deleted_at DESC`,
      [userId],
    );
    return rows.map((row) => ({ ...toWorkflowRecord(row), deletedAt: row.deleted_at, purgeAt: row.purge_at }));
  }

  /** @throws NotFoundError when it does not exist or the viewer may not know that it does. */
  async get(userId: number, workflowId: string): Promise<WorkflowRecord> {
    return toWorkflowRecord(await this.row(userId, workflowId));
  }

  /**
   * @param id of the workflow, or its webhook id with `byWebhook`.
   * @throws NotFoundError as `get`.
   */
  async getDetail(userId: number, id: string, { byWebhook = false } = {}): Promise<WorkflowDetail> {
    let row = await this.row(userId, id, byWebhook);
    let isAsking: boolean | null = null;
    if (row.is_app) {
      isAsking = (await this.apps.bringUpToDate(row.id))?.isAsking ?? null;
      row = await this.row(userId, row.id);
    }
    const record = toWorkflowRecord(row);
    const isOwner = record.role === 'owner';
    const [progress, collaborators, sharees] = await Promise.all([
      this.nodeRows.find(record.id),
      isOwner ? this.listCollaborators(record.id) : null,
      isOwner ? this.listSharees(record.id) : null,
    ]);
    return {
      ...record,
      vueflowJson: row.is_app ? {} : row.vueflow_json,
      webhookSecret: allowsWorkflow(record.role, 'editor')
        ? this.credentials.reveal(row.webhook_id, row.secret_sealed)
        : '',
      nodes: progress?.nodes ?? [],
      collaborators,
      sharees,
      isAsking,
    };
  }

  private async row(userId: number, id: string, byWebhook = false) {
    type DetailRow = WorkflowRow & { vueflow_json: Record<string, unknown>; secret_sealed: string };
    const [row] = await this.dataSource.query<DetailRow[]>(
      `SELECT ${WORKFLOW_COLUMNS}, v.vueflow_json, h.secret_sealed FROM ${WORKFLOW_SOURCES}
       WHERE ${byWebhook ? 'h.webhook_id' : 'w.id'} = $2 AND ${IS_VISIBLE} AND w.deleted_at IS NULL`,
      [userId, id],
    );
    if (!row) throw new NotFoundError();
    return row;
  }

  private async listSharees(workflowId: string): Promise<Sharee[]> {
    return this.dataSource.query<Sharee[]>(
      `SELECT u.id, u.username, u.email, w.app_of_id IS NOT NULL AS "onlyViewInApps"
       FROM workflows w JOIN users u ON u.id = w.owner_id
       WHERE (w.app_of_id = $1 OR w.copied_from_id = $1) AND w.deleted_at IS NULL ORDER BY w.created_at, w.id`,
      [workflowId],
    );
  }

  private async listCollaborators(workflowId: string): Promise<Collaborator[]> {
    const rows = await this.dataSource.query<(Person & { role: 'editor' | 'viewer'; created_at: Date })[]>(
      `SELECT u.id, u.username, u.email, c.role, c.created_at
       FROM workflow_collaborators c JOIN users u ON u.id = c.user_id WHERE c.workflow_id = $1 ORDER BY c.created_at`,
      [workflowId],
    );
    return rows.map(({ id, username, email, role, created_at: createdAt }) => ({
      user: { id, username, email },
      role,
      createdAt,
    }));
  }
}

function orderBy(ordering = ''): string {
  const known = ordering.split(',').flatMap((field) => {
    const name = field.trim();
    const column = orderings.get(name.replace(/^-/, ''));
    return column === undefined ? [] : [`${column} ${name.startsWith('-') ? 'DESC NULLS LAST' : 'ASC'}`];
  });
  // The id makes the order total, so that no row is on two pages.
  return [...(known.length > 0 ? known.slice(0, 5) : ['w.created_at DESC']), 'w.id'].join(', ');
}
