import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SystemClock } from '@app/common';
import { StoredOutput } from '@app/workflow-definition';
import { pureKind, toolCatalogue } from '@app/workflow-tools';
import { inAll, rounds, sample } from '../../../../test/support/long.js';
import { SandboxPool } from '../sandbox/sandbox-pool.js';
import type { ExecutorOptions } from './executor-options.js';
import { InMemoryRunStore } from './in-memory-run-store.spec-support.js';
import { createRandom, pick } from './planned-workflow.spec-support.js';
import { RunExecutor } from './run-executor.js';

const ENTRY = resolve(__dirname, '../../../../libs/workflow-tools/dist/sandbox/worker.js');
const folder = mkdtempSync(join(tmpdir(), 'atrium-apart-'));
const pool = new SandboxPool({ entry: ENTRY, processes: 2, folder });
const kinds = toolCatalogue.list().filter(({ kind }) => pureKind(kind));
const now = Date.parse('2026-03-01T12:00:00Z');
const clock = { now: () => now } as SystemClock;

let store: InMemoryRunStore;
beforeEach(() => (store = new InMemoryRunStore()));
afterAll(async () => {
  await pool.close();
  rmSync(folder, { recursive: true });
});

type Node = { id: string; kind: string; params: unknown; next?: string[]; on_error?: string };

/** @param inlineBytes of params up to which nodes are done here; null: as the kinds say. */
async function runNodes(nodes: Node[], inlineBytes: number | null, more: Partial<ExecutorOptions> = {}) {
  const runId = `r${store.runs.size}`;
  store.add(runId, { nodes }, { payload: { n: 1, list: [3, 1, 2], text: 'a,b\n1,2' } });
  const logger = { log: () => undefined, warn: () => undefined, error: () => undefined };
  const executor = new RunExecutor({
    store,
    catalogue: toolCatalogue,
    ports: { sandbox: pool },
    apart: {
      sandbox: pool,
      inlineBytes: (kind) => (pureKind(kind) ? (inlineBytes ?? pureKind(kind)!.inlineBytes) : undefined),
    },
    logger,
    clock,
    workerId: 'worker',
    ...more,
  });
  await executor.execute(runId);
  return runId;
}

const shown = (runId: string): unknown =>
  [...store.get(runId).nodes.values()].map(({ nodeId, status, error, warnings, chosen }) => {
    const output = store.outputOf(runId, nodeId);
    return { nodeId, status, output, error, warnings, chosen };
  });

const EVERYTHING = Number.POSITIVE_INFINITY;

it.each(sample(kinds, 3).map(({ kind }) => kind))('does %s the same here and elsewhere', async (kind) => {
  const schema = toolCatalogue.find(kind)!.toCatalogueEntry({}).params_schema as { examples?: object[] };
  const random = createRandom(kind.length);
  const references = [
    '_webhook_payload.list',
    '_webhook_payload.text',
    '_output.a.x',
    '_output.a',
    '_output.a.missing',
  ];
  const first: Node = {
    id: 'a',
    kind: 'set',
    params: { fields: { x: [{ k: 1, v: 'é' }, { k: '1' }], y: '{{_webhook_payload.n}}' } },
    next: ['b0'],
  };
  const params = [...(schema.examples ?? []), {}].flatMap((example) => {
    const names = Object.keys(example);
    const changed = names.map((name) => ({ ...example, [name]: { $ref: pick(random, references) } }));
    return [example, ...changed];
  });
  const nodes = params.map((given, index): Node => ({
    id: `b${index}`,
    kind,
    params: given,
    on_error: 'continue',
    next: [],
  }));
  first.next = nodes.map(({ id }) => id);
  const here = await runNodes([first, ...nodes], EVERYTHING);
  const elsewhere = await runNodes([first, ...nodes], -1);
  // Random by nature.
  const texts = [here, elsewhere].map((runId) => JSON.stringify(shown(runId)));
  expect(texts[1]).toBe(texts[0]);
  expect(store.get(elsewhere).status).toBe(store.get(here).status);
});

inAll('holds none of the objects that a hostile run makes', async () => {
  const lists = { id: 'big', kind: 'code', params: { code: 'return "[" + "[1],".repeat(300000) + "[1]]"' } };
  // Nine would take 170 MB as objects.
  const parsed = Array.from({ length: rounds(12, 9) }, (_, index) => ({
    id: `p${index}`,
    kind: 'parse_json',
    params: { text: '{{_output.big.result}}' },
    next: ['count'],
  }));
  const count = {
    id: 'count',
    kind: 'template',
    params: { template: '{{_output.p3.value.7}} {{_output.p4.value.300000}}' },
  };
  const before = process.memoryUsage().heapUsed;
  const runId = await runNodes([{ ...lists, next: parsed.map(({ id }) => id) }, ...parsed, count], null);
  expect(store.get(runId).status).toBe('COMPLETED');
  expect(store.outputOf(runId, 'count')).toEqual({ text: '[1] [1]' });
  for (const { id } of parsed)
    expect(StoredOutput.from(store.get(runId).nodes.get(id)!.output)?.file.size).toBe(1_200_015);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(150_000_000);
  expect(readdirSync(folder).filter((name) => name.endsWith('.json'))).toEqual([]);
});

inAll('fails the node that asks for too much, and nothing else', async () => {
  const runId = await runNodes(
    [
      {
        id: 'big',
        kind: 'code',
        params: { code: 'return "[".repeat(1).concat("[1],".repeat(950000), "[1]]")' },
        next: ['all', 'ok'],
      },
      {
        id: 'all',
        kind: 'merge',
        on_error: 'continue',
        params: { values: Array.from({ length: 30 }, () => ({ $ref: '_output.big.result' })) },
      },
      { id: 'ok', kind: 'template', params: { template: 'fine' } },
    ],
    null,
  );
  expect(store.get(runId).status).toBe('COMPLETED');
  expect(store.get(runId).nodes.get('all')).toMatchObject({ status: 'FAILED', error: { code: 'output_too_large' } });
  expect(store.outputOf(runId, 'ok')).toEqual({ text: 'fine' });
});
