import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { TraceRows } from '@app/agents';
import { newId } from '@app/common';
import { FileStorage } from '@app/integrations';
import { SealingService } from '@app/secrets';
import { call, postJson, type TestApi } from './api.js';
import { mailsTo } from './outbox.js';
import { until } from './until.js';
import { fanOutAndJoin } from './workflows.js';

export interface FullAccount {
  id: number;
  username: string;
  password: string;
  token: string;
  /** What must be found nowhere once the account is erased. */
  words: string[];
}

/** An account that owns something of every kind, shares with `friend`, and is named by what `friend` owns. */
export async function makeFullAccount(api: TestApi, friend: { id: number }): Promise<FullAccount> {
  const canary = `canary${randomBytes(8).toString('hex')}`;
  const username = `${canary}u`;
  const email = `${canary}@mail.example`;
  const phone = Number(`49${String(randomBytes(6).readUIntBE(0, 6)).padStart(12, '1').slice(0, 12)}`);
  const password = 'kite-over-hill';
  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);
  const names = { first_name: `${canary} First`, last_name: `${canary} Last` };
  await postJson(`${api.baseUrl}/api/v1/users/`, { username, email, password, phone, ...names });
  await mailsTo(api, email);
  const login = await postJson(`${api.baseUrl}/api/v1/token/login/`, { username, password });
  const token = (login.body as { auth_token: string }).auth_token;
  const headers = { authorization: `Token ${token}` };
  const post = (path: string, body: unknown) => postJson(api.baseUrl + path, body, headers);
  const [{ id }] = await sql<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [username]);

  const form = new FormData();
  form.append('path', new File([`The contents are ${canary}.`], `${canary}.txt`), `${canary}.txt`);
  const uploaded = await call(`${api.baseUrl}/semantic-search/upload/`, { method: 'POST', headers, body: form });
  const { uid } = uploaded.body as { uid: string };
  const table = new FormData();
  table.append('path', new File([`name\n${canary}\n`], `${canary}.csv`), `${canary}.csv`);
  table.append('folder', canary);
  await call(`${api.baseUrl}/database-search/upload/`, { method: 'POST', headers, body: table });
  // From an external drive, so that its shares are repeated there.
  await sql('UPDATE documents SET from_dms = true, external_drive_item_id = $2, tags = $3 WHERE uid = $1', [
    uid,
    canary,
    [canary],
  ]);
  await sql(
    `WITH client AS (
       INSERT INTO oauth_clients (id, name, redirect_uris) VALUES ('mcp_' || $2, 'Program', '{https://app.example/}') RETURNING id
     ), session AS (
       INSERT INTO sessions (id, user_id, method, ip, user_agent, absolute_expires_at)
       VALUES ($3, $1, 'oauth', '', 'MCP client: Program', now() + interval '1 day') RETURNING id
     ), request AS (
       INSERT INTO oauth_requests (id, client_id, redirect_uri, scopes, code_challenge, expires_at, user_id)
       SELECT $4, id, 'https://app.example/', '{}', '', now(), $1 FROM client
     )
     INSERT INTO oauth_grants (session_id, user_id, client_id, scopes)
     SELECT session.id, $1, client.id, '{documents:read}' FROM session, client`,
    [id, randomBytes(8).toString('hex'), newId(), newId()],
  );
  await sql(`INSERT INTO agent_approvals (user_id, key, conversation_id, summary) VALUES ($1, $2, $2, $2)`, [
    id,
    canary,
  ]);
  await sql(`INSERT INTO workflow_authoring_turns (id, user_id, prompt, status) VALUES ($1, $2, $3, 'completed')`, [
    newId(),
    id,
    canary,
  ]);
  await sql(
    `INSERT INTO organization_invitations (id, organization_id, address, role, inviter_id, token_hash, expires_at)
     SELECT given.id, u.organization_id, given.address, 'member', u.id, decode(md5(given.id::text), 'hex'), now() + interval '1 day'
     FROM (VALUES ($1::uuid, $3::int, $5 || '.else@mail.example'), ($2, $4, $6)) AS given (id, inviter, address)
     JOIN users u ON u.id = given.inviter`,
    [newId(), newId(), id, friend.id, canary, email],
  );
  await sql('INSERT INTO document_shares (document_uid, user_id) VALUES ($1, $2)', [uid, friend.id]);
  await sql(
    `WITH theirs AS (
       INSERT INTO documents (uid, owner_id, filename, path, kind, mime_type, size_bytes, sha256, storage_key,
         processing_state, from_dms, external_drive_item_id)
       VALUES ($1, $2, 'theirs.txt', '', 'text', 'text/plain', 1, '', '', 'untrained', true, 'theirs') RETURNING uid)
     INSERT INTO access_requests (document_uid, user_id, status, reason)
     SELECT uid, $3, 'approved', $4 FROM theirs UNION ALL SELECT $5, $2, 'approved', $4`,
    [newId(), friend.id, id, canary, uid],
  );
  await sql(
    `INSERT INTO document_shares (document_uid, user_id) SELECT document_uid, user_id FROM access_requests
     WHERE user_id = $1`,
    [id],
  );
  await sql(
    `INSERT INTO storage_reservations (id, user_id, bytes, expires_at) VALUES ($1, $2, 1, now() + interval '1 day')`,
    [newId(), id],
  );
  const unfinished = await call(`${api.baseUrl}/semantic-search/upload/tus/`, {
    method: 'POST',
    headers: {
      ...headers,
      'tus-resumable': '1.0.0',
      'upload-length': '100',
      'upload-metadata': `filename ${Buffer.from(`${canary}.txt`).toString('base64')}`,
      'content-type': 'application/offset+octet-stream',
    },
    body: canary,
  });
  if (unfinished.status !== 201) throw new Error(`The upload was not begun: ${unfinished.status}`);
  const picture = `thumbnails/${uid.slice(0, 2)}/${uid}-1-160-${newId()}`;
  await api.app.get(FileStorage).put(picture, Readable.from([canary]));
  await sql(
    `INSERT INTO document_thumbnails (document_uid, page, width, state, storage_key) VALUES ($1, 1, 160, 'ready', $2)`,
    [uid, picture],
  );
  for (const userId of [id, friend.id]) {
    const [session] = await sql<[{ id: number }]>(
      `INSERT INTO chat_sessions (user_id, kind, conversation_id, title) VALUES ($1, 'document', $2, 'T') RETURNING id`,
      [userId, newId()],
    );
    const mine = { uid, filename: `${canary}.txt`, path: `/media/${canary}`, text: canary };
    await sql(
      `INSERT INTO chat_turns (id, session_id, status, question, answer, sources, model)
       VALUES ($1, $2, 'completed', $3, 'A', $4, 'm')`,
      [newId(), session.id, userId === id ? canary : 'Q', JSON.stringify([mine, { uid: newId(), text: 'other' }])],
    );
    await sql(
      `INSERT INTO chat_turns (id, session_id, status, question, answer, sources, model)
       VALUES ($1, $2, 'completed', 'Q', 'A', $3, 'm')`,
      [newId(), session.id, JSON.stringify([`/media/documents/${uid}/${canary}.txt`, '/media/documents/other/o.txt'])],
    );
  }

  await sql(
    `WITH customer AS (INSERT INTO billing_test_customers (id, email) VALUES ('tcus_' || $3::text, $4) RETURNING id),
     portal AS (INSERT INTO billing_test_portals (id, customer_id, return_url, expires_at)
       SELECT 'tpo_' || $3::text, id, 'https://app.example/', now() + interval '1 day' FROM customer)
     INSERT INTO subscriptions (id, owner_user_id, status, plan_code, plan, billing_period, seats, processor, processor_customer_id, cancel_reason)
     SELECT $3::uuid, $1, 'canceled', 'pro', '{}', 'monthly', 1, 'test', id, $2 FROM customer`,
    [id, canary, newId(), email],
  );
  await sql(
    `WITH agent AS (INSERT INTO dedicated_agents (id, user_id, status, note) VALUES ($2, $1, 'paused', $4) RETURNING id),
     run AS (INSERT INTO dedicated_agent_runs (id, agent_id, status, input, instructions, output, next_attempt_at, finished_at)
       SELECT $3, id, 'completed', $4, $4, $4, NULL, now() FROM agent RETURNING id),
     job AS (INSERT INTO dedicated_agent_jobs (id, agent_id, name, prompt, kind, interval_minutes, display, anchor_at, enabled, state, last_error)
       SELECT $5, id, $4, $4, 'interval', 60, 'every 1h', now(), false, 'paused', $4 FROM agent RETURNING id),
     spending AS (INSERT INTO dedicated_agent_spending (agent_id, key, scope, spent_tokens) SELECT id, 'run:' || $4, 'run', 7 FROM agent),
     reservation AS (INSERT INTO dedicated_agent_reservations (id, agent_id, keys, cost, tokens, is_priced, expires_at)
       SELECT $5, id, ARRAY['run:' || $4], 0, 0, true, now() + interval '1 hour' FROM agent),
     notice AS (INSERT INTO dedicated_agent_notices (id, agent_id, job_id, job_name, session_id, status)
       SELECT $5, id, $5, $4, 1, 'ok' FROM agent),
     execution AS (INSERT INTO dedicated_agent_executions (id, job_id, scheduled_for, status, finished_at, error)
       SELECT $5, id, now(), 'error', now(), $4 FROM job)
     INSERT INTO dedicated_agent_events (run_id, seq, event, data)
     SELECT id, 1, 'run.completed', jsonb_build_object('output', $4::text) FROM run`,
    [id, newId(), newId(), canary, newId()],
  );
  await sql(
    `WITH session AS (
       INSERT INTO chat_sessions (user_id, kind, conversation_id, title) VALUES ($1, 'artifact', $2, 'T') RETURNING id)
     INSERT INTO artifact_chats (session_id, draft) SELECT id, jsonb_build_object('html', $3::text) FROM session`,
    [id, newId(), canary],
  );
  await sql(
    `INSERT INTO agent_memories (id, user_id, kind, text, text_key, confidence, cues) VALUES ($1, $2, 'fact', $3, $3, 1, $3)`,
    [newId(), id, canary],
  );
  await sql('INSERT INTO agent_memory_settings (user_id, is_enabled) VALUES ($1, true)', [id]);
  await sql(
    `WITH turn AS (
       INSERT INTO chat_turns (id, session_id, status, question, model)
       SELECT $2, id, 'completed', 'Q', 'm' FROM chat_sessions WHERE user_id = $1 LIMIT 1 RETURNING id
     ), thought AS (
       INSERT INTO chat_thoughts (turn_id, step, type, text) SELECT id, 1, 'plan', $3 FROM turn
     ), message AS (
       INSERT INTO tabular_messages (user_id, store, uid, conversation_id, question, answer)
       VALUES ($1, 'database', $2, 'c', $3, 'A')
     )
     INSERT INTO charts (mgid, owner_id, turn_id, title, chart_type, spec, columns, rows, source)
     SELECT $2, $1, id, $3, 'bar', '{}', '[]', '[]', '{}' FROM turn`,
    [id, newId(), canary],
  );

  const [turn] = await sql<[{ id: string }]>(
    'SELECT t.id FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id WHERE s.user_id = $1 LIMIT 1',
    [id],
  );
  const kept = { text: canary, characters: canary.length };
  const called = { place: '1.1', callId: 'c', tool: 'code', outcome: 'completed' as const, durationMs: 1 };
  await api.app.get(TraceRows).write([
    {
      id: newId(),
      turnId: turn.id,
      kind: 'tool',
      beganAt: new Date(),
      content: { ...called, arguments: kept, result: kept },
    },
  ]);
  const result = newId();
  await sql(
    `INSERT INTO agent_results (id, turn_id, handle, tool, characters, content_sealed, expires_at)
     SELECT $1, t.id, $3, $3, 1, $4, now() + interval '1 day' FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
     WHERE s.user_id = $2 LIMIT 1`,
    [
      result,
      id,
      canary,
      api.app.get(SealingService).seal(canary, { table: 'agent_results', column: 'content_sealed', row: result }),
    ],
  );

  await sql(
    `INSERT INTO model_usage (id, user_id, purpose, model_id, model, prompt_tokens, completion_tokens, currency,
       duration_ms, outcome, created_at) VALUES ($1, $2, $3, 1, 'm', 1, 1, 'USD', 1, 'completed', now())`,
    [newId(), id, canary],
  );
  await post('/semantic-search/sources/', {
    type: 's3',
    name: canary,
    secret: canary,
    config: { bucket: 'reports', access_key_id: canary },
  });

  await post('/users/models/own/', {
    name: canary,
    value: canary,
    base_url: `https://models.invalid/${canary}`,
    api_key: canary,
    headers: { 'x-canary': canary },
  });
  await post('/organisations/current/models/', {
    name: canary,
    value: canary,
    base_url: `https://models.invalid/${canary}`,
    api_key: canary,
  });

  const connected = await post('/mcp-servers/servers/', {
    label: canary,
    url: `https://tools.invalid/${canary}`,
    auth_type: 'bearer',
    secret: canary,
  });
  await sql(
    `INSERT INTO mcp_tools (server_id, name, offered_name, description, input_schema, definition_hash, position)
     VALUES ($1, $2, $2, $2, '{}', '', 0)`,
    [(connected.body as { id: number }).id, canary],
  );

  await post('/microservices/data-sources/', {
    name: canary,
    type: 'postgres',
    host: `${canary}.invalid`,
    database: canary,
    username: canary,
    secret: canary,
  });

  const json = { ...fanOutAndJoin, name: canary };
  const started = await post('/microservices/workflow/start/', { name: canary, json });
  const workflowId = (started.body as { workflow_id: string }).workflow_id;
  await post('/microservices/workflow/rerun/', { workflow_id: workflowId });
  const [outputKey, writtenKey] = [`workflow-outputs/${newId()}`, `written/${newId()}`];
  for (const key of [outputKey, writtenKey]) await api.app.get(FileStorage).put(key, Readable.from([canary]));
  await sql(`INSERT INTO loose_files (storage_key, removable_at) VALUES ($1, now() + interval '1 hour')`, [outputKey]);
  await sql(
    `INSERT INTO workflow_run_nodes (run_id, node_id, status, output)
     SELECT id, 'join', 'COMPLETED', $2 FROM workflow_runs WHERE workflow_id = $1`,
    [workflowId, JSON.stringify({ $stored: { key: outputKey, size: 1, sha256: 'x', preview: canary } })],
  );
  await sql(
    `INSERT INTO written_files (id, owner_id, path, storage_key, mime_type, size_bytes, sha256, workflow_id, idempotency_key)
     VALUES ($1, $2, $3, $4, 'text/plain', 1, 'x', $5, $3)`,
    [newId(), id, `${canary}.txt`, writtenKey, workflowId],
  );
  await post(`/microservices/workflow/${workflowId}/secrets/`, { name: 'key', value: canary });
  await post('/microservices/workflow/tags/', { name: canary });
  await post(`/microservices/workflow/${workflowId}/schedules/`, {
    name: canary,
    cron: '@yearly',
    payload: { canary },
  });
  await sql(
    `WITH w AS (
       INSERT INTO workflows (id, owner_id, name, last_edited_by_id, sharer_id)
       VALUES ($1, $2, 'of the friend', $3, $3) RETURNING id),
     offered AS (INSERT INTO workflow_transfers (id, workflow_id, from_user_id, to_user_id, expires_at)
       SELECT id, id, $2, $3, now() + interval '1 day' FROM w)
     , schedule AS (INSERT INTO workflow_schedules (id, workflow_id, name, kind, run_at, timezone, enabled, state,
         overlap_policy, catchup_window_seconds, jitter_seconds, anchor_at, created_by_id)
       SELECT gen_random_uuid(), id, 'of the friend', 'once', now(), 'UTC', false, 'paused', 'skip', 60, 0, now(), $3 FROM w)
     INSERT INTO workflow_collaborators (workflow_id, user_id, role) SELECT id, $3, 'editor' FROM w`,
    [newId(), friend.id, id],
  );
  // Shared with the friend as an app, and offered to them.
  await sql(
    `WITH app AS (
       INSERT INTO workflows (id, owner_id, name, sharer_id, app_of_id, app_state, app_revision)
       VALUES ($1, $2, $5, $3, $4, 'shared', 1) RETURNING id),
     revision AS (
       INSERT INTO workflow_revisions (workflow_id, content_revision, name, json_spec)
       SELECT id, 1, $5, jsonb_build_object('name', $5::text) FROM app)
     INSERT INTO workflow_transfers (id, workflow_id, from_user_id, to_user_id, expires_at)
     VALUES ($1, $4, $3, $2, now() + interval '1 day')`,
    [newId(), friend.id, id, workflowId, canary],
  );

  await makeArtifact(sql, { id, friendId: friend.id, canary, workflowId });
  await makeBoards(sql, { id, friendId: friend.id, canary, workflowId });
  await makeExtractedTables(sql, { id, friendId: friend.id, canary, uid, workflowId });
  await post('/users/metadata/push/', { data: { filter: canary } });
  await post('/users/verify/number/', {});
  await post('/users/export/', {});
  await until(async () => {
    const rows = await sql<unknown[]>(`SELECT FROM exports WHERE user_id = $1 AND state = 'ready'`, [id]);
    return rows.length === 1;
  });
  const sealing = api.app.get(SealingService);
  const [passkey] = await sql<[{ id: number }]>(
    `INSERT INTO passkeys (user_id, credential_id, public_key, name, device_type)
     VALUES ($1, $2, '', $2, 'multiDevice') RETURNING id`,
    [id, canary],
  );
  await sql('UPDATE passkeys SET rek_wrapped_sealed = $2 WHERE id = $1', [
    passkey.id,
    sealing.seal(canary, { table: 'passkeys', column: 'rek_wrapped_sealed', row: passkey.id }),
  ]);
  await sql(
    `INSERT INTO sso_identities (user_id, provider, issuer, subject, email) VALUES ($1, 'sso_platform', 'https://idp.example', $2, $3)`,
    [id, canary, email],
  );
  await sql(
    `WITH g AS (INSERT INTO scim_groups (id, organization_id, display_name)
       SELECT $2, organization_id, $3 FROM users WHERE id = $4 RETURNING id)
     INSERT INTO scim_group_members (group_id, user_id) SELECT id, $1 FROM g`,
    [id, newId(), `Group ${friend.id}-${id}`, friend.id],
  );
  await until(async () => (await mailsTo(api, email)).length >= 2);
  return { id, username, password, token, words: [canary, String(phone), uid, workflowId] };
}

