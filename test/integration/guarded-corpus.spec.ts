import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EgressError, EgressGuard, GuardedFetch } from '@app/integrations';
import { type DnsServer, startDns } from '../support/dns.js';
import { ODD_V6, PRIVATE_V4, PRIVATE_V6, WAYS_TO_WRITE } from '../support/guarded/addresses.js';
import { callersOf, hostCallersOf, type Caller, resolverAt } from '../support/guarded/callers.js';
import { type Canary, startCanary, watchConnections } from '../support/guarded/canary.js';
import { HOSTILE_ANSWERS, type RawHost, startRawHost } from '../support/guarded/hostile-answers.js';
import { CHANGING_NAMES, EMPTY_NAMES, HOSTILE_NAMES } from '../support/guarded/names.js';
import { AMBIGUOUS_URLS, OPAQUE, PORTS, SCHEMES } from '../support/guarded/urls.js';
import { stride } from '../support/long.js';
import { stopwatch } from '../support/timing.js';
import { until } from '../support/until.js';

/** Errors are shown to people: neither addresses nor what the system said of them. */
const TELLING = /\d+\.\d+\.\d+\.\d+|::|ECONN|ENOTFOUND|EHOST|example|localhost|secret/;
const REDIRECTS = [301, 302, 303, 307, 308];

/** In a process of its own: the environment is read when Node starts. */
const PROXY_SCRIPT = `
  import('@app/integrations').then(async ({ EgressGuard, GuardedFetch }) => {
    const http = new GuardedFetch(new EgressGuard({ allowedHosts: [process.argv[1]] }));
    console.log(await (await http.request('http://' + process.argv[1] + '/')).text());
    await http.request('https://127.0.0.1:8443/').catch((error) => console.log(error.failure));
    process.exit();
  });`;

const written = PRIVATE_V4.flatMap(([, address]) => WAYS_TO_WRITE.map(([, write]) => write(address)));
const v6 = PRIVATE_V6.map(([, address]) => `[${address}]`);
const urls = [
  ...[...written, ...v6, ...ODD_V6].map((host) => `https://${host}:8443/`),
  ...AMBIGUOUS_URLS,
  ...SCHEMES,
  ...OPAQUE,
  ...PORTS,
];

/**
 * A caller's part of what all of them are told in `npm run test:long`: every seventh, and each caller another seventh.
 * Every address meets two of them or more, and each caller every way to write one (there are 20, and 7 divides no 20).
 */
const partOf = (turn: number, all: readonly string[], part = stride(7)) =>
  all.filter((_, at) => (at + turn) % part === 0);

