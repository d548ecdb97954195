import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { say, UserError } from './lib/log.mjs';
import { nodeBinary, withToolsOnPath } from './lib/node-runtime.mjs';
import { inRoot, ROOT } from './lib/paths.mjs';
import { endCommands, run, signal } from './lib/processes.mjs';
import { readEnvironment } from './lib/settings.mjs';
import { build, install } from './lib/setup.mjs';
import { onStopRequest } from './lib/stop-requests.mjs';
import { TestServers } from './lib/test-servers.mjs';

// What one test file leaves behind is collected in a large young generation for a tenth less of a processor.
const YOUNG = ['--min-semi-space-size=64', '--max-semi-space-size=64'];
const JEST = [...YOUNG, '--experimental-vm-modules', '--no-warnings', inRoot('node_modules', 'jest', 'bin', 'jest.js')];

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
 * `npm run check`, step by step beside what goes on: each is for one processor, and only the types need the build.
 * @param everyday the types alone: the rest would take a tenth of the time that people wait for
 * @returns what it complains of; empty when all is well
 */
async function check(env, built, everyday) {
  const complaintsOf = async (script) => {
    const { code, output } = await run('npm', ['run', '--silent', script], { cwd: ROOT, env });
    return code === 0 ? '' : `npm run ${script}:\n${output.trim()}\n`;
  };
  const complaints = everyday ? [] : [await complaintsOf('lockfile'), await complaintsOf('lint')];
  await built;
  return [...complaints, await complaintsOf('typecheck')].join('');
}

/**
 * `npm test`: sets up, starts throw-away servers, runs the tests, and beside them the type check, and lint with `--all`
 * (neither where only some tests were asked for). The last line of the output is `N passed, N failed, N skipped`.
 * @param {string[]} given `--all`, for the thorough tests as well (test/support/jest/thorough.mjs), or arguments of Jest, which
 *   asks for thorough ones by their names
 */
export async function test(given) {
  const args = given.filter((arg) => arg !== '--all');
  const everyday = given.length === 0 && process.env.ATRIUM_LONG !== '1';
  const servers = new TestServers();
  const stop = async (code) => {
    endCommands();
    await servers.stop();
    process.exit(code);
  };
  onStopRequest({
    stop: (reason) => {
      say(`\nStopping (${reason}) ...`);
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
    const tests = everyday ? 'everyday' : 'all';
    const base = withToolsOnPath({ ...readEnvironment(), NODE_ENV: 'test', ATRIUM_TESTS: tests });
    const built = build();
    const checking = args.length > 0 ? '' : check(base, built, everyday);
    const [addresses] = await Promise.all([servers.start(base), built]);
    const { code, passed, failed, skipped } = await runJest(args, { ...base, ...addresses }, servers.folder);
    await servers.stop();
    const complaints = await checking;
    if (complaints) say(`\nThe checks failed (npm run check):\n${complaints}`);
    process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    process.exitCode = code !== 0 ? code : Number(complaints !== '' || failed > 0 || passed + failed === 0);
  } catch (error) {
    say(error instanceof UserError ? error.message : error.stack);
    await stop(1);
  }
}
