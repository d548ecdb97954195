import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { tailOf } from './log-files.mjs';
import { UserError } from './log.mjs';
import { nodeBinary } from './node-runtime.mjs';
import { NODE_SWITCHES } from './node-switches.mjs';
import { inRoot, ROOT } from './paths.mjs';
import { endProcess } from './processes.mjs';

export const APPS = ['api', 'indexer', 'workflow-runner'];

/** An app that lives and is not ready works at it: on a machine with much else to do that takes a while. */
const READY_WITHIN_MS = 180_000;

async function answersReady(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

/**
 * Apps send `{type: 'ready'}` to their parent. The api has to say so over HTTP as well; what answers there before it has
 * the port is somebody else.
 */
function readiness(child, name, readyUrl) {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const announced = new Promise((resolve) => {
    child.on('message', (message) => message?.type === 'ready' && resolve('ready'));
  });
  const ended = new Promise((resolve) => {
    child.once('exit', () => resolve('ended'));
    child.once('error', () => resolve('ended'));
  });
  const polled = async () => {
    await announced;
    while (!hasEnded()) {
      if (await answersReady(readyUrl)) return 'ready';
      await sleep(50);
    }
    return ended;
  };
  const late = sleep(READY_WITHIN_MS, 'late', { ref: false });
  return Promise.race([ended, late, name === 'api' ? polled() : announced]);
}

/**
 * Starts an app in a process group of its own, so that a terminal's Ctrl-C reaches only the supervisor, with an ipc
 * channel that closes with the supervisor.
 * @param {{ name: string, env: NodeJS.ProcessEnv, log: { fd: number, file: string }, readyUrl: string, inspectAt?: number | undefined, hear?: (message: object) => void, track: (child: import('node:child_process').ChildProcess) => void }} options `hear` gets what the app tells
 * @returns {Promise<import('node:child_process').ChildProcess>} once it is ready
 */
export async function launchApp({ name, env, log, readyUrl, inspectAt, hear, track }) {
  const inspector = inspectAt ? [`--inspect=127.0.0.1:${inspectAt}`] : [];
  const child = spawn(nodeBinary(), [...inspector, ...NODE_SWITCHES, inRoot('apps', name, 'dist', 'main.js')], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  if (child.pid) track(child);
  if (hear) child.on('message', hear);
  const outcome = await readiness(child, name, readyUrl);
  if (outcome === 'ready') return child;
  if (outcome === 'late') await endProcess(child.pid);
  const what = outcome === 'late' ? `was not ready within ${READY_WITHIN_MS / 1000} s` : 'ended while it started';
  throw new UserError(`${name} ${what}. The end of ${log.file}:\n${tailOf(log.file)}`);
}
