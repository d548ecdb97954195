// The first thing that runs on a fresh clone, under whatever Node the machine has (18 or newer), before anything is
// installed: it and all it imports at the top use Node's own modules only. Usage:
//   bootstrap.mjs start               the platform
//   bootstrap.mjs dev                 the platform, compiled and started anew with each change
//   bootstrap.mjs test [--all | jest args]    the tests
//   bootstrap.mjs run <file> [args]   any other script of ours, set up and under Node 24
import { spawn } from 'node:child_process';
import { say, UserError } from './lib/log.mjs';

async function runScript([file, ...args]) {
  const { build, install } = await import('./lib/setup.mjs');
  const { nodeBinary, withToolsOnPath } = await import('./lib/node-runtime.mjs');
  const { ROOT } = await import('./lib/paths.mjs');
  const { readEnvironment } = await import('./lib/settings.mjs');
  await install();
  await build();
  const child = spawn(nodeBinary(), [file, ...args], {
    cwd: ROOT,
    env: withToolsOnPath(readEnvironment()),
    stdio: 'inherit',
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name));
  child.on('exit', (code) => process.exit(code ?? 1));
}

const commands = {
  start: async () => (await import('./start.mjs')).start(),
  dev: async () => (await import('./dev.mjs')).dev(),
  test: async (args) => (await import('./test.mjs')).test(args),
  run: runScript,
};

const [name, ...args] = process.argv.slice(2);
try {
  if (Number(process.versions.node.split('.')[0]) < 18)
    throw new UserError(`This is Node ${process.versions.node}; any Node from 18 on will do to start with.`);
  if (!Object.hasOwn(commands, name))
    throw new UserError(`Usage: bootstrap.mjs ${Object.keys(commands).join('|')} ...`);
  await commands[name](args);
} catch (error) {
  say(error instanceof UserError ? error.message : error.stack);
  process.exit(1);
}
