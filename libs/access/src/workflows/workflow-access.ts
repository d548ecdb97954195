import { ForbiddenError, NotFoundError } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';

/** The owner may do everything, an editor saves and runs, a viewer looks (document 2, section 5). */
export type WorkflowRole = 'owner' | 'editor' | 'viewer';

const rank: Record<WorkflowRole, number> = { viewer: 0, editor: 1, owner: 2 };

/** Whether a role may do what needs another one. */
export function allowsWorkflow(role: WorkflowRole, needed: WorkflowRole): boolean {
  return rank[role] >= rank[needed];
}

/**
 * Who cannot see the workflow learns nothing of it, who sees it but may not do this is told so (document 3, B0).
 * @throws NotFoundError without any access, ForbiddenError with too little of it
 */
export function decideWorkflowAccess(role: WorkflowRole | null, needed: WorkflowRole): asserts role is WorkflowRole {
  if (role === null) throw new NotFoundError('Workflow not found.', { code: 'workflow_not_found' });
  if (allowsWorkflow(role, needed)) return;
  const who = needed === 'owner' ? 'the owner' : 'the owner and editors';
  throw new ForbiddenError(`Only ${who} of the workflow can do this.`, { code: `not_workflow_${needed}` });
}

/**
 * SQL: the role on the row of `workflows` under `alias` of the user whose id is the expression `viewer` (such as `$1`);
 * null is nobody. Does not look at the trash.
 */
export function workflowRole(alias: string, viewer: string): string {
  return (
    `(CASE WHEN ${alias}.owner_id = ${viewer} THEN 'owner' ELSE (SELECT collaborator.role ` +
    `FROM workflow_collaborators collaborator ` +
    `WHERE collaborator.workflow_id = ${alias}.id AND collaborator.user_id = ${viewer}) END)`
  );
}

/** SQL: the ids of all workflows that the user whose id is `viewer` sees, as a subquery: each half from its own index. */
export function visibleWorkflowIds(viewer: string): string {
  return (
    `(SELECT own.id FROM workflows own WHERE own.owner_id = ${viewer} ` +
    `UNION SELECT theirs.workflow_id FROM workflow_collaborators theirs WHERE theirs.user_id = ${viewer})`
  );
}

/** The viewer's role, outside the trash or (`trashed`) inside; null also when there is no such workflow there. */
export async function findWorkflowRole(
  db: DataSource | EntityManager,
  viewerId: number,
  workflowId: string,
  { trashed = false } = {},
): Promise<WorkflowRole | null> {
  const [row] = await db.query<{ role: WorkflowRole | null }[]>(
    `SELECT ${workflowRole('w', '$1')} AS role FROM workflows w WHERE w.id = $2 AND (w.deleted_at IS NOT NULL) = $3`,
    [viewerId, workflowId, trashed],
  );
  return row?.role ?? null;
}
