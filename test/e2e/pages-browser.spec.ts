import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Frame, Page } from 'playwright-core';
import { startApi, type TestApi } from '../support/api.js';
import { findChromium, launchChromium, newPage } from '../support/browser-chromium.js';
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
<body><h1>Trips</h1><p id="total"></p><p id="theme"></p><p id="city"></p><div id="chart"></div><div id="facets"></div><div id="beside"></div>
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
function pageFrame(page: Page): Frame {
  const inner = page.frames().find((frame) => frame.url() === 'about:srcdoc');
  if (!inner) throw new Error('There is no page.');
  return inner;
}

const read = (page: Page, id: string) => pageFrame(page).locator(`#${id}`).innerText();
const done = (page: Page) =>
  until(async () => {
    const frame = page.frames().find((one) => one.url() === 'about:srcdoc');
    const state = await frame?.evaluate('({ ...document.body?.dataset })').catch(() => ({}));
    if ((state as { failed?: string })?.failed) throw new Error((state as { failed: string }).failed);
    return (state as { done?: string })?.done === 'yes';
  });

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
    const page = await newPage(browser);
    told.length = 0;
    page.on('console', (message) => told.push(message.text()));
    page.on('pageerror', (error) => told.push(error.message));
    await page.goto(url);
    return page;
  }
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
    // One of several views has no width of its own to take from the element around it.
    await pageFrame(page).evaluate(`(async () => {
      const rows = ['a', 'b', 'c'].map((city, trips) => ({ city, trips }));
      const encoding = { x: { field: 'city', type: 'nominal' }, y: { field: 'trips', type: 'quantitative' } };
      const facets = { mark: 'bar', encoding: { ...encoding, column: { field: 'city', type: 'nominal' } } };
      await atrium.chart('#facets', facets, rows);
      await atrium.chart('#beside', { hconcat: [{ mark: 'bar', encoding }, { mark: 'line', encoding }] }, rows);
    })()`);
    expect(await pageFrame(page).evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await read(page, 'theme')).toBe('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(async () => (await read(page, 'theme')) === 'dark');
    expect(told.filter((line) => !line.includes('webrtc'))).toEqual([]);
    await page.context().close();
  });

  it('say that a page does not respond, and stop it', async () => {
    const id = await publish(api, owner, { html: '<script>setTimeout(() => { for (;;); }, 100)</script>' });
    const page = await open((await renderUrl(owner, id)).body.url);
    const notice = page.locator('#notice');
    await notice.getByText('This page does not respond.').waitFor();
    await notice.getByRole('button', { name: 'Stop it' }).click();
    expect(await notice.innerText()).toContain('The page was stopped.');
    expect(await page.locator('iframe').count()).toBe(0);
    await page.context().close();
  });

  it('hear of their forms, go to places within, and stay where a link or a form leads away', async () => {
    const id = await publish(api, owner, {
      html: `<nav><a href="#late">Late</a> <a href="#caf%C3%A9" target="_blank">Café</a> <a href="#">Top</a>
          <a href="https://away.example/">Away</a> <a href="mailto:ada@acme.example">Mail</a>
          <svg width="90" height="20"><a href="https://away.example/"><text y="15">Drawn</text></a></svg></nav>
        <form id="filter"><input name="city" value="Amman"><button>Filter</button></form>
        <form action="https://away.example/"><button>Send</button></form>
        <dialog open><form method="dialog"><button value="yes">Agree</button></form></dialog>
        <p style="margin: 3000px 0" id="late">Late</p><p style="margin: 3000px 0" id="café">Café</p>
        <script>
          const { dataset } = document.body;
          filter.addEventListener('submit', (event) => { event.preventDefault(); dataset.told = new FormData(filter).get('city'); });
          document.querySelector('dialog').addEventListener('close', ({ target }) => { dataset.told = target.returnValue; });
          dataset.done = 'yes';
        </script>`,
    });
    const page = await open((await renderUrl(owner, id)).body.url);
    await done(page);
    const frame = pageFrame(page);
    const told = () => frame.evaluate('document.body.dataset.told');
    const topOf = (place: string) =>
      frame.evaluate(`Math.abs(document.getElementById(${JSON.stringify(place)}).getBoundingClientRect().top) < 1`);
    const press = (role: 'button' | 'link', name: string) => frame.getByRole(role, { name, exact: true }).click();

    await press('button', 'Filter');
    expect(await told()).toBe('Amman');
    await press('button', 'Agree');
    await until(async () => (await told()) === 'yes');
    for (const [name, place] of [
      ['Late', 'late'],
      ['Café', 'café'],
      ['Late', 'late'],
    ] as const) {
      await press('link', name);
      expect([name, await topOf(place)]).toEqual([name, true]);
      await frame.evaluate('scrollTo(0, 0)');
    }
    await press('link', 'Late');
    expect(await topOf('late')).toBe(true);
    await frame.evaluate(`document.querySelector('a[href="#"]').click()`);
    expect(await frame.evaluate('scrollY')).toBe(0);

    for (const name of ['Away', 'Mail']) await press('link', name);
    await frame.getByText('Drawn').click();
    await press('button', 'Send');
    expect(await told()).toBe('yes');
    expect(page.context().pages()).toHaveLength(1);
    await page.context().close();
  });

  it('bear what a page throws at the shell', async () => {
    const id = await publish(api, owner, {
      queries: tripsQueries(source),
      html: `<script>
        const code = (promise) => promise.then(() => 'answered', (error) => error.code ?? error.name);
        (async () => {
          const odd = [['__proto__'], ['constructor'], [1], [null], [{ toString: null }], ['total', 1], ['total', [1]],
            ['by_city', { city: { a: 1 } }], ['by_city', { city: 'x'.repeat(20000) }], ['by_city', JSON.parse('{"__proto__": "x"}')],
            ['x'.repeat(101)], ['total', { a: () => 1 }], ['by_city', { city: "'; DROP TABLE trips --" }]];
          const codes = await Promise.all(odd.map((args) => code(atrium.query(...args))));
          parent.postMessage('atrium:port', '*'); parent.parent.postMessage({ type: 'query', id: 1, name: 'total' }, '*');
          const many = await Promise.all(Array.from({ length: 300 }, () => code(atrium.query('total'))));
          document.body.dataset.codes = JSON.stringify([codes, [...new Set(many)]]);
          document.body.dataset.done = 'yes';
        })();
      </script>`,
    });
    const page = await open((await renderUrl(owner, id)).body.url);
    await done(page);
    const codes = JSON.parse((await pageFrame(page).evaluate('document.body.dataset.codes')) as string) as string[][];
    expect(codes).toEqual([
      [
        'unknown_query',
        'unknown_query',
        'unknown_query',
        'unknown_query',
        'unknown_query',
        'invalid_params',
        'invalid_params',
        'invalid_params',
        'invalid_params',
        'invalid_params',
        'unknown_query',
        'invalid_params',
        'answered',
      ],
      ['answered'],
    ]);
    expect(await page.locator('#notice').isHidden()).toBe(true);
    await page.context().close();
  });

  it('are connected when they are loaded, not as often as they say so', async () => {
    const id = await publish(api, owner, { html: REPORT, queries: tripsQueries(source) });
    const page = await open((await renderUrl(owner, id)).body.url);
    await done(page);
    // Each port that the shell takes is told the theme.
    await page.evaluate(`window.taken = 0; const send = MessagePort.prototype.postMessage;
      MessagePort.prototype.postMessage = function (message, ...more) {
        if (message.type === 'theme') window.taken += 1;
        return send.call(this, message, ...more);
      }`);
    await pageFrame(page).evaluate(
      `for (let time = 0; time < 5000; time += 1) parent.postMessage('atrium:ready', '*')`,
    );
    const ask = () =>
      pageFrame(page).evaluate(
        `parent.postMessage('atrium:ready', '*');
         new Promise((done) => setTimeout(done, 200)).then(() => Promise.race([
           atrium.query('total').then(() => 'answered'), new Promise((done) => setTimeout(done, 1500, 'nothing')),
         ]))`,
      );
    // It is connected again once it is calm.
    await until(async () => (await ask()) === 'answered');
    expect(await page.evaluate('window.taken')).toBeLessThan(500);
    expect(await page.locator('#notice').isHidden()).toBe(true);
    await page.context().close();
  });

  it('stay good while nobody uses them, and after the sleep of the machine', async () => {
    const id = await publish(api, owner, { html: REPORT, queries: tripsQueries(source) });
    const page = await newPage(browser);
    await page.clock.install();
    const asked: string[] = [];
    page.on('request', (request) => {
      const [, call] = /\/(data|token)\/$/.exec(request.url()) ?? [];
      if (call) asked.push(call);
    });
    await page.goto((await renderUrl(owner, id)).body.url);
    await done(page);
    asked.length = 0;
    await page.clock.fastForward('03:30');
    await page.clock.runFor(5000);
    expect(asked).toEqual([]);
    await page.clock.fastForward('01:00');
    await page.clock.runFor(5000);
    await until(() => Promise.resolve(asked.length > 0));
    expect(asked).toEqual(['token']);

    // The token ended while the clock of the page stood still.
    const expired = { status: 401, json: { detail: 'This view of the page has ended.', code: 'viewer_token_expired' } };
    await page.route('**/data/', (route) => route.fulfill(expired), { times: 1 });
    const answer = pageFrame(page).evaluate(`atrium.query('total').then(({ rows }) => rows[0][0])`);
    await page.clock.runFor(100);
    expect(await answer).toBe(1000);
    expect(asked).toEqual(['token', 'data', 'token', 'data']);
    expect(await page.locator('#notice').isHidden()).toBe(true);
    await page.context().close();
  });

  it('follow the app around them, and nobody else', async () => {
    const id = await publish(api, owner, { html: REPORT, queries: tripsQueries(source) });
    const { body } = await renderUrl(owner, id);
    const app = await serve(`<!doctype html><iframe src="${body.url}" width="800" height="600"></iframe>`);
    const page = await open(app.origin);
    await done(page);
    const tell = (theme: string) =>
      page.evaluate(`frames[0].postMessage({ type: 'atrium:theme', theme: ${JSON.stringify(theme)} }, '*')`);
    await tell('dark');
    await until(async () => (await read(page, 'theme')) === 'dark');
    await tell('system');
    await until(async () => (await read(page, 'theme')) === 'light');
    await page.context().close();
    app.server.close();
  });

  it('show strangers what was shown last, by a permanent link', async () => {
    const id = await publish(api, owner, { html: REPORT, queries: tripsQueries(source) });
    const mine = await open((await renderUrl(owner, id)).body.url);
    await done(mine);
    await mine.context().close();
    const { url } = await owner.post<{ url: string }>('/artifacts/links/', { artifact_uid: id });
    const page = await open(new URL(url, api.pagesUrl).href);
    await done(page);
    expect(await read(page, 'total')).toBe('1000 trips');
    await page.context().close();
  });
});

async function serve(html: string): Promise<{ origin: string; server: Server }> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(html);
  });
  await new Promise<void>((ready) => server.listen(0, ready));
  return { origin: `http://localhost:${(server.address() as AddressInfo).port}`, server };
}
