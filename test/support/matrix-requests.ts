import type { DocumentTurnRequest } from '@app/agents';
import { newId } from '@app/common';
import { call, postJson, type TestApi } from './api.js';
import { note, upload } from './documents-api.js';
import type { HttpClient } from './http-client.js';
import { madeColumn } from './made-column.js';
import { fanOutAndJoin } from './workflows.js';

/** What the owner has, by the name of the path parameter or body field that means it. */
export type Resources = Record<string, string>;

/** The body of a request that would succeed if the caller were the owner; routes without one take none. */
type Body = (resources: Resources) => Record<string, unknown>;

/** Nobody listens there, and this deployment does not allow it: its test and its sync fail. */
const externalSource = {
  type: 's3',
  name: 'Reports',
  secret: 'x',
  config: { bucket: 'reports', access_key_id: 'x', endpoint: 'https://192.0.2.1' },
};

/** No such host exists: its test fails, and what it offers cannot be listed. */
const toolServer = { label: 'Tools', url: 'https://tools.invalid/mcp' };

/** No such host exists: its test fails, and it has no schemas. */
const connectedDatabase = {
  name: 'Books',
  type: 'postgres',
  host: 'books.invalid',
  database: 'books',
  username: 'reader',
};

/** What the api asks of a worker for a question to all documents. */
const askedOfAll: DocumentTurnRequest = {
  language: null,
  llmModelId: null,
  uids: null,
  folder: null,
  query: null,
  mode: 'hybrid',
  limit: null,
  sources: 'paths',
};

/** No such host exists, and it is not enabled: what needs a model finds none. */
const registeredModel = {
  name: 'Model',
  value: 'm',
  base_url: 'https://models.invalid/v1',
  api_key: 'x',
  enabled: false,
};

const workflowId: Body = ({ workflow }) => ({ workflow_id: workflow });

