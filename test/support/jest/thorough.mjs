/**
 * What `npm test` leaves to `npm test -- --all`, which CI runs: nearly half of the time of all tests. A file stands here that
 * takes long for what it does (kills, containers, browsers, whole corpora), and whose capability another test of `npm test`
 * goes through by a shorter road; that one is named where its name does not tell. Whoever names a file runs it.
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
  'test/e2e/deactivated-calls.spec.ts', // deactivated-work
  'test/e2e/dedicated-agent-isolation.spec.ts', // dedicated-agent-people
  'test/e2e/dedicated-agent-hostile-gateway.spec.ts', // dedicated-agent-gateways
  'test/e2e/documents-hostile.spec.ts', // document-extractor, inspect-upload
  'test/e2e/pages-escape.spec.ts', // pages-listener
  'test/e2e/route-matrix.spec.ts', // organisations.ranks, tenants, acting-people, registered-models
  'test/e2e/visibility.spec.ts', // sharing, access-requests
  'test/e2e/workflows.outside.spec.ts', // workflows.tools
  'test/integration/data-source-hostile.spec.ts', // data-source-postgres
  'test/integration/guarded-corpus.spec.ts',
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
  'test/e2e/storage-s3.spec.ts', // s3.storage
  'test/e2e/tracing.spec.ts', // turn-trace
  'test/e2e/validating-proxy.spec.ts', // openapi
  'test/integration/data-source-mysql.spec.ts', // data-source-postgres
  'test/integration/docker-targets.spec.ts',
  'test/integration/embedded-gateway.spec.ts', // hermes-gateway
  'test/integration/migration-generate.spec.ts', // schema
  'test/integration/subscription-sync.spec.ts', // billing.sync
  'test/integration/vector-index.spec.ts', // retrieval.ways
  'apps/workflow-runner/src/artifact-chat/headless/open-page.spec.ts', // artifact-chat

  // Corpora: many files of one kind.
  'apps/indexer/src/pipeline/recognition.spec.ts', // documents-new-kinds
  'apps/indexer/src/pipeline/rules-on-files.spec.ts', // extract-by-rules
  'apps/indexer/src/tabular/child/import-corpus.spec.ts', // import-csv, import-workbook
  'apps/indexer/src/tabular/child/number-locales.spec.ts',
  'libs/tabular/src/query/query-parameters.spec.ts', // query-runner
  'test/evals/evals.spec.ts',
];
