import { newId, toJsonText } from '@app/common';
import { NodeActors, nodeKey, reachesOwnThings, ToolCatalogue, writtenNodes } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookCredentials } from '../webhooks/webhook-credentials.js';
import { withoutLiteralSecrets } from './without-literal-secrets.js';

/** What they bring along; runs, schedules, secrets, people and tags stay with the workflow they come from. */
const SETTINGS = `name, subtitle, description, summary, instructions, csv_dashboard, chatbot_app`;

interface CopyRequest {
  sourceId: string;
  sharerId: number;
  receiverId: number;
}

/** Writes copies of a workflow whose row the caller has locked. */
@Injectable()
export class WorkflowCopies {
  constructor(
    private readonly credentials: WebhookCredentials,
    private readonly catalogue: ToolCatalogue,
  ) {}

  /** A workflow of the receiver's own, with what the definition is now. @returns its id. */
  async writeCopy(tx: EntityManager, { sourceId, sharerId, receiverId }: CopyRequest): Promise<string> {
    const id = newId();
    await tx.query(
      `INSERT INTO workflows (id, owner_id, sharer_id, copied_from_id, ${SETTINGS}, available_as_app, run_only)
       SELECT $1, $2, $3, id, ${SETTINGS}, available_as_app, run_only FROM workflows WHERE id = $4`,
      [id, receiverId, sharerId, sourceId],
    );
    const [definition] = await tx.query<
      [{ name: string; jsonSpec: Record<string, unknown>; vueflowJson: Record<string, unknown> }]
    >(
      `SELECT v.name, v.json_spec AS "jsonSpec", v.vueflow_json AS "vueflowJson"
       FROM workflows w JOIN workflow_revisions v ON v.workflow_id = w.id AND v.content_revision = w.content_revision
       WHERE w.id = $1`,
      [sourceId],
    );
    const { jsonSpec, vueflowJson } = withoutLiteralSecrets(definition, this.catalogue);
    await tx.query(
      `INSERT INTO workflow_revisions (workflow_id, content_revision, name, json_spec, vueflow_json, created_by_id, acts_as)
       VALUES ($1, 1, $2, $3::jsonb, $4::jsonb, $5, $6::jsonb)`,
      [
        id,
        definition.name,
        toJsonText(jsonSpec),
        toJsonText(vueflowJson),
        sharerId,
        toJsonText(this.actorsOf(jsonSpec, sharerId, receiverId).toStored()),
      ],
    );
    await this.credentials.create(tx, id, null);
    return id;
  }

  /** What would reach the receiver's own things stays the sharer's until the receiver adopts it; the rest runs at once. */
  private actorsOf(jsonSpec: Record<string, unknown>, sharerId: number, receiverId: number): NodeActors {
    const reaching = new Set<string>();
    const nodes = [...writtenNodes(jsonSpec, this.catalogue)];
    for (const { path, id, node } of nodes) if (reachesOwnThings(node, this.catalogue)) reaching.add(nodeKey(path, id));
    const keys = nodes.map(({ path, id }) => nodeKey(path, id));
    if (keys.length === 0) return NodeActors.allOf(receiverId);
    return NodeActors.of(keys, (key) => (reaching.has(key) ? sharerId : receiverId));
  }

  /** An app, which `SharedApps` brings up to date from then on. @returns its id. */
  async writeApp(tx: EntityManager, { sourceId, sharerId, receiverId }: CopyRequest): Promise<string> {
    const id = newId();
    await tx.query(
      `INSERT INTO workflows (id, owner_id, sharer_id, app_of_id, app_state, app_revision, ${SETTINGS}, available_as_app, run_only)
       SELECT $1, $2, $3, id, 'shared', coalesce(published_revision, content_revision), ${SETTINGS}, true, true
       FROM workflows WHERE id = $4`,
      [id, receiverId, sharerId, sourceId],
    );
    await tx.query(
      `INSERT INTO workflow_revisions (workflow_id, content_revision, name, json_spec)
       SELECT a.id, 1, v.name, v.json_spec FROM workflows a
       JOIN workflow_revisions v ON v.workflow_id = a.app_of_id AND v.content_revision = a.app_revision WHERE a.id = $1`,
      [id],
    );
    await this.credentials.create(tx, id, null);
    return id;
  }
}