export const BODIES: Record<string, Body> = {
  'POST /api/v1/token/login/': () => ({ username: 'nobody', password: 'x' }),
  'POST /api/v1/auth/refresh/': () => ({ refresh_token: 'x' }),
  'POST /api/v1/auth/sso_org/callback/': () => ({ code: 'x', state: 'x' }),
  'POST /api/v1/auth/sso_platform/callback/': () => ({ code: 'x', state: 'x' }),
  'POST /api/v1/auth/sso_org/link-exchange/': () => ({ code: 'x', state: 'x' }),
  'POST /api/v1/auth/sso_platform/link-exchange/': () => ({ code: 'x', state: 'x' }),
  'POST /artifacts/links/': ({ path }) => ({ media_path: path }),
  'POST /subscriptions/checkout-session/': () => ({ plan_code: 'pro', billing_period: 'monthly' }),
  'POST /subscriptions/change/': () => ({ plan_code: 'pro', seats: 2 }),
  'POST /database-search/chat/': ({ table }) => ({ message: 'How many rows?', uid: table }),
  'POST /database-search/store/': () => ({ conversation_id: 'c', question: 'Q', answer: 'A' }),
  'POST /database-search/folder/move/': () => ({ from: 'Nowhere', to: 'Elsewhere' }),
  'PUT /database-search/:uid/update/': () => ({ folder: 'Moved' }),
  'POST /spreadsheet-search/chat/': ({ sheet }) => ({ message: 'How many rows?', uids: [sheet] }),
  'POST /spreadsheet-search/store/': () => ({ conversation_id: 'c', question: 'Q', answer: 'A' }),
  'POST /administration/models/': () => registeredModel,
  'PATCH /administration/models/:id/': () => ({ name: 'Renamed' }),
  'POST /users/models/own/': () => registeredModel,
  'PATCH /users/models/own/:id/': () => ({ name: 'Renamed' }),
  'POST /users/models/own/discover/': () => ({ base_url: 'https://models.invalid/v1' }),
  'POST /organisations/current/models/': () => registeredModel,
  'PATCH /organisations/current/models/:id/': () => ({ name: 'Renamed' }),
  'POST /organisations/current/models/discover/': () => ({ base_url: 'https://models.invalid/v1' }),
  'POST /mcp-servers/servers/': () => toolServer,
  'POST /mcp-servers/servers/discover/': () => ({ url: 'https://tools.invalid/mcp' }),
  'POST /mcp-servers/oauth/callback/': () => ({ code: 'x', state: 'x' }),
  'POST /mcp-servers/servers/test/': () => toolServer,
  'PUT /mcp-servers/servers/:id/': () => ({ label: 'Renamed' }),
  'POST /mcp-servers/servers/:id/tools/accept/': () => ({ all: true }),
  'POST /mcp-servers/servers/:id/tools/enable/': () => ({ all: true }),
  'POST /mcp-servers/servers/:id/tools/disable/': () => ({ all: true }),
  'POST /mcp-servers/servers/:id/resources/read/': () => ({ uri: 'demo://x' }),
  'POST /mcp-servers/servers/:id/prompts/get/': () => ({ name: 'x' }),
  'POST /oauth/requests/:id/': () => ({ approve: false }),
  'POST /media/sign/': ({ path }) => ({ paths: [path] }),
  'PATCH /microservices/artifacts/:id/': () => ({ title: 'Renamed' }),
  'POST /microservices/artifacts/:id/restore/': () => ({ version: 1 }),
  'POST /microservices/agent/memories/': () => ({ text: 'I like tea.' }),
  'PATCH /microservices/agent/memories/:id/': () => ({ text: 'I like coffee.' }),
  'PUT /microservices/agent/memories/settings/': () => ({ enabled: true }),
  'POST /microservices/data-sources/': () => connectedDatabase,
  'PUT /microservices/data-sources/:id/': () => ({ name: 'Renamed' }),
  'POST /microservices/chat-sessions/': () => ({ kind: 'document' }),
  'PATCH /microservices/chat-sessions/:id/': () => ({ title: 'New title' }),
  'PUT /microservices/chat-sessions/:id/messages/:mid/feedback/': () => ({ rating: 'up' }),
  'POST /microservices/agent/chat/': () => ({ conversation_id: newId(), message: 'Where?' }),
  'POST /microservices/agent/table-chat/': ({ tableId }) => ({
    conversation_id: newId(),
    message: 'Where?',
    table_id: tableId,
  }),
  'POST /microservices/dedicated-agent/resume/': ({ agent }) => ({ agent_id: agent }),
  'PUT /microservices/dedicated-agent/budget/': () => ({ month: { hard_cost: 5 } }),
  'POST /microservices/dedicated-agent/runs/': () => ({ input: 'Do it.' }),
  'POST /microservices/dedicated-agent/jobs/': () => ({ name: 'J', prompt: 'Do it.', schedule: 'daily at 9' }),
  'PATCH /microservices/dedicated-agent/jobs/:jobId/': () => ({ name: 'J2' }),
  'POST /microservices/dedicated-agent/chat/stream': () => ({ message: 'Do it.' }),
  'POST /microservices/dedicated-agent/chat/': () => ({ message: 'Do it.' }),
  'POST /microservices/boards/': () => ({ name: 'Board' }),
  'PATCH /microservices/boards/:id/': () => ({ name: 'Renamed' }),
  'POST /microservices/boards/:id/tiles/': () => ({ kind: 'text', text: 'T', x: 0, y: 1, w: 1, h: 1 }),
  'PUT /microservices/boards/:id/layout/': ({ tile }) => ({
    expected_revision: 0,
    tiles: [{ id: Number(tile), x: 1, y: 1, w: 2, h: 2 }],
  }),
  'POST /microservices/boards/:id/collaborators/': () => ({ emails: ['no@body.example'], role: 'viewer' }),
  'PATCH /microservices/boards/:id/collaborators/:userId/': () => ({ role: 'editor' }),
  'PATCH /microservices/tiles/:id/': () => ({ title: 'Renamed' }),
  'POST /microservices/agent/artifact-chat/': ({ table }) => ({
    conversation_id: newId(),
    message: 'Make a page.',
    file_uids: [table],
  }),
  'POST /microservices/dashboard-chat/': ({ board }) => ({ message: 'How much?', board_id: Number(board) }),
  'POST /microservices/data-extractor/chat': ({ tableId }) => ({ table_id: tableId, params: { query: 'Where?' } }),
  'POST /microservices/agent/chat/stop/': ({ turn }) => ({ conversation_id: 'none', turn_id: turn }),
  'POST /microservices/agent/chat/reply/': ({ turn }) => ({ turn_id: turn, request_id: 'r', reply: 'yes' }),
  'POST /microservices/agent/chat/regenerate/': ({ turn }) => ({ turn_id: turn }),
  'POST /microservices/data-extractor/create_table': () => ({ table_name: 'T', columns: [{ name: 'A' }] }),
  'PUT /microservices/data-extractor/update_table/:tableId': () => ({ table_name: 'Renamed' }),
  'PATCH /microservices/data-extractor/table/:tableId/rows/:sourceUid': () => ({ data: { A: 'b' } }),
  'POST /microservices/data-extractor/table/:tableId/rows/:sourceUid/cells/:columnName/verify': () => ({
    verified: true,
  }),
  'POST /microservices/data-extractor/table/:tableId/extract': ({ uid }) => ({ document_uids: [uid] }),
  'POST /microservices/data-extractor/table/:tableId/grants': () => ({ emails: ['no@body.example'], role: 'viewer' }),
  'POST /microservices/data-extractor/tables_database': () => ({ name: 'D' }),
  'PUT /microservices/data-extractor/tables_database/:databaseId': () => ({ name: 'Renamed' }),
  'POST /microservices/workflow/agent-message/': ({ workflow }) => ({
    workflow_id: workflow,
    node_id: '00000000-0000-4000-8000-000000000000',
    message: 'yes',
  }),
  'POST /workflow/run/stream/': workflowId,
  'POST /microservices/workflow/branch-rerun/': ({ workflow }) => ({ workflow_id: workflow, start_node_id: 'join' }),
  'POST /microservices/workflow/rerun/': workflowId,
  'POST /microservices/workflow/stop/': workflowId,
  'POST /microservices/workflow/start/': () => ({ json: fanOutAndJoin }),
  'POST /microservices/workflow/validate/': () => ({ json: fanOutAndJoin }),
  'POST /microservices/workflow/import/': () => ({ format: 'n8n', json: { nodes: [] } }),
  'POST /microservices/workflow/tags/': () => ({ name: newId() }),
  'POST /microservices/workflow/:id/secrets/': () => ({ name: `k${newId().replaceAll('-', '')}`, value: newId() }),
  'PUT /microservices/workflow/:id/secrets/:name/': () => ({ value: newId() }),
  'PATCH /microservices/workflow/tags/:tagId/': () => ({ color: '#000000' }),
  'PUT /microservices/workflow/:id/tags/': () => ({ tag_ids: [] }),
  'PATCH /microservices/workflow/:id/versions/:revision/': () => ({ label: 'Release' }),
  'POST /microservices/workflow/:id/versions/:revision/restore/': () => ({}),
  'PATCH /microservices/workflow/:id/webhook-settings/': () => ({ requires_approval: false }),
  'POST /microservices/workflow/:id/webhook-queue/:requestId/': () => ({ action: 'cancel' }),
  'POST /microservices/workflow/:id/collaborators/': () => ({ emails: ['nobody@mail.example'], role: 'viewer' }),
  'PATCH /microservices/workflow/:id/collaborators/:userId/': () => ({ role: 'editor' }),
  'POST /microservices/workflow/:id/share/': () => ({ emails: ['nobody@mail.example'] }),
  'POST /microservices/workflow/:id/unshare/': () => ({ emails: ['nobody@mail.example'] }),
  'POST /microservices/workflow/:id/transfer/': () => ({ email: 'nobody@mail.example' }),
  'POST /microservices/workflow/transfers/:transferId/accept/': () => ({}),
  'POST /microservices/workflow/:id/schedules/': () => ({ interval_minutes: 60 }),
  'PUT /microservices/workflow/:id/schedules/:sid/': () => ({ name: 'Renamed' }),
  'POST /microservices/workflow/:id/schedules/:sid/backfill/': () => ({
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-01T00:00:00Z',
    overlap_policy: 'skip',
  }),
  'PUT /microservices/workflow/:id/': () => ({ name: 'New name', json_spec: fanOutAndJoin }),
  'PATCH /organisations/current/': () => ({ name: 'Renamed' }),
  'POST /organisations/current/invitations/': () => ({ email: 'nobody@mail.example' }),
  'PATCH /organisations/current/members/:userId/': () => ({ role: 'viewer' }),
  'POST /organisations/current/secrets/': () => ({ name: `k${newId().replaceAll('-', '')}`, value: newId() }),
  'PUT /organisations/current/secrets/:name/': () => ({ description: 'Changed' }),
  'POST /organisations/current/transfer-ownership/': ({ collaborator }) => ({ user_id: Number(collaborator) }),
  'POST /organisations/invitations/accept/': () => ({ token: 'x' }),
  'POST /semantic-search/advanced-search/': () => ({ query: 'kettle' }),
  'POST /secure-gpt/chat/': () => ({ message: 'Where?' }),
  'PUT /secure-gpt/chat/:turnId/': () => ({
    question: `enc:v1:${'A'.repeat(16)}:AAAA`,
    answer: `enc:v1:${'A'.repeat(16)}:AAAA`,
  }),
  'POST /semantic-search/all-files-chat/': () => ({ message: 'Where?' }),
  'POST /semantic-search/chat/': ({ uid }) => ({ message: 'Where?', uids: [uid] }),
  'POST /semantic-search/questions/': ({ uid }) => ({ uids: [uid] }),
  'POST /semantic-search/re-embed/': ({ uid }) => ({ uids: [uid] }),
  'POST /semantic-search/rewrite-summary/': ({ uid }) => ({ uid, instruction: 'Shorter' }),
  'POST /semantic-search/summaries/': ({ uid }) => ({ uids: [uid] }),
  'POST /semantic-search/documents/status/': ({ uid }) => ({ uids: [uid] }),
  'POST /semantic-search/documents/:uid/users/add/': () => ({ emails: ['nobody@mail.example'] }),
  'POST /semantic-search/documents/:uid/users/remove/': () => ({ emails: ['nobody@mail.example'] }),
  'POST /semantic-search/documents/request/': ({ path }) => ({ path }),
  'POST /semantic-search/documents/approve/': ({ accessRequest }) => ({ id: Number(accessRequest) }),
  'POST /semantic-search/documents/deny/': ({ accessRequest }) => ({ id: Number(accessRequest) }),
  'POST /semantic-search/documents/revoke/': ({ accessRequest }) => ({ id: Number(accessRequest) }),
  'POST /semantic-search/folder/move/': () => ({ from: 'Nowhere', to: 'Elsewhere' }),
  'PUT /semantic-search/:uid/tags/': () => ({ tags: ['new'] }),
  'POST /semantic-search/multi-file-chat/': ({ uid }) => ({ message: 'Where?', uids: [uid] }),
  'POST /semantic-search/single-file-chat/': ({ uid }) => ({ message: 'Where?', uid }),
  'POST /semantic-search/search/': () => ({ query: 'kettle' }),
  'POST /semantic-search/sources/': () => externalSource,
  'PUT /semantic-search/sources/:id/': () => externalSource,
  'PUT /semantic-search/:uid/update/': () => ({ folder: 'Moved' }),
  'POST /users/api-tokens/': () => ({ name: 'n', scopes: ['documents:read'] }),
  'POST /users/check/availability/': () => ({ username: 'someone' }),
  'POST /users/encryption/migrate-chats/': () => ({ dek: '0'.repeat(64) }),
  'POST /users/metadata/push/': () => ({ data: { a: 1 } }),
  'POST /users/metadata/pop/': () => ({ data: { a: 1 } }),
  'POST /users/passkeys/remove/': ({ passkey }) => ({ id: Number(passkey) }),
  'POST /users/passkeys/rename/': ({ passkey }) => ({ id: Number(passkey), name: 'Renamed' }),
  'POST /users/password/change/': () => ({ old_password: 'wrong', new_password: 'stone-under-lake' }),
  'POST /users/password/set/': () => ({ new_password: 'stone-under-lake' }),
  'POST /users/password/forget/': () => ({
    email: 'nobody@mail.example',
    recovery_code: 'x',
    new_password: 'stone-under-lake',
  }),
  'POST /users/profile/': () => ({ language: 'en' }),
  'POST /users/recovery-code/send-email/': () => ({ recovery_code: 'x' }),
  'POST /users/sso/link/': () => ({ provider: 'sso_org', sub: 'x' }),
  'POST /users/sso/unlink/': () => ({ provider: 'sso_org' }),
  'POST /users/verify/': () => ({ otp: '000000' }),
  'POST /users/verify/resend/': () => ({ email: 'nobody@mail.example' }),
  'POST /ws/ticket/': ({ workflow }) => ({ channel: `/ws/workflow/${workflow}/nodes/` }),
};

