import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const GROUPS = ['libs', 'apps'];

/**
 * What the compiler writes, told by content: it touches files that stay as they were, and an app need not start again
 * because of a comment.
 */
export class BuiltOutput {
  #known = new Map();

  /** @param {string} root folder that holds `libs` and `apps` */
  constructor(root) {
    this.root = root;
    this.changes();
  }

  /** @returns {Set<string>} the workspaces (`libs/common`) whose built JavaScript is not what it was at the last look */
  changes() {
    const found = new Map();
    const changed = new Set();
    for (const { workspace, file } of this.#files()) {
      const { mtimeMs, size } = fs.statSync(file);
      const before = this.#known.get(file);
      const isUntouched = before?.mtimeMs === mtimeMs && before.size === size;
      const hash = isUntouched ? before.hash : hashOf(file);
      found.set(file, { workspace, mtimeMs, size, hash });
      if (before?.hash !== hash) changed.add(workspace);
    }
    for (const [file, { workspace }] of this.#known) if (!found.has(file)) changed.add(workspace);
    this.#known = found;
    return changed;
  }

  *#files() {
    for (const group of GROUPS)
      for (const name of foldersIn(path.join(this.root, group))) {
        const workspace = `${group}/${name}`;
        const dist = path.join(this.root, workspace, 'dist');
        if (!fs.existsSync(dist)) continue;
        for (const entry of fs.readdirSync(dist, { recursive: true, withFileTypes: true }))
          if (entry.isFile() && entry.name.endsWith('.js'))
            yield { workspace, file: path.join(entry.parentPath ?? entry.path, entry.name) };
      }
  }
}

const hashOf = (file) => crypto.createHash('sha256').update(fs.readFileSync(file)).digest('base64');

function foldersIn(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

/** @returns {Map<string, string[]>} the workspaces that each workspace names in its package.json, as `libs/common` */
export function readDependencies(root) {
  const manifests = new Map();
  for (const group of GROUPS)
    for (const name of foldersIn(path.join(root, group))) {
      const file = path.join(root, group, name, 'package.json');
      if (fs.existsSync(file)) manifests.set(`${group}/${name}`, JSON.parse(fs.readFileSync(file, 'utf8')));
    }
  const folderOf = new Map([...manifests].map(([folder, { name }]) => [name, folder]));
  return new Map(
    [...manifests].map(([folder, { dependencies = {} }]) => [
      folder,
      Object.keys(dependencies).flatMap((name) => folderOf.get(name) ?? []),
    ]),
  );
}

/**
 * @param {ReadonlySet<string>} changed workspaces
 * @param {readonly string[]} apps such as `api`
 * @param {ReadonlyMap<string, readonly string[]>} dependencies of each workspace
 * @returns {string[]} the apps that run something of what changed
 */
export function appsToRestart(changed, apps, dependencies) {
  const runs = (workspace, seen) => {
    if (changed.has(workspace)) return true;
    if (seen.has(workspace)) return false;
    seen.add(workspace);
    return (dependencies.get(workspace) ?? []).some((next) => runs(next, seen));
  };
  return apps.filter((app) => runs(`apps/${app}`, new Set()));
}
