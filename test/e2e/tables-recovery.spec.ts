import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { rounds } from '../support/long.js';
import type { RunningApp } from '../support/platform.js';
import { callTables, csv, imported, uploadTable } from '../support/tabular-api.js';
import { until } from '../support/until.js';

/** Long enough that an import of it can be interrupted. */
const ROWS = rounds(1_200_000, 250_000);

function manyRows(): string {
  const lines = ['id,day,amount,name'];
  for (let row = 0; row < ROWS; row++)
    lines.push(`${row},2024-${String((row % 12) + 1).padStart(2, '0')}-15,${row / 100},customer ${row % 5000}`);
  return `${lines.join('\n')}\n`;
}

/** Ids of the processes that a worker has started. */
async function childrenOf({ process: { pid } }: RunningApp): Promise<string[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return children.split(' ').filter((child) => child !== '');
}

/** Where it has not ended with its worker. */
function goOn(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' });
  }
}

describe('imports of tables whose workers die or meet', () => {
  let platform: HostedPlatform;
  let client: HttpClient;
  const text = manyRows();
  beforeAll(async () => {
    platform = await hostPlatform(['api'], { LEASE_SECONDS: '3', HEARTBEAT_SECONDS: '1', SWEEP_SECONDS: '1' });
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  const sql = <T>(text: string, values: unknown[] = []) => platform.database.dataSource.query<T>(text, values);
  const stateOf = async (uid: string) => (await callTables(client, 'GET', `documents/${uid}/`)).body.processing_state;
  const storedFor = async (uid: string) => {
    const names = await readdir(join(platform.env.STORAGE_DIR!, 'tables', uid.slice(0, 2))).catch(() => []);
    return names.filter((name) => name.startsWith(uid)).toSorted();
  };

  /** Holds the worker's import in its midst, however slow the test is. @returns the processes of the import */
  async function held(worker: RunningApp, uid: string): Promise<string[]> {
    const written = join(platform.env.STORAGE_DIR!, '.imports', `${uid}-1`, 'built.duckdb');
    await until(() => existsSync(written));
    const children = await childrenOf(worker);
    for (const pid of children) process.kill(Number(pid), 'SIGSTOP');
    expect([children.length > 0, await stateOf(uid)]).toEqual([true, 'processing']);
    return children;
  }

  it('is imported by the next worker when one is killed in the midst of it', async () => {
    const doomed = await platform.start('indexer');
    const { body } = await uploadTable(client, csv(text, 'big.csv'));
    const children = await held(doomed, body.uid);
    await doomed.kill('SIGKILL');
    for (const pid of children) goOn(Number(pid));
    // The importing process ends with the worker.
    await until(() => !children.some((pid) => existsSync(`/proc/${pid}`)));

    const successor = await platform.host('indexer');
    const file = await imported(client, body.uid, 'database-search', 60_000);
    expect(file).toMatchObject({ processing_state: 'completed', last_error: '' });
    expect(file.tables).toMatchObject([{ name: 'big', row_count: ROWS }]);
    expect(await sql('SELECT fence FROM tabular_files WHERE uid = $1', [body.uid])).toEqual([{ fence: 2 }]);
    // What the dead one may have written is not there; only the claim that completed has a database.
    expect(await storedFor(body.uid)).toEqual([body.uid, `${body.uid}-2.duckdb`]);
    await successor.stop();
  });

  it('is handed to the next worker without a try when one stops', async () => {
    const stopping = await platform.start('indexer');
    const { body } = await uploadTable(client, csv(text, 'big.csv'));
    await held(stopping, body.uid);
    await stopping.kill('SIGTERM');
    expect(await stateOf(body.uid)).toBe('queued');
    expect(await sql('SELECT fence, attempts FROM tabular_files WHERE uid = $1', [body.uid])).toEqual([
      { fence: 1, attempts: 0 },
    ]);
    const next = await platform.host('indexer');
    expect(await imported(client, body.uid, 'database-search', 60_000)).toMatchObject({
      processing_state: 'completed',
    });
    await next.stop();
  });

  it('is imported once when two workers hear of it, and leaves nothing of a file that is deleted meanwhile', async () => {
    const workers = [await platform.host('indexer'), await platform.host('indexer')];
    const uploads = await Promise.all(['a', 'b', 'c'].map((name) => uploadTable(client, csv('x\n1\n', `${name}.csv`))));
    // A job for each that is added again, as a sweeper may do.
    await sql("UPDATE tabular_files SET next_attempt_at = now() - interval '1 hour' WHERE processing_state = 'queued'");
    for (const { body } of uploads) expect((await imported(client, body.uid)).processing_state).toBe('completed');
    const fences = await sql('SELECT DISTINCT fence FROM tabular_files WHERE uid = ANY($1::uuid[])', [
      uploads.map(({ body }) => body.uid),
    ]);
    expect(fences).toEqual([{ fence: 1 }]);

    const { body } = await uploadTable(client, csv(text, 'big.csv'));
    await until(async () => (await stateOf(body.uid)) === 'processing');
    expect((await callTables(client, 'DELETE', `${body.uid}/delete/`)).status).toBe(200);
    await until(async () => (await readdir(join(platform.env.STORAGE_DIR!, '.imports'))).length === 0, 30_000);
    expect(await storedFor(body.uid)).toEqual([]);
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  it('waits for a queue that is away', async () => {
    const away = await platform.host('api', { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'fatal' });
    const answer = await uploadTable(await HttpClient.signUp(away.baseUrl), csv('x\n1\n'));
    expect(answer).toMatchObject({
      status: 201,
      body: {
        processing_state: 'pending_publish',
        queue_pending: true,
        queue_error: expect.stringContaining('will be tried again'),
      },
    });
    await away.stop();
  });
});
