import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { LONG } from '../support/long.js';
import { until } from '../support/until.js';

// `npm start` as a person meets it: one supervisor, its embedded servers and the built apps.
const ROOT = resolve(__dirname, '../..');
const COMPILED = join(ROOT, 'node_modules/.cache/atrium/compiled');
const READY_MS = 90_000;
/** The description of the api, whose making keeps its start busy, is what others look at. */
const LEAN: Record<string, string> = LONG ? {} : { DESCRIBE_AT_START: 'false' };
jest.setTimeout(3 * READY_MS);

class Supervisor {
  output = '';
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;

  constructor(dataDir: string, port: number, settings: Record<string, string> = {}) {
    const { PATH, HOME } = process.env;
    this.process = spawn(process.execPath, [join(ROOT, 'scripts/bootstrap.mjs'), 'start'], {
      env: { PATH, HOME, DATA_DIR: dataDir, API_PORT: String(port), ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.process.stdout, this.process.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.ended = once(this.process, 'exit').then(([code]) => code as number | null);
  }

  async says(text: string): Promise<void> {
    const said = () => this.output.includes(text);
    await until(() => said() || this.process.exitCode !== null, READY_MS);
    expect(said() ? text : this.output).toBe(text);
  }
}

async function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '0.0.0.0');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

let dataDir = '';
let port = 0;
let supervisor: Supervisor;

const state = (name: string) => readFileSync(join(dataDir, 'state', name), 'utf8').trim();
const pidOf = (app: string) => (JSON.parse(state('processes.json')) as Record<string, { pid: number }>)[app]!.pid;
const answers = async () => (await fetch(`http://127.0.0.1:${port}/readyz/`)).status;

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** One statement on the embedded Postgres. */
async function sql(statement: string): Promise<unknown[]> {
  const { postgres } = JSON.parse(state('ports.json')) as { postgres: number };
  const client = new Client(`postgres://atrium:${state('postgres-password')}@127.0.0.1:${postgres}/atrium`);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'atrium-supervisor-'));
  // What Node made of the code for other tests.
  await mkdir(COMPILED, { recursive: true });
  await mkdir(join(dataDir, 'cache'));
  await symlink(COMPILED, join(dataDir, 'cache/node'));
  const free = await listen();
  port = free.port;
  free.server.close();
  await once(free.server, 'close');
  supervisor = new Supervisor(dataDir, port, { HANG_SECONDS: '20', ...LEAN });
  await supervisor.says('Atrium is ready');
});

afterAll(async () => {
  supervisor.process.kill('SIGTERM');
  await supervisor.ended;
  await rm(dataDir, { recursive: true, force: true });
});

it('says where everything is, and answers there', async () => {
  const base = `http://127.0.0.1:${port}`;
  await supervisor.says('Ctrl-C');
  for (const line of [`${base}/docs/`, `${base}/openapi.json`, join(dataDir, 'logs')])
    expect(supervisor.output).toContain(line);
  expect(supervisor.output.split('\n')).toContain('Atrium is ready');
  expect(await answers()).toBe(200);
});

it('keeps its secrets to itself', () => {
  for (const name of readdirSync(join(dataDir, 'state')))
    expect([name, statSync(join(dataDir, 'state', name)).mode & 0o077]).toEqual([name, 0]);
});

it('refuses a second instance in the same folder', async () => {
  const second = new Supervisor(dataDir, port);
  expect(await second.ended).toBe(1);
  expect(second.output).toMatch(/^Atrium already runs in this folder \(process \d+/);
  expect(await answers()).toBe(200);
});

it('refuses a taken port with a sentence, before any slow work', async () => {
  const { server, port: taken } = await listen();
  const folder = await mkdtemp(join(tmpdir(), 'atrium-supervisor-'));
  const other = new Supervisor(folder, taken);
  expect(await other.ended).toBe(1);
  expect(other.output).toContain(`Port ${taken} is taken by another program.`);
  expect(existsSync(join(folder, 'postgres'))).toBe(false);
  server.close();
  await rm(folder, { recursive: true });
});

it.each([
  [
    { LOG_LEVEL: 'verbose', API_HOST: '127.0.0.1' },
    'LOG_LEVEL is none of the values that it can have, and is "verbose".',
  ],
  [{ DATABASE_URL: 'mysql://db.example/x' }, 'DATABASE_URL must begin with postgres:// or postgresql://.'],
  [{ API_HOST: 'host.invalid' }, 'API_HOST=host.invalid is no address of this machine'],
  [{ DATA_DIR: '/etc/hostname' }, 'The data folder /etc/hostname cannot be used: '],
])('tells a mistake in the settings in words: %p', async (settings: Record<string, string>, sentence) => {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-supervisor-'));
  const { server, port: free } = await listen();
  server.close();
  const mistaken = new Supervisor(folder, free, settings);
  expect(await mistaken.ended).toBe(1);
  expect(mistaken.output).toContain(sentence);
  expect(mistaken.output).not.toMatch(/^\s+at /m);
  await rm(folder, { recursive: true });
});

it('replaces an app that hangs', async () => {
  const hung = pidOf('workflow-runner');
  process.kill(hung, 'SIGSTOP');
  await supervisor.says('workflow-runner has not answered for 20 s and is ended');
  await supervisor.says('workflow-runner runs again');
  expect(pidOf('workflow-runner')).not.toBe(hung);
  expect(runs(hung)).toBe(false);
  expect(await answers()).toBe(200);
});

it('starts an app again that died, and leaves the others alone', async () => {
  const api = pidOf('api');
  process.kill(pidOf('indexer'), 'SIGKILL');
  await supervisor.says('indexer runs again');
  expect(runs(pidOf('indexer'))).toBe(true);
  expect(pidOf('api')).toBe(api);
});

it('recovers by itself after kill -9, and keeps its data', async () => {
  await sql('CREATE TABLE kept AS SELECT 42 AS answer');
  const key = state('secrets-key');
  const orphan = pidOf('api');
  supervisor.process.kill('SIGKILL');
  await supervisor.ended;
  supervisor = new Supervisor(dataDir, port, LEAN);
  await supervisor.says('Atrium is ready');
  expect(await answers()).toBe(200);
  // On the same port, so that the former one is gone.
  expect(pidOf('api')).not.toBe(orphan);
  expect(await sql('SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect(state('secrets-key')).toBe(key);
});

it('stops the apps, Redis and Postgres when it is asked to', async () => {
  const pids = ['api', 'indexer', 'workflow-runner'].map(pidOf);
  supervisor.process.kill('SIGTERM');
  expect(await supervisor.ended).toBe(0);
  // One that ended with the supervisor is there until the system has taken note of it.
  await until(() => !pids.some(runs), 10_000).catch(() => undefined);
  expect(pids.filter(runs)).toEqual([]);
  // Both remove these only when they were shut down in good order.
  expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  expect(existsSync(join(dataDir, 'redis', 'redis.pid'))).toBe(false);
});
