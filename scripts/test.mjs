import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { say, UserError } from './lib/log.mjs';
import { nodeBinary, withToolsOnPath } from './lib/node-runtime.mjs';
import { inRoot, ROOT } from './lib/paths.mjs';
import { endCommands, signal } from './lib/processes.mjs';
import { readEnvironment } from './lib/settings.mjs';
import { build, install } from './lib/setup.mjs';
import { onStopRequest } from './lib/stop-requests.mjs';
import { TestServers } from './lib/test-servers.mjs';

const JEST = ['--experimental-vm-modules', '--no-warnings', inRoot('node_modules', 'jest', 'bin', 'jest.js')];

let current = null;

/** Runs a program that writes to our terminal; resolves to its exit code. */
function foreground(command, args, env) {
  return new Promise((resolve) => {
    current = spawn(command, args, { cwd: ROOT, env, stdio: 'inherit' });
    current.on('error', () => resolve(127));
    current.on('exit', (code) => resolve(code ?? 1));
  });
}

/** @returns {{ passed: number, failed: number, skipped: number }} a suite that could not even be loaded counts as failed */
function count(resultFile) {
  if (!fs.existsSync(resultFile)) return { passed: 0, failed: 0, skipped: 0 };
  const result = JSON.parse(fs.readFileSync(resultFile, 'utf8'));
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
    skipped: result.numPendingTests + result.numTodoTests,
  };
}

async function runJest(args, env, folder) {
  const resultFile = path.join(folder, 'result.json');
  // Beside the servers: in memory, where there is enough of it, and gone with them.
  const temporary = path.join(folder, 'tmp');
  fs.mkdirSync(temporary);
  const command = [...JEST, '--json', `--outputFile=${resultFile}`, ...args];
  const code = await foreground(nodeBinary(), command, { ...env, TMPDIR: temporary });
  return { code, ...count(resultFile) };
}

/**
 * `npm test`: sets up, starts throw-away servers, runs lint and type check (unless only some tests were asked for) and
 * the tests. The last line of the output is `N passed, N failed, N skipped`.
 * @param {string[]} args for jest
 */
export async function test(args) {
  const servers = new TestServers();
  const stop = async (code) => {
    await servers.stop();
    process.exit(code);
  };
  onStopRequest({
    stop: (reason) => {
      say(`\nStopping (${reason}) ...`);
      endCommands();
      current?.kill('SIGTERM');
      void stop(130);
    },
    force: () => {
      if (current?.pid) signal(current.pid, 'SIGKILL');
      process.exit(130);
    },
  });
  try {
    await install();
    const base = withToolsOnPath({ ...readEnvironment(), NODE_ENV: 'test' });
    const [addresses] = await Promise.all([servers.start(base), build()]);
    const env = { ...base, ...addresses };
    const checked = args.length > 0 ? 0 : await foreground('npm', ['run', '--silent', 'check'], env);
    if (checked !== 0) say('\nThe checks failed (npm run check); the tests run all the same.\n');
    const { code, passed, failed, skipped } = await runJest(args, env, servers.folder);
    await servers.stop();
    if (checked !== 0) say('The checks failed: see above, or run npm run check.');
    process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    process.exitCode = code !== 0 ? code : Number(checked !== 0 || failed > 0 || passed + failed === 0);
  } catch (error) {
    say(error instanceof UserError ? error.message : error.stack);
    await stop(1);
  }
}
