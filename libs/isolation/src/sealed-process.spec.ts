import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IsolatedProcess } from './isolated-process.js';

/** Runs what it is sent, in the main thread or in a thread, as code that took it over would. */
const PROGRAM = `
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { createRequire } from 'node:module';
globalThis.require = createRequire(import.meta.url);
globalThis.own = (path) => import(path);
const attempt = async ({ code, room, others }) => {
  try { return { got: String(await new Function('room', 'others', 'return (async () => {' + code + '})()')(room, others)) }; }
  catch (error) { return { refused: String(error.cause?.message ?? error.message ?? error) || 'refused' }; }
};
if (!isMainThread) parentPort.postMessage(await attempt(workerData));
else process.on('message', async ({ inThread, ...task }) => {
  if (!inThread) return process.send(await attempt(task));
  const thread = new Worker(new URL(import.meta.url), { workerData: task, execArgv: [], env: { NODE_OPTIONS: '--experimental-sqlite' } });
  thread.once('message', (found) => process.send(found));
});
process.on('disconnect', () => process.exit(0));
`;

interface Found {
  got?: string;
  refused?: string;
}

/** By what it is after. `room` is its own folder, where it wrote a library and modules; `others` one of its neighbour. */
const ATTEMPTS: Record<string, string> = {
  'a library by dlopen': `process.dlopen({ exports: {} }, room + '/own.node')`,
  'a library by dlopen, renamed': `process.dlopen({ exports: {} }, room + '/own.so')`,
  'a library by require': `require(room + '/own.node')`,
  'a library by a require of its own': `require('node:module').createRequire(room + '/x.js')('./own.node')`,
  'a library by import': `await own(room + '/own.node')`,
  'a library by its extension': `const { Module } = require('node:module'); Module._extensions['.node'](new Module(room + '/own.node'), room + '/own.node')`,
  'a library by an extension of its own': `const { Module } = require('node:module'); Module._extensions['.x'] = Module._extensions['.node']; require(room + '/own.x')`,
  'a library by vm': `require('node:vm').runInThisContext('process').dlopen({ exports: {} }, room + '/own.node')`,
  'a library by the context around vm': `require('node:vm').runInNewContext('p', { p: process }).constructor.constructor('return process')().dlopen({ exports: {} }, room + '/own.node')`,
  'a library by the main module': `process.mainModule.require(room + '/own.node')`,
  'a library of SQLite': `new (require('node:sqlite').DatabaseSync)(':memory:', { allowExtension: true }).loadExtension(room + '/own.so')`,
  'a database of SQLite': `new (process.getBuiltinModule('node:sqlite').DatabaseSync)('/etc/passwd')`,
  'a library as an engine of OpenSSL': `require('node:crypto').setEngine(room + '/own.so')`,
  'a library as an engine of TLS': `require('node:tls').createSecureContext({ clientCertEngine: room + '/own.so' })`,
  'foreign functions': `process.getBuiltinModule('node:ffi').dlopen(room + '/own.so')`,
  'dlopen back': `Object.defineProperty(process, 'dlopen', { value: () => 0 })`,
  'another dlopen': `delete process.dlopen; process.dlopen({ exports: {} }, room + '/own.node')`,
  'the right to native code': `if (!process.permission.has('addon')) throw new Error('no right')`,
  'a module of its room by require': `require(room + '/own.cjs')`,
  'a module of its room by import': `await own(room + '/own.mjs')`,
  'a module of its room by a script': `await new (require('node:vm').Script)('import(' + JSON.stringify(room + '/own.mjs') + ')', { importModuleDynamically: require('node:vm').constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }).runInThisContext()`,
  'a thread of its room': `await new Promise((_, no) => new (require('node:worker_threads').Worker)(room + '/own.mjs').on('error', no))`,
  'a thread of text, which is not sealed': `new (require('node:worker_threads').Worker)('0', { eval: true })`,
  'the thread below the sealed one': `const { Worker } = require('node:worker_threads'); let real; const { construct } = Reflect; Reflect.construct = (target, ...rest) => { real = target; return construct(target, ...rest); }; try { await new Worker(new URL('data:text/javascript,0')).terminate(); } finally { Reflect.construct = construct; } if (!real) throw new Error('not seen')`,
  'the inside of Node': `process.binding('tcp_wrap')`,
  'the linked inside of Node': `process._linkedBinding('tcp_wrap')`,
  'hooks of modules': `require('node:module').register('data:text/javascript,export {}')`,
  'hooks of modules in its thread': `require('node:module').registerHooks({ resolve: (name) => ({ url: name, shortCircuit: true }) })`,
  'a cache of code': `require('node:module').enableCompileCache(room)`,
  'a debugger': `require('node:inspector').open(0)`,
  'a session of the debugger': `new (require('node:inspector').Session)().connect()`,
  'a session of the debugger that promises': `new (require('node:inspector/promises').Session)().connect()`,
  WASI: `new (require('node:wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } })`,
  'switches of the engine': `require('node:v8').setFlagsFromString('--allow-natives-syntax')`,
  'another program': `require('node:child_process').execFileSync('/bin/true')`,
  'another program, from below': `new (require('node:child_process').ChildProcess)().spawn({ file: '/bin/true', args: ['true'] })`,
  'another program in its place': `process.execve('/bin/true', ['true'], {})`,
  'a fork': `require('node:child_process').fork('/x.js')`,
  'a cluster': `require('node:cluster').fork()`,
  'a signal to its parent': `process.kill(process.ppid, 0)`,
  'a signal to all': `process.kill(-1, 0)`,
  'a signal by an object': `process.kill({ valueOf: () => process.ppid }, 0)`,
  'a signal from below': `process._kill(process.ppid, 0)`,
  'the debugger of its parent': `process._debugProcess(process.ppid)`,
  'the priority of its parent': `require('node:os').setPriority(process.ppid, 19)`,
  'a connection': `await new Promise((_, no) => require('node:net').connect(1, '127.0.0.1').on('error', no))`,
  'a connection by import': `const { Socket } = await own('node:net'); new Socket().connect(1, '127.0.0.1')`,
  'a connection from below': `const socket = new (require('node:tls').TLSSocket)(); (socket._handle._parent ?? socket._handle).connect({}, '127.0.0.1', 1)`,
  'a socket of the system from below': `const socket = new (require('node:tls').TLSSocket)(undefined, { pipe: true }); (socket._handle._parent ?? socket._handle).connect({}, '/var/run/postgresql/.s.PGSQL.5432')`,
  'a server from below': `require('node:net').createServer()._listen2('127.0.0.1', 0, 4, 5)`,
  'a handle to listen with': `require('node:net')._createServerHandle('127.0.0.1', 0, 4)`,
  'a datagram': `require('node:dgram').createSocket('udp4').send('x', 1, '127.0.0.1')`,
  'a datagram from below': `const socket = require('node:dgram').createSocket('udp4'); const { handle } = socket[Object.getOwnPropertySymbols(socket).find((key) => socket[key]?.handle)]; handle.bind('127.0.0.1', 0)`,
  'a page': `await fetch('http://127.0.0.1:8/')`,
  'a page by http': `await new Promise((_, no) => require('node:http').get('http://127.0.0.1:8').on('error', no))`,
  'a page by http2': `await new Promise((_, no) => require('node:http2').connect('http://127.0.0.1:8').on('error', no))`,
  'a web socket': `await new Promise((_, no) => { new WebSocket('ws://127.0.0.1:8').onerror = no; })`,
  'an address': `await require('node:dns').promises.lookup('localhost')`,
  'an address by import': `const { resolve4 } = await own('node:dns/promises'); await resolve4('example.com')`,
  'an address from below': `new (require('node:dns').Resolver)()._handle.queryA({}, 'example.com')`,
  'its environment at its start': `require('node:fs').readFileSync('/proc/self/environ')`,
  'the environment of its parent': `require('node:fs').readFileSync('/proc/' + process.ppid + '/environ')`,
  'the accounts of the machine': `require('node:fs').readFileSync('/etc/passwd')`,
  'the accounts, by way of its room': `require('node:fs').readFileSync(room + '/../../../../../../../../etc/passwd')`,
  'the accounts, by a name in bytes': `require('node:fs').readFileSync(Buffer.from(room + '/../../../../../../../../etc/passwd'))`,
  'the accounts, by the root of processes': `require('node:fs').readFileSync('/proc/self/root/etc/passwd')`,
  'the accounts as a blob': `await (await require('node:fs').openAsBlob('/etc/passwd')).text()`,
  'the accounts as settings': `process.loadEnvFile('/etc/passwd')`,
  'the accounts as a copy': `require('node:fs').copyFileSync('/etc/passwd', room + '/copy')`,
  'the accounts by a link': `require('node:fs').symlinkSync('/etc/passwd', room + '/link')`,
  'the accounts by a relative link': `process.chdir(room); require('node:fs').symlinkSync('../../../../etc/passwd', room + '/link')`,
  'the accounts by a hard link': `require('node:fs').linkSync('/etc/passwd', room + '/link')`,
  "a neighbour's file": `require('node:fs').readFileSync(others)`,
  "a neighbour's folder": `require('node:fs').readdirSync(require('node:path').dirname(others))`,
  'that a file exists': `require('node:fs').statSync('/etc/passwd')`,
  'a watch on a folder': `require('node:fs').watch('/etc')`,
  'a file outside of its room': `require('node:fs').writeFileSync(others, '')`,
  'a move out of its room': `require('node:fs').renameSync(room + '/own.cjs', others + '.moved')`,
  'a report': `process.report.writeReport('/tmp/atrium-report')`,
  'a snapshot of the heap': `require('node:v8').writeHeapSnapshot('/tmp/atrium-heap')`,
  'a snapshot near the end': `require('node:v8').setHeapSnapshotNearHeapLimit(1)`,
};

