import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from './log.mjs';
import { choosePort } from './ports.mjs';
import { endProcess } from './processes.mjs';

/**
 * @typedef {import('node:child_process').ChildProcess} ChildProcess
 * @typedef {{ name: string, logFile: string, launch(port: number): ChildProcess, answers(port: number): Promise<void> }} Server
 */

/** On a machine with much else to do a start takes a while. */
const READY_WITHIN_MS = 180_000;

/**
 * Starts the server on this port.
 * @param {Server} server
 * @param {(child: ChildProcess) => void} track
 * @returns {Promise<ChildProcess>} once it answers
 */
export async function launchOn(port, server, track) {
  const child = server.launch(port);
  let failure = null;
  child.once('error', (error) => {
    failure = error;
  });
  const isGone = () => failure !== null || child.exitCode !== null || child.signalCode !== null;
  if (child.pid) track(child);
  let problem = 'no answer';
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline && !isGone(); await sleep(30)) {
    try {
      await server.answers(port);
      return child;
    } catch (error) {
      problem = error.message;
    }
  }
  if (child.pid) await endProcess(child.pid, { ask: 'SIGINT', timeoutMs: 5000 });
  throw new UserError(
    `${server.name} did not start (${isGone() ? (failure?.message ?? 'it ended at once') : problem}); its log is ${server.logFile}.`,
  );
}

/**
 * Starts the server on a free port of this machine, the one of the last run when it can be had: addresses that
 * somebody wrote down then stay true.
 * @param {Server} server
 * @param {number | undefined} preferredPort
 * @param {(child: ChildProcess) => void} track
 * @returns {Promise<{ child: ChildProcess, port: number }>}
 */
export async function launchAnywhere(server, preferredPort, track) {
  const port = await choosePort(preferredPort);
  try {
    return { port, child: await launchOn(port, server, track) };
  } catch {
    // Between the look for a free port and its use somebody else can take it, and the memory of a Postgres that was
    // killed can take a moment to be freed: once more, elsewhere.
    await sleep(500);
    const other = await choosePort();
    return { port: other, child: await launchOn(other, server, track) };
  }
}
