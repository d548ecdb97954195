import { readFileSync } from 'node:fs';

interface LockedPackage {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  resolved?: string;
  link?: boolean;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>;
};

/** Node's own search: the nearest `node_modules` on the way up from the package that asks. */
const resolves = (from: string, name: string): boolean => {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in packages) return true;
    if (folder === '') return false;
  }
};

describe('package-lock.json', () => {
  // `npm ci` refuses a lock file that lacks even a package for another operating system. A registry that does not have
  // it (yet) leaves it out at `npm install` without a word.
  it('holds every package that a package of it asks for, those of other systems too', () => {
    const missing = Object.entries(packages).flatMap(([place, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !resolves(place, name))
        .map((name) => `${name}, asked for by ${place}`),
    );
    expect(missing).toEqual([]);
  });

  it('names no registry', () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved?.startsWith('http'))).toEqual([]);
  });
});
