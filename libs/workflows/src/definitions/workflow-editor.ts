import { ConflictError, newId, NotFoundError } from '@app/common';
import { LiveBus } from '@app/live';
import type { DataSource, EntityManager } from 'typeorm';
import { toJsonText } from '../runs/json-text.js';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';
import type { WebhookCredentials } from '../webhooks/webhook-credentials.js';
import { requireFlatEnough, requireValidDefinition, workflowName } from './definition-checks.js';
import type { WorkflowAccess } from './workflow-access.js';
import type { WorkflowReader } from './workflow-reader.js';
import type { WorkflowRecord } from './workflow-record.js';

/** What a save may change beside the definition; what is absent stays. */
export interface WorkflowSettings {
  subtitle?: string | null;
  description?: string | null;
  summary?: string | null;
  instructions?: unknown[];
  availableAsApp?: boolean;
  csvDashboard?: boolean;
  runOnly?: boolean;
  chatbotApp?: boolean;
  vueflowJson?: Record<string, unknown>;
}

export interface SaveInput extends WorkflowSettings {
  name: string;
  jsonSpec: unknown;
  /** The revision that the editor last read; absent: overwrite whatever is there. */
  expectedContentRevision?: number;
}

/** Somebody saved in between. Carries what the editor needs to go on. */
export class StaleRevisionError extends ConflictError {
  constructor(readonly current: WorkflowRecord) {
    super('Workflow save conflict.', { code: 'save_conflict' });
  }
}

interface Editor {
  userId: number;
  username: string;
}

const columns = {
  subtitle: 'subtitle',
  description: 'description',
  summary: 'summary',
  availableAsApp: 'available_as_app',
  csvDashboard: 'csv_dashboard',
  runOnly: 'run_only',
  chatbotApp: 'chatbot_app',
} as const;

export class WorkflowEditor {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly reader: WorkflowReader,
    private readonly credentials: WebhookCredentials,
    private readonly live: LiveBus,
    private readonly catalogue: ToolCatalogue,
  ) {}

  /** @throws ValidationError keyed by wire names, all problems at once. */
  async create(userId: number, json: unknown, settings: WorkflowSettings): Promise<string> {
    const graph = requireValidDefinition(json, 'json', this.catalogue);
    requireFlatSettings(settings);
    const name = workflowName(graph);
    const id = newId();
    await this.dataSource.transaction(async (tx) => {
      await tx.query('INSERT INTO workflows (id, owner_id, name) VALUES ($1, $2, $3)', [id, userId, name]);
      await writeSettings(tx, id, settings);
      await writeRevision(tx, id, 1, name, { ...(json as object), name }, settings.vueflowJson ?? {}, userId);
      await this.credentials.create(tx, id, null);
    });
    return id;
  }

  /**
   * Writes a new revision; runs in flight keep theirs.
   * @throws NotFoundError, ForbiddenError, ValidationError, StaleRevisionError.
   */
  async save(
    editor: Editor,
    workflowId: string,
    input: SaveInput,
  ): Promise<{ contentRevision: number; warning: 'running' | null }> {
    await this.access.require(editor.userId, workflowId, 'editor');
    requireValidDefinition(input.jsonSpec, 'json_spec', this.catalogue);
    requireFlatSettings(input);
    const saved = await this.dataSource.transaction((tx) => this.writeSave(tx, editor.userId, workflowId, input));
    if (!saved) throw new StaleRevisionError(await this.reader.get(editor.userId, workflowId));
    this.live.publish(`workflow:${workflowId}`, {
      type: 'definition_updated',
      contentRevision: saved.contentRevision,
      actor: { id: editor.userId, username: editor.username },
    });
    return saved;
  }

  private async writeSave(tx: EntityManager, userId: number, workflowId: string, input: SaveInput) {
    const [known] = await tx.query<{ content_revision: number; is_active: boolean; vueflow_json: object }[]>(
      `SELECT w.content_revision, v.vueflow_json, EXISTS (SELECT 1 FROM workflow_runs r WHERE r.workflow_id = w.id
         AND r.status IN ('PENDING', 'RUNNING')) AS is_active
       FROM workflows w JOIN workflow_revisions v ON v.workflow_id = w.id AND v.content_revision = w.content_revision
       WHERE w.id = $1 AND w.deleted_at IS NULL FOR NO KEY UPDATE OF w`,
      [workflowId],
    );
    if (!known) throw new NotFoundError();
    if ((input.expectedContentRevision ?? known.content_revision) !== known.content_revision) return null;
    const contentRevision = known.content_revision + 1;
    await tx.query(
      `UPDATE workflows SET name = $2, content_revision = $3, last_edited_by_id = $4, last_edited_at = now(),
         updated_at = now() WHERE id = $1`,
      [workflowId, input.name, contentRevision, userId],
    );
    await writeSettings(tx, workflowId, input);
    const canvas = input.vueflowJson ?? known.vueflow_json;
    await writeRevision(tx, workflowId, contentRevision, input.name, input.jsonSpec as object, canvas, userId);
    return { contentRevision, warning: known.is_active ? ('running' as const) : null };
  }
}

function requireFlatSettings({ instructions, vueflowJson }: WorkflowSettings): void {
  requireFlatEnough('instructions', instructions);
  requireFlatEnough('vueflow_json', vueflowJson);
}

async function writeSettings(tx: EntityManager, workflowId: string, settings: WorkflowSettings): Promise<void> {
  const values: unknown[] = [workflowId];
  const changes: string[] = [];
  for (const [key, column] of Object.entries(columns)) {
    const value = settings[key as keyof typeof columns];
    if (value !== undefined) changes.push(`${column} = $${values.push(value)}`);
  }
  if (settings.instructions !== undefined)
    changes.push(`instructions = $${values.push(toJsonText(settings.instructions))}::jsonb`);
  if (changes.length > 0) await tx.query(`UPDATE workflows SET ${changes.join(', ')} WHERE id = $1`, values);
}

async function writeRevision(
  tx: EntityManager,
  workflowId: string,
  contentRevision: number,
  name: string,
  jsonSpec: object,
  vueflowJson: object,
  userId: number,
): Promise<void> {
  await tx.query(
    `INSERT INTO workflow_revisions (workflow_id, content_revision, name, json_spec, vueflow_json, created_by_id)
     VALUES ($1, $2, $3, $4::jsonb, $5::jsonb, $6)`,
    [workflowId, contentRevision, name, toJsonText(jsonSpec), toJsonText(vueflowJson), userId],
  );
}
