import { AuditLog } from '@app/audit';
import { NotFoundError, type Page, type PageRequest } from '@app/common';
import { LiveBus } from '@app/live';
import { type DefinitionDiff, diffDefinitions, requireValidDefinition, ToolCatalogue } from '@app/workflow-definition';
import { Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type ActingPerson, type ActorsRow, actorsOf, type InnerActor, ShownActors } from '../actors/shown-actors.js';
import { toRevision } from '../revisions/revision-cache.js';
import { StaleRevisionError } from '../store/stale-revision.error.js';
import { WorkflowAccess } from '../access/workflow-access.js';
import { WorkflowReader } from '../store/workflow-reader.js';
import { RevisionWriter, type WrittenRevision } from '../store/revision-writer.js';

export interface VersionRecord {
  contentRevision: number;
  name: string;
  label: string | null;
  changeSummary: string;
  nodeCount: number;
  createdBy: { id: number; username: string } | null;
  createdAt: Date;
  isCurrent: boolean;
  /** Whether webhooks and schedules run it. */
  isPublished: boolean;
}

export interface VersionDetail extends VersionRecord {
  jsonSpec: Record<string, unknown>;
  vueflowJson: Record<string, unknown>;
  /** Whose the nodes are. */
  nodes: { nodeId: string; kind: string; name: string | null; actsAs: ActingPerson | null; within: InnerActor[] }[];
}

interface Editor {
  userId: number;
  username: string;
}

const COLUMNS = `
  v.content_revision AS "contentRevision", v.name, v.label, v.change_summary AS "changeSummary",
  CASE WHEN json_typeof((v.json_spec->'nodes')::json) = 'array' THEN json_array_length((v.json_spec->'nodes')::json) ELSE 0 END
    AS "nodeCount",
  CASE WHEN u.id IS NOT NULL THEN jsonb_build_object('id', u.id, 'username', u.username) END AS "createdBy",
  v.created_at AS "createdAt", v.content_revision = w.content_revision AS "isCurrent",
  v.content_revision IS NOT DISTINCT FROM w.published_revision AS "isPublished"`;
const SOURCES = `workflow_revisions v JOIN workflows w ON w.id = v.workflow_id LEFT JOIN users u ON u.id = v.created_by_id`;

/**
 * The saved states of a workflow (docs/contract/workflows.md#versions-and-tags). All methods throw NotFoundError, and
 * ForbiddenError by role.
 */
