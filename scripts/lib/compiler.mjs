import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { nodeBinary } from './node-runtime.mjs';
import { inRoot, ROOT } from './paths.mjs';

const DONE = /Found (\d+) errors?\. Watching/;
const CHATTER = /^\s*$|Starting (?:incremental )?compilation/;

/**
 * TypeScript's own watch over all workspaces.
 * @param {{ onDone: (errors: number) => void, onLine: (line: string) => void, onEnd: () => void }} options `onDone` after each round
 * @returns {() => void} ends it
 */
export function watchCompiler({ onDone, onLine, onEnd }) {
  const tsc = inRoot('node_modules', 'typescript', 'bin', 'tsc');
  const child = spawn(nodeBinary(), [tsc, '-b', '--watch', '--preserveWatchOutput'], {
    cwd: ROOT,
    // It reads sources, and none of our settings.
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const errors = DONE.exec(line)?.[1];
    if (errors !== undefined) onDone(Number(errors));
    else if (!CHATTER.test(line)) onLine(line);
  });
  child.once('exit', onEnd);
  child.once('error', onEnd);
  return () => {
    child.removeAllListeners('exit');
    child.kill();
  };
}
