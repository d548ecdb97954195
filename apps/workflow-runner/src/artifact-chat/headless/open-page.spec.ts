import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { safetyNet } from '../../../../../test/support/until.js';
import { openPage, type OpenedPage, PageEnded } from './open-page.js';
import type { PageOutcome, PageReport } from './page-messages.js';

const ENTRY = resolve(__dirname, '../../../dist/artifact-chat/headless/child/main.js');
const SALES = {
  columns: [
    { name: 'region', type: 'text' },
    { name: 'amount', type: 'integer' },
  ],
  truncated: false,
  as_of: '2026-01-01T00:00:00.000Z',
};

const slow = async () => sleep(100, { ...SALES, rows: [] });
const within = (script: string, body = '<p id="p">Sales</p><div id="d"></div>') =>
  `<!doctype html><body>${body}<script>${script}</script></body>`;

const ENDLESS = /never came to an end/;

describe('a page that is opened without a window', () => {
  let server: Server;
  let port: number;
  let calls = 0;
  const asked: [string, object][] = [];

  beforeAll(async () => {
    server = createServer((socket) => {
      calls += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => asked.splice(0));
  afterAll(() => void server.close());

  const ask = async (name: string, params: Record<string, unknown>): Promise<PageOutcome> => {
    asked.push([name, params]);
    if (name === 'fails') return { error: { code: 'query_failed', message: 'There is no column x.' } };
    return {
      ...SALES,
      rows:
        name === 'nothing'
          ? []
          : [
              ['North', 15],
              ['South', 20],
            ],
    };
  };
  const open = (html: string, more: Partial<OpenedPage> = {}): Promise<PageReport> =>
    openPage({ entry: ENTRY, html, state: {}, ask, signal: safetyNet(), ...more });
  const problemsOf = async (html: string) => (await open(html)).problems;

  it('runs its scripts with what its queries give, and reads what stands on it', async () => {
    const script = `(async () => {
      const result = await atrium.query('sales', { since: '2026-01-01', most: 3 });
      const { columns, rows, as_of, truncated } = result;
      p.textContent = [columns[1].name, rows.reduce((sum, [, amount]) => sum + amount, 0), as_of, truncated, atrium.theme, atrium.state.region, result.objects()[1].amount].join(' ');
      await atrium.chart(d, { mark: 'bar', encoding: { x: { field: 'region' }, y: { field: 'amount' } } }, result);
    })()`;
    const report = await open(within(script), { state: { region: 'North' } });
    expect(report).toEqual({
      problems: [],
      notes: [],
      text: 'amount 35 2026-01-01T00:00:00.000Z false light North 20',
      drawings: expect.any(Number),
    });
    expect(report.drawings).toBeGreaterThan(0);
    expect(asked).toEqual([['sales', { since: '2026-01-01', most: 3 }]]);
  });

  it('tells of all that does not work in it', async () => {
    const scripts: [string, RegExp][] = [
      ['nothing.there()', /^Script error: ReferenceError: nothing is not defined \(line \d+ of its script\)$/],
      ['setTimeout(() => { throw new Error("late") }, 50)', /^Script error: Error: late/],
      ['addEventListener("load", () => { null.x })', /^Script error: TypeError/],
      ['Promise.reject(new Error("so it is"))', /^Unhandled rejection: Error: so it is/],
      ['atrium.query("fails")', /^Unhandled rejection: QueryError: There is no column x/],
      ['let = = 3', /SyntaxError/],
      ['fetch("/x").catch(() => 0)', /^fetch does not work in a page/],
      ['try { new XMLHttpRequest() } catch {}', /^XMLHttpRequest does not work/],
      ['location.href = "https://elsewhere.example/"', /cannot navigate/],
      ['try { eval("1") } catch {}', /^eval\(\) does not work/],
      ['alert(1)', /^alert\(\) does not work/],
      ['localStorage.x = 1', /^Script error: SecurityError/],
      [
        `atrium.query('sales').then((r) => atrium.chart(d, { mark: 'bar', encoding: { x: { field: 'area' } } }, r))`,
        /no column "area"; they have region, amount/,
      ],
      [`atrium.query('nothing').then((r) => atrium.chart(d, { mark: 'bar' }, r))`, /no rows to show/],
      [`atrium.chart(d, { type: 'bar' }, [{ a: 1 }])`, /Invalid specification/],
      [`atrium.query('sales').then((r) => atrium.chart(d, { mark: 'bar' }, r.rows))`, /rows have to be objects/],
    ];
    const elements: [string, RegExp][] = [
      [
        '<script src="https://cdn.example/vega.js"></script>',
        /^<script src="https:\/\/cdn.example\/vega.js"> cannot be/,
      ],
      ['<link rel="stylesheet" href="https://cdn.example/x.css">', /^<link href=.* cannot be loaded/],
      ['<img src="/logo.png">', /^<img src="\/logo.png"> cannot be loaded/],
      ['<iframe srcdoc="y"></iframe>', /^<iframe> does not work/],
      ['<script type="module">import("y")</script>', /is a module/],
    ];
    const html = [...scripts.map(([script]) => `<script>${script}</script>`), ...elements.map(([element]) => element)];
    const problems = await problemsOf(`<!doctype html><body><p>Sales</p><div id="d"></div>${html.join('\n')}`);
    for (const [what, problem] of [...scripts, ...elements])
      expect([what, problems.some((line) => problem.test(line)), problems]).toEqual([what, true, problems]);
    expect(await problemsOf('<!doctype html><title>T</title><body> </body>')).toEqual([
      'The page is empty: nothing stands in its body.',
    ]);
  });

  it('lets canvases, animations and observers be', async () => {
    const script = `c.getContext('2d').fillText('x', 0, 0); new ResizeObserver(() => 0).observe(p); matchMedia('print').matches;
      (function frame() { requestAnimationFrame(frame) })(); setInterval(() => p.title = Date.now(), 5); p.scrollIntoView()`;
    expect(await problemsOf(within(script, '<p id="p">x</p><canvas id="c"></canvas>'))).toEqual([]);
  });

  it.each([
    ['never comes to an end', within('for (;;);'), ENDLESS],
    ['waits for nothing in microtasks', within('(async () => { for (;;) await 0 })()'), ENDLESS],
    ['eats memory', within('const a = []; for (;;) a.push(new Array(1e5).fill(Math.random()))'), /memory|never came/],
    [
      'ends its process',
      within(`atrium.query.constructor('return process')`) +
        `<script>setTimeout.constructor('return process')().exit(0)</script>`,
      /broke its check/,
    ],
    [
      'says what nobody asked',
      `<body>x<script>setTimeout.constructor('return process')().send({ type: 'done', report: 7 })</script>`,
      /broke its check/,
    ],
  ])('is ended where it %s', async (_, html, why) => {
    // What ends by itself has the time that a busy machine may need; what never does would only keep a processor busy.
    const opened = open(html, why === ENDLESS ? { longestMs: 300 } : {});
    await expect(opened).rejects.toThrow(why);
    await expect(opened).rejects.toBeInstanceOf(PageEnded);
  });

  const ASKS_WITHOUT_END = within(`(async () => { for (let n = 0; ; n += 1) await atrium.query('sales', { n }); })()`);

  it('says that it asks too often', async () => {
    expect((await open(ASKS_WITHOUT_END)).problems).toContain('The page asks more than 200 queries when it is opened.');
    expect(asked).toHaveLength(200);
  });

  it('is ended where it is given too much, or takes too long while its time stands still', async () => {
    const bounds = { asks: 200, characters: 2_000, wallMs: 60_000 };
    const greedy = open(ASKS_WITHOUT_END, { bounds });
    await expect(greedy).rejects.toThrow('more than 2,000 characters');
    await expect(greedy).rejects.toBeInstanceOf(PageEnded);
    const waiting = open(ASKS_WITHOUT_END, { ask: slow, bounds: { ...bounds, characters: 1e9, wallMs: 2_000 } });
    await expect(waiting).rejects.toThrow('not done 2 seconds after');
    await expect(waiting).rejects.toBeInstanceOf(PageEnded);
  });

  it('is not asked for more than it may by one that speaks for itself', async () => {
    const flood = `const process = setTimeout.constructor('return process')();
      for (let id = 0; id < 5000; id += 1) process.send({ type: 'query', id, name: 'sales', params: {} });`;
    await expect(open(within(flood))).rejects.toThrow('more than 200 times');
    expect(asked).toHaveLength(200);
  });

  it('is ended at once when nobody waits any more', async () => {
    const stop = new AbortController();
    const opened = openPage({ entry: ENTRY, html: within('for (;;);'), state: {}, ask, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('stopped')), 500);
    await expect(opened).rejects.toThrow('stopped');
  });

  it('cannot leave its process, though it reaches all that is in there', async () => {
    const attempts: Record<string, string> = {
      environment: 'JSON.stringify(process.env)',
      files: `process.getBuiltinModule('node:fs').readFileSync('/etc/passwd', 'latin1')`,
      parent: `process.getBuiltinModule('node:fs').readFileSync('/proc/' + process.ppid + '/environ', 'latin1')`,
      writing: `process.getBuiltinModule('node:fs').writeFileSync('/tmp/atrium-page', 'x')`,
      commands: `process.getBuiltinModule('node:child_process').execSync('id').toString()`,
      connection: `process.getBuiltinModule('node:net').connect(${port}, '127.0.0.1')`,
      request: `process.getBuiltinModule('node:http').get('http://127.0.0.1:${port}/')`,
      names: `process.getBuiltinModule('node:dns').lookup('example.com', () => 0)`,
      threads: `new (process.getBuiltinModule('node:worker_threads').Worker)('1', { eval: true })`,
      library: `process.dlopen({ exports: {} }, '/tmp/x.node')`,
      signals: `process.kill(process.ppid, 'SIGTERM')`,
      sqlite: `process.getBuiltinModule('node:sqlite').DatabaseSync(':memory:')`,
    };
    const script = `const process = setTimeout.constructor('return process')();
      const found = {};
      for (const [name, code] of Object.entries(${JSON.stringify(attempts)}))
        try { found[name] = 'got ' + setTimeout.constructor('process', 'return ' + code)(process); } catch (error) { found[name] = 'refused'; }
      p.textContent = JSON.stringify(found);`;
    const { text } = await open(within(script));
    const { environment, connection, request, ...others } = JSON.parse(text) as Record<string, string>;
    expect(environment).toBe('got {}');
    expect([connection, request]).not.toContain('connected');
    for (const [name, found] of Object.entries(others)) expect([name, found]).toEqual([name, 'refused']);
    expect(calls).toBe(0);
  });
});
