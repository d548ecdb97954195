import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startApi, type TestApi } from '../support/api.js';
import { findChromium } from '../support/browser-chromium.js';
import { type Canaries, listenCanaries } from '../support/escape/canaries.js';
import { PROBES, probePage, type Targets } from '../support/escape/probes.js';
import type { HttpClient } from '../support/http-client.js';
import { rounds } from '../support/long.js';
import { publish, renderUrl } from '../support/pages.js';
import { until } from '../support/until.js';

const executable = findChromium();
if (!executable)
  process.stderr.write(
    'SKIPPED: the escape suite of pages. No Chromium is on the PATH: install one, or name it in ATRIUM_CHROMIUM.\n',
  );

/** Opened together: in frames of one window, or in windows of their own. */
const AT_ONCE = 6;
const SLOW = { waitUntil: 'commit', timeout: 120_000 } as const;
/** A browser starts a process for each page. */
const WITHIN_MS = 900_000;
/** What leaves, leaves by then: a control shows that it takes less. */
const SETTLED_MS = 1500;
const SPA = (addresses: string[]) => `<!doctype html><title>The app</title>
<script>document.cookie = 'secret=cookie'; localStorage.setItem('secret', 'local'); sessionStorage.setItem('secret', 'session');
const channel = new BroadcastChannel('secrets'); setInterval(() => channel.postMessage('secret'), 100);
window.messages = []; addEventListener('message', (e) => { if (e.data?.type !== 'atrium:failed') messages.push(e.data); });</script>
${addresses.map((address) => `<iframe width="400" height="200" src="${address}"></iframe>`).join('')}`;

/** What came of some probes that were opened together. */
interface Outcome {
  probes: string[];
  read: string[];
  moved: string[];
  windows: number;
  /** In which pages ran, at least so many of them. */
  frames: number;
}

/** Those that run pages, whatever the pages have made of them. */
const innerFrames = (page: Page) =>
  page.frames().filter((frame) => frame.parentFrame()?.url().includes('/assets/holder/'));

async function readOf(page: Page): Promise<string[]> {
  const all = await Promise.all(
    page
      .frames()
      .map((frame) =>
        Promise.race([
          frame.evaluate('window.read ?? []').catch(() => []) as Promise<string[]>,
          sleep(5000).then((): string[] => []),
        ]),
      ),
  );
  return all.flat();
}

const bad = ({ read, moved, windows }: Outcome) => read.length > 0 || moved.length > 0 || windows > 0;

