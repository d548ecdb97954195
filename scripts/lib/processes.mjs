import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const linux = process.platform === 'linux';

/** The fields of /proc/<pid>/stat after the command name, which may itself hold spaces and brackets. */
function procStat(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function ps(pid, column) {
  try {
    return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}

const bootId = () => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/**
 * What tells this run of a process from a later one with the same pid; null when none runs. A zombie does not run.
 * @param {number} pid
 * @returns {string | null}
 */
export function identityOf(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (linux) {
    const stat = procStat(pid);
    return stat && !['Z', 'X'].includes(stat[0]) ? `${bootId()}:${stat[19]}` : null;
  }
  const state = ps(pid, 'state');
  return state && !state.startsWith('Z') ? ps(pid, 'lstart') : null;
}

/** @param {number} pid */
export const isAlive = (pid) => identityOf(pid) !== null;

/** @param {{ pid: number, identity: string | null } | null | undefined} reference */
export const stillRuns = (reference) =>
  Boolean(reference?.identity) && identityOf(reference.pid) === reference.identity;

/** @param {number} pid */
export function commandLineOf(pid) {
  if (!linux) return ps(pid, 'args');
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Where a process works, or null when that cannot be told (on macOS, or when it is another user's). */
export function workingFolderOf(pid) {
  try {
    return linux ? fs.readlinkSync(`/proc/${pid}/cwd`) : null;
  } catch {
    return null;
  }
}

/** The user who owns the process, or -1. */
export function ownerOf(pid) {
  try {
    return linux ? fs.statSync(`/proc/${pid}`).uid : Number(ps(pid, 'uid') || -1);
  } catch {
    return -1;
  }
}

/** Sends a signal; a process that is gone already is no error. */
export function signal(pid, name) {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    if (error.code === 'ESRCH' || error.code === 'EPERM') return false;
    throw error;
  }
}

/**
 * Asks a process to end, waits, and ends it and its whole process group by force when it does not.
 * @param {number} pid leader of its own process group
 * @param {{ ask?: NodeJS.Signals, timeoutMs?: number }} [options]
 * @returns {Promise<boolean>} whether it ended by itself
 */
export async function endProcess(pid, { ask = 'SIGTERM', timeoutMs = 8000 } = {}) {
  const reference = { pid, identity: identityOf(pid) };
  let polite = true;
  if (stillRuns(reference)) {
    signal(pid, ask);
    const deadline = Date.now() + timeoutMs;
    while (stillRuns(reference) && Date.now() < deadline) await sleep(25);
    polite = !stillRuns(reference);
    if (!polite) signal(pid, 'SIGKILL');
  }
  // Children that it left behind are still in its group.
  signal(-pid, 'SIGKILL');
  while (stillRuns(reference)) await sleep(25);
  return polite;
}

/** Commands under way, for endCommands. */
const commands = new Set();

/** Ends the commands that `run` started: an install or a build that nobody waits for any more. */
export function endCommands() {
  // By force: npm does not always end on SIGTERM, and each of our commands can be begun anew.
  for (const child of commands) if (child.pid) signal(-child.pid, 'SIGKILL');
}

/**
 * Runs a command to its end, in a process group of its own.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & { onSpawn?: (pid: number) => void }} [options]
 * @returns {Promise<{ code: number, output: string }>} output holds stdout and stderr
 */
export function run(command, args, { onSpawn, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options });
    commands.add(child);
    if (child.pid) onSpawn?.(child.pid);
    let output = '';
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    const finish = (result) => {
      commands.delete(child);
      resolve(result);
    };
    child.on('error', (error) => finish({ code: 127, output: error.message }));
    child.on('close', (code, killedBy) =>
      finish({ code: code ?? 1, output: killedBy ? `${output}\n${killedBy}` : output }),
    );
  });
}
