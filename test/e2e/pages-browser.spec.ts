import type { Browser, Frame, Page } from 'playwright-core';
import { startApi, type TestApi } from '../support/api.js';
import { findChromium, launchChromium } from '../support/browser-chromium.js';
import type { HttpClient } from '../support/http-client.js';
import { addTrips, publish, renderUrl, tripsQueries } from '../support/pages.js';
import { until } from '../support/until.js';

const executable = findChromium();
if (!executable)
  process.stderr.write(
    'SKIPPED: pages in a real browser. No Chromium is on the PATH: install one, or name it in ATRIUM_CHROMIUM.\n',
  );

const REPORT = `<!doctype html>
<html lang="en"><head><title>Report</title><style>#chart { width: 400px }</style></head>
<body><h1>Trips</h1><p id="total"></p><p id="theme"></p><p id="city"></p><div id="chart"></div>
<script>
  (async () => {
    document.getElementById('theme').textContent = atrium.theme;
    atrium.onTheme((theme) => { document.getElementById('theme').textContent = theme; });
    document.getElementById('city').textContent = atrium.state.city ?? 'all';
    const [total, cities] = await Promise.all([
      atrium.query('total'), atrium.query('by_city', { city: atrium.state.city ?? null }),
    ]);
    document.getElementById('total').textContent = total.objects()[0].trips + ' trips';
    await atrium.chart('#chart', {
      mark: { type: 'bar', tooltip: true },
      encoding: {
        x: { field: 'city', type: 'nominal' },
        y: { field: 'trips', type: 'quantitative' },
        color: { condition: { test: 'datum.trips > 100', value: 'teal' }, value: 'grey' },
      },
    }, cities);
    document.body.dataset.done = 'yes';
  })().catch((error) => { document.body.dataset.failed = error.code + ': ' + error.message; });
</script></body></html>`;

/** The frame of the page itself. */
export function pageFrame(page: Page): Frame {
  const inner = page.frames().find((frame) => frame.url() === 'about:srcdoc');
  if (!inner) throw new Error('There is no page.');
  return inner;
}

(executable ? describe : describe.skip)('pages in a real browser', () => {
  let api: TestApi;
  let browser: Browser;
  let owner: HttpClient;
  let source: string;

  beforeAll(async () => {
    api = await startApi({ CORS_LOCALHOST: 'true' });
    owner = await api.signUp();
    source = await addTrips(api, owner);
    browser = await launchChromium(executable!);
  });
  afterAll(async () => {
    await browser?.close();
    await api?.stop();
  });

  const told: string[] = [];
  async function open(url: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    told.length = 0;
    page.on('console', (message) => told.push(message.text()));
    page.on('pageerror', (error) => told.push(error.message));
    await page.goto(url);
    return page;
  }
  const read = (page: Page, id: string) => pageFrame(page).locator(`#${id}`).innerText();
  const done = (page: Page) =>
    until(async () => {
      const frame = page.frames().find((one) => one.url() === 'about:srcdoc');
      const state = await frame?.evaluate(() => ({ ...document.body?.dataset })).catch(() => ({}));
      if ((state as { failed?: string })?.failed) throw new Error((state as { failed: string }).failed);
      return (state as { done?: string })?.done === 'yes';
    });

  it('shows the numbers of its queries, and draws a chart offline', async () => {
    const id = await publish(api, owner, { html: REPORT, queries: tripsQueries(source) });
    const { body } = await renderUrl(owner, id, { state: { city: 'Amman' } });
    const page = await open(body.url);
    await done(page).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${told.join(' | ')}`);
    });
    expect(await read(page, 'total')).toBe('1000 trips');
    expect(await read(page, 'city')).toBe('Amman');
    expect(await pageFrame(page).locator('#chart svg path[aria-roledescription=bar]').count()).toBe(1);
    expect(await read(page, 'theme')).toBe('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(async () => (await read(page, 'theme')) === 'dark');
    expect(told.filter((line) => !line.includes('webrtc'))).toEqual([]);
    await page.context().close();
  });
});