// Two hundred pages and more are opened, which takes minutes: part of `npm run test:long`.
(executable && rounds(1, 0) > 0 ? describe : describe.skip)('a page that tries to escape', () => {
  let api: TestApi;
  let owner: HttpClient;
  let canaries: Canaries;
  let browser: Browser;
  let spa: Server;
  let spaOrigin: string;
  let folder: string;
  const pages = new Map<string, string>();
  let framed: string[] = [];

  beforeAll(async () => {
    [api, canaries] = await Promise.all([startApi({ CORS_LOCALHOST: 'true' }), listenCanaries()]);
    owner = await api.signUp();
    folder = await mkdtemp(join(tmpdir(), 'escape-'));
    spa = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(SPA(framed));
    });
    await new Promise<void>((done) => spa.listen(0, done));
    spaOrigin = `http://localhost:${(spa.address() as AddressInfo).port}`;
    let place = 0;
    for (const [name, probe] of Object.entries(PROBES)) {
      const page = probePage(name, probe, targetsOf(`p${(place += 1)}`));
      pages.set(name, await publish(api, owner, { title: name, html: page }));
    }
    browser = await chromium.launch({
      executablePath: executable!,
      headless: true,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-component-update',
        '--disable-background-networking',
        `--host-resolver-rules=MAP *.canary.test 127.0.0.1:${canaries.port}`,
        `--log-net-log=${join(folder, 'net.json')}`,
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
    spa?.closeAllConnections();
    spa?.close();
    await canaries?.stop();
    await api?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  function targetsOf(name: string): Targets {
    const host = `${name}.canary.test:${canaries.port}`;
    return {
      http: `http://${host}`,
      https: `https://${host}`,
      ws: `ws://${host}`,
      stun: `stun:127.0.0.1:${canaries.udpPort}`,
      turn: `turn:127.0.0.1:${canaries.port}?transport=tcp`,
    };
  }

  async function open(names: string[], isFramed: boolean): Promise<Outcome> {
    const found = await Promise.all(names.map(async (name) => (await renderUrl(owner, pages.get(name)!)).body.url));
    framed = found;
    const urls = isFramed ? [`${spaOrigin}/`] : found;
    const context = await browser.newContext();
    const opened = await Promise.all(
      urls.map(async (url) => {
        const page = await context.newPage();
        page.on('dialog', (dialog) => void dialog.dismiss());
        await page.goto(url, SLOW);
        return page;
      }),
    );
    // A probe may have done away with its own frame.
    await until(() => opened.flatMap(innerFrames).length >= names.length, 30_000).catch(() => undefined);
    const frames = opened.flatMap(innerFrames).length;
    await sleep(SETTLED_MS);
    const read = (await Promise.all(opened.map(readOf))).flat();
    // A page may say to the app what it likes; what the shell knows is not in it.
    const messages = isFramed
      ? ((await opened[0]!.evaluate('messages.map((m) => JSON.stringify(m))')) as string[])
      : [];
    const told = messages.filter((message) => /[\w-]{60}/.test(message));
    const outcome = {
      probes: names,
      read: [...read, ...told],
      moved: opened.map((page) => page.url()).filter((url, place) => url !== urls[place]),
      windows: context.pages().length - opened.length,
      frames,
    };
    await context.close();
    return outcome;
  }

  async function probeAll(isFramed: boolean): Promise<Outcome[]> {
    const names = Object.keys(PROBES);
    const outcomes: Outcome[] = [];
    for (let place = 0; place < names.length; place += AT_ONCE)
      outcomes.push(await open(names.slice(place, place + AT_ONCE), isFramed));
    await sleep(SETTLED_MS);
    return outcomes;
  }

  it('has more than sixty ways to try', () => {
    expect(Object.keys(PROBES).length).toBeGreaterThan(100);
  });

  it(
    'reaches nobody and reads nothing in a frame of the app',
    async () => {
      const outcomes = await probeAll(true);
      expect(outcomes.filter(bad)).toEqual([]);
      expect(canaries.hits).toEqual([]);
      expect(outcomes.reduce((sum, { frames }) => sum + frames, 0)).toBeGreaterThan(90);
    },
    WITHIN_MS,
  );

  it(
    'reaches nobody and reads nothing where its address is opened',
    async () => {
      const outcomes = await probeAll(false);
      expect(outcomes.filter(bad)).toEqual([]);
      expect(canaries.hits).toEqual([]);
      expect(outcomes.reduce((sum, { frames }) => sum + frames, 0)).toBeGreaterThan(90);
    },
    WITHIN_MS,
  );

  it('would be noticed', async () => {
    const page = await (await browser.newContext()).newPage();
    framed = [];
    await page.goto(spaOrigin, SLOW);
    const { http, https, ws, stun } = targetsOf('control');
    await page.evaluate(`fetch(${JSON.stringify(http)}, { mode: 'no-cors' }).catch(() => {}); new WebSocket(${JSON.stringify(ws)});
      const l = document.createElement('link'); l.rel = 'preconnect'; l.href = ${JSON.stringify(https)}; document.head.append(l);
      const p = new RTCPeerConnection({ iceServers: [{ urls: ${JSON.stringify(stun)} }] }); p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o));`);
    await until(
      () =>
        canaries.hits.some((hit) => hit.startsWith('GET')) && canaries.hits.some((hit) => hit.startsWith('a datagram')),
    );
    await sleep(SETTLED_MS);
    await page.context().close();
    await browser.close();
    // Names that were looked up stand in the browser's own log, too: none but those of this test.
    const log = await readFile(join(folder, 'net.json'), 'utf8');
    expect([...new Set(log.match(/[\w-]+\.canary\.test/g))]).toEqual(['control.canary.test']);
  });
});
