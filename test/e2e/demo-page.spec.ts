import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { publishPage } from '../../scripts/demo/page.mjs';
import { findChromium, launchChromium, newPage } from '../support/browser-chromium.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { csv, importTable } from '../support/tabular-api.js';
import { until } from '../support/until.js';

const TRIPS = resolve(__dirname, '../fixtures/documents/demo/trips.csv');
const executable = findChromium();
if (!executable)
  process.stderr.write(
    'SKIPPED: the page of the demo. No Chromium is on the PATH: install one, or name it in ATRIUM_CHROMIUM.\n',
  );

(executable ? describe : describe.skip)('the page of the demo', () => {
  let platform: HostedPlatform;
  beforeAll(async () => {
    platform = await hostPlatform();
  });
  afterAll(() => platform?.stop());

  it('is published by a workflow without a model, and shows the numbers of the table', async () => {
    const client = await HttpClient.signUp(platform.baseUrl);
    const { uid } = await importTable(client, csv(await readFile(TRIPS, 'utf8'), 'trips.csv'));
    const url = await publishPage(client, uid);
    const browser = await launchChromium(executable!);
    try {
      const page = await newPage(browser);
      await page.goto(url);
      const inner = () => page.frames().find((frame) => frame.url() === 'about:srcdoc');
      const shown = async (name: string) => (await inner()?.locator('body').getAttribute(`data-${name}`)) ?? null;
      await until(async () => (await shown('ready')) === 'yes' || (await shown('failed')) !== null, 60_000);
      expect(await shown('failed')).toBeNull();
      const numbers = () => Promise.all(['#trips', '#nights', '#cost'].map((id) => inner()!.textContent(id)));
      expect(await numbers()).toEqual(['7', '13', '2,412.9']);
      await inner()!.selectOption('#city', 'Oslo');
      await until(async () => (await shown('shown')) === 'Oslo', 30_000);
      expect(await numbers()).toEqual(['2', '4', '725.5']);
    } finally {
      await browser.close();
    }
  });
});
