import type { LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { EgressError } from './egress-error.js';
import { EgressGuard } from './egress-guard.js';
import { GuardedFetch } from './guarded-fetch.js';
import { isPublicAddress } from './public-address.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(handler: Handler): Promise<{ server: Server; port: number; hits: IncomingMessage[] }> {
  const hits: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    hits.push(request);
    handler(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { server, port: (server.address() as AddressInfo).port, hits };
}

const failureOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EgressError)) throw new Error(`Not refused: ${String(error)}`);
  return error.failure;
};

const fetcher = (allowedHosts: string[] = [], resolve?: (name: string) => Promise<LookupAddress[]>) =>
  new GuardedFetch(new EgressGuard({ allowedHosts, ...(resolve ? { resolve } : {}) }));

const PUBLIC = { address: '93.184.216.34', family: 4 };
const toPublic = async () => [PUBLIC];
const toMixed = async () => [PUBLIC, { address: '::ffff:10.0.0.1', family: 6 }];

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.15.255.255', '172.32.0.0', '100.63.255.255', '2606:4700::1111', '2a00:1450::1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',

    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:7f00:1::',
    '2001:10::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'fe80::1%lo',
    '2606:4700::1%eth0',
    'localhost',
    '',
    '127.1',
    '0x7f000001',
    '2130706433',
  ])('%p is not', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('a guarded fetch', () => {
  let canary: Awaited<ReturnType<typeof listen>>;
  const servers: Server[] = [];
  const serve = async (handler: Handler) => {
    const made = await listen(handler);
    servers.push(made.server);
    return made;
  };

  beforeAll(async () => {
    canary = await serve((_, response) => response.end('secret'));
  });
  afterEach(() => expect(canary.hits).toHaveLength(0));
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  describe('refuses', () => {
    it.each([
      '127.0.0.1',
      '127.1',
      '127.0.1',
      '2130706433',
      '0x7f000001',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '017700000001',

      '127.0.0.1.',
      '１２７.0.0.1',
      '127。0。0。1',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:0:0:1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b::127.0.0.1]',
      '[2002:7f00:1::]',
      '[fe80::1]',
      '[fc00::1]',
      '0.0.0.0',
      '0',
      '169.254.169.254',
      '2852039166',
      '0xa9fea9fe',
      '0251.0376.0251.0376',
      '[fd00:ec2::254]',
      '100.100.100.200',
    ])('https://%s', async (host) => {
      expect(await failureOf(fetcher().request(`https://${host}/`))).toBe('blocked');
      expect(await failureOf(fetcher().request(`https://${host}:8443/`))).toBe('blocked');
    });

    it.each([
      'http://example.com/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://example.com/',
      'data:text/plain,x',
      'https://example.com:22/',
      'https://example.com:5432/',
      'https://user@example.com/',
      'https://user:password@example.com/',
      'https://127.0.0.1\\@example.com/',
      'nonsense',
      '',
    ])('%p', async (address) => {
      expect(await failureOf(fetcher([], toPublic).request(address))).toBe('blocked');
    });

    it('a name of which one address is private, and a name without addresses', async () => {
      expect(await failureOf(fetcher([], toMixed).request('https://mixed.example/'))).toBe('blocked');
      expect(await failureOf(fetcher([], async () => []).request('https://none.example/'))).toBe('unreachable');
      expect(await failureOf(fetcher().request('https://localhost/'))).toBe('blocked');
    });

    it('another port of an allowed host', async () => {
      const url = `http://127.0.0.1:${canary.port}/`;
      expect(await failureOf(fetcher(['127.0.0.1:1']).request(url))).toBe('blocked');
      expect(await failureOf(fetcher(['127.0.0.2', 'localhost']).request(url))).toBe('blocked');
    });
  });

  it('connects to what was checked: a name that changes its mind gains nothing', async () => {
    const answers: LookupAddress[][] = [[{ address: '192.0.2.1', family: 4 }], [{ address: '127.0.0.1', family: 4 }]];
    let asked = 0;
    const resolve = async () => answers[Math.min(asked++, 1)]!;
    expect(await failureOf(fetcher([], resolve).request('https://rebind.example/'))).toBe('blocked');
    expect(asked).toBe(1);
    // Public when first asked: the second answer is never asked for by this connection.
    const names: string[] = [];
    const good = await serve((_, response) => response.end('fine'));
    const allowed = fetcher([`inside.example:${good.port}`], async (name) => {
      names.push(name);
      return names.length === 1 ? [{ address: '127.0.0.1', family: 4 }] : [{ address: '127.0.0.9', family: 4 }];
    });
    expect(await (await allowed.request(`http://inside.example:${good.port}/`)).text()).toBe('fine');
    expect(names).toEqual(['inside.example']);
    expect(good.hits[0]!.headers.host).toBe(`inside.example:${good.port}`);
  });

  it('checks each redirect, and follows three', async () => {
    const first = await serve((request, response) => {
      const [, kind, count] = request.url!.split('/');
      const targets: Record<string, string> = {
        private: `https://127.0.0.1:${canary.port}/`,
        name: 'https://localhost:8443/',
        http: `http://127.0.0.1:${canary.port}/`,
        file: 'file:///etc/passwd',
        odd: 'http://[',
        loop: `/loop/${Number(count) + 1}`,
      };
      if (kind === 'loop' && count === '3') response.end('there');
      else response.writeHead(302, { location: targets[kind!]! }).end();
    });
    const { port } = first;
    const fetch = fetcher([`127.0.0.1:${port}`]);
    for (const kind of ['private', 'name', 'http', 'file'])
      expect([kind, await failureOf(fetch.request(`http://127.0.0.1:${port}/${kind}/`))]).toEqual([kind, 'blocked']);
    expect(await failureOf(fetch.request(`http://127.0.0.1:${port}/odd/`))).toBe('redirect');
    expect(await (await fetch.request(`http://127.0.0.1:${port}/loop/0`)).text()).toBe('there');
    expect(await failureOf(fetch.request(`http://127.0.0.1:${port}/loop/-1`))).toBe('redirect');
  });

  it('takes no credentials and no body to another origin', async () => {
    const other = await serve((_, response) => response.end('other'));
    const first = await serve((request, response) =>
      response.writeHead(request.method === 'PUT' ? 307 : 302, { location: `http://127.0.0.1:${other.port}/` }).end(),
    );
    const fetch = fetcher(['127.0.0.1']);
    const headers = { Authorization: 'Bearer canary', Cookie: 'canary', 'X-Api-Key': 'canary', Range: 'bytes=0-1' };
    await (await fetch.request(`http://127.0.0.1:${first.port}/`, { headers })).text();
    expect(first.hits[0]!.headers.authorization).toBe('Bearer canary');
    expect(JSON.stringify(other.hits[0]!.headers)).not.toContain('canary');
    expect(other.hits[0]!.headers.range).toBe('bytes=0-1');
    await (await fetch.request(`http://127.0.0.1:${first.port}/`, { method: 'POST', body: 'canary' })).text();
    expect(other.hits[1]!.method).toBe('GET');
    const put = fetch.request(`http://127.0.0.1:${first.port}/`, { method: 'PUT', body: 'canary' });
    expect(await failureOf(put)).toBe('redirect');
    expect(other.hits).toHaveLength(2);
  });

  it.each([
    ['the same host', (own: string) => `${own}/there`, 200],
    ['another port', () => `http://127.0.0.1:${canary.port}/`, 302],
    ['another host', (own: string) => `${own.replace('127.0.0.1', '127.0.0.2')}/there`, 302],
    ['something that is no address', () => 'http://:/', 302],
    ['a host without a scheme', () => '//evil.example/?q=secret', 302],
  ])('told to stay at its host, follows %s or hands the redirect over', async (_, target, status) => {
    const { port } = await serve((request, response) => {
      const location = target(`http://${request.headers.host}`);
      if (request.url === '/') response.writeHead(302, { location }).end();
      else response.end('there');
    });
    const guarded = fetcher(['127.0.0.1', '127.0.0.2']);
    const answer = await guarded.request(`http://127.0.0.1:${port}/`, { staysAtHost: true });
    expect(answer.status).toBe(status);
    answer.body.destroy();
  });

  it('sends bytes and streams, and hands a redirect over when asked to', async () => {
    const received: { length: string | undefined; text: string }[] = [];
    const { port } = await serve((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      request.on('end', () => {
        received.push({ length: request.headers['content-length'], text });
        if (request.url === '/away') response.writeHead(302, { location: Buffer.from('/grüße').toString('latin1') });
        response.end('done');
      });
    });
    const fetch = fetcher([`127.0.0.1:${port}`]);
    const url = `http://127.0.0.1:${port}`;
    const body = {
      sizeBytes: 6,
      async *open() {
        yield Buffer.from('abc');
        yield Buffer.from('def');
      },
    };
    expect(await (await fetch.request(`${url}/`, { method: 'POST', body })).text()).toBe('done');
    await (await fetch.request(`${url}/`, { method: 'PUT', body: Buffer.from('bytes') })).text();
    expect(received).toEqual([
      { length: '6', text: 'abcdef' },
      { length: '5', text: 'bytes' },
    ]);
    const broken = {
      sizeBytes: 6,
      async *open() {
        yield Buffer.from('abc');
        throw new Error('the disk is gone');
      },
    };
    expect(await failureOf(fetch.request(`${url}/`, { method: 'POST', body: broken }))).toBe('body');
    const redirect = await fetch.request(`${url}/away`, { maxRedirects: 0 });
    expect(redirect).toMatchObject({ status: 302, url: expect.objectContaining({ pathname: '/away' }) as URL });
    redirect.body.destroy();
    // It came unescaped, in UTF-8.
    expect((await fetch.request(`${url}/away`)).url.pathname).toBe('/gr%C3%BC%C3%9Fe');
  });

  it('stops at its limits of size and time, and at the will of its caller', async () => {
    const { port } = await serve((request, response) => {
      if (request.url === '/declared') response.writeHead(200, { 'content-length': '4000' }).end('x'.repeat(4000));
      else if (request.url === '/long') response.end('x'.repeat(4000));
      else if (request.url === '/drip') {
        const drip = setInterval(() => response.write('x'), 20);
        response.once('close', () => clearInterval(drip));
      }
    });
    const fetch = fetcher([`127.0.0.1:${port}`]);
    const get = async (path: string, options: Parameters<GuardedFetch['request']>[1]) =>
      (await fetch.request(`http://127.0.0.1:${port}${path}`, options)).text();
    expect(await failureOf(get('/declared', { maxBytes: 1000 }))).toBe('too_large');
    expect(await failureOf(get('/long', { maxBytes: 1000 }))).toBe('too_large');
    expect(await failureOf(get('/silent', { timeoutMs: 100 }))).toBe('timeout');
    expect(await failureOf(get('/drip', { timeoutMs: 150 }))).toBe('timeout');
    const controller = new AbortController();
    const aborted = get('/drip', { signal: controller.signal });
    controller.abort(new Error('changed my mind'));
    await expect(aborted).rejects.toThrow('changed my mind');
    expect(await failureOf(fetcher(['127.0.0.1:1']).request('http://127.0.0.1:1/'))).toBe('unreachable');
  });

  it('unpacks what comes packed unasked, up to its limits, and looks for no body where there is none', async () => {
    const bodies: Record<string, [string, Buffer]> = {
      '/gzip': ['gzip', gzipSync('packed')],
      '/br': ['br', brotliCompressSync('packed')],
      '/deflate': ['Deflate', deflateSync('packed')],
      '/plain': ['Identity', Buffer.from('packed')],
      '/bomb': ['gzip', gzipSync('x'.repeat(100_000))],
      '/cut': ['gzip', gzipSync('packed').subarray(0, 15)],
      '/torn': ['br', Buffer.from('no such thing')],
      '/odd': ['aes128gcm', Buffer.from('packed')],
    };
    const { port } = await serve((request, response) => {
      const [coding, body] = bodies[request.url!] ?? ['gzip', Buffer.alloc(0)];
      const length = request.method === 'HEAD' ? 9_000_000_000 : body.length;
      response.writeHead(200, { 'content-encoding': coding, 'content-length': length }).end(body);
    });
    const fetch = fetcher([`127.0.0.1:${port}`]);
    const ask = (path: string, method = 'GET') =>
      fetch.request(`http://127.0.0.1:${port}${path}`, { method, maxBytes: 1000 });
    const read = async (path: string) => (await ask(path)).text();
    for (const path of ['/gzip', '/br', '/deflate', '/plain']) expect(await read(path)).toBe('packed');
    // The length is that of the packed body.
    expect((await ask('/gzip')).headers['content-length']).toBeUndefined();
    expect(await failureOf(read('/bomb'))).toBe('too_large');
    for (const path of ['/cut', '/torn', '/odd']) expect(await failureOf(read(path))).toBe('protocol');
    const head = await ask('/gzip', 'HEAD');
    expect(head.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': '9000000000' });
    expect(await head.text()).toBe('');
  });

  it('tells nothing of what it saw', async () => {
    const error = await fetcher()
      .request('https://127.0.0.1/')
      .catch((reason: Error) => reason);
    expect(String(error)).not.toMatch(/127|::/);
    const gone = await fetcher(['127.0.0.1:1'])
      .request('http://127.0.0.1:1/')
      .catch((reason: Error) => reason);
    expect(String(gone)).not.toMatch(/127|ECONN/);
  });
});
