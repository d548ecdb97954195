import fs from 'node:fs';
import path from 'node:path';
import { launchAnywhere } from './embedded-server.mjs';
import { tryLock } from './lock.mjs';
import { openLog } from './log-files.mjs';
import { DURABLE, preparePostgres, stopLeftoverPostgres, THROW_AWAY } from './postgres.mjs';
import { endProcess } from './processes.mjs';
import { prepareRedis, stopLeftoverRedis } from './redis.mjs';
import { memoryFolder, temporaryFolders } from './temporary-folders.mjs';

const PREFIX = 'atrium-test-';
/** Nothing of value lies in these servers, and both listen on this machine only. */
const PASSWORD = 'test';

/** What they hold is thrown away, so they need not write it out. */
const endAtOnce = (pid) => endProcess(pid, { ask: 'SIGQUIT', timeoutMs: 5000 });

const part = (folder, name) => path.join(folder, name);

async function removeLeftover(folder) {
  const lock = tryLock(part(folder, 'lock'));
  if (!('release' in lock)) return;
  await Promise.all([stopLeftoverPostgres(part(folder, 'postgres')), stopLeftoverRedis(part(folder, 'redis'))]);
  fs.rmSync(folder, { recursive: true, force: true });
}

/** Servers and folders of test runs that were killed. */
async function removeLeftovers() {
  for (const home of temporaryFolders())
    for (const name of fs.readdirSync(home).filter((entry) => entry.startsWith(PREFIX))) {
      const folder = part(home, name);
      if (fs.statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid()) await removeLeftover(folder);
    }
}

/** A Postgres and a Redis for one test run, in a folder of their own that is removed at its end. */
export class TestServers {
  #children = {};
  #stopped = false;
  #durable;

  /** @param {{ durable?: boolean }} options durable servers write as those of `npm start` do: for benchmarks */
  constructor({ durable = false } = {}) {
    this.#durable = durable;
    // A disk is what durable ones are measured with.
    const [onDisk] = temporaryFolders();
    this.folder = fs.mkdtempSync(part(durable ? onDisk : (memoryFolder() ?? onDisk), PREFIX));
    tryLock(part(this.folder, 'lock'));
  }

  /**
   * @param {NodeJS.ProcessEnv} env servers that it names are used instead
   * @returns {Promise<{ TEST_DATABASE_URL: string, TEST_REDIS_URL: string }>}
   */
  async start(env) {
    await removeLeftovers();
    if (process.getuid() === 0) fs.chmodSync(this.folder, 0o711);
    const started = await Promise.allSettled([
      env.TEST_DATABASE_URL ?? this.#startPostgres(),
      env.TEST_REDIS_URL ?? this.#startRedis(),
    ]);
    for (const outcome of started) if (outcome.status === 'rejected') throw outcome.reason;
    const [TEST_DATABASE_URL, TEST_REDIS_URL] = started.map((outcome) => outcome.value);
    return { TEST_DATABASE_URL, TEST_REDIS_URL };
  }

  #track(name) {
    return (child) => {
      this.#children[name] = child;
      if (this.#stopped) child.kill('SIGKILL');
    };
  }

  async #startPostgres() {
    const cluster = part(this.folder, 'postgres');
    const log = openLog(this.folder, 'postgres');
    const server = await preparePostgres({
      cluster,
      password: PASSWORD,
      settings: this.#durable ? DURABLE : THROW_AWAY,
      log,
    });
    const { port } = await launchAnywhere(server, undefined, this.#track('postgres'));
    return server.urlAt(port, 'postgres');
  }

  async #startRedis() {
    const folder = part(this.folder, 'redis');
    fs.mkdirSync(folder, { mode: 0o700 });
    const log = openLog(this.folder, 'redis');
    const server = await prepareRedis({
      folder,
      dataRoot: this.folder,
      password: PASSWORD,
      durable: this.#durable,
      log,
    });
    const { port } = await launchAnywhere(server, undefined, this.#track('redis'));
    return server.urlAt(port);
  }

  async stop() {
    this.#stopped = true;
    await Promise.all(Object.values(this.#children).map((child) => child.pid && endAtOnce(child.pid)));
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
