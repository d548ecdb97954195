import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { HttpClient } from '../support/http-client.js';
import { hostPlatform } from '../support/hosted-platform.js';
import { FULL, rounds } from '../support/long.js';
import type { Platform, RunningApp } from '../support/platform.js';
import { testServers } from '../support/servers.js';
import { until } from '../support/until.js';

/** The figures with `npm run test:chaos`; a shorter run of the same kind in `npm test`. */
const WORKFLOWS = FULL ? 20 : rounds(6, 3);
const RUNS_EACH = FULL ? 10 : 4;
const DOCUMENTS = FULL ? 50 : rounds(12, 8);
const RECOVERED_WITHIN_MS = 60_000;
/** A Redis database of its own, so that wiping it is a FLUSHALL for this platform and for nobody else. */
const REDIS_DATABASE = 9;

interface Created {
  id: string;
  fails: boolean;
}

/** Two branches and a join, each with a kept output; every third workflow fails on purpose after its first output. */
function definition(fails: boolean) {
  const kept = { save_output: true };
  return {
    name: fails ? 'Chaos, failing' : 'Chaos',
    nodes: [
      { id: 'start', kind: 'webhook_trigger', next: ['left', 'right'], ...kept },
      { id: 'left', kind: 'delay', params: { seconds: 0.4 }, next: ['join'], ...kept },
      {
        id: 'right',
        kind: 'expression',
        params: { expression: 'n * 2', input: { $ref: '_output.start.payload' } },
        next: ['join'],
        ...kept,
      },
      fails
        ? { id: 'join', kind: 'stop_with_error', params: { message: 'On purpose.' } }
        : { id: 'join', kind: 'merge', params: { values: [{ $ref: '_output.right.result' }] }, ...kept },
    ],
  };
}

describe('chaos: a worker of each kind killed, and Redis wiped', () => {
  let platform: Platform;
  let client: HttpClient;
  let redis: Redis;
  const doomed: RunningApp[] = [];
  beforeAll(async () => {
    const redisUrl = new URL(testServers().redisUrl);
    redisUrl.pathname = `/${REDIS_DATABASE}`;
    redis = new Redis(redisUrl.toString());
    // The leases that a deployment has by default, not the short ones of other tests.
    const leases = { LEASE_SECONDS: '20', HEARTBEAT_SECONDS: '5', SWEEP_SECONDS: '5' };
    platform = await hostPlatform(['api', 'workflow-runner', 'indexer'], {
      REDIS_URL: redisUrl.toString(),
      ...leases,
      INDEXER_CONCURRENCY: '2',
    });
    // Beside those that stay.
    for (const name of ['workflow-runner', 'indexer'] as const) doomed.push(await platform.start(name));
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    await platform.stop();
    await redis.flushdb();
    redis.disconnect();
  });

  async function createWorkflows(): Promise<Created[]> {
    const created: Created[] = [];
    for (let index = 0; index < WORKFLOWS; index++) {
      const fails = index % 3 === 2;
      const { workflow_id: id } = await client.post<{ workflow_id: string }>('/microservices/workflow/start/', {
        json: definition(fails),
      });
      created.push({ id, fails });
    }
    return created;
  }

  async function trigger({ id }: Created): Promise<void> {
    const { webhook_id, webhook_secret } = await client.get<Record<string, string>>(`/microservices/workflow/${id}/`);
    for (let n = 1; n <= RUNS_EACH; n++) {
      const response = await client.send('POST', '/microservices/workflow/webhook/', {
        webhook_id,
        webhook_secret,
        payload: { n },
      });
      expect(response.status).toBe(202);
    }
  }

  const upload = (index: number) =>
    client.upload(
      '/semantic-search/upload/',
      'path',
      new File([`Note ${index}.\n\nThe heron number ${index} stands in the river.`], `note-${index}.txt`),
    );

  const query = async <T>(sql: string): Promise<T[]> => platform.database.dataSource.query(sql) as Promise<T[]>;
  const count = async (sql: string) => Number((await query<{ count: string }>(`SELECT count(*) ${sql}`))[0]!.count);

  it('brings every run and document to its right end within 60 s, and does nothing twice', async () => {
    const workflows = await createWorkflows();
    await Promise.all([...workflows.map(trigger), ...Array.from({ length: DOCUMENTS }, (_, index) => upload(index))]);
    const total = WORKFLOWS * RUNS_EACH;
    await until(
      async () => (await count(`FROM workflow_requests WHERE status IN ('done', 'failed')`)) >= total / 10,
      30_000,
    );

    // The fault: one runner and one indexer die in the middle of their work, then Redis loses everything.
    await Promise.all(doomed.map((worker) => worker.kill('SIGKILL')));
    await redis.flushdb();
    const faultAt = Date.now();

    const openRuns = `FROM workflow_requests WHERE status IN ('pending', 'running')`;
    const openDocuments = `FROM documents WHERE processing_state NOT IN ('completed', 'failed', 'publish_failed', 'untrained')`;
    while ((await count(openRuns)) + (await count(openDocuments)) > 0) {
      if (Date.now() - faultAt > RECOVERED_WITHIN_MS) break;
      await sleep(250);
    }
    const recovered = Date.now() - faultAt;
    expect({ runs: await count(openRuns), documents: await count(openDocuments) }).toEqual({ runs: 0, documents: 0 });
    expect(recovered).toBeLessThan(RECOVERED_WITHIN_MS);
    process.stdout.write(
      `chaos: ${total} runs and ${DOCUMENTS} documents at their end ${(recovered / 1000).toFixed(1)} s after the fault\n`,
    );

    expect(await count(`FROM documents WHERE processing_state = 'completed'`)).toBe(DOCUMENTS);
    for (const { id, fails } of workflows) {
      const detail = await client.get<{ successful_run_count: number; status: string }>(
        `/microservices/workflow/${id}/`,
      );
      expect(detail).toMatchObject({
        successful_run_count: fails ? 0 : RUNS_EACH,
        status: fails ? 'FAILED' : 'COMPLETED',
      });
    }
    // One run per request, in the order in which they came, and one kept output per node that completed.
    const runs = await query<{ status: string; versions: number[]; payloads: number[] }>(
      `SELECT min(status) AS status, array_agg(version ORDER BY version) AS versions,
              array_agg((payload->>'n')::int ORDER BY version) AS payloads
       FROM workflow_runs GROUP BY workflow_id`,
    );
    const inOrder = Array.from({ length: RUNS_EACH }, (_, index) => index + 1);
    expect(runs).toHaveLength(WORKFLOWS);
    for (const run of runs) expect(run).toMatchObject({ versions: inOrder, payloads: inOrder });
    const failing = workflows.filter(({ fails }) => fails).length * RUNS_EACH;
    expect(await count('FROM workflow_outputs')).toBe(4 * (total - failing) + 3 * failing);
    expect(await count(`FROM workflow_run_nodes WHERE status NOT IN ('COMPLETED', 'FAILED')`)).toBe(0);
  });

  it('finds each document once', async () => {
    const found = await client.post<{ results: { uid: string }[] }>('/semantic-search/search/', {
      query: 'heron river',
      limit: 50,
    });
    const uids = found.results.map(({ uid }) => uid);
    expect(new Set(uids).size).toBe(uids.length);
    expect(uids).toHaveLength(Math.min(50, DOCUMENTS));
  });
});
