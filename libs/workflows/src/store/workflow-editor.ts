import { newId, toJsonText } from '@app/common';
import { LiveBus } from '@app/live';
import {
  type DefinitionProblem,
  requireFlatEnough,
  requireValidDefinition,
  type ToolCatalogue,
} from '@app/workflow-definition';
import type { DataSource, EntityManager } from 'typeorm';
import type { KnownSecretNames } from '../secrets/known-secret-names.js';
import type { RevisionWriter, WrittenRevision } from './revision-writer.js';
import type { WebhookCredentials } from '../webhooks/webhook-credentials.js';
import { StaleRevisionError } from './stale-revision.error.js';
import type { WorkflowAccess } from '../access/workflow-access.js';
import type { WorkflowReader } from './workflow-reader.js';
import type { WorkflowNaming } from './workflow-naming.js';

/** What a save may change beside the definition; what is absent stays. */
export interface WorkflowSettings {
  subtitle?: string | null | undefined;
  description?: string | null | undefined;
  summary?: string | null | undefined;
  instructions?: unknown[] | undefined;
  availableAsApp?: boolean | undefined;
  csvDashboard?: boolean | undefined;
  runOnly?: boolean | undefined;
  chatbotApp?: boolean | undefined;
  vueflowJson?: Record<string, unknown> | undefined;
}

export interface SaveInput extends WorkflowSettings {
  name: string;
  jsonSpec: unknown;
  /** The revision that the editor last read; absent: overwrite whatever is there. */
  expectedContentRevision?: number;
}

export interface CreatedWorkflow {
  id: string;
  warnings: DefinitionProblem[];
}

export interface SavedWorkflow extends WrittenRevision {
  warnings: DefinitionProblem[];
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
    private readonly writer: RevisionWriter,
    private readonly naming: WorkflowNaming,
    private readonly credentials: WebhookCredentials,
    private readonly live: LiveBus,
    private readonly catalogue: ToolCatalogue,
    private readonly secrets: KnownSecretNames,
  ) {}

  /** Gives the id. @throws ValidationError keyed by wire names, all problems at once. */
  async create(userId: number, json: unknown, settings: WorkflowSettings): Promise<string> {
    return (await this.createWithWarnings(userId, json, settings)).id;
  }

  /** `create` for a client that is told what is odd about the definition. */
  async createWithWarnings(userId: number, json: unknown, settings: WorkflowSettings): Promise<CreatedWorkflow> {
    requireFlatSettings(settings);
    const sent = { json, layout: settings.vueflowJson };
    const { graph, jsonSpec, warnings } = requireValidDefinition(sent, 'json', this.catalogue);
    const name = await this.naming.nameFor(graph, userId);
    const id = newId();
    await this.dataSource.transaction(async (tx) => {
      await tx.query('INSERT INTO workflows (id, owner_id, name) VALUES ($1, $2, $3)', [id, userId, name]);
      await writeSettings(tx, id, settings);
      await this.writer.writeFirst(tx, userId, id, {
        name,
        jsonSpec: { ...jsonSpec, name },
        vueflowJson: settings.vueflowJson ?? {},
      });
      await this.credentials.create(tx, id, null);
    });
    return { id, warnings };
  }

  /**
   * Writes a new revision; runs in flight keep theirs.
   * @throws NotFoundError, ForbiddenError, ValidationError, StaleRevisionError.
   */
  async save(editor: Editor, workflowId: string, input: SaveInput): Promise<SavedWorkflow> {
    await this.access.requireSave(editor.userId, workflowId);
    const known = await this.secrets.of(workflowId, editor.userId);
    requireFlatSettings(input);
    const sent = { json: input.jsonSpec, layout: input.vueflowJson };
    const { jsonSpec, warnings } = requireValidDefinition(sent, 'json_spec', this.catalogue, known);
    const { name, vueflowJson, expectedContentRevision } = input;
    const saved = await this.dataSource.transaction(async (tx) => {
      await this.access.holdToSave(tx, editor.userId, workflowId);
      const written = await this.writer.write(tx, editor.userId, workflowId, {
        name,
        jsonSpec,
        ...(vueflowJson && { vueflowJson }),
        ...(expectedContentRevision !== undefined && { expectedContentRevision }),
      });
      if (written) await writeSettings(tx, workflowId, input);
      return written;
    });
    if (!saved) throw new StaleRevisionError(await this.reader.get(editor.userId, workflowId));
    this.live.publish(`workflow:${workflowId}`, {
      type: 'definition_updated',
      contentRevision: saved.contentRevision,
      actor: { id: editor.userId, username: editor.username },
    });
    return { ...saved, warnings };
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
