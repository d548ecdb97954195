import { readFileSync } from 'node:fs';

/** That it agrees with the package.json files is looked at by `npm run check`, with npm's own `ci --dry-run`. */
it('package-lock.json names no registry', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { resolved?: string }>;
  };
  expect(Object.values(packages).filter(({ resolved }) => resolved?.startsWith('http'))).toEqual([]);
});
