import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Of more than half a minute on a busy machine, the longest first: one that begins last is what everybody waits for.
 * Jest knows by itself only once it ran them, which is of no use in a fresh clone.
 */
const LONG = [
  'apps/indexer/src/pipeline/recognition.spec.ts',
  'test/integration/docker-targets.spec.ts',
  'test/e2e/table-chat.spec.ts',
  'test/e2e/storage-s3.spec.ts',
  'test/e2e/dedicated-agent-hostile-gateway.spec.ts',
  'test/e2e/deactivated-calls.spec.ts',
  'test/e2e/supervisor.spec.ts',
  'test/chaos/chaos.spec.ts',
  'test/e2e/sources.spec.ts',
  'test/chaos/mcp-refresh.spec.ts',
  'test/e2e/contract-fuzz.spec.ts',
  'test/e2e/durable-chats.spec.ts',
  'test/integration/erasure.spec.ts',
  'test/e2e/rolling-update.spec.ts',
  'apps/workflow-runner/src/engine/apart-nodes.spec.ts',
  'test/e2e/documents-hostile.spec.ts',
  'test/chaos/indexer-kills.spec.ts',
  'test/chaos/turns.spec.ts',
  'test/chaos/dedicated-agent-kills.spec.ts',
  'test/chaos/dedicated-agent-job-kills.spec.ts',
  'test/e2e/dedicated-agent-crashes.spec.ts',
  'apps/indexer/src/tabular/child/import-csv.spec.ts',
  'test/e2e/agent.spec.ts',
  'test/e2e/pages-escape.spec.ts',
  'test/integration/vector-index.spec.ts',
  'test/e2e/workflows.outside.spec.ts',
  'test/e2e/tables-recovery.spec.ts',
  'test/e2e/chat-reconnects.spec.ts',
  'test/e2e/route-matrix.spec.ts',
  'test/integration/guarded-corpus.spec.ts',
];

function placeOf({ path: file }) {
  const known = LONG.indexOf(path.relative(ROOT, file).replaceAll(path.sep, '/'));
  return known < 0 ? LONG.length : known;
}

/** The long ones first, then in the order of Jest: failed ones, then by the time of the last run or the size of the file. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
