/**
 * SQL: whether the owner of a workflow is active. Work of deactivated accounts rests: it is neither started nor claimed,
 * and goes on when the account is active again.
 * @param workflowId SQL of the workflow's id
 */
export function workflowOwnerIsActive(workflowId: string): string {
  return `EXISTS (SELECT 1 FROM workflows ow JOIN users ou ON ou.id = ow.owner_id WHERE ow.id = ${workflowId} AND ou.is_active)`;
}

/** The same of a chat session. @param sessionId SQL of the session's id */
export function sessionUserIsActive(sessionId: string): string {
  return `EXISTS (SELECT 1 FROM chat_sessions os JOIN users ou ON ou.id = os.user_id WHERE os.id = ${sessionId} AND ou.is_active)`;
}
