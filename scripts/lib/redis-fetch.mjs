import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { withoutSecrets } from './child-environments.mjs';
import { step } from './log.mjs';
import { run } from './processes.mjs';

/** Fetched servers are shared by all clones of one user, and survive `rm -rf .data`. */
export function cacheFolders(fallback) {
  const base = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  return [path.join(base, 'atrium'), path.join(fallback, 'cache')];
}

function release() {
  try {
    const text = fs.readFileSync('/etc/os-release', 'utf8');
    const field = (name) => new RegExp(`^${name}="?([\\w.-]+)`, 'm').exec(text)?.[1] ?? 'unknown';
    return `${field('ID')}-${field('VERSION_ID')}-${process.arch}`;
  } catch {
    return `${process.platform}-${process.arch}`;
  }
}

/** Debian's packages need their libraries at their side: usr/lib/<triplet>. */
export function fetchedServer(folder) {
  const root = path.join(folder, `redis-${release()}`);
  const binary = path.join(root, 'usr', 'bin', 'redis-server');
  if (!fs.existsSync(binary)) return null;
  const library = fs.readdirSync(path.join(root, 'usr', 'lib')).find((name) => name.endsWith('-linux-gnu'));
  return { binary, env: library ? { LD_LIBRARY_PATH: path.join(root, 'usr', 'lib', library) } : {} };
}

async function succeed(command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.at(-1)}: ${output.trim().split('\n').slice(-3).join(' ')}`);
  return output;
}

/** apt with lists and caches of its own, so that it needs neither root nor the machine's lists. */
function privateApt(scratch) {
  for (const folder of ['lists/partial', 'cache/archives/partial', 'state', 'debs', 'root'])
    fs.mkdirSync(path.join(scratch, folder), { recursive: true });
  fs.writeFileSync(path.join(scratch, 'state/status'), '');
  return Object.entries({
    'Dir::State::lists': `${scratch}/lists`,
    'Dir::Cache': `${scratch}/cache`,
    'Dir::State': `${scratch}/state`,
    'Dir::State::status': `${scratch}/state/status`,
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

/** The libraries that a package links to, under the names of this release (libssl3 is libssl3t64 on newer ones). */
async function librariesOf(apt, name, env) {
  const listing = await succeed('apt-cache', [...apt, 'depends', name], { env });
  const names = [...listing.matchAll(/^ {2}(?:Pre)?Depends: (lib[\w.+-]+)$/gm)].map((match) => match[1]);
  return names.filter((library) => !['libc6', 'libgcc-s1', 'libstdc++6'].includes(library));
}

async function unpackFromApt(scratch) {
  const apt = privateApt(scratch);
  const env = { ...withoutSecrets(), LC_ALL: 'C' };
  await succeed('apt-get', [...apt, '-qq', 'update'], { env });
  // redis-tools holds the server binary under the name of its checking tool.
  const packages = ['redis-tools', ...(await librariesOf(apt, 'redis-tools', env))];
  await succeed('apt-get', [...apt, '-qq', 'download', ...packages], { env, cwd: path.join(scratch, 'debs') });
  const root = path.join(scratch, 'root');
  for (const file of fs.readdirSync(path.join(scratch, 'debs')))
    await succeed('dpkg', ['-x', path.join(scratch, 'debs', file), root]);
  fs.symlinkSync('redis-check-rdb', path.join(root, 'usr', 'bin', 'redis-server'));
  return root;
}

/**
 * Fetches Debian's or Ubuntu's Redis, without root, into the first of the folders that can be written.
 * @param {string[]} folders
 * @returns {Promise<string | null>} why it did not work; null when it did
 */
export async function fetchFromApt(folders) {
  if ((await run('apt-get', ['--version'])).code !== 0 || (await run('dpkg', ['--version'])).code !== 0)
    return 'this system has no apt';
  for (const folder of folders) {
    let scratch;
    try {
      fs.mkdirSync(folder, { recursive: true });
      scratch = fs.mkdtempSync(path.join(folder, 'fetch-'));
    } catch {
      continue;
    }
    try {
      const root = await step('Fetching Redis from the packages of this system', () => unpackFromApt(scratch));
      const target = path.join(folder, `redis-${release()}`);
      if (!fs.existsSync(target)) fs.renameSync(root, target);
      return null;
    } catch (error) {
      return error.message;
    } finally {
      fs.rmSync(scratch, { recursive: true, force: true });
    }
  }
  return 'no folder to keep it in can be written';
}
