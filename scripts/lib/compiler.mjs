import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { nodeBinary } from './node-runtime.mjs';
import { inRoot, ROOT } from './paths.mjs';

const TSC = inRoot('node_modules', 'typescript-7', 'bin', 'tsc');
const ERROR = /\berror TS\d+:/;
/** In which the files that are saved together come. */
const QUIET_MS = 100;

const isSource = (file) =>
  file.split(path.sep).includes('src') || /^(package|tsconfig)\.json$/.test(path.basename(file));
const isIgnored = (file, stats) =>
  /[\\/](node_modules|dist)([\\/]|$)/.test(path.relative(ROOT, file)) || (stats?.isFile() && !isSource(file));

/**
 * Builds all workspaces now and after each change. The compiler's own watch does not see changes of references
 * (TypeScript 7.0); a build in which nothing is to be done takes it half a second.
 * @param {{ onDone: (errors: number) => void, onLine: (line: string) => void, onEnd: () => void }} options `onDone` after each round
 * @returns {() => void} ends it
 */
export function watchCompiler({ onDone, onLine, onEnd }) {
  let child = null;
  let isWanted = false;
  let timer = null;

  const build = () => {
    if (child) return void (isWanted = true);
    isWanted = false;
    let errors = 0;
    child = spawn(nodeBinary(), [TSC, '-b'], {
      cwd: ROOT,
      // It reads sources, and none of our settings.
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (ERROR.test(line)) errors += 1;
      if (line.trim()) onLine(line);
    });
    child.once('error', onEnd);
    child.once('close', (code) => {
      child = null;
      onDone(errors || Number(code !== 0));
      if (isWanted) build();
    });
  };
  const buildSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(build, QUIET_MS);
  };

  // Not at the top of this file, which is read before anything is installed.
  const watching = import('chokidar').then(({ watch }) =>
    watch([inRoot('libs'), inRoot('apps')], { ignored: isIgnored, ignoreInitial: true })
      .on('all', buildSoon)
      .on('error', onEnd)
      .on('ready', buildSoon),
  );
  watching.catch(onEnd);
  return () => {
    clearTimeout(timer);
    void watching.then((watcher) => watcher.close());
    child?.removeAllListeners('close');
    child?.kill();
  };
}