/** Queries without which a route would answer 400 to everybody. */
export const QUERIES: Record<string, (resources: Resources) => string> = {
  'GET /microservices/agent/chat/queue/': () => '?conversation_id=c',
  'GET /microservices/dashboard-data/': ({ chart }) => `?mgid=${chart}`,
  'GET /microservices/data-extractor/table': ({ tableId }) => `?ids=${tableId}`,
  'DELETE /semantic-search/documents/request/': ({ accessRequest }) => `?id=${accessRequest}`,
  'DELETE /semantic-search/folder/delete/': () => '?folder=',
  'GET /media/sign/': ({ path }) => `?path=${encodeURIComponent(path!)}`,
  'GET /microservices/workflow/search/': () => '?search=fan',
  'GET /microservices/workflow/:id/schedules/preview/': () => '?interval_minutes=60',
  'GET /users/verify/number/': () => '?token=000000',
};

/** Which resource a path parameter means, where its name alone does not say. */
const PARAMETERS: [RegExp, string, string][] = [
  [/^\/api\/v1\/auth\/sessions\//, 'id', 'session'],
  [/^\/artifacts\/links\//, 'uid', 'link'],
  [/^\/database-search\//, 'uid', 'table'],
  [/^\/mcp-servers\/servers\//, 'id', 'toolServer'],
  [/^\/administration\/models\//, 'id', 'sharedModel'],
  [/^\/users\/models\/own\//, 'id', 'ownModel'],
  [/^\/organisations\/current\/models\//, 'id', 'ourModel'],
  [/^\/microservices\/artifacts\//, 'id', 'artifact'],
  [/^\/microservices\/chat-sessions\//, 'id', 'chatSession'],
  [/^\/microservices\/agent\/memories\//, 'id', 'memory'],
  [/^\/microservices\/agent\/approvals\//, 'id', 'approval'],
  [/^\/microservices\/data-sources\//, 'id', 'dataSource'],
  [/^\/microservices\/dedicated-agent\/grants\//, 'id', 'approval'],
  [/^\/microservices\/dedicated-agent\/runs\//, 'runId', 'agentRun'],
  [/^\/microservices\/dedicated-agent\/runs\//, 'action', 'runAction'],
  [/^\/microservices\/dedicated-agent\/jobs\//, 'jobId', 'agentJob'],
  [/^\/microservices\/dedicated-agent\/jobs\//, 'action', 'jobAction'],
  [/^\/microservices\/boards\//, 'id', 'board'],
  [/^\/microservices\/boards\//, 'userId', 'collaborator'],
  [/^\/microservices\/tiles\//, 'id', 'tile'],
  [/^\/microservices\/data-extractor\//, 'userId', 'collaborator'],
  [/^\/microservices\/workflow\//, 'id', 'workflow'],
  [/^\/microservices\/workflow\/:id\/secrets\//, 'name', 'secret'],
  [/^\/microservices\/workflow\/:id\/collaborators\//, 'userId', 'collaborator'],
  [/^\/organisations\/current\/members\//, 'userId', 'collaborator'],
  [/^\/organisations\/current\/secrets\//, 'name', 'secret'],
  [/^\/semantic-search\/sources\//, 'id', 'source'],
  [/^\/spreadsheet-search\//, 'uid', 'sheet'],
  [/^\/users\/api-tokens\//, 'id', 'apiToken'],
  [/^\/users\/export\//, 'id', 'export'],
];

/** What a parameter of this path means, among the owner's things. */
export function resourceNamed(path: string, parameter: string, resources: Resources): string {
  const known = PARAMETERS.find(([prefix, name]) => name === parameter && prefix.test(path));
  return resources[known?.[2] ?? parameter] ?? newId();
}

export function fillPath(path: string, resources: Resources): string {
  return path.replaceAll(/[:*]([A-Za-z]+)/g, (_, name: string) => resourceNamed(path, name, resources));
}

/** One of everything, for this owner. */
export async function makeResources(api: Pick<TestApi, 'baseUrl' | 'database'>, owner: HttpClient): Promise<Resources> {
  const headers = { authorization: `Token ${owner.token}` };
  const { dataSource } = api.database;
  const post = async (path: string, body: unknown) =>
    (await postJson(api.baseUrl + path, body, headers)).body as Record<string, string>;
  const [document, workflow, apiToken, exported, source, chatSession, table, sheet] = await Promise.all([
    upload(owner, note()),
    post('/microservices/workflow/start/', { json: fanOutAndJoin }),
    post('/users/api-tokens/', { name: 'n', scopes: ['profile:read'] }),
    post('/users/export/', {}),
    post('/semantic-search/sources/', externalSource),
    post('/microservices/chat-sessions/', { kind: 'document' }),
    uploadTable(api, headers, 'database-search'),
    uploadTable(api, headers, 'spreadsheet-search'),
  ]);
  const connected = await post('/mcp-servers/servers/', toolServer);
  const [ownModel, ourModel] = await Promise.all([
    post('/users/models/own/', registeredModel),
    post('/organisations/current/models/', registeredModel),
  ]);
  const [sharedModel] = await dataSource.query<[{ id: number }]>(
    `INSERT INTO registered_models (name, value, definition, enabled)
     SELECT name, value, definition, false FROM registered_models WHERE id = $1 RETURNING id`,
    [ownModel.id],
  );
  const database = await post('/microservices/data-sources/', connectedDatabase);
  const link = await post('/artifacts/links/', { media_path: document.body.path });
  const form = new FormData();
  form.append('files', note());
  const batch = await call(`${api.baseUrl}/semantic-search/upload/batch/`, { method: 'POST', headers, body: form });
  const [passkey] = await dataSource.query<[{ id: number }]>(
    `INSERT INTO passkeys (user_id, credential_id, public_key, name, device_type)
     SELECT id, $2, '', 'Key', 'multiDevice' FROM users WHERE username = $1 RETURNING id`,
    [owner.username, newId()],
  );
  const [accessRequest] = await dataSource.query<[{ id: number }]>(
    `INSERT INTO access_requests (document_uid, user_id)
     SELECT $2, id FROM users WHERE username <> $1 ORDER BY id LIMIT 1 RETURNING id`,
    [owner.username, document.body.uid],
  );
  const [chart] = await dataSource.query<[{ mgid: string }]>(
    `INSERT INTO charts (mgid, owner_id, title, chart_type, spec, columns, rows, source)
     SELECT $2, id, 'Chart', 'bar', '{}', '[{"name":"n","type":"text"}]', '[["a"]]', '{}' FROM users WHERE username = $1 RETURNING mgid`,
    [owner.username, newId()],
  );
  const [refreshed] = await dataSource.query<[{ mgid: string }]>(
    `INSERT INTO charts (mgid, owner_id, title, chart_type, spec, columns, rows, source)
     SELECT $2, owner_id, title, chart_type, spec, columns, rows, '{"type": "file", "source_ref": "", "sql": "SELECT 1"}'
     FROM charts WHERE mgid = $1 RETURNING mgid`,
    [chart.mgid, newId()],
  );
  const [session] = await dataSource.query<[{ id: string }]>(
    `INSERT INTO sessions (id, user_id, method, ip, user_agent, absolute_expires_at)
     SELECT $2, id, 'password', '', '', now() + interval '1 day' FROM users WHERE username = $1 RETURNING id`,
    [owner.username, newId()],
  );
  const { webhook_id, webhook_secret } = await post('/microservices/workflow/webhook/', {}).then(async () => {
    const detail = await call(`${api.baseUrl}/microservices/workflow/${workflow.workflow_id}/`, { headers });
    return detail.body as Record<string, string>;
  });
  const schedule = await post(`/microservices/workflow/${workflow.workflow_id}/schedules/`, { cron: '@yearly' });
  const request = await post('/microservices/workflow/webhook/', { webhook_id, webhook_secret });
  const outputId = newId();
  await dataSource.query(
    `WITH run AS (
       INSERT INTO workflow_runs (id, workflow_id, version, content_revision, status, trigger, finished_at)
       VALUES ($2, $3, 1000, 1, 'COMPLETED', 'manual', now()) RETURNING id)
     INSERT INTO workflow_outputs (id, workflow_id, run_id, node_id, node_name, kind, type, value, size_bytes)
     SELECT $1, $3, id, 'join', 'join', 'merge', 'json', '{}', 2 FROM run`,
    [outputId, newId(), workflow.workflow_id],
  );
  const transferId = newId();
  const [{ id: colleague }] = await dataSource.query<[{ id: number }]>(
    `WITH colleague AS (INSERT INTO users (username, email) VALUES ($2, $2 || '@mail.example') RETURNING id),
     member AS (INSERT INTO workflow_collaborators (workflow_id, user_id, role) SELECT $3, id, 'viewer' FROM colleague),
     theirs AS (INSERT INTO workflows (id, owner_id, name) SELECT $4, id, 'Theirs' FROM colleague RETURNING id, owner_id),
     offers AS (
       INSERT INTO workflow_transfers (id, workflow_id, from_user_id, to_user_id, expires_at)
       SELECT $4, t.id, t.owner_id, u.id, now() + interval '1 day' FROM theirs t, users u WHERE u.username = $1
       UNION ALL
       SELECT $5, $3, u.id, c.id, now() + interval '1 day' FROM colleague c, users u WHERE u.username = $1)
     SELECT id FROM colleague`,
    [owner.username, newId(), workflow.workflow_id, transferId, newId()],
  );
  const [turn] = await dataSource.query<[{ id: string; message: string }]>(
    `INSERT INTO chat_turns (id, session_id, status, question, answer, model, handler, request, finished_at)
     VALUES ($1, $2, 'completed', 'Q', 'A', '', 'document', $3, now()) RETURNING id, (seq * 2)::text AS message`,
    [newId(), chatSession.id, JSON.stringify(askedOfAll)],
  );
  const [approval] = await dataSource.query<[{ id: number }]>(
    `INSERT INTO agent_approvals (user_id, key, summary) SELECT id, 'k', 'S' FROM users WHERE username = $1
     ON CONFLICT (user_id, key, conversation_id) DO UPDATE SET summary = 'S' RETURNING id`,
    [owner.username],
  );
  const [agentRun] = await dataSource.query<[{ id: string; agent: string; job: string }]>(
    `WITH flagged AS (UPDATE users SET dedicated_agent = true WHERE username = $1 RETURNING id),
     agent AS (INSERT INTO dedicated_agents (id, user_id, status) SELECT $2, id, 'paused' FROM flagged
       ON CONFLICT (user_id) DO UPDATE SET status = 'paused' RETURNING id),
     run AS (INSERT INTO dedicated_agent_runs (id, agent_id, status, input, next_attempt_at, finished_at)
       SELECT $3, id, 'completed', 'Q', NULL, now() FROM agent RETURNING id, agent_id),
     job AS (INSERT INTO dedicated_agent_jobs (id, agent_id, name, prompt, kind, interval_minutes, display, anchor_at, state, enabled)
       SELECT $4, id, 'J', 'Q', 'interval', 60, 'every hour', now(), 'paused', false FROM agent)
     INSERT INTO dedicated_agent_events (run_id, seq, event) SELECT id, 1, 'run.completed' FROM run
     RETURNING run_id AS id, (SELECT agent_id FROM run) AS agent, $4::uuid AS job`,
    [owner.username, newId(), newId(), newId()],
  );
  const [memory] = await dataSource.query<[{ id: string }]>(
    `INSERT INTO agent_memories (id, user_id, kind, text, text_key, confidence)
     SELECT $1::uuid, id, 'fact', 'M', $1::uuid::text, 1 FROM users WHERE username = $2 RETURNING id`,
    [newId(), owner.username],
  );
  const [artifact] = await dataSource.query<[{ id: string }]>(
    `WITH page AS (INSERT INTO artifacts (id, owner_id, title, kind, version)
       SELECT $2, id, 'A', 'page', 1 FROM users WHERE username = $1 RETURNING id)
     INSERT INTO artifact_versions (artifact_id, version, title, html) SELECT id, 1, 'A', '<p>A</p>' FROM page
     RETURNING artifact_id AS id`,
    [owner.username, newId()],
  );
  const [extracted] = await dataSource.query<
    [{ tableId: string; databaseId: string; changeId: string; extractionId: string }]
  >(
    `WITH owner AS (SELECT id FROM users WHERE username = $1),
     made AS (INSERT INTO extracted_tables (id, owner_id, name, columns, rows_count)
       SELECT $2, id, 'T', $5, 1 FROM owner RETURNING id, owner_id),
     line AS (INSERT INTO extracted_rows (id, table_id, source_uid, data) SELECT $2, id, 'source', '{"A": "a"}' FROM made),
     shared AS (INSERT INTO extracted_table_grants (table_id, user_id, role) SELECT id, $6, 'viewer' FROM made),
     grouped AS (INSERT INTO extracted_table_databases (id, owner_id, name) SELECT $3, owner_id, 'D' FROM made RETURNING id),
     changed AS (INSERT INTO extracted_table_changes (id, table_id, user_id, changes)
       SELECT $4, id, owner_id, '[]' FROM made RETURNING id),
     asked AS (INSERT INTO extractions (id, table_id, requested_by, mode, state, total, failed, completed_at)
       SELECT $7, id, owner_id, 'all', 'failed', 1, 1, now() FROM made RETURNING id, table_id, requested_by),
     item AS (INSERT INTO extraction_items (id, extraction_id, table_id, requested_by, source_uid, filename, state, next_attempt_at)
       SELECT $8, id, table_id, requested_by, 'source', 'F', 'failed', NULL FROM asked)
     SELECT made.id AS "tableId", grouped.id AS "databaseId", changed.id AS "changeId", asked.id AS "extractionId"
     FROM made, grouped, changed, asked`,
    [owner.username, newId(), newId(), newId(), JSON.stringify([madeColumn('A')]), colleague, newId(), newId()],
  );
  const [{ board, tile }] = await dataSource.query<[{ board: number; tile: number }]>(
    `WITH made AS (INSERT INTO boards (owner_id, name) SELECT id, 'Board' FROM users WHERE username = $1 RETURNING id, owner_id),
     shared AS (INSERT INTO board_collaborators (board_id, user_id, role) SELECT id, $3, 'viewer' FROM made)
     INSERT INTO board_tiles (board_id, kind, mgid, x, y, w, h, added_by_id)
     SELECT id, 'chart', $2, 0, 0, 1, 1, owner_id FROM made RETURNING board_id AS board, id AS tile`,
    [owner.username, refreshed.mgid, colleague],
  );
  const tag = await post('/microservices/workflow/tags/', { name: newId() });
  await post(`/microservices/workflow/${workflow.workflow_id}/secrets/`, { name: 'api_key', value: newId() });
  return {
    uid: document.body.uid,
    username: owner.username,
    artifact: artifact.id,
    path: document.body.path,
    workflow: workflow.workflow_id!,
    nodeId: 'start',
    secret: 'api_key',
    kind: 'template',
    apiToken: String(apiToken.id),
    export: exported.id!,
    source: source.id!,
    toolServer: String(connected.id),
    sharedModel: String(sharedModel.id),
    ownModel: String(ownModel.id),
    ourModel: String(ourModel.id),
    dataSource: String(database.id),
    chatSession: String(chatSession.id),
    turnId: turn.id,
    turn: turn.id,
    mid: turn.message,
    approval: String(approval.id),
    memory: memory.id,
    agent: agentRun.agent,
    agentRun: agentRun.id,
    runAction: 'stop',
    agentJob: agentRun.job,
    jobAction: 'pause',
    link: link.uid!,
    table,
    sheet,
    batchId: (batch.body as { batch_id?: string }).batch_id ?? newId(),
    passkey: String(passkey.id),
    session: session.id,
    chart: chart.mgid,
    board: String(board),
    tile: String(tile),
    accessRequest: String(accessRequest.id),
    requestId: request.request_id ?? newId(),
    collaborator: String(colleague),
    transferId,
    sid: schedule.id!,
    tagId: tag.id!,
    ...extracted,
    sourceUid: 'source',
    columnName: 'A',
    revision: '1',
    version: '1000',
    outputId,
  };
}

async function uploadTable(
  { baseUrl }: { baseUrl: string },
  headers: Record<string, string>,
  store: string,
): Promise<string> {
  const form = new FormData();
  form.append('path', new File(['city,cost\nOslo,1\n'], 'trips.csv'));
  const { body } = await call(`${baseUrl}/${store}/upload/`, { method: 'POST', headers, body: form });
  return (body as { uid: string }).uid;
}
