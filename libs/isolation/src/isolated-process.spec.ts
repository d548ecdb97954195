import { createServer, type AddressInfo, type Server } from 'node:net';
import { mkdtemp, readFile as read, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inAll } from '../../../test/support/long.js';
import { type Ending, IsolatedProcess, type ProcessGrants } from './isolated-process.js';
import { startProcess } from './start-process.js';

const LIMITS = { totalMs: 20_000, rssBytes: 1024 ** 3 };

/** Runs what it is sent, in the main thread or in another. */
const PROGRAM = `
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { createRequire } from 'node:module';
globalThis.require = createRequire(import.meta.url);
const attempt = async (code) => {
  try { return { got: String(await new Function('return (async () => {' + code + '})()')()) }; }
  catch (error) { return { refused: error.code ?? error.message }; }
};
if (!isMainThread) parentPort.postMessage(await attempt(workerData));
else process.on('message', async ({ code, inThread }) => {
  if (!inThread) return process.send(await attempt(code));
  const thread = new Worker(new URL(import.meta.url), { workerData: code });
  thread.once('message', (found) => process.send(found));
});
process.on('disconnect', () => process.exit(0));
`;

interface Found {
  got?: string;
  refused?: string;
}

const explain = ({ cause, detail }: Ending) => Object.assign(new Error(detail), { cause });

const readFile = (path: string) => `return require('node:fs').readFileSync(${JSON.stringify(path)}, 'latin1')`;

