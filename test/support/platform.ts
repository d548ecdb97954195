import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { testEnv } from './config.js';
import { createTestDatabase, type TestDatabase } from './database.js';

export type AppName = 'api' | 'indexer' | 'workflow-runner';

export interface RunningApp {
  name: AppName;
  process: ChildProcess;
  /** What it said when it was ready; the api says its `port`. */
  ready: Record<string, unknown>;
  /** Everything that it logged. */
  log(): string;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface Platform {
  database: TestDatabase;
  baseUrl: string;
  env: Record<string, string>;
  apps: RunningApp[];
  /** Starts one more replica, such as a second api or a successor of a killed worker. */
  start(name: AppName, overrides?: Record<string, string>): Promise<RunningApp>;
  stop(): Promise<void>;
}

const ROOT = resolve(__dirname, '../..');
/** What Node made of the code, for the next process: some tenths of a second of a processor for each. */
const COMPILED = join(ROOT, 'node_modules/.cache/atrium/compiled');
/** A stalled machine takes its time; Jest ends what hangs. */
const READY_WITHIN_MS = 200_000;

/** A built app as a process of its own; whoever starts it ends it. */
export async function startApp(name: AppName, env: Record<string, string>): Promise<RunningApp> {
  const child = spawn(process.execPath, [join(ROOT, 'apps', name, 'dist/main.js')], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const ready = await new Promise<Record<string, unknown>>((done, fail) => {
    const timer = setTimeout(
      () => fail(new Error(`${name} is not ready after ${READY_WITHIN_MS} ms:\n${output}`)),
      READY_WITHIN_MS,
    );
    child.once('exit', (code) => fail(new Error(`${name} ended with ${code}:\n${output}`)));
    child.on('message', (message: Record<string, unknown>) => {
      if (message.type !== 'ready') return;
      clearTimeout(timer);
      done(message);
    });
  });
  return {
    name,
    process: child,
    ready,
    log: () => output,
    async kill(signal = 'SIGTERM') {
      child.kill(signal);
      await exited;
    },
  };
}

/** The built apps as processes of their own, on a database, Redis prefix and storage folder of the test's own. */
export async function startPlatform(
  names: AppName[] = ['api', 'indexer', 'workflow-runner'],
  overrides: Record<string, string> = {},
): Promise<Platform> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'atrium-platform-'));
  const env = testEnv(database.url, {
    STORAGE_DIR: join(folder, 'files'),
    OUTBOX_DIR: join(folder, 'outbox'),
    RATE_LIMITS: 'false',
    ...overrides,
  });
  const apps: RunningApp[] = [];
  const start = async (name: AppName, more: Record<string, string> = {}) => {
    const app = await startApp(name, { ...env, ...more });
    apps.push(app);
    return app;
  };
  const stop = async () => {
    await Promise.all(
      apps.filter((app) => app.process.exitCode === null && app.process.signalCode === null).map((app) => app.kill()),
    );
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(names.map((name) => start(name)));
  } catch (error) {
    await stop();
    throw error;
  }
  const api = apps.find((app) => app.name === 'api');
  return { database, baseUrl: api ? `http://127.0.0.1:${String(api.ready.port)}` : '', env, apps, start, stop };
}
