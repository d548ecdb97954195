/**
 * Each table, and each function of the database that code calls, has one owner, whose statements alone name it. An owner is a
 * lib: apps own none.
 */
export const OWNERS: Readonly<Record<string, string>> = {
  'libs/access': 'share_invitations',
  'libs/agents': `agent_approvals agent_memories agent_memory_settings agent_memory_turns agent_results artifact_chats chat_append_events chat_conversations
    chat_session_summaries chat_sessions chat_thoughts chat_trace_entries chat_turn_events chat_turn_steps chat_turn_work chat_turns tabular_messages`,
  'libs/artifacts': 'artifact_results artifact_versions artifacts board_collaborators board_tiles boards charts',
  'libs/audit': 'audit_events audit_inbox',
  'libs/auth': `access_tokens api_tokens exports idempotency_keys oauth_clients oauth_grants oauth_requests one_time_codes organization_invitations organization_sso organizations
    passkeys promo_codes refresh_tokens roles scim_group_members scim_groups scim_tokens sessions slow_counters socket_tickets
    sso_domain_challenges sso_flows sso_identities sso_setup_tokens sso_verified_identities user_metadata user_roles users
    webauthn_ceremonies`,
  'libs/data-sources': 'data_sources',
  'libs/dedicated-agent': `dedicated_agent_events dedicated_agent_executions dedicated_agent_jobs dedicated_agent_notices dedicated_agent_reservations
      dedicated_agent_runs dedicated_agent_session_usage dedicated_agent_spending dedicated_agents`,
  'libs/documents': `access_requests document_share_mirrors document_shares document_thumbnails documents
    external_items external_sources permanent_links resumable_uploads upload_batch_items upload_batches`,
  'libs/entities': 'kept_total_changes kept_totals',
  'libs/entitlements': 'loose_files storage_reservations subscriptions',
  'libs/erasure': 'erasures',
  'libs/extraction': `extracted_cells extracted_rows extracted_table_changes extracted_table_database_members extracted_table_databases
    extracted_table_grants extracted_tables extraction_events extraction_items extractions`,
  'libs/mcp': 'mcp_oauth_clients mcp_oauth_flows mcp_oauth_grants mcp_servers mcp_tools',
  'libs/messages': 'outgoing_messages',
  'libs/models': 'model_usage',
  'libs/queues': 'outbox_messages task_leases',
  'libs/retrieval': `chunk_contents chunk_sign_bits chunk_sign_bits_find_owner chunk_vectors chunks document_indexes document_summaries
    names_by_index`,
  'libs/tabular': 'tabular_files',
  'libs/workflows': `organization_secrets workflow_adopt_output workflow_authoring_events workflow_authoring_turns workflow_begin_runs workflow_collaborators workflow_create_run
    workflow_enqueue workflow_enqueue_plain workflow_finish_run workflow_finish_runs
    workflow_fire_slots workflow_outputs workflow_release_output workflow_request_fetches workflow_request_files
    workflow_request_payload workflow_requests workflow_responses workflow_revisions workflow_ring workflow_ring_next
    workflow_run_items workflow_run_nodes workflow_runs workflow_schedule_run_ended workflow_schedule_run_started
    workflow_schedule_slots workflow_schedules workflow_secrets workflow_signals workflow_start_next workflow_start_run
    workflow_stop workflow_stop_active workflow_stop_run workflow_stored_outputs workflow_tag_links workflow_tags
    workflow_transfers workflow_webhook_keys workflow_webhook_receivers workflow_webhook_urls workflow_webhooks
    workflow_write_nodes workflow_write_outputs workflows written_files`,
};

/** Called by triggers or from other functions of the database alone. */
export const TRIGGERED = [
  'audit_events_are_final',
  'charts_remove_loose',
  'chat_turn_events_follow',
  'count_ended_requests',
  'count_readable',
  'count_readable_document',
  'count_readable_index',
  'count_storage',
  'document_shares_find_owner',
  'mirror_document_share',
  'users_are_modified',
  'users_suspend_work',
];

/** What one lib or area names of others' tables. `writes` counts calls of functions too. */
export interface Outsider {
  readonly writes?: string;
  readonly reads?: string;
  /** Why it is not behind the owner's door (yet). */
  readonly because: string;
}

/**
 * Statements that stand outside of the owner of a table. The list may only shrink: an entry that no statement needs fails,
 * and a new one needs the agreement of whoever reviews it. At the beginning: 65 written and 113 read, and
 * 373 statements in apps.
 */
export const OUTSIDE: Readonly<Record<string, Outsider>> = {
  'libs/access': {
    reads:
      'chat_conversations dedicated_agents document_shares documents organizations sessions users workflow_collaborators workflows',
    because: 'says who sees what, or has lost the sight of it, in statements that every lib above joins with its own',
  },
  'libs/artifacts': {
    reads: 'organizations users',
    because:
      'owners of artifacts, boards and charts are people, and are told of with their organisation; what they made gives nothing once that account is closed',
  },
  'libs/audit': {
    reads: 'users',
    because:
      'an entry is of the organisation that its person belongs to at that moment, in the transaction that writes it',
  },
  'libs/dedicated-agent': {
    reads: 'users',
    because: 'an agent is there for a flagged account alone, whatever its own row says; operators see whose it is',
  },
  'libs/documents': {
    reads: 'document_indexes users',
    because: 'owners of documents are people; which index answers is a state of the document',
  },
  'libs/extraction': {
    reads: 'organizations users',
    because: 'owners of tables are people, and tables are told of with their address and organisation',
  },
  'libs/models': {
    reads: 'users',
    because: 'the model that somebody has chosen; a use goes on nobody’s account once the account is gone',
  },
  'libs/retrieval': {
    reads: 'documents',
    because: 'the search narrows the documents a viewer sees in the statement that finds their passages',
  },
  'libs/workflows': {
    reads: 'users',
    because: 'names of people beside their workflows',
  },
};

/** Tables that only the running program knows; each is named by whoever calls the function or declares the list. */
export const UNNAMED: Readonly<Record<string, string>> = {
  'libs/auth/src/passkeys/owned-passkeys.ts': 'a list of its own tables in the same file',
  'libs/auth/src/passwords/recovery-keys.ts': 'two tables of sessions, named in the same file',
  'libs/auth/src/sessions/session.service.ts': 'a list of its own tables in the same file',
  'libs/auth/src/sso/owned-identities.ts': 'a list of its own tables in the same file',
  'libs/entities/src/backlog.ts': 'the caller names it',
  'libs/retrieval/src/search/nearest-statements.ts': 'names that functions of the same file are given',
  'libs/secrets/src/key-rotation.ts': 'the columns of `sealed-columns.ts`',
  'libs/work/src/claim-statements.ts': 'the table of `defineWork`, which counts as written where it is declared',
  'libs/workflows/src/store/owned-workflows.ts': 'a list of its own tables in the same file',
  'libs/workflows/src/deletion/definition-parts.ts': 'tables of workflows, named in the same file',
  'libs/workflows/src/deletion/delete-in-batches.ts': 'the tables of a part, named where it is declared',
};
