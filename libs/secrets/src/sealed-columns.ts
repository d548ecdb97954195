/** A column whose values a rotation of the master key wraps anew. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key as SQL gives it as text: the row of `SealedPlace`. */
  row: string;
}

/** Every sealed column of the database; a test compares the list with the schema's columns of bytes named `*_sealed`. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'agent_results', column: 'content_sealed', row: 'id::text' },
  { table: 'outgoing_messages', column: 'params_sealed', row: 'id::text' },
  { table: 'passkeys', column: 'rek_wrapped_sealed', row: 'id::text' },
  { table: 'organization_sso', column: 'client_secret_sealed', row: 'organization_id::text' },
  { table: 'sso_flows', column: 'checks_sealed', row: 'id::text' },
  { table: 'sso_identities', column: 'rek_wrapped_sealed', row: 'id::text' },
  { table: 'user_metadata', column: 'data_sealed', row: 'id::text' },
  { table: 'permanent_links', column: 'token_sealed', row: 'uid::text' },
  { table: 'external_sources', column: 'secret_sealed', row: 'id::text' },
  { table: 'data_sources', column: 'secret_sealed', row: 'id::text' },
  { table: 'workflow_webhook_keys', column: 'key_sealed', row: 'id::text' },
  { table: 'workflow_webhook_receivers', column: 'settings_sealed', row: 'webhook_id::text' },
  { table: 'workflow_webhook_urls', column: 'token_sealed', row: 'id::text' },
  { table: 'workflow_secrets', column: 'value_sealed', row: 'id::text' },
  { table: 'organization_secrets', column: 'value_sealed', row: 'id::text' },
  { table: 'mcp_servers', column: 'secret_sealed', row: 'id::text' },
  { table: 'registered_models', column: 'secret_sealed', row: 'id::text' },
  { table: 'refresh_tokens', column: 'successor_sealed', row: `encode(token_hash, 'hex')` },
  { table: 'mcp_oauth_clients', column: 'client_secret_sealed', row: 'id::text' },
  { table: 'mcp_oauth_flows', column: 'checks_sealed', row: 'id::text' },
  { table: 'mcp_oauth_grants', column: 'access_token_sealed', row: 'id::text' },
  { table: 'mcp_oauth_grants', column: 'refresh_token_sealed', row: 'id::text' },
  { table: 'chat_trace_entries', column: 'content_sealed', row: 'id::text' },
  { table: 'chat_turn_work', column: 'work_sealed', row: 'turn_id::text' },
  { table: 'chat_session_summaries', column: 'summary_sealed', row: 'session_id::text' },
];
