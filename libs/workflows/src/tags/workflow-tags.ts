import { ConflictError, newId, NotFoundError, ValidationError } from '@app/common';
import { visibleWorkflowIds } from '@app/access';
import { Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError } from 'typeorm';
import { WorkflowAccess } from '../access/workflow-access.js';

export const MAX_TAGS = 200;
const UNIQUE_VIOLATION = '23505';

export interface TagRecord {
  id: string;
  name: string;
  /** Like `#1A2B3C`. */
  color: string;
  /** Workflows that its owner sees outside the trash. */
  workflowCount: number;
  createdAt: Date;
}

/** A tag as it stands on a workflow. */
export type TagOnWorkflow = Pick<TagRecord, 'id' | 'name' | 'color'>;

const TAGS = `SELECT t.id, t.name, t.color, t.created_at AS "createdAt", (
    SELECT count(*)::int FROM workflow_tag_links l JOIN workflows w ON w.id = l.workflow_id
    WHERE l.tag_id = t.id AND w.deleted_at IS NULL AND w.id IN ${visibleWorkflowIds('$1')}) AS "workflowCount"
  FROM workflow_tags t WHERE t.owner_id = $1`;

/**
 * Words by which a user sorts the workflows that he or she sees; private to the user
 * (docs/contract/workflows.md#versions-and-tags).
 */
@Injectable()
export class WorkflowTags {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
  ) {}

  /** By name. */
  list(userId: number): Promise<TagRecord[]> {
    return this.dataSource.query<TagRecord[]>(`${TAGS} ORDER BY lower(t.name), t.id`, [userId]);
  }

  /** @throws ValidationError for a name that is taken, ConflictError `tag_limit_reached`. */
  async create(userId: number, tag: { name: string; color: string }): Promise<TagRecord> {
    const id = newId();
    const rows = await this.unlessTaken(
      this.dataSource.query<unknown[]>(
        `INSERT INTO workflow_tags (id, owner_id, name, color) SELECT $1, $2, $3, $4
         WHERE (SELECT count(*) FROM workflow_tags WHERE owner_id = $2) < ${MAX_TAGS} RETURNING id`,
        [id, userId, tag.name, tag.color],
      ),
    );
    if (rows.length === 0) throw new ConflictError(`You have ${MAX_TAGS} tags already.`, { code: 'tag_limit_reached' });
    return this.get(userId, id);
  }

  /** @throws NotFoundError, ValidationError for a name that is taken. */
  async update(userId: number, tagId: string, changes: { name?: string; color?: string }): Promise<TagRecord> {
    await this.unlessTaken(
      this.dataSource.query(
        `UPDATE workflow_tags SET name = coalesce($3, name), color = coalesce($4, color) WHERE id = $1 AND owner_id = $2`,
        [tagId, userId, changes.name ?? null, changes.color ?? null],
      ),
    );
    return this.get(userId, tagId);
  }

  /** @throws NotFoundError. */
  async delete(userId: number, tagId: string): Promise<void> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      'DELETE FROM workflow_tags WHERE id = $1 AND owner_id = $2',
      [tagId, userId],
    );
    if (count === 0) throw new NotFoundError();
  }

  /** These and no others of the user's tags. @throws NotFoundError, ValidationError for tags of others or none. */
  async replaceOn(userId: number, workflowId: string, tagIds: readonly string[]): Promise<TagOnWorkflow[]> {
    // Tags are the user's own affair: a received app has them as well.
    await this.access.writeAs({ userId, workflowId, needed: 'see' }, async (tx) => {
      // All of the user's, so that two replacements take turns.
      const own = await tx.query<{ id: string }[]>(
        'SELECT id FROM workflow_tags WHERE owner_id = $1 ORDER BY id FOR UPDATE',
        [userId],
      );
      refuseOthers(tagIds, new Set(own.map(({ id }) => id)));
      await tx.query(
        `DELETE FROM workflow_tag_links WHERE workflow_id = $1 AND tag_id = ANY($2::uuid[]) AND NOT tag_id = ANY($3::uuid[])`,
        [workflowId, own.map(({ id }) => id), tagIds],
      );
      await tx.query(
        `INSERT INTO workflow_tag_links (tag_id, workflow_id)
         SELECT t.id, w.id FROM workflow_tags t, workflows w WHERE t.id = ANY($2::uuid[]) AND w.id = $1
         ON CONFLICT DO NOTHING`,
        [workflowId, tagIds],
      );
    });
    return (await this.onWorkflows(userId, [workflowId])).get(workflowId) ?? [];
  }

  /** The user's tags of each of these workflows, by name. */
  async onWorkflows(userId: number, workflowIds: readonly string[]): Promise<Map<string, TagOnWorkflow[]>> {
    const rows = await this.dataSource.query<(TagOnWorkflow & { workflowId: string })[]>(
      `SELECT l.workflow_id AS "workflowId", t.id, t.name, t.color
       FROM workflow_tag_links l JOIN workflow_tags t ON t.id = l.tag_id
       WHERE t.owner_id = $1 AND l.workflow_id = ANY($2::uuid[]) ORDER BY lower(t.name), t.id`,
      [userId, workflowIds],
    );
    const byWorkflow = new Map<string, TagOnWorkflow[]>();
    for (const { workflowId, ...tag } of rows) byWorkflow.set(workflowId, [...(byWorkflow.get(workflowId) ?? []), tag]);
    return byWorkflow;
  }

  /** @throws ValidationError under `tag_ids` unless all are the user's. */
  async requireOwn(userId: number, tagIds: readonly string[]): Promise<void> {
    const own = await this.dataSource.query<{ id: string }[]>(
      'SELECT id FROM workflow_tags WHERE owner_id = $1 AND id = ANY($2::uuid[])',
      [userId, tagIds],
    );
    refuseOthers(tagIds, new Set(own.map(({ id }) => id)));
  }

  private async get(userId: number, tagId: string): Promise<TagRecord> {
    const [tag] = await this.dataSource.query<TagRecord[]>(`${TAGS} AND t.id = $2`, [userId, tagId]);
    if (!tag) throw new NotFoundError();
    return tag;
  }

  private async unlessTaken<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      if (!(error instanceof QueryFailedError) || error.driverError.code !== UNIQUE_VIOLATION) throw error;
      throw new ValidationError({ name: ['You already have a tag with this name.'] });
    }
  }
}

function refuseOthers(tagIds: readonly string[], own: ReadonlySet<string>): void {
  const unknown = tagIds.filter((id) => !own.has(id));
  if (unknown.length > 0) throw new ValidationError({ tag_ids: unknown.map((id) => `Invalid tag "${id}".`) });
}
