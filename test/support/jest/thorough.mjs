/**
 * What `npm test` leaves to `npm test -- --all`, which CI runs: two thirds of the time of all tests. A file stands here that
 * takes long for what it does (kills, containers, browsers, whole corpora), or looks closer at a capability that another
 * test of `npm test` goes through by a shorter road; that one is named where its name does not tell. Whoever names a file
 * runs it.
 */
export const THOROUGH = [
  // Processes killed at the worst moment. Every commit point of every kind of work: test/integration/work-crashes.spec.ts,
  // crash-simulation.spec.ts of runs and turns.
  'test/chaos/chaos.spec.ts',
  'test/chaos/chat-sockets.spec.ts',
  'test/chaos/dedicated-agent-job-kills.spec.ts',
  'test/chaos/dedicated-agent-kills.spec.ts',
  'test/chaos/extraction-kills.spec.ts',
  'test/chaos/indexer-kills.spec.ts',
  'test/chaos/mcp-refresh.spec.ts',
  'test/chaos/resumable-upload.spec.ts',
  'test/chaos/sockets.spec.ts',
  'test/chaos/turns.spec.ts',
  'test/chaos/workflow-files.spec.ts',
  'test/chaos/zip-upload.spec.ts',
  'test/e2e/chat-reconnects.spec.ts',
  'test/e2e/dedicated-agent-crashes.spec.ts',
  'test/e2e/dedicated-agent-cuts.spec.ts',
  'test/e2e/dedicated-agent-hermes-crashes.spec.ts',
  'test/e2e/dedicated-agent-redis-away.spec.ts',
  'test/e2e/durable-chats.spec.ts',
  'test/e2e/erasure.spec.ts', // test/integration/erasure.spec.ts
  'test/e2e/draining.spec.ts', // conventions: shutdown
  'test/e2e/rolling-update.spec.ts',
  'test/e2e/supervisor.spec.ts',
  'test/e2e/tables-recovery.spec.ts',
  'test/e2e/webhook-replays.spec.ts', // webhooks, webhook-intake
  'test/integration/sources-crashes.spec.ts', // work-crashes

  // Hostile parties, each of whom has a file of one or two probes beside these.
  'test/e2e/contract-fuzz.spec.ts', // text-at-the-edge, numbers-at-the-edge, http-bodies
  'test/e2e/deactivated-calls.spec.ts', // scim-deactivation
  'test/e2e/dedicated-agent-isolation.spec.ts', // dedicated-agent-runs
  'test/e2e/dedicated-agent-hostile-gateway.spec.ts', // dedicated-agent-gateways
  'test/e2e/documents-hostile.spec.ts', // document-extractor, inspect-upload
  'test/e2e/pages-escape.spec.ts', // pages-listener
  'test/e2e/route-matrix.spec.ts', // organisations.ranks, tenants, integration/acting-people, registered-models
  'test/e2e/visibility.spec.ts', // sharing, access-requests
  'test/e2e/workflows.outside.spec.ts', // workflows.tools
  'test/e2e/acting-people.spec.ts', // integration/acting-people, workflows.secrets, workflows.sharing
  'test/e2e/agent-taint.spec.ts', // agent-canaries
  'test/e2e/agent-odd-tools.spec.ts', // agent, mcp-servers
  'test/e2e/deactivated-work.spec.ts', // scim-deactivation
  'test/e2e/documents-isolation.spec.ts', // tenants, sharing
  'test/e2e/mcp-endpoint-hostile.spec.ts', // mcp-endpoint
  'test/e2e/mcp-oauth-hostile.spec.ts', // mcp-oauth
  'test/e2e/mcp-oauth-mix-up.spec.ts', // mcp-oauth, mcp-oauth-server
  'test/e2e/passkeys-hostile.spec.ts', // passkeys
  'test/e2e/scim-hostile.spec.ts', // scim
  'test/e2e/sso-provider-faults.spec.ts', // sso
  'test/e2e/sso-races.spec.ts', // sso, registration
  'test/integration/database-faults.spec.ts', // conventions, database-pooler
  'test/integration/mcp-crashes.spec.ts', // work-crashes
  'test/integration/data-source-hostile.spec.ts', // data-source-postgres
  'test/integration/guarded-corpus.spec.ts',
  'test/integration/source-queries.spec.ts', // data-sources, data-source-postgres, tenants
  'test/integration/launched-apps.spec.ts', // platform
  'apps/workflow-runner/src/engine/hostile-runs.spec.ts', // apart-nodes, run-executor
  'apps/workflow-runner/src/sandbox/sandbox-pool.spec.ts', // workflows.code
  'libs/isolation/src/sealed-process.spec.ts', // isolated-process

  // Browsers, containers and other people's servers.
  'test/e2e/demo.spec.ts', // each of its steps has a test of its own
  'test/e2e/demo-page.spec.ts',
  'test/e2e/docs-browser.spec.ts',
  'test/e2e/pages-browser.spec.ts', // pages
  'test/e2e/passkeys-browser.spec.ts', // passkeys, with an authenticator in software
  'test/e2e/storage-s3.spec.ts', // file-storage
  'libs/integrations/src/file-storage/s3.storage.spec.ts', // file-storage
  'libs/integrations/src/antivirus/clamd-antivirus.spec.ts', // antivirus
  'libs/integrations/src/embeddings/embeddings.spec.ts', // memories, retrieval.ways
  'test/e2e/tracing.spec.ts', // turn-trace
  'test/e2e/validating-proxy.spec.ts', // openapi
  'test/integration/data-source-mysql.spec.ts', // data-source-postgres
  'test/integration/docker-targets.spec.ts',
  'test/integration/embedded-gateway.spec.ts', // hermes-gateway
  'test/integration/migration-generate.spec.ts', // schema
  'test/integration/subscription-sync.spec.ts', // billing.events
  'test/integration/billing.sync.spec.ts', // billing.events, stripe-processor
  'test/integration/billing.processor.spec.ts', // billing, billing.events, stripe-processor
  'test/integration/payment-permutations.spec.ts', // billing.events, payment-events
  'test/integration/vector-index.spec.ts', // retrieval.ways
  'apps/workflow-runner/src/artifact-chat/headless/open-page.spec.ts', // artifact-chat

  // Corpora: many files of one kind.
  'apps/indexer/src/pipeline/recognition.spec.ts', // document-extractor
  'apps/indexer/src/pipeline/rules-on-files.spec.ts', // extract-by-rules
  'apps/indexer/src/pipeline/passages-of-files.spec.ts', // document-extractor, parsers
  'apps/indexer/src/tabular/child/import-corpus.spec.ts', // import-csv, import-workbook
  'apps/indexer/src/tabular/child/number-locales.spec.ts',
  'libs/tabular/src/query/query-parameters.spec.ts', // query-runner
  'libs/tabular/src/answering/table-profiles.spec.ts', // table-answers, table-chat
  'libs/agents/src/kept-results/needle.spec.ts', // integration/kept-results
  'libs/extraction/src/model/false-quotes.spec.ts', // anchor-quotes, extractions
  'apps/api/src/prompt-2-workflow/authoring-tasks.spec.ts', // authored-draft, prompt-to-workflow
  'test/e2e/documents-new-kinds.spec.ts', // kinds, parsers
  'test/e2e/table-chat-uploads.spec.ts', // table-chat, tables
  'test/integration/n8n-kinds.spec.ts', // n8n-import, n8n-expressions
  'test/integration/table-arithmetic.spec.ts', // arithmetic, table-answers, query-runner
  'test/integration/table-contrasts.spec.ts', // contrasts, table-answers, query-runner
  'test/integration/table-elapsed.spec.ts', // elapsed, table-answers, query-runner
  'libs/tabular/src/answering/reading/languages-mutation.spec.ts', // read-question
  'libs/tabular/src/answering/reading/lexicon-mutation.spec.ts', // read-question
  'test/evals/evals.spec.ts',

  // A closer look at what others pass through.
  'test/architecture/table-owners.spec.ts', // npm run test:unit
  'test/e2e/artifacts-of-workflows.spec.ts', // artifacts, workflows.tools
  'test/e2e/boards-at-work.spec.ts', // boards, dashboard-chat
  'test/e2e/chats-of-many.spec.ts', // chat, conversations
  'test/e2e/chats-small-windows.spec.ts', // fitted-prompt, learnt-window
  'test/e2e/conversations.spec.ts', // chat, chat-sessions, fitted-prompt
  'test/e2e/chosen-models.spec.ts', // own-models, model-choice
  'test/e2e/conventions-rate-limits.spec.ts', // rate-limit
  'test/e2e/dedicated-agent-budget.spec.ts', // agent-budget
  'test/e2e/dedicated-agent-console.spec.ts', // dedicated-agent-runs, chat-channel
  'test/e2e/dedicated-agent-hermes.spec.ts', // dedicated-agent-runs, hermes-gateway
  'test/e2e/dedicated-agent-people.spec.ts', // dedicated-agent-runs, dedicated-agent-jobs
  'test/e2e/dedicated-agent-tools.spec.ts', // dedicated-agent-runs
  'test/e2e/entitlements.spec.ts', // entitlements.accounts, entitlements.subscriptions
  'test/e2e/extracted-tables.spec.ts', // extractions, table-agent, integration/extracted-tables
  'test/e2e/mcp-oauth-clients.spec.ts', // mcp-oauth-server
  'test/e2e/mcp-oauth-refresh.spec.ts', // mcp-oauth
  'test/e2e/mcp-tools.spec.ts', // mcp-servers, agent
  'test/e2e/memory-tools.spec.ts', // memories
  'test/e2e/names.spec.ts', // one-line, text-at-the-edge
  'test/e2e/models-hostile.spec.ts', // models.calls
  'test/e2e/payment-events.spec.ts', // integration/payment-events
  'test/e2e/plan-agents.spec.ts', // plan-gates, plan-limits
  'test/e2e/plan-seats.spec.ts', // plan-gates, entitlements
  'test/e2e/plans-of-accounts.spec.ts', // plan-gates, billing
  'test/e2e/rights-at-commit.spec.ts', // tenants
  'test/e2e/sharing-unconfirmed.spec.ts', // sharing
  'test/e2e/storage-quota.spec.ts', // entitlements.storage
  'test/e2e/webhook-urls.spec.ts', // webhooks
  'test/e2e/webhooks-files.spec.ts', // webhooks, webhook-intake
  'test/e2e/webhooks-signed.spec.ts', // webhooks
  'test/e2e/work-administration.spec.ts', // administration
  'test/e2e/workflow-contract.spec.ts', // definition-schema
  'test/e2e/workflow-names.spec.ts', // workflows, workflow-versions
  'test/e2e/workflows.nested.spec.ts', // nested-work, workflows.children
  'test/e2e/workflows.order.spec.ts', // workflows
  'test/e2e/workflows.outputs.spec.ts', // workflows.files
  'test/integration/hermes-gaps.spec.ts', // hermes-gateway
];
