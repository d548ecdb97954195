import { ForbiddenError, NotFoundError } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';

/**
 * The owner may do everything, an editor saves and runs, a viewer looks (docs/contract/workflows.md#the-workflow). A
 * runner has received the
 * workflow as an app: it runs, and its definition stays hidden.
 */
export type WorkflowRole = 'owner' | 'editor' | 'viewer' | 'runner';

/**
 * What an action needs: one of the roles or more; `run` to start and stop runs and to answer them; `see` for what hides
 * the definition from runners; `discard` to put it into the trash and take it out again.
 */
export type WorkflowNeed = 'owner' | 'editor' | 'viewer' | 'run' | 'see' | 'discard';

const allowed: Record<WorkflowNeed, readonly WorkflowRole[]> = {
  owner: ['owner'],
  editor: ['owner', 'editor'],
  viewer: ['owner', 'editor', 'viewer'],
  run: ['owner', 'editor', 'runner'],
  see: ['owner', 'editor', 'viewer', 'runner'],
  discard: ['owner', 'runner'],
};

/** Whether a role may do what needs another one. */
export function allowsWorkflow(role: WorkflowRole, needed: WorkflowNeed): boolean {
  return allowed[needed].includes(role);
}

/**
 * Who cannot see the workflow learns nothing of it, who sees it but may not do this is told so
 * (docs/contract/conventions.md#who-may-see-what).
 * @throws NotFoundError without any access, ForbiddenError with too little of it
 */
export function decideWorkflowAccess(role: WorkflowRole | null, needed: WorkflowNeed): asserts role is WorkflowRole {
  if (role === null) throw new NotFoundError('Workflow not found.', { code: 'workflow_not_found' });
  if (allowsWorkflow(role, needed)) return;
  if (role === 'runner')
    throw new ForbiddenError('This workflow may only be run from Apps.', { code: 'only_view_in_apps' });
  const isForOwner = needed === 'owner' || needed === 'discard';
  const who = isForOwner ? 'the owner' : 'the owner and editors';
  throw new ForbiddenError(`Only ${who} of the workflow can do this.`, {
    code: isForOwner ? 'not_workflow_owner' : 'not_workflow_editor',
  });
}

/**
 * SQL: the role on the row of `workflows` under `alias` of the user whose id is the expression `viewer` (such as `$1`);
 * null is nobody. Does not look at the trash.
 */
export function workflowRole(alias: string, viewer: string): string {
  return (
    `(CASE WHEN ${alias}.owner_id = ${viewer} THEN CASE WHEN ${alias}.app_of_id IS NULL THEN 'owner' ELSE 'runner' END ` +
    `ELSE (SELECT collaborator.role FROM workflow_collaborators collaborator ` +
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

/** Whose it is, in the trash or outside; null when there is no such workflow. */
export async function findWorkflowOwner(db: DataSource | EntityManager, workflowId: string): Promise<number | null> {
  const [row] = await db.query<{ id: number }[]>('SELECT owner_id AS id FROM workflows WHERE id = $1', [workflowId]);
  return row?.id ?? null;
}

/**
 * The role at the moment of writing: locks the workflow's row until the transaction ends, so that whoever takes access away
 * waits for it, or has come before. Call it first. A deactivated account has no role, though its request has begun before.
 * @returns null also when there is no such workflow outside of the trash, or (`trashed`) inside
 */
export async function lockWorkflowRole(
  tx: EntityManager,
  userId: number,
  workflowId: string,
  { trashed = false } = {},
): Promise<WorkflowRole | null> {
  const rows = await tx.query<unknown[]>('SELECT FROM workflows WHERE id = $1 FOR NO KEY UPDATE', [workflowId]);
  if (rows.length === 0) return null;
  // A statement of its own: it has to see what was committed while the lock was waited for.
  const [row] = await tx.query<{ role: WorkflowRole | null }[]>(
    `SELECT ${workflowRole('w', '$1')} AS role FROM workflows w
     WHERE w.id = $2 AND (w.deleted_at IS NOT NULL) = $3
       AND EXISTS (SELECT FROM users u WHERE u.id = $1 AND u.is_active)`,
    [userId, workflowId, trashed],
  );
  return row?.role ?? null;
}
