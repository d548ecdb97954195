import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

const known = new Map<string, readonly string[]>();

/**
 * What a program has to read to run: the packages that it finds, and the built code of the workspaces among them. No
 * data, settings or sources of the folders around.
 * @param entry absolute path of a built program of this repository, or of its image
 * @returns files, and folders (`…/*`), absolute
 */
export function readableCode(entry: string): readonly string[] {
  const found = known.get(entry) ?? findCode(existsSync(entry) ? realpathSync(entry) : entry);
  known.set(entry, found);
  return found;
}

function findCode(entry: string): string[] {
  const paths = new Set([entry]);
  let built = false;
  for (let folder = dirname(entry); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) {
      paths.add(manifest);
      if (!built) for (const path of workspace(folder)) paths.add(path);
      built = true;
    }
    const packages = join(folder, 'node_modules');
    if (!existsSync(packages)) continue;
    paths.add(join(packages, '*'));
    for (const path of linked(join(packages, '@app'))) paths.add(path);
  }
  return [...paths];
}

const workspace = (folder: string) => [
  join(folder, 'package.json'),
  join(folder, 'dist', '*'),
  join(folder, 'node_modules', '*'),
];

/** The workspaces are links out of node_modules. */
function linked(scope: string): string[] {
  if (!existsSync(scope)) return [];
  return readdirSync(scope)
    .filter((name) => existsSync(join(scope, name)))
    .flatMap((name) => workspace(realpathSync(join(scope, name))));
}
