import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApi, type TestApi } from '../support/api.js';
import { findChromium } from '../support/browser-chromium.js';
import { type Canaries, listenCanaries } from '../support/escape/canaries.js';
import { EscapeBrowser, type Opened } from '../support/escape/escape-browser.js';
import { PROBES, probePage, type Targets } from '../support/escape/probes.js';
import type { HttpClient } from '../support/http-client.js';
import { isTurnOf, LONG, stride } from '../support/long.js';
import { publish, renderUrl } from '../support/pages.js';
import { until } from '../support/until.js';

const executable = findChromium();
if (!executable)
  process.stderr.write(
    'SKIPPED: the escape suite of pages. No Chromium is on the PATH: install one, or name it in ATRIUM_CHROMIUM.\n',
  );

/** Opened together: in frames of one window, or in windows of their own. */
const AT_ONCE = 6;
/** A browser starts a process for each page. */
const WITHIN_MS = 900_000;
/** What leaves, leaves by then: a control shows that it takes less. */
const SETTLED_MS = 1500;
const SPA = (addresses: string[]) => `<!doctype html><title>The app</title>
<script>document.cookie = 'secret=cookie'; localStorage.setItem('secret', 'local'); sessionStorage.setItem('secret', 'session');
const channel = new BroadcastChannel('secrets'); setInterval(() => channel.postMessage('secret'), 100);
addEventListener('message', (e) => { if (e.data?.type !== 'atrium:failed') fetch('/told', { method: 'POST', body: JSON.stringify(e.data) }); });</script>
${addresses.map((address) => `<iframe width="400" height="200" src="${address}"></iframe>`).join('')}`;

/** Two hundred pages and more are opened, which takes minutes: `npm test` goes through every eighth probe, in one way each. */
const EVERY = stride(8);
const PROBED = Object.keys(PROBES).filter((_, place) => place % EVERY === 0);

const LEAST_FRAMES = LONG ? 90 : 90 / EVERY / 2;

interface Outcome extends Opened {
  probes: string[];
}

const bad = ({ read, moved, windows }: Outcome) => read.length > 0 || moved.length > 0 || windows > 0;

(executable ? describe : describe.skip)('a page that tries to escape', () => {
  let api: TestApi;
  let owner: HttpClient;
  let canaries: Canaries;
  let browser: EscapeBrowser;
  let spa: Server;
  let spaOrigin: string;
  let folder: string;
  const pages = new Map<string, string>();
  let framed: string[] = [];
  /** What the app has heard from pages. */
  let told: string[] = [];

  beforeAll(async () => {
    [api, canaries] = await Promise.all([startApi({ CORS_LOCALHOST: 'true' }), listenCanaries()]);
    owner = await api.signUp();
    folder = await mkdtemp(join(tmpdir(), 'escape-'));
    spa = createServer((request, response) => {
      // One that is cut off is of an app that was closed.
      if (request.url === '/told')
        void text(request).then(
          (message) => told.push(message),
          () => undefined,
        );
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(SPA(framed));
    });
    await new Promise<void>((done) => spa.listen(0, done));
    spaOrigin = `http://localhost:${(spa.address() as AddressInfo).port}`;
    let place = 0;
    for (const name of PROBED) {
      const page = probePage(name, PROBES[name]!, targetsOf(`p${(place += 1)}`));
      pages.set(name, await publish(api, owner, { title: name, html: page }));
    }
    browser = await EscapeBrowser.launch(executable!, [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-component-update',
      '--disable-background-networking',
      `--host-resolver-rules=MAP *.canary.test 127.0.0.1:${canaries.port}`,
      `--log-net-log=${join(folder, 'net.json')}`,
    ]);
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
    told = [];
    const outcome = await browser.open({
      urls: isFramed ? [`${spaOrigin}/`] : found,
      wanted: names.length,
      settledMs: SETTLED_MS,
    });
    // A page may say to the app what it likes; what the shell knows is not in it.
    const secrets = told.filter((message) => /[\w-]{60}/.test(message));
    return { ...outcome, probes: names, read: [...outcome.read, ...secrets] };
  }

  async function probeAll(isFramed: boolean): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    const probed = PROBED.filter((_, place) => isTurnOf(isFramed ? 0 : 1, 2, place));
    for (let place = 0; place < probed.length; place += AT_ONCE) {
      const names = probed.slice(place, place + AT_ONCE);
      const together = await open(names, isFramed);
      outcomes.push(together);
      // Chromium ends the process of a page that asks for WebRTC where Connection-Allowlist allows none, and of those beside it.
      if (together.crashed > 0) for (const name of names) outcomes.push(await open([name], isFramed));
    }
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
      expect(outcomes.reduce((sum, { frames }) => sum + frames, 0)).toBeGreaterThan(LEAST_FRAMES);
    },
    WITHIN_MS,
  );

  it(
    'reaches nobody and reads nothing where its address is opened',
    async () => {
      const outcomes = await probeAll(false);
      expect(outcomes.filter(bad)).toEqual([]);
      expect(canaries.hits).toEqual([]);
      expect(outcomes.reduce((sum, { frames }) => sum + frames, 0)).toBeGreaterThan(LEAST_FRAMES);
    },
    WITHIN_MS,
  );

  it('would be noticed', async () => {
    framed = [];
    told = [];
    const { http, https, ws, stun } = targetsOf('control');
    await browser.run(
      spaOrigin,
      `postMessage('a secret', '*'); fetch(${JSON.stringify(http)}, { mode: 'no-cors' }).catch(() => {}); new WebSocket(${JSON.stringify(ws)});
      const l = document.createElement('link'); l.rel = 'preconnect'; l.href = ${JSON.stringify(https)}; document.head.append(l);
      const p = new RTCPeerConnection({ iceServers: [{ urls: ${JSON.stringify(stun)} }] }); p.createDataChannel('x'); p.createOffer().then((o) => p.setLocalDescription(o));`,
    );
    await until(
      () =>
        canaries.hits.some((hit) => hit.startsWith('GET')) &&
        canaries.hits.some((hit) => hit.startsWith('a datagram')) &&
        told.includes('"a secret"'),
    );
    await sleep(SETTLED_MS);
    await browser.close();
    // Names that were looked up stand in the browser's own log, too: none but those of this test.
    const log = await readFile(join(folder, 'net.json'), 'utf8');
    expect([...new Set(log.match(/[\w-]+\.canary\.test/g))]).toEqual(['control.canary.test']);
  });
});
