import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LooseFiles } from '@app/entitlements';
import { LocalFolderStorage } from '@app/integrations';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { FULL, rounds } from '../support/long.js';
import { until } from '../support/until.js';
import { ask, startWorkflow } from '../support/workflow-api.js';

const RUNS = FULL ? 100 : rounds(12, 6);
const MAX_KILLS = FULL ? 25 : rounds(4, 2);
/** Side by side, and killed together. */
const RUNNERS = rounds(2, 1);
/** So many that what a node gives does not stay in its row. */
const ROWS = rounds(3_000, 2_500);
const rows = Array.from({ length: ROWS }, (_, n) => ({ n, name: `row number ${n}` }));

/** Each run makes an output that goes to the storage, waits, and writes a file of its own. */
const definition = {
  name: 'Files',
  nodes: [
    { id: 'start', kind: 'webhook_trigger', params: {}, next: ['big'] },
    { id: 'big', kind: 'set', params: { fields: { rows, run: { $ref: '_webhook_payload.n' } } }, next: ['wait'] },
    { id: 'wait', kind: 'delay', params: { seconds: 0.2 }, next: ['write'] },
    {
      id: 'write',
      kind: 'file_writer',
      params: { path: 'run {{_output.big.run}}.csv', content: { $ref: '_output.big.rows' } },
      next: [],
    },
  ],
};

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('files of runs whose runners are killed', () => {
  let platform: HostedPlatform;
  let owner: HttpClient;

  beforeAll(async () => {
    platform = await hostPlatform(['api']);
    await startRunners();
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  const startRunners = () => Promise.all(Array.from({ length: RUNNERS }, () => platform.start('workflow-runner')));

  it('are there once, whole, and nothing else is left', async () => {
    const id = await startWorkflow(owner, definition);
    const { body } = await ask(owner, 'GET', `/microservices/workflow/${id}/`);
    const { webhook_id, webhook_secret } = body as { webhook_id: string; webhook_secret: string };
    for (let n = 0; n < RUNS; n += 1)
      expect(
        (await ask(owner, 'POST', '/microservices/workflow/webhook/', { webhook_id, webhook_secret, payload: { n } }))
          .status,
      ).toBe(202);

    const sql = <T>(text: string) => platform.database.dataSource.query<T>(text);
    const counts = async () =>
      (
        await sql<[{ done: number; failed: number }]>(
          `SELECT (count(*) FILTER (WHERE status = 'done'))::int AS done,
             (count(*) FILTER (WHERE status NOT IN ('done', 'pending', 'running')))::int AS failed FROM workflow_requests`,
        )
      )[0];
    let kills = 0;
    while ((await counts()).done < RUNS && kills < MAX_KILLS) {
      // Of few kills each has to find runs at work, also where the leases of the killed ones last longer than a start.
      const doneByNow = FULL ? 0 : Math.floor((kills * RUNS) / MAX_KILLS);
      await until(async () => (await counts()).done >= doneByNow);
      await pause(100 + Math.random() * 400);
      // All of them: one that stays would work everything off while another starts.
      const alive = platform.apps.filter(
        ({ name, process }) => name === 'workflow-runner' && process.exitCode === null && process.signalCode === null,
      );
      await Promise.all(alive.map((runner) => runner.kill('SIGKILL')));
      kills += 1;
      if (kills < MAX_KILLS) await startRunners();
    }
    await platform.host('workflow-runner');
    await until(async () => (await counts()).done === RUNS, 60_000);
    expect((await counts()).failed).toBe(0);
    expect(kills).toBeGreaterThan(1);

    const names = Array.from({ length: RUNS }, (_, n) => `run ${n}.csv`).sort();
    expect((await owner.get<{ files: string[] }>('/users/file_writer_files/')).files).toEqual(names);
    const { urls } = await owner.post<{ urls: { url: string }[] }>('/media/sign/', { paths: names });
    for (const { url } of urls) {
      const lines = (await (await fetch(url)).text()).trim().split('\n');
      expect([lines.length, lines.at(-1)]).toEqual([ROWS + 1, `${ROWS - 1},row number ${ROWS - 1}`]);
    }
    // What the kills left is announced as loose, and goes.
    const folder = platform.env.STORAGE_DIR!;
    await sql(`UPDATE loose_files SET removable_at = now()`);
    const looseFiles = new LooseFiles(platform.database.dataSource, new LocalFolderStorage(folder));
    while ((await looseFiles.removeDue()) > 0);
    expect(await filesIn(join(folder, 'written'))).toHaveLength(RUNS);
    expect(await filesIn(join(folder, 'workflow-outputs'))).toHaveLength(RUNS);
  });
});
