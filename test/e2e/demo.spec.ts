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
    const { DATABASE_URL, REDIS_URL } = platform.env;
    const env = { DATABASE_URL, REDIS_URL };
    const left = { apiUrl: platform.baseUrl, demo: JSON.parse(seeded.stdout) as unknown, env };
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
      'gulf-freight.pdf: GF/26/0088 | 2026-02-18 | 2026-03-20 | Sandholm Maps Ltd | 12400 | 620 | 13020',
      'larkspur-stationery.pdf: LS-2026-0417 | 2026-03-03 | 2026-04-02 | Sandholm Maps Ltd | 426 | 85.2 | 511.2',
      'noor-trading.pdf: NT-5521 | 2026-01-25 | 2026-02-24 | شركة الأفق الحديثة | 6150 | 922.5 | 7072.5',
      'oakridge-print-scan.png: OPH-3307 | 2026-03-09 | 2026-04-08 | Sandholm Maps Ltd | 1180 | 236 | 1416',
      'vogt-moebel.pdf: 2026-1093 | 2026-02-12 | 2026-03-14 | - | 2891 | 549.29 | 3440.29',
      'Run 1 is COMPLETED',
      'Zurich for 660 euros: ask your team lead. The handbook: Quoted from the documents:',
      'approved  SKIPPED',
      'Run 2 is COMPLETED',
      'Oslo for 240 euros: approved.',
      'ask       SKIPPED',
      'the agent is running.',
      'The job "Weekly expenses", weekdays at 09:00',
      '? Send an e-mail to office@larkspur.example: Expenses',
      'events ',
      ', word for word.',
      'In the console, from "Weekly expenses" (ok): This week\'s expenses come to 235 euros. The office has the mail.',
    ];
    for (const line of expected) expect(stdout).toContain(line);
    expect(stdout).toMatch(/Total: page 1, \[0\.\d{3}(, 0\.\d{3}){3}\], \S+ “\S* ?3\.440,29/);
    for (const event of ['approval.request', 'approval.responded', 'message.delta', 'run.completed'])
      expect(stdout).toMatch(new RegExp(`^ +\\d+ ${event.replace('.', '\\.')}`, 'm'));
    expect(stdout).toMatch(/live: .*pause RUNNING/);
  });
});
