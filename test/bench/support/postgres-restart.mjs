import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    // A zombie, whose parent has not looked yet, is dead all the same.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/**
 * Ends the server as a machine that loses power would, and starts it again with the same arguments (Linux).
 * @returns a function that ends the new one: whoever started the old one does not know it
 */
export async function restartPostgres(dataSource, { downMs = 1000 } = {}) {
  const [{ data_directory: folder }] = await dataSource.query('SHOW data_directory');
  const pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const [program, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const env = Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const { uid, gid } = statSync(folder);
  process.kill(pid, 'SIGQUIT');
  while (isAlive(pid)) await sleep(50);
  await sleep(downMs);
  const server = spawn(program, args, { uid, gid, env, cwd: '/', stdio: 'ignore', detached: true });
  const exited = new Promise((done) => server.once('exit', done));
  for (let ready = false; !ready;) {
    await sleep(100);
    ready = await dataSource.query('SELECT 1').then(
      () => true,
      () => false,
    );
  }
  return async () => {
    server.kill('SIGQUIT');
    await exited;
  };
}