/** By Node or by the seal: an attempt that merely stumbles proves nothing. */
const REFUSED =
  /restricted|requires full|unsupported|No such built-in|of undefined|redefine|read only property|no (more native|network|text|code|signals|other|right)|not seen|^refused$/;

describe('a process that code has taken over', () => {
  let folder: string;
  let room: string;
  let others: string;
  let child: IsolatedProcess<object, Found>;

  beforeAll(async () => {
    // Below the repository, since it has to find its native package.
    const cache = join(process.cwd(), 'node_modules', '.cache');
    await mkdir(cache, { recursive: true });
    folder = await mkdtemp(join(cache, 'sealed-'));
    room = await mkdtemp(join(tmpdir(), 'atrium-room-'));
    others = join(await mkdtemp(join(tmpdir(), 'atrium-others-')), 'secret.txt');
    const entry = join(folder, 'program.mjs');
    await Promise.all([writeFile(entry, PROGRAM), writeFile(others, 'a secret')]);
    const library = createRequire(createRequire(__filename).resolve('sharp')).resolve(
      `@img/sharp-${process.platform}-${process.arch}/sharp.node`,
    );
    for (const name of ['own.node', 'own.so', 'own.x']) await copyFile(library, join(room, name));
    await writeFile(join(room, 'own.mjs'), 'export default 1');
    await writeFile(join(room, 'own.cjs'), 'module.exports = 1');
    const grants = [join(room, '*')];
    child = new IsolatedProcess({ entry, heapMb: 128, natives: ['sharp'], threads: true, read: grants, write: grants });
  });
  afterAll(async () => {
    child.kill();
    for (const path of [folder, room, join(others, '..')]) await rm(path, { recursive: true });
  });

  const ask = async (code: string, inThread = false) =>
    child.converse<Found>(
      { code, room, others, inThread },
      { limits: { totalMs: 20_000, rssBytes: 1024 ** 3 }, explain: ({ detail }) => new Error(detail) },
      (answer, { resolve }) => resolve(answer),
    );

  it('has its native package and its room, and no environment', async () => {
    const draw = `const { default: sharp } = await own('sharp'); return (await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } }).png().toBuffer()).length > 0`;
    // Packages are found from where the program stands.
    expect(await ask(draw.replace(`own('sharp')`, `own(require.resolve('sharp'))`))).toEqual({ got: 'true' });
    const write = `const fs = require('node:fs'); fs.writeFileSync(room + '/x', 'mine'); return fs.readFileSync(room + '/x', 'utf8')`;
    expect(await ask(write)).toEqual({ got: 'mine' });
    // The picture library notes a place of its own.
    expect(await ask(`return Object.keys(process.env).filter((name) => name !== 'VIPSHOME')`)).toEqual({ got: '' });
    expect(await ask('return JSON.stringify(process.env)', true)).toEqual({ got: '{}' });
    expect(await ask('process.kill(process.pid, 0); return 1')).toEqual({ got: '1' });
  });

  it.each(Object.entries(ATTEMPTS))('cannot have %s', async (_, code) => {
    expect(await ask(code)).toEqual({ refused: expect.stringMatching(REFUSED) });
  });

  it('cannot have any of it from a thread', async () => {
    const had: string[] = [];
    for (const [name, code] of Object.entries(ATTEMPTS)) if (!(await ask(code, true)).refused) had.push(name);
    expect(had).toEqual([]);
  });
});
