import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { serverEnvironment } from './child-environments.mjs';
import { connectionProblem, query } from './database.mjs';
import { UserError } from './log.mjs';
import { findPostgresBinaries } from './postgres-binaries.mjs';
import { commandLineOf, endProcess, isAlive, run } from './processes.mjs';
import { findUnprivilegedUser, giveTo } from './unprivileged-user.mjs';

const COMMON = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  jit: 'off',
  shared_buffers: '96MB',
  log_checkpoints: 'off',
};

const MIB = 1024 * 1024;
/** Pages are only taken when there is something to keep in them. */
const sharedBuffers = Math.round(Math.min(1024, Math.max(96, os.totalmem() / 16 / MIB)));

/** For people's data: durable (fsync and synchronous_commit stay on), with a cache in proportion to the machine. */
export const DURABLE = {
  ...COMMON,
  shared_buffers: `${sharedBuffers}MB`,
  max_connections: '120',
  max_wal_size: '512MB',
};

/** For tests: a crash may lose everything, and what is written may lie in memory. */
export const THROW_AWAY = {
  ...COMMON,
  max_connections: '300',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',
  // Each app opens a dozen connections, and its password is known to all.
  scram_iterations: '1',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

/** initdb into a temporary name: an interrupted one is never taken for a cluster. */
async function createCluster(binaries, cluster, password, user, { scram_iterations: rounds }) {
  const unfinished = `${cluster}.unfinished`;
  const passwordFile = `${cluster}.password`;
  fs.rmSync(unfinished, { recursive: true, force: true });
  fs.mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  fs.writeFileSync(passwordFile, password, { mode: 0o600 });
  giveTo(user, unfinished, passwordFile);
  const identity = ['-U', 'atrium', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  const locale = ['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const { code, output } = await run(
    path.join(binaries, 'bin', 'initdb'),
    [
      '-D',
      unfinished,
      ...identity,
      ...locale,
      '--no-instructions',
      ...(rounds ? ['-c', `scram_iterations=${rounds}`] : []),
    ],
    { ...user, cwd: '/', env: serverEnvironment({ LC_ALL: 'C' }) },
  );
  fs.rmSync(passwordFile, { force: true });
  if (code !== 0) throw new UserError(`Postgres could not create its data folder ${cluster}:\n${output.trim()}`);
  fs.renameSync(unfinished, cluster);
}

/** A server that outlived its supervisor would refuse a second one on its folder. */
export async function stopLeftoverPostgres(cluster) {
  const lock = path.join(cluster, 'postmaster.pid');
  if (!fs.existsSync(lock)) return false;
  const pid = Number(fs.readFileSync(lock, 'utf8').split('\n')[0]);
  const ours = isAlive(pid) && commandLineOf(pid).includes(cluster);
  if (ours) await endProcess(pid, { ask: 'SIGINT', timeoutMs: 15_000 });
  // Left from a crash, its pid can by now belong to anybody, and Postgres would believe that it still runs.
  fs.rmSync(lock, { force: true });
  return ours;
}

/**
 * The embedded Postgres of one cluster folder.
 * @param {{ cluster: string, password: string, settings: Record<string, string>, log: { fd: number, file: string } }} options
 */
export async function preparePostgres({ cluster, password, settings, log }) {
  const user = findUnprivilegedUser();
  const binaries = await findPostgresBinaries(user);
  await stopLeftoverPostgres(cluster);
  if (!fs.existsSync(path.join(cluster, 'PG_VERSION')))
    await createCluster(binaries, cluster, password, user, settings);
  const urlAt = (port, database) => `postgres://atrium:${password}@127.0.0.1:${port}/${database}`;

  /** @returns {import('node:child_process').ChildProcess} */
  const launch = (port) =>
    spawn(
      path.join(binaries, 'bin', 'postgres'),
      [
        '-D',
        cluster,
        '-p',
        String(port),
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      {
        ...user,
        cwd: '/',
        env: serverEnvironment({ LC_ALL: 'C' }),
        detached: true,
        // Straight into the file: it stays writable when the supervisor is killed.
        stdio: ['ignore', log.fd, log.fd],
      },
    );

  const answers = async (port) => {
    await query(urlAt(port, 'postgres'), 'select 1');
  };
  return { name: 'Postgres', logFile: log.file, urlAt, launch, answers };
}

/** @returns {Promise<void>} once the server at the address answers; throws a sentence when it does not */
export async function assertPostgresAnswers(url) {
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new UserError('DATABASE_URL must begin with postgres:// or postgresql://.');
  const problem = await connectionProblem(url);
  if (problem) throw new UserError(`The Postgres of DATABASE_URL cannot be used: ${problem}.`);
}