describe('addresses of users (docs/contract/reliability.md#addresses-of-users)', () => {
  let canary: Canary;
  let dns: DnsServer;
  let watch: ReturnType<typeof watchConnections>;
  let cases = 0;
  const perGroup = new Map<string, number>();
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    canary = await startCanary();
    dns = await startDns();
    for (const [name, records] of Object.entries({ ...HOSTILE_NAMES, ...EMPTY_NAMES })) dns.hosts.set(name, [records]);
  });
  beforeEach(() => (watch = watchConnections()));
  afterEach(() => {
    watch.stop();
    expect(canary.hits).toBe(0);
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
    await dns.stop();
    await canary.stop();
    const groups = [...perGroup].map(([name, count]) => `${count} ${name}`).join(', ');
    process.stdout.write(`Egress corpus: ${cases} cases (${groups}), ${canary.hits} reached the canary.\n`);
    expect(cases).toBeGreaterThanOrEqual(300);
  });

  const guardOf = (...allowedHosts: string[]) => new EgressGuard({ allowedHosts, resolve: resolverAt(dns.address) });
  const raw = async (...given: Parameters<typeof startRawHost>): Promise<RawHost> => {
    const host = await startRawHost(...given);
    stops.push(() => host.stop());
    return host;
  };
  const count = (group: string, by = 1) => {
    cases += by;
    perGroup.set(group, (perGroup.get(group) ?? 0) + by);
  };

  /** What came through, or told too much, or was tried at all. */
  async function leaksOf(group: string, call: Caller, addresses: readonly string[]): Promise<string[]> {
    const leaks: string[] = [];
    for (const address of addresses) {
      count(group);
      const error = await call(address).then(
        () => 'It came through.',
        (reason: Error) => reason,
      );
      if (!(error instanceof Error)) leaks.push(`${address}: ${error}`);
      else if (TELLING.test(error.message)) leaks.push(`${address}: ${error.message}`);
      else if (error.message === 'The call came through.') leaks.push(`${address}: it was answered`);
    }
    return [...leaks, ...watch.attempts.map((attempt) => `tried ${attempt}`)];
  }

  it('the canary hears whoever is let through', async () => {
    const guard = guardOf('127.0.0.1:8443', '[::1]:8443');
    const fetch = new GuardedFetch(guard);
    for (const host of ['127.0.0.1', '[::1]']) await expect(fetch.request(`http://${host}:8443/`)).rejects.toThrow();
    await until(() => canary.hits === 2);
    expect(watch.attempts).toEqual(['127.0.0.1:8443', '::1:8443']);
    canary.hits = 0;
  });

  it.each(Object.keys(callersOf(new EgressGuard({ allowedHosts: [] }))))(
    'are refused before anybody is called: %s',
    async (name) => {
      const callers = callersOf(guardOf());
      const call = callers[name]!;
      // Behind all others stands the one that takes them all.
      const part = (all: readonly string[]) =>
        name === 'fetch' ? all : partOf(Object.keys(callers).indexOf(name), all);
      expect(await leaksOf('addresses', call, part(urls))).toEqual([]);
      const names = part(Object.keys(HOSTILE_NAMES).concat(Object.keys(EMPTY_NAMES), 'unknown.example'));
      expect(
        await leaksOf(
          'names',
          call,
          names.map((host) => `https://${host}/`),
        ),
      ).toEqual([]);
      expect(
        await leaksOf(
          'names',
          call,
          names.map((host) => `https://${host.toUpperCase()}:8443/`),
        ),
      ).toEqual([]);
    },
  );

  it('are refused as hosts of databases, on every port', async () => {
    const hosts = [...written, ...PRIVATE_V6.flatMap(([, address]) => [address, `[${address}]`]), ...ODD_V6];
    for (const [half, port] of [8443, 443].entries())
      for (const [at, call] of Object.values(hostCallersOf(guardOf(), port)).entries()) {
        // Three callers on two ports, so that together they are told them all.
        const part = partOf(half * 3 + at, [...hosts, ...Object.keys(HOSTILE_NAMES)], stride(6));
        expect(await leaksOf('hosts of databases', call, part)).toEqual([]);
      }
  });

  it("are refused when the system's resolver reads them", async () => {
    const guard = new EgressGuard({ allowedHosts: [] });
    const odd = [
      'localhost',
      'LOCALHOST',
      'localhost.',
      '127.1',
      '0x7f.1',
      '0177.1',
      '2130706433',
      '0x7f000001',
      '0',
      '::1',
      '[::1]',
      'ip6-localhost',
    ];
    for (const call of Object.values(hostCallersOf(guard, 8443)))
      expect(await leaksOf("the system's resolver", call, odd)).toEqual([]);
    for (const host of odd) {
      count("the system's resolver");
      await expect(guard.resolve(host, 8443)).rejects.toBeInstanceOf(EgressError);
    }
  });

  it('cannot change once they were checked', async () => {
    const callers = Object.entries(callersOf(guardOf())).filter(([one]) => one !== 'token of node http_request');
    // Every other one of the names for each caller, and every other one of the callers for each name.
    for (const [turn, [caller, call]] of callers.entries())
      for (const name of partOf(turn, Object.keys(CHANGING_NAMES), stride(2))) {
        count('changing names', 2);
        dns.hosts.set(`${caller.replaceAll(' ', '-').replaceAll('_', '-')}.${name}`, CHANGING_NAMES[name]!);
        const url = `https://${caller.replaceAll(' ', '-').replaceAll('_', '-')}.${name}:8443/`;
        for (let time = 0; time < 2; time += 1) await expect(call(url)).rejects.toThrow();
      }
    for (const name of Object.keys(CHANGING_NAMES))
      for (const [caller, call] of Object.entries(hostCallersOf(guardOf(), 8443))) {
        count('changing names', 2);
        const host = `${caller.replaceAll(' ', '-')}.${name}`;
        dns.hosts.set(host, CHANGING_NAMES[name]!);
        for (let time = 0; time < 2; time += 1) await expect(call(host)).rejects.toThrow();
      }
    // The public address may be tried, when it was what the name server said; this machine may have no way there.
    expect(watch.attempts.filter((attempt) => !/^(93\.184\.216\.34|2606:2800:[0-9a-f:]+):8443$/.test(attempt))).toEqual(
      [],
    );
  });

  it('are checked at each redirect', async () => {
    const host = await raw((path, socket) => {
      const [, status = '', location = ''] = /^\/(\d+)\/(.*)$/s.exec(path) ?? [];
      socket.end(`HTTP/1.1 ${status} There\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`, 'latin1');
    });
    const targets = [
      'https://127.0.0.1:8443/',
      'http://127.0.0.1:8443/',
      '//127.0.0.1:8443/',
      'https://localhost:8443/',
      'https://[::1]:8443/',
      'https://[::ffff:7f00:1]:8443/',
      'https://0x7f.1:8443/',
      'https://2130706433:8443/',
      'https://loopback.example:8443/',
      'https://alias-of-alias.example/',
      'https://private-last.example/',
      'http://169.254.169.254/latest/meta-data/',
      'https://metadata.google.internal/',
      'https://[fd00:ec2::254]/',
      'file:///etc/passwd',
      'gopher://127.0.0.1:8443/_x',
      'ftp://127.0.0.1/',
      'data:text/plain,x',
      'javascript:1',
      'https://user:password@127.0.0.1:8443/',
      'https://127.0.0.1:8443\\@x/',
      '\\\\127.0.0.1:8443\\',
      'http://[',
      'https://127.0.0.1:8443/\r\nX: y',
      `http://${host.host}@127.0.0.1:8443/`,
      'https:127.0.0.1:8443',
      'HTTPS:/127.1:8443',
    ];
    const fetch = new GuardedFetch(guardOf(host.host));
    const followed: string[] = [];
    for (const status of [300, 301, 302, 303, 304, 305, 306, 307, 308])
      for (const target of targets) {
        count('redirects');
        const url = `${host.url}/${status}/${encodeURIComponent(target)}`;
        const answer = await fetch.request(url, { timeoutMs: 1500 }).then(
          (response) => (response.body.destroy(), response.status),
          (error: unknown) => error,
        );
        const isRight = REDIRECTS.includes(status) ? answer instanceof EgressError : answer === status;
        if (!isRight) followed.push(`${status} ${target}: ${String(answer)}`);
        if (answer instanceof Error && TELLING.test(answer.message)) followed.push(answer.message);
      }
    expect(followed).toEqual([]);
    expect(new Set(watch.attempts)).toEqual(new Set([host.host]));
    for (const [turn, [caller, call]] of Object.entries(callersOf(guardOf(host.host))).entries())
      for (const target of partOf(turn, targets.slice(0, 14), stride(3))) {
        count('redirects');
        await expect([
          caller,
          await call(`${host.url}/302/${encodeURIComponent(target)}`).then(
            () => 'through',
            () => 'refused',
          ),
        ]).toEqual([caller, 'refused']);
      }
    expect(new Set(watch.attempts)).toEqual(new Set([host.host]));
  });

  it('lead round in circles three times, and get no credentials of another origin', async () => {
    const seen: string[] = [];
    const other = await raw((_, socket, request) => {
      seen.push(request);
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    const host = await raw((path, socket) => {
      const [, status, where] = path.split('/');
      const location = where === 'loop' ? path : where?.startsWith('longer') ? `${path}x` : other.url;
      socket.end(`HTTP/1.1 ${status} There\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);
    });
    const fetch = new GuardedFetch(guardOf(host.host, other.host));
    const secrets = ['authorization', 'cookie', 'x-api-key', 'x-auth-token', 'mcp-session-id', 'content-type'];
    const headers = Object.fromEntries(secrets.map((name) => [name, 'canary']));
    for (const status of REDIRECTS) {
      for (const where of ['loop', 'longer']) {
        count('redirects');
        await expect(fetch.request(`${host.url}/${status}/${where}`)).rejects.toMatchObject({ failure: 'redirect' });
      }
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        count('redirects');
        const hasBody = method === 'POST' || method === 'PUT';
        const sent = fetch.request(`${host.url}/${status}/other`, {
          method,
          headers,
          ...(hasBody && { body: 'canary' }),
        });
        await sent.then(
          (response) => response.text(),
          (error: unknown) => expect(error).toMatchObject({ failure: 'redirect' }),
        );
      }
    }
    expect(seen.length).toBeGreaterThan(10);
    expect(seen.join('\n')).not.toContain('canary');
  });

  it('cannot smuggle a second request, nor steer the connection', async () => {
    const seen: string[] = [];
    const host = await raw((_, socket, request) => {
      seen.push(request);
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    const fetch = new GuardedFetch(guardOf(host.host));
    const evil = 'x\r\nHost: 127.0.0.1\r\n\r\nGET /smuggled HTTP/1.1\r\n';
    const paths = [
      `/${evil}`,
      `/?q=${evil}`,
      `/#${evil}`,
      '/\u010d\u010aSmuggled: 1',
      '/%0d%0aSmuggled:%201',
      '/\u0000',
      '/a b HTTP/1.1',
    ];
    const requests: [string, Parameters<GuardedFetch['request']>[1]][] = [
      ...paths.map((path): [string, object] => [path, {}]),
      ...['a\r\nsmuggled', 'a\nsmuggled', 'a\rsmuggled', 'a\0b', 'a\u010dsmuggled', '\u560d\u560asmuggled'].map(
        (value): [string, object] => ['/', { headers: { 'x-value': value } }],
      ),
      ...['x\r\nsmuggled', 'x smuggled', 'x:smuggled', '', 'ſmuggled'].map((name): [string, object] => [
        '/',
        { headers: { [name]: '1' } },
      ]),
      ...[
        'Host',
        'HOST',
        'Connection',
        'Content-Length',
        'Transfer-Encoding',
        'TE',
        'Trailer',
        'Upgrade',
        'Expect',
        'Keep-Alive',
        'Proxy-Authorization',
        'Proxy-Connection',
        'Accept-Encoding',
        'HTTP2-Settings',
      ].map((name): [string, object] => ['/', { headers: { [name]: 'smuggled' } }]),
      ...['CONNECT', 'TRACE', 'TRACK', 'GET / HTTP/1.1\r\nX:', 'GET smuggled', 'PRI', ''].map(
        (method): [string, object] => ['/', { method, timeoutMs: 500 }],
      ),
    ];
    for (const [path, options] of requests) {
      count('smuggling');
      await fetch.request(host.url + path, options).then(
        (response) => response.text(),
        (error: unknown) => expect(error).toBeInstanceOf(EgressError),
      );
    }
    for (const request of seen) {
      const [line = '', ...headers] = request.split('\r\n');
      expect(line).toMatch(/^(GET) [\x21-\x7e]+ HTTP\/1\.1$/);
      expect(headers.filter((header) => /smuggled/i.test(header))).toEqual([]);
      expect(headers.filter((header) => /^host:/i.test(header))).toEqual([`Host: ${host.host}`]);
    }
    expect(new Set(watch.attempts)).toEqual(new Set([host.host]));
  });

  it('are not called over a proxy of the environment', async () => {
    const seen: string[] = [];
    const proxy = await raw((path, socket) => {
      seen.push(path);
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy');
    });
    const host = await raw((_, socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ndirect'));
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
    // All at once: whichever were heard, the proxy is what it names.
    for (const some of stride(names.length) === 1 ? names.map((name) => [name]) : [names]) {
      count('proxies', some.length);
      const proxies = Object.fromEntries(some.map((name) => [name, proxy.url]));
      const env = { PATH: process.env.PATH, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', ...proxies };
      const args = ['-e', PROXY_SCRIPT, host.host];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: __dirname });
      expect(stdout).toBe('direct\nblocked\n');
    }
    expect(seen).toEqual([]);
  });

  it('answer what they like, and cost neither memory nor time', async () => {
    const host = await raw((path, socket) => HOSTILE_ANSWERS[path.slice(1)]?.(socket));
    const before = process.memoryUsage().rss;
    const calls = { fetch: callersOf(guardOf(host.host)).fetch!, file_urls: callersOf(guardOf(host.host)).file_urls! };
    const outcomes: string[] = [];
    for (const [caller, call] of Object.entries(calls))
      await Promise.all(
        Object.keys(HOSTILE_ANSWERS).map(async (name) => {
          count('hostile answers');
          const took = stopwatch();
          const error = await call(`${host.url}/${encodeURIComponent(name)}`).then(
            () => null,
            (reason: Error) => reason,
          );
          if (!error || TELLING.test(error.message)) outcomes.push(`${caller}, ${name}: ${String(error)}`);
          if (took() > 8000) outcomes.push(`${caller}, ${name}: ${took()} ms`);
        }),
      );
    expect(outcomes).toEqual([]);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });
});
