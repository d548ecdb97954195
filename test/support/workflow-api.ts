import type { TestApi } from './api.js';
import { audited, type AuditedEntry } from './audit.js';
import type { HttpClient } from './http-client.js';

export interface JsonAnswer {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

/** Any request of a signed-in client, any answer. */
export async function ask(client: HttpClient, method: string, path: string, body?: unknown): Promise<JsonAnswer> {
  const response = await client.send(method, path, body);
  const text = await response.text();
  return {
    status: response.status,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    headers: response.headers,
  };
}

/** A workflow of the client's own. @returns its id. */
export async function startWorkflow(client: HttpClient, json: unknown): Promise<string> {
  return (await client.post<{ workflow_id: string }>('/microservices/workflow/start/', { json })).workflow_id;
}

/** Owner, editor, viewer and a stranger to one workflow of the owner's. */
export async function makeCast(api: TestApi, json: unknown) {
  const [owner, editor, viewer, stranger] = await Promise.all([api.signUp(), api.signUp(), api.signUp(), api.signUp()]);
  const id = await startWorkflow(owner, json);
  await addCollaborator(api, id, editor, 'editor');
  await addCollaborator(api, id, viewer, 'viewer');
  return { id, owner, editor, viewer, stranger };
}

export async function addCollaborator(
  api: Pick<TestApi, 'database'>,
  workflowId: string,
  client: HttpClient,
  role: string,
) {
  await api.database.dataSource.query(
    `INSERT INTO workflow_collaborators (workflow_id, user_id, role)
     SELECT $1, id, $3 FROM users WHERE username = $2`,
    [workflowId, client.username, role],
  );
}

/** What the audit log tells of a workflow, by action. */
export async function auditOf(api: TestApi, workflowId: string): Promise<Record<string, AuditedEntry['personal']>> {
  const rows = await audited(api.database.dataSource, { target: `workflow:${workflowId}` });
  return Object.fromEntries(rows.map(({ action, personal }) => [action, personal]));
}