type Sql = <T>(text: string, values?: unknown[]) => Promise<T>;

/** A page of their own with what its query gave, on a board of the friend's. */
async function makeArtifact(
  sql: Sql,
  { id, friendId, canary, workflowId }: Record<'canary' | 'workflowId', string> & Record<'id' | 'friendId', number>,
): Promise<void> {
  await sql(
    `WITH page AS (INSERT INTO artifacts (id, owner_id, title, kind, version, workflow_id, publish_key)
       VALUES ($1, $2, $4, 'page', 1, $5, $4) RETURNING id),
     version AS (INSERT INTO artifact_versions (artifact_id, version, title, html, queries, sources, change_note, publish_key)
       SELECT id, 1, $4, $4, jsonb_build_array(jsonb_build_object('name', 'q', 'sql', $4::text)),
         jsonb_build_object('file:1', jsonb_build_object('name', $4::text)), $4, $4 FROM page),
     given AS (INSERT INTO artifact_results (artifact_id, version, query_name, params_key, result)
       SELECT id, 1, 'q', '', $4 FROM page),
     board AS (INSERT INTO boards (owner_id, name) VALUES ($3, 'of the friend') RETURNING id)
     INSERT INTO board_tiles (board_id, kind, artifact_id, x, y, w, h) SELECT board.id, 'artifact', page.id, 0, 0, 1, 1 FROM board, page`,
    [newId(), id, friendId, canary, workflowId],
  );
}

