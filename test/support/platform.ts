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

interface Deployment {
  database: TestDatabase;
  env: Record<string, string>;
  /** The apps that are processes, also those that have ended. */
  apps: RunningApp[];
  /** Starts one more replica as a process, such as a second api or a successor of a killed worker. */
  start(name: AppName, overrides?: Record<string, string>): Promise<RunningApp>;
  /** Ends all that still runs, and removes what it worked on. */
  stop(): Promise<void>;
}

export interface Platform extends Deployment {
  /** Of its first api. */
  readonly baseUrl: string;
}

const ROOT = resolve(__dirname, '../..');
/** What Node made of the code, for the next process: some tenths of a second of a processor for each. */
const COMPILED = join(ROOT, 'node_modules/.cache/atrium/compiled');
/** A stalled machine takes its time; Jest ends what hangs. */
const READY_WITHIN_MS = 400_000;

/** A built app as a process of its own; whoever starts it ends it. */
export async function startApp(name: AppName, env: Record<string, string>): Promise<RunningApp> {
  const child = spawn(process.execPath, [join(ROOT, 'apps', name, 'dist/main.js')], {
    // What is killed leaves its temporary files: they go with the folder of this run of the tests.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: tmpdir(), NODE_COMPILE_CACHE: COMPILED, ...env },
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

/** A database, Redis prefix and storage folder of the test's own, and no app yet. */
export async function prepareDeployment(overrides: Record<string, string>): Promise<Deployment> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'atrium-platform-'));
  const env = testEnv(database.url, {
    STORAGE_DIR: join(folder, 'files'),
    OUTBOX_DIR: join(folder, 'outbox'),
    RATE_LIMITS: 'false',
    ...overrides,
  });
  const apps: RunningApp[] = [];
  return {
    database,
    env,
    apps,
    async start(name, more = {}) {
      const app = await startApp(name, { ...env, ...more });
      apps.push(app);
      return app;
    },
    async stop() {
      await Promise.all(
        apps.filter((app) => app.process.exitCode === null && app.process.signalCode === null).map((app) => app.kill()),
      );
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The built apps as processes of their own: for tests that end one or read its log; others take `hostPlatform()`. */
export async function startPlatform(
  names: AppName[] = ['api', 'indexer', 'workflow-runner'],
  overrides: Record<string, string> = {},
): Promise<Platform> {
  const deployment = await prepareDeployment(overrides);
  try {
    await Promise.all(names.map((name) => deployment.start(name)));
  } catch (error) {
    await deployment.stop();
    throw error;
  }
  return { ...deployment, baseUrl: addressOfApi(deployment) };
}

/** Of the first api that was started as a process; empty where there is none. */
export function addressOfApi({ apps }: Pick<Deployment, 'apps'>): string {
  const api = apps.find((app) => app.name === 'api');
  return api ? `http://127.0.0.1:${String(api.ready.port)}` : '';
}
