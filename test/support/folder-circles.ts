import { globSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import ts from 'typescript';

/** What is imported by what, of one workspace: folder, imported folder, and the lines that say so. */
export type FolderImports = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

const NOT_READ = /\.spec(-support)?\.ts$/;

/**
 * The first-level folders of `src` and what they import of each other, types included. A file that stands in `src` itself
 * counts as a folder of its own: the module that imports all folders closes no circle until one of them imports it.
 */
export function readFolderImports(root: string, workspace: string): FolderImports {
  const source = join(root, workspace, 'src');
  const imports = new Map<string, Map<string, string[]>>();
  for (const path of globSync('**/*.ts', { cwd: source }).sort()) {
    const file = relative('.', path).replaceAll('\\', '/');
    if (NOT_READ.test(file)) continue;
    for (const { fileName } of ts.preProcessFile(readFileSync(join(source, file), 'utf8')).importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const imported = posix.join(posix.dirname(file), fileName).replace(/\.js$/, '.ts');
      const [from, to] = [folderOf(file), folderOf(imported)];
      if (to === from || to === '..') continue;
      const of = imports.get(from) ?? new Map<string, string[]>();
      imports.set(from, of.set(to, [...(of.get(to) ?? []), `${file} imports ${imported}`]));
    }
  }
  return imports;
}

/** Groups of folders of which each one reaches all others by imports, largest first; the names of a group in order. */
export function findCircles(imports: FolderImports): string[][] {
  const reached = new Map([...imports.keys()].map((folder) => [folder, reachOf(folder, imports)]));
  const circles = new Map<string, string[]>();
  for (const [folder, reach] of reached) {
    if (!reach.has(folder)) continue;
    const circle = [...reach].filter((other) => reached.get(other)?.has(folder)).sort();
    circles.set(circle.join(' '), circle);
  }
  return [...circles.values()].sort((one, other) => other.length - one.length || one[0]!.localeCompare(other[0]!));
}

/** The imports that hold a circle together, for whoever has to take one away. */
export function importsWithin(circle: readonly string[], imports: FolderImports): string[] {
  return circle.flatMap((from) => circle.flatMap((to) => imports.get(from)?.get(to) ?? []));
}

const folderOf = (file: string): string => file.split('/')[0]!;

function reachOf(start: string, imports: FolderImports): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop())
    for (const next of imports.get(folder)?.keys() ?? [])
      if (!reached.has(next)) {
        reached.add(next);
        open.push(next);
      }
  return reached;
}
