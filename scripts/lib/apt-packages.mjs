import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { withoutSecrets } from './child-environments.mjs';
import { step } from './log.mjs';
import { run } from './processes.mjs';

/** A user that the machine does not know, as of `docker run --user`, has no home. */
function homeFolder() {
  try {
    return os.homedir();
  } catch {
    return null;
  }
}

/**
 * Fetched servers are shared by all clones of one user, and survive `rm -rf .data`; where there is no home, they do not.
 * @param {string} fallback
 */
export function cacheFolders(fallback) {
  const home = homeFolder();
  const base = process.env.XDG_CACHE_HOME || (home && path.join(home, '.cache'));
  return [...(base ? [path.join(base, 'atrium')] : []), path.join(fallback, 'cache')];
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

const targetOf = (folder, name) => path.join(folder, `${name}-${release()}`);

/**
 * Where a server was fetched to, with the libraries at its side: usr/lib/<triplet>.
 * @param {string} folder
 * @param {string} name
 * @param {string} program its path within
 * @returns {{ root: string, binary: string, env: Record<string, string> } | null}
 */
export function fetchedServer(folder, name, program) {
  const root = targetOf(folder, name);
  const binary = path.join(root, program);
  if (!fs.existsSync(binary)) return null;
  const libraries = ['usr/lib', 'lib'].flatMap((part) => {
    const home = path.join(root, part);
    const triplet = fs.existsSync(home) && fs.readdirSync(home).find((entry) => entry.endsWith('-linux-gnu'));
    return triplet ? [path.join(home, triplet)] : [];
  });
  return { root, binary, env: libraries.length > 0 ? { LD_LIBRARY_PATH: libraries.join(':') } : {} };
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

async function unpackFromApt(scratch, name) {
  const apt = privateApt(scratch);
  const env = { ...withoutSecrets(), LC_ALL: 'C' };
  await succeed('apt-get', [...apt, '-qq', 'update'], { env });
  const packages = [name, ...(await librariesOf(apt, name, env))];
  await succeed('apt-get', [...apt, '-qq', 'download', ...packages], { env, cwd: path.join(scratch, 'debs') });
  const root = path.join(scratch, 'root');
  for (const file of fs.readdirSync(path.join(scratch, 'debs')))
    await succeed('dpkg', ['-x', path.join(scratch, 'debs', file), root]);
  return root;
}

/**
 * Fetches a server from the packages of Debian or Ubuntu, without root, into the first of the folders that can be written.
 * @param {string[]} folders
 * @param {{ name: string, title: string, packageName: string, finish?: (root: string) => void }} server
 * @returns {Promise<string | null>} why it did not work; null when it did
 */
export async function fetchFromApt(folders, { name, title, packageName, finish }) {
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
      const root = await step(`Fetching ${title} from the packages of this system`, () =>
        unpackFromApt(scratch, packageName),
      );
      finish?.(root);
      const target = targetOf(folder, name);
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