/** A table of their own with all that belongs to one, and work on a table of the friend's. */
async function makeExtractedTables(
  sql: Sql,
  {
    id,
    friendId,
    canary,
    uid,
    workflowId,
  }: Record<'canary' | 'uid' | 'workflowId', string> & Record<'id' | 'friendId', number>,
): Promise<void> {
  const columns = JSON.stringify([{ name: canary, instruction: canary, outputType: 'string' }]);
  const changes = JSON.stringify([{ type: 'cell', column: canary, before: canary, after: null }]);
  await sql(
    `WITH own AS (INSERT INTO extracted_tables (id, owner_id, name, columns, metadata, workflow_id, rows_count)
       VALUES ($1, $3, $5, $6, jsonb_build_object($5::text, 1), $8, 1) RETURNING id),
     theirs AS (INSERT INTO extracted_tables (id, owner_id, name, columns) VALUES ($2, $4, 'of the friend', '[]') RETURNING id),
     line AS (INSERT INTO extracted_rows (id, table_id, source_uid, document_uid, data, filename)
       SELECT $1, id, $7::text, $7::text::uuid, jsonb_build_object($5::text, $5::text), $5 FROM own RETURNING id, table_id),
     cell AS (INSERT INTO extracted_cells (row_id, table_id, column_name, status, quote, method)
       SELECT id, table_id, $5, 'anchored', $5, 'rules' FROM line),
     line_of_theirs AS (INSERT INTO extracted_rows (id, table_id, source_uid, document_uid, filename, data)
       SELECT $2, id, $7::text, $7::text::uuid, $5, '{"A": 1}' FROM theirs RETURNING id, table_id),
     verified AS (INSERT INTO extracted_cells (row_id, table_id, column_name, status, quote, method, verified_by, verified_at)
       SELECT id, table_id, 'A', 'anchored', $5, 'rules', $3, now() FROM line_of_theirs),
     grouped AS (INSERT INTO extracted_table_databases (id, owner_id, name) VALUES ($1, $3, $5) RETURNING id),
     member AS (INSERT INTO extracted_table_database_members (database_id, table_id, position) SELECT g.id, o.id, 1 FROM grouped g, own o),
     shared AS (INSERT INTO extracted_table_grants (table_id, user_id, role) SELECT id, $4::int, 'viewer' FROM own
       UNION ALL SELECT id, $3, 'editor' FROM theirs),
     asked AS (INSERT INTO extractions (id, table_id, requested_by, mode, total) SELECT $2, id, $3, 'all', 1 FROM theirs),
     asked_of_theirs AS (INSERT INTO extractions (id, table_id, requested_by, mode, total) SELECT $1, id, $4, 'all', 1 FROM theirs
       RETURNING id, table_id),
     item AS (INSERT INTO extraction_items (id, extraction_id, table_id, document_uid, source_uid, filename, state, requested_by)
       SELECT $2, id, table_id, $7::text::uuid, $7::text, $5, 'completed', $4 FROM asked_of_theirs),
     told AS (INSERT INTO extraction_events (extraction_id, seq, type, payload)
       SELECT id, 1, 'row', jsonb_build_object('filename', $5::text) FROM asked_of_theirs)
     INSERT INTO extracted_table_changes (id, table_id, user_id, changes)
     SELECT $1, id, $3::int, $9::jsonb FROM own UNION ALL SELECT $2, id, $4, $9::jsonb FROM theirs`,
    [newId(), newId(), id, friendId, canary, columns, uid, workflowId, changes],
  );
}

