import type { Browser, Locator, Page } from 'playwright-core';
import { startApi, type TestApi } from '../support/api.js';
import { findChromium, launchChromium, newPage } from '../support/browser-chromium.js';
import { until } from '../support/until.js';

const executable = findChromium();
if (!executable)
  process.stderr.write(
    'SKIPPED: the reference in a real browser. No Chromium is on the PATH: install one, or name it in ATRIUM_CHROMIUM.\n',
  );

const ACCOUNT = { username: 'ada.docs', email: 'ada.docs@test.example', password: 'a password for the docs' };

(executable ? describe : describe.skip)('the reference in a real browser', () => {
  let api: TestApi;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    api = await startApi();
    browser = await launchChromium(executable!);
    page = await newPage(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await api?.stop();
  });

  async function post(path: string, body: object): Promise<Record<string, string>> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${api.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, string>;
  }

  async function authorize(token: string): Promise<void> {
    await page.click('.auth-wrapper .btn.authorize');
    await page.fill('.modal-ux .auth-container input', token);
    await page.click('.modal-ux .btn.modal-btn.auth.authorize');
    await page.click('.modal-ux .btn.modal-btn.auth.btn-done');
  }

  /** Of so many operations, the page draws those alone that are in sight. */
  async function scrollTo(operation: Locator): Promise<void> {
    await until(async () => {
      if ((await operation.count()) > 0) return true;
      await page.mouse.wheel(0, 400);
      return false;
    });
    await operation.scrollIntoViewIfNeeded();
  }

  /** @returns status and body of what was shown for the call */
  async function tryOut(path: string): Promise<[status: string, body: string]> {
    const operation = page.locator('.opblock-get', { has: page.locator(`[data-path="${path}"]`) });
    await scrollTo(operation);
    if ((await operation.locator('.try-out__btn').count()) === 0) await operation.locator('.opblock-summary').click();
    const tryIt = operation.locator('.try-out__btn:not(.cancel)');
    if (await tryIt.count()) await tryIt.click();
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname === path);
    await operation.locator('.btn.execute').click();
    await answered;
    const shown = operation.locator('.live-responses-table');
    await shown.locator('.response-col_status').first().waitFor();
    return [
      (await shown.locator('tbody .response-col_status').first().innerText()).trim(),
      await shown.locator('tbody .response-col_description').first().innerText(),
    ];
  }

  it('calls a route with the token as sign-in returns it', async () => {
    const wrong: string[] = [];
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
    page.on('pageerror', (error) => wrong.push(error.message));
    await post('/api/v1/users/', ACCOUNT);
    const { auth_token: token } = await post('/api/v1/token/login/', ACCOUNT);
    await page.goto(`${api.baseUrl}/docs/`);
    await page.locator('.opblock').first().waitFor();
    expect(wrong).toEqual([]);
    await authorize(token!);
    const [status, body] = await tryOut('/users/me/');
    expect([status, body]).toEqual(['200', expect.stringContaining(`"${ACCOUNT.username}"`)]);
  });
});
