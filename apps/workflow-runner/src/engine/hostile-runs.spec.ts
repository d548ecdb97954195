import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SystemClock } from '@app/common';
import { parseDefinition } from '@app/workflow-definition';
import { pureKind, toolCatalogue } from '@app/workflow-tools';
import { until } from '../../../../test/support/until.js';
import { hostileDefinition } from '../../../../test/support/hostile-definitions.js';
import { SandboxPool } from '../sandbox/sandbox-pool.js';
import { InMemoryRunStore } from './in-memory-run-store.spec-support.js';
import { createRandom } from './planned-workflow.spec-support.js';
import { RunExecutor } from './run-executor.js';

const ENTRY = resolve(__dirname, '../../../../libs/workflow-tools/dist/sandbox/worker.js');
const DEFINITIONS = 20;
/** Long enough to reach the worst of it; what takes longer is stopped. */
const AT_WORK_MS = 8_000;

it('outlives workflows that ask for too much in every way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-hostile-'));
  const pool = new SandboxPool({ entry: ENTRY, processes: 2, folder });
  const store = new InMemoryRunStore();
  const logger = { log: () => undefined, warn: () => undefined, error: () => undefined };
  const executor = new RunExecutor({
    store,
    catalogue: toolCatalogue,
    ports: { sandbox: pool },
    apart: { sandbox: pool, inlineBytes: (kind) => pureKind(kind)?.inlineBytes },
    logger,
    clock: new SystemClock(),
    workerId: 'worker',
  });
  const random = createRandom(7);
  let accepted = 0;
  for (let index = 0; index < DEFINITIONS; index += 1) {
    const definition = hostileDefinition(random);
    const { errors } = parseDefinition(definition, toolCatalogue);
    if (errors.length === 0) accepted += 1;
    store.add(`r${index}`, definition, { payload: { n: 1 } });
  }
  expect(accepted).toBeGreaterThan(DEFINITIONS * 0.9);
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 50);
  const work = Promise.all([...store.runs.keys()].map((id) => executor.execute(id)));
  await Promise.race([work, new Promise((done) => setTimeout(done, AT_WORK_MS))]);
  await executor.drain(0);
  await work;
  clearInterval(watch);
  expect(most - before).toBeLessThan(500_000_000);
  const failures = [...store.runs.values()].flatMap(({ nodes }) => [...nodes.values()].map(({ error }) => error?.code));
  expect(failures).not.toContain('tool_error');
  await pool.close();
  await until(() => readdirSync(folder).every((name) => !name.endsWith('.json')));
  rmSync(folder, { recursive: true });
});
