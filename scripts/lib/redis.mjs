import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { serverEnvironment } from './child-environments.mjs';
import { UserError } from './log.mjs';
import { commandLineOf, endProcess, isAlive, ownerOf, run, workingFolderOf } from './processes.mjs';
import { ping } from './redis-ping.mjs';
import { cacheFolders, fetchedServer, fetchFromApt } from './redis-fetch.mjs';

const OLDEST_MAJOR = 5;

async function works({ binary, env }) {
  const { code, output } = await run(binary, ['--version'], { env: serverEnvironment(env) });
  return code === 0 && Number(/v=(\d+)/.exec(output)?.[1] ?? 0) >= OLDEST_MAJOR;
}

async function firstThatWorks(candidates) {
  for (const candidate of candidates) if (candidate && (await works(candidate))) return candidate;
  return null;
}

/** A server on the PATH, else one that we fetched before, else one that we fetch now. */
async function findServer(dataRoot) {
  const folders = cacheFolders(dataRoot);
  const onPath = ['redis-server', 'valkey-server'].map((binary) => ({ binary, env: {} }));
  const found = (await firstThatWorks(onPath)) ?? (await firstThatWorks(folders.map(fetchedServer)));
  if (found) return found;
  const problem = process.platform === 'linux' ? await fetchFromApt(folders) : 'this system has no apt';
  const fetched = await firstThatWorks(folders.map(fetchedServer));
  if (fetched) return fetched;
  const install = process.platform === 'darwin' ? 'brew install redis' : 'for example: apt-get install redis-server';
  throw new UserError(
    `Atrium needs Redis, and could not fetch it (${problem ?? 'the fetched one does not run here'}). ` +
      `Install redis-server or valkey-server (${install}), or set REDIS_URL to a server of yours, or try again with a connection to the package servers.`,
  );
}

/** Redis rewrites its command line, so its working folder tells whose server it is. */
export async function stopLeftoverRedis(folder) {
  const pidFile = path.join(folder, 'redis.pid');
  if (!fs.existsSync(pidFile)) return false;
  const pid = Number(fs.readFileSync(pidFile, 'utf8'));
  const looksLikeOurs = isAlive(pid) && /redis|valkey/.test(commandLineOf(pid)) && ownerOf(pid) === process.getuid();
  const workingFolder = workingFolderOf(pid);
  const ours = looksLikeOurs && (workingFolder === null || workingFolder === fs.realpathSync(folder));
  if (ours) await endProcess(pid);
  fs.rmSync(pidFile, { force: true });
  return ours;
}

const quote = (text) => `"${text.replace(/["\\]/g, '\\$&')}"`;

function writeConfiguration(folder, { port, password, durable }) {
  const persistence = durable ? ['appendonly yes', 'appendfsync everysec'] : ['appendonly no'];
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `requirepass ${password}`,
    `dir ${quote(folder)}`,
    `pidfile ${quote(path.join(folder, 'redis.pid'))}`,
    'daemonize no',
    'save ""',
    'maxmemory-policy noeviction',
    ...persistence,
  ];
  const file = path.join(folder, 'redis.conf');
  fs.writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return file;
}

/** @throws UserError when the server that the user named cannot be used */
export async function assertRedisAnswers(url) {
  if (!/^rediss?:\/\//.test(url)) throw new UserError('REDIS_URL must begin with redis:// or rediss://.');
  try {
    await ping(url);
  } catch (error) {
    throw new UserError(`The Redis of REDIS_URL cannot be used: ${error.message}.`);
  }
}

/**
 * The embedded Redis of one folder.
 * @param {{ folder: string, dataRoot: string, password: string, durable: boolean, log: { fd: number, file: string } }} options
 */
export async function prepareRedis({ folder, dataRoot, password, durable, log }) {
  const server = await findServer(dataRoot);
  await stopLeftoverRedis(folder);
  const urlAt = (port) => `redis://:${password}@127.0.0.1:${port}`;
  return {
    name: 'Redis',
    logFile: log.file,
    urlAt,
    launch: (port) =>
      spawn(server.binary, [writeConfiguration(folder, { port, password, durable })], {
        env: serverEnvironment(server.env),
        cwd: folder,
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      }),
    answers: (port) => ping(urlAt(port)),
  };
}