@Injectable()
export class WorkflowVersions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly reader: WorkflowReader,
    private readonly writer: RevisionWriter,
    private readonly live: LiveBus,
    private readonly catalogue: ToolCatalogue,
    @Optional() private readonly audit?: AuditLog,
  ) {}

  /** Newest first. */
  async list(userId: number, workflowId: string, at: PageRequest): Promise<Page<VersionRecord>> {
    await this.access.require(userId, workflowId, 'viewer');
    const [items, [total]] = await Promise.all([
      this.dataSource.query<VersionRecord[]>(
        `SELECT ${COLUMNS} FROM ${SOURCES} WHERE v.workflow_id = $1
         ORDER BY v.content_revision DESC LIMIT $2 OFFSET $3`,
        [workflowId, at.pageSize, (at.page - 1) * at.pageSize],
      ),
      this.dataSource.query<{ count: number }[]>(
        'SELECT count(*)::int AS count FROM workflow_revisions WHERE workflow_id = $1',
        [workflowId],
      ),
    ]);
    return { count: total?.count ?? 0, items };
  }

  async get(userId: number, workflowId: string, contentRevision: number): Promise<VersionDetail> {
    await this.access.require(userId, workflowId, 'viewer');
    return this.detail(workflowId, contentRevision);
  }

  /** @param label null takes the label off. */
  async label(
    userId: number,
    workflowId: string,
    contentRevision: number,
    label: string | null,
  ): Promise<VersionDetail> {
    await this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, userId, workflowId, 'editor');
      await tx.query('UPDATE workflow_revisions SET label = $3 WHERE workflow_id = $1 AND content_revision = $2', [
        workflowId,
        contentRevision,
        label,
      ]);
    });
    return this.detail(workflowId, contentRevision);
  }

  /** @param to the revision to compare with; null: the newest. */
  async diff(
    userId: number,
    workflowId: string,
    from: number,
    to: number | null,
  ): Promise<DefinitionDiff & { from: number; to: number; layoutChanged: boolean }> {
    await this.access.require(userId, workflowId, 'viewer');
    const target = to ?? (await this.reader.get(userId, workflowId)).contentRevision;
    const [before, after] = await Promise.all([this.detail(workflowId, from), this.detail(workflowId, target)]);
    return {
      ...diffDefinitions(before.jsonSpec, after.jsonSpec),
      from,
      to: target,
      layoutChanged: JSON.stringify(before.vueflowJson) !== JSON.stringify(after.vueflowJson),
    };
  }

  /**
   * Writes the old state as a new revision.
   * @throws StaleRevisionError, ValidationError when a node kind of it is gone.
   */
  async restore(
    editor: Editor,
    workflowId: string,
    contentRevision: number,
    expectedContentRevision?: number,
  ): Promise<WrittenRevision> {
    await this.access.requireSave(editor.userId, workflowId);
    const { name, jsonSpec, vueflowJson, label } = await this.detail(workflowId, contentRevision);
    const checked = requireValidDefinition({ json: jsonSpec }, 'json_spec', this.catalogue);
    const written = await this.dataSource.transaction(async (tx) => {
      await this.access.holdToSave(tx, editor.userId, workflowId);
      return this.writer.write(tx, editor.userId, workflowId, {
        name,
        jsonSpec: checked.jsonSpec,
        vueflowJson,
        changeSummary: `Restored revision ${contentRevision}${label ? ` (${label})` : ''}.`,
        ...(expectedContentRevision !== undefined && { expectedContentRevision }),
      });
    });
    if (!written) throw new StaleRevisionError(await this.reader.get(editor.userId, workflowId));
    this.live.publish(`workflow:${workflowId}`, {
      type: 'definition_updated',
      contentRevision: written.contentRevision,
      actor: { id: editor.userId, username: editor.username },
    });
    return written;
  }

  /** From now on webhooks and schedules run this revision. @throws ValidationError when a node kind of it is gone. */
  async publish(editor: Editor, workflowId: string, contentRevision: number): Promise<void> {
    await this.access.requireSave(editor.userId, workflowId);
    const { jsonSpec } = await this.detail(workflowId, contentRevision);
    requireValidDefinition({ json: jsonSpec }, 'json_spec', this.catalogue);
    await this.dataSource.transaction(async (tx) => {
      // The row that it locks is also what the retention of old revisions waits for.
      await this.access.holdToSave(tx, editor.userId, workflowId);
      const [, count] = await tx.query<[unknown, number]>(
        `UPDATE workflows w SET published_revision = v.content_revision FROM workflow_revisions v
         WHERE w.id = $1 AND w.deleted_at IS NULL AND v.workflow_id = $1 AND v.content_revision = $2`,
        [workflowId, contentRevision],
      );
      if (count === 0) throw new NotFoundError();
      const target = `workflow:${workflowId}`;
      const details = { content_revision: contentRevision };
      await this.audit?.record({ action: 'workflow.published', actor: editor, target, details }, tx);
    });
  }

  /** From now on webhooks and schedules run the newest revision. Nothing happens when none was published. */
  async unpublish(editor: Editor, workflowId: string): Promise<void> {
    await this.access.requireSave(editor.userId, workflowId);
    await this.dataSource.transaction(async (tx) => {
      await this.access.holdToSave(tx, editor.userId, workflowId);
      const [, count] = await tx.query<[unknown, number]>(
        'UPDATE workflows SET published_revision = NULL WHERE id = $1 AND published_revision IS NOT NULL',
        [workflowId],
      );
      const target = `workflow:${workflowId}`;
      if (count > 0) await this.audit?.record({ action: 'workflow.unpublished', actor: editor, target }, tx);
    });
  }

  private async detail(workflowId: string, contentRevision: number): Promise<VersionDetail> {
    const [found] = await this.dataSource.query<(Omit<VersionDetail, 'nodes'> & { actors: ActorsRow | null })[]>(
      `SELECT ${COLUMNS}, v.json_spec AS "jsonSpec", v.vueflow_json AS "vueflowJson",
         ${actorsOf('v.workflow_id', 'v.content_revision')} AS actors FROM ${SOURCES}
       WHERE v.workflow_id = $1 AND v.content_revision = $2`,
      [workflowId, contentRevision],
    );
    if (!found) throw new NotFoundError('There is no such version.', { code: 'version_not_found' });
    const { actors: row, ...version } = found;
    const actors = new ShownActors(row);
    const nodes = toRevision(version.jsonSpec).nodes.map(({ id, kind, name }) => {
      return { nodeId: id, kind, name, actsAs: actors.of(id), within: actors.within(id) };
    });
    return { ...version, nodes };
  }
}