describe('a process of its own', () => {
  let folder: string;
  let entry: string;
  let server: Server;
  let port: number;
  let calls = 0;
  const started: IsolatedProcess<object, Found>[] = [];
  let trying: IsolatedProcess<object, Found> | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atrium-isolation-'));
    entry = join(folder, 'program.mjs');
    await writeFile(entry, PROGRAM);
    for (const name of ['own.txt', 'others.txt']) await writeFile(join(folder, name), `what ${name} says`);
    server = createServer(() => (calls += 1)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => started.splice(0).forEach((child) => child.kill()));
  afterAll(async () => {
    trying?.kill();
    server.close();
    await rm(folder, { recursive: true });
  });

  function start(grants: Partial<ProcessGrants> = {}) {
    const child = new IsolatedProcess<object, Found>({ entry, heapMb: 64, ...grants });
    started.push(child);
    return child;
  }

  function ask(child: IsolatedProcess<object, Found>, code: string, more: object = {}, limits = LIMITS) {
    return child.converse<Found>({ code, ...more }, { limits, explain }, (answer, { resolve }) => resolve(answer));
  }

  it.each([
    ['the environment of its parent', () => readFile('/proc/' + process.pid + '/environ')],
    ['the command line of its parent', () => readFile('/proc/' + process.pid + '/cmdline')],
    ["another owner's file", () => readFile(join(folder, 'others.txt'))],
    ['the accounts of the machine', () => readFile('/etc/passwd')],
    ['what lies beside it', () => `return require('node:fs').readdirSync(${JSON.stringify(folder)})`],
    [
      'a file to write',
      () => `return require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'own.txt'))}, '')`,
    ],
    ['a link of its own making', () => `return require('node:fs').symlinkSync('/etc/passwd', '/tmp/atrium-link')`],
    [
      'a connection',
      () => `await new Promise((_, no) => require('node:net').connect(${port}, '127.0.0.1').on('error', no))`,
    ],
    ['a page', () => `return (await fetch('http://127.0.0.1:${port}/')).status`],
    ['a datagram', () => `require('node:dgram').createSocket('udp4').send('x', ${port}, '127.0.0.1')`],
    ['a socket of the system', () => `require('node:net').connect('/var/run/postgresql/.s.PGSQL.5432')`],
    ['an address', () => `return await require('node:dns').promises.resolve4('example.com')`],
    [
      'a resolver of its own',
      () => `return await new (require('node:dns').promises.Resolver)().resolve4('example.com')`,
    ],
    ['a server', () => `require('node:http').createServer().listen(0); await new Promise(() => 0)`],
    ['another program', () => `return require('node:child_process').execFileSync('/bin/true')`],
    ['a fork', () => `return require('node:child_process').fork('/x.js').pid`],
    ['native code', () => `return process.dlopen({ exports: {} }, '/nothing.node')`],
    ['the inside of Node', () => `return process.binding('tcp_wrap')`],
    [
      'the network back',
      () => `delete require('node:net').Socket.prototype.connect; require('node:net').connect(${port}, '127.0.0.1')`,
    ],
  ])('cannot have %s', async (_, code) => {
    // One after the other, as from code that goes on trying.
    if (!trying?.alive) trying = new IsolatedProcess<object, Found>({ entry, heapMb: 64 });
    const found = await ask(trying, code());
    expect(found).toEqual({ refused: expect.any(String) });
    expect(calls).toBe(0);
  });

  it('cannot have it from a thread either', async () => {
    const child = start({ threads: true });
    expect(await ask(child, readFile('/etc/passwd'), { inThread: true })).toEqual({ refused: 'ERR_ACCESS_DENIED' });
    const others = readFile(join(folder, 'others.txt'));
    expect(await ask(child, others, { inThread: true })).toEqual({ refused: 'ERR_ACCESS_DENIED' });
    const connect = `await new Promise((_, no) => require('node:net').connect(${port}, '127.0.0.1').on('error', no))`;
    expect(await ask(child, connect, { inThread: true })).toEqual({ refused: 'This process has no network.' });
    expect(calls).toBe(0);
  });

  it('has no environment, and reads what it was granted and no more', async () => {
    const child = start({ read: [join(folder, 'own.txt')] });
    expect(await ask(child, 'return JSON.stringify(process.env)')).toEqual({ got: '{}' });
    expect(await ask(child, readFile(join(folder, 'own.txt')))).toEqual({ got: 'what own.txt says' });
    expect(await ask(child, readFile(join(folder, 'others.txt')))).toEqual({ refused: 'ERR_ACCESS_DENIED' });
  });

  it.each([
    ['plainly', {}],
    ['with bounded memory', { addressSpaceBytes: 64 * 1024 ** 3 }],
    ['with native packages', { threads: true, humble: true }],
  ])('is started with none of our environment, %s', async (_, grants) => {
    process.env.ATRIUM_CANARY = 'a secret of ours';
    const running = startProcess({ entry, heapMb: 64, ...grants });
    try {
      const names = (await read(`/proc/${running.pid}/environ`, 'utf8')).split('\0').map((line) => line.split('=')[0]);
      // What Node's channel and the shell that bounds memory need.
      expect(names.filter((name) => name && !/^(NODE_CHANNEL_\w+|PWD|OLDPWD|_|SHLVL)$/.test(name))).toEqual([]);
    } finally {
      delete process.env.ATRIUM_CANARY;
      running.kill('SIGKILL');
    }
  });

  it('is lent files one by one', async () => {
    const room = await mkdtemp(join(tmpdir(), 'atrium-room-'));
    const child = start({ read: [join(room, '*')] });
    const link = join(room, 'lent.txt');
    await symlink(join(folder, 'own.txt'), link);
    expect(await ask(child, readFile(link))).toEqual({ got: 'what own.txt says' });
    await rm(link);
    expect(await ask(child, readFile(link))).toEqual({ refused: 'ENOENT' });
    expect(await ask(child, readFile(join(folder, 'own.txt')))).toEqual({ refused: 'ERR_ACCESS_DENIED' });
    await rm(room, { recursive: true });
  });

  inAll('is ended when it works too long, takes too much, or ends itself', async () => {
    const short = { ...LIMITS, totalMs: 1500 };
    await expect(ask(start(), 'for (;;);', {}, short)).rejects.toMatchObject({ cause: 'time' });
    const heap = 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length))';
    await expect(ask(start({ heapMb: 32 }), heap)).rejects.toMatchObject({ cause: 'memory' });
    const bytes = 'globalThis.all = Buffer.alloc(400e6, 1); await new Promise(() => 0)';
    await expect(ask(start(), bytes, {}, { ...LIMITS, rssBytes: 300e6 })).rejects.toMatchObject({ cause: 'memory' });
    const child = start();
    await expect(ask(child, 'process.exit(3)')).rejects.toMatchObject({ cause: 'exit' });
    expect(child.alive).toBe(false);
    await expect(ask(start({ entry: join(folder, 'missing.mjs') }), '')).rejects.toMatchObject({ cause: 'exit' });
  });
});
