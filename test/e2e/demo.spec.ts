import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { hostPlatform } from '../support/hosted-platform.js';
import type { Platform } from '../support/platform.js';

const root = resolve(__dirname, '../..');
const run = promisify(execFile);

/** The demo of docs/guides/first-steps.md, as a newcomer runs it, against the three apps. */
describe('npm run demo', () => {
  let platform: Platform;
  let dataDir = '';
  beforeAll(async () => {
    platform = await hostPlatform();
    const seeded = await run(process.execPath, [join(root, 'apps/api/dist/cli/seed-demo.js')], {
      env: { ...process.env, ...platform.env },
    });
    dataDir = await mkdtemp(join(tmpdir(), 'atrium-demo-'));
    await mkdir(join(dataDir, 'state'));
    // As `npm start` leaves it behind.
    const left = { apiUrl: platform.baseUrl, demo: JSON.parse(seeded.stdout) as unknown };
    await writeFile(join(dataDir, 'state/platform.json'), JSON.stringify(left));
  });
  afterAll(async () => {
    await platform.stop();
    await rm(dataDir, { recursive: true });
  });

  it('shows answers with their sources, and a workflow by hand and by webhook', async () => {
    const { PATH, HOME } = process.env;
    const { stdout } = await run(process.execPath, [join(root, 'scripts/demo.mjs')], {
      env: { PATH, HOME, DATA_DIR: dataDir },
    });
    const expected = [
      'office-handbook.pdf: completed',
      'notice-board.png: completed',
      'In Zurich, London and Oslo the limit is 190 euros.',
      'source: office-handbook.pdf, page 2',
      'Norway | 75 euros',
      'the ferry to Sandholm leaves at **7:45**',
      'The annual fire drill takes place on Thursday, 12 March',
      'Fetch your badge and key at the reception',
      '[2] /media/documents/',
      'The documents do not contain an answer to this question.',
      'trips: 7 rows; date date, traveller text, city text, nights integer, cost_eur number',
      'Zurich | 1125',
      'harbour-print.pdf: HP-2041 | 2026-03-03 | 2026-04-02 | 1230.6',
      'lantern-scan.png: LO-7719 | 2026-03-11 | 2026-03-25 | 81.3',
      'matbaa-ar.pdf: 5570 | 2026-01-20 | 2026-02-19 | 713.4',
      'northwind-paper.pdf: 88/1207 | 2026-02-17 | 2026-03-19 | 3513.77',
      'sandholm-ferries.pdf: SF 000318 | 2026-02-28 | 2026-03-14 | 177.6',
      'Run 1 is COMPLETED',
      'Zurich for 660 euros: ask your team lead. The handbook: Quoted from the documents:',
      'approved  SKIPPED',
      'Run 2 is COMPLETED',
      'Oslo for 240 euros: approved.',
      'ask       SKIPPED',
    ];
    for (const line of expected) expect(stdout).toContain(line);
    expect(stdout).toMatch(/Total: page 2, \[0\.\d{3}(, 0\.\d{3}){3}\], \S+ “£ 177\.60”/);
    expect(stdout).toMatch(/live: .*pause RUNNING/);
  });
});
