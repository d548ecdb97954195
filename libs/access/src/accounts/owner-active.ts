/** SQL: whether an account is active. @param userId SQL of its id */
export function accountIsActive(userId: string): string {
  return `EXISTS (SELECT 1 FROM users account WHERE account.id = ${userId} AND account.is_active)`;
}

/**
 * SQL: whether the owner of a workflow is active. Work of deactivated accounts rests: it is neither started nor claimed,
 * and goes on when the account is active again.
 * @param workflowId SQL of the workflow's id
 */
export function workflowOwnerIsActive(workflowId: string): string {
  return `EXISTS (SELECT 1 FROM workflows ow JOIN users ou ON ou.id = ow.owner_id WHERE ow.id = ${workflowId} AND ou.is_active)`;
}