/** A board of their own with a chart that a workflow drew, and what they put on a board of the friend's. */
async function makeBoards(
  sql: Sql,
  { id, friendId, canary, workflowId }: Record<'canary' | 'workflowId', string> & Record<'id' | 'friendId', number>,
): Promise<void> {
  await sql(
    `WITH drawn AS (INSERT INTO charts (mgid, owner_id, workflow_id, origin_key, title, chart_type, spec, columns, rows, source)
       VALUES ($1, $2, $5, $4, $4, 'bar', '{}', '[]', '[]', '{}') RETURNING mgid),
     own AS (INSERT INTO boards (owner_id, name, description) VALUES ($2, $4, $4) RETURNING id),
     theirs AS (INSERT INTO boards (owner_id, name) VALUES ($3, 'of the friend') RETURNING id),
     shared AS (INSERT INTO board_collaborators (board_id, user_id, role)
       SELECT id, $3::int, 'viewer' FROM own UNION ALL SELECT id, $2, 'editor' FROM theirs)
     INSERT INTO board_tiles (board_id, kind, mgid, text, title, x, y, w, h, settings, added_by_id)
     SELECT own.id, 'chart', mgid, '', $4, 0, 0, 1, 1, jsonb_build_object('note', $4::text), $2 FROM own, drawn
     UNION ALL SELECT id, 'text', NULL, $4, NULL, 0, 0, 1, 1, '{}', $2 FROM theirs`,
    [newId(), id, friendId, canary, workflowId],
  );
}
