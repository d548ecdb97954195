import { ForbiddenError, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export type WorkflowRole = 'owner' | 'editor' | 'viewer';

const rank: Record<WorkflowRole, number> = { viewer: 0, editor: 1, owner: 2 };

/** Whether a role may do what needs another one. */
export function allows(role: WorkflowRole, needed: WorkflowRole): boolean {
  return rank[role] >= rank[needed];
}

export interface WorkflowGrant {
  workflowId: string;
  role: WorkflowRole;
  contentRevision: number;
}

interface GrantRow {
  id: string;
  role: WorkflowRole;
  content_revision: number;
}

/**
 * Who may touch a workflow (document 2, section 5): the owner everything, an editor saves and runs, a viewer looks.
 * What a user may not see does not exist for them (404); what they see but may not do is refused (403).
 */
@Injectable()
export class WorkflowAccess {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * @param trashed looks in the trash instead of outside it.
   * @throws NotFoundError without access, ForbiddenError with too little of it.
   */
  async require(
    userId: number,
    workflowId: string,
    needed: WorkflowRole,
    { trashed = false } = {},
  ): Promise<WorkflowGrant> {
    const [row] = await this.dataSource.query<GrantRow[]>(
      `SELECT w.id, w.content_revision, CASE WHEN w.owner_id = $2 THEN 'owner' ELSE c.role END AS role
       FROM workflows w LEFT JOIN workflow_collaborators c ON c.workflow_id = w.id AND c.user_id = $2
       WHERE w.id = $1 AND (w.deleted_at IS NOT NULL) = $3 AND (w.owner_id = $2 OR c.user_id IS NOT NULL)`,
      [workflowId, userId, trashed],
    );
    if (!row) throw new NotFoundError();
    if (!allows(row.role, needed)) throw new ForbiddenError();
    return { workflowId: row.id, role: row.role, contentRevision: row.content_revision };
  }
}
