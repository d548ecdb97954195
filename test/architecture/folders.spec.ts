import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { findCircles, importsWithin, readFolderImports } from '../support/folder-circles.js';

const ROOT = resolve(__dirname, '../..');

/** Folders that import each other, straight or by way of others: none of them can be read, moved or taken out alone. */
describe('the folders of a workspace', () => {
  it.each(globSync('{apps,libs}/*/package.json', { cwd: ROOT }).map(dirname).sort())(
    '%s: import each other in one direction',
    (workspace) => {
      const imports = readFolderImports(ROOT, workspace);
      const circles = findCircles(imports);
      expect(circles.flatMap((circle) => [circle.join(' '), ...importsWithin(circle, imports)])).toEqual([]);
    },
  );
});

describe('the reader of folders', () => {
  const root = mkdtempSync(join(tmpdir(), 'folders-'));
  const circlesOf = (files: Record<string, string>): string[][] => {
    rmSync(root, { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(root, 'libs/one/src', dirname(file)), { recursive: true });
      writeFileSync(join(root, 'libs/one/src', file), text);
    }
    return findCircles(readFolderImports(root, 'libs/one'));
  };
  afterAll(() => rmSync(root, { recursive: true }));

  it('finds no circle where imports point one way, whatever their depth', () => {
    expect(
      circlesOf({
        'index.ts': `export * from './a/top.js'; export { b } from './b/b.js';`,
        'a/top.ts': `import { inner } from './inner/inner.js'; import { b } from '../b/b.js';`,
        'a/inner/inner.ts': `import { b } from '../../b/b.js'; import type { Top } from '../top.js';`,
        'b/b.ts': `import { readFileSync } from 'node:fs'; import { one } from '@app/one'; import { x } from '../../../two/src/a/top.js';`,
        'b/b.spec.ts': `import { top } from '../a/top.js';`,
      }),
    ).toEqual([]);
  });

  it.each([
    [`import { top } from '../a/top.js';`],
    [`import type { Top } from '../a/top.js';`],
    [`export type { Top } from '../a/top.js';`],
    [`type Top = import('../a/top.js').Top;`],
    [`const top = await import('../a/top.js');`],
    [`import { way } from '../c/way.js';`],
  ])('finds the circle that is closed by %s', (text) => {
    const circles = circlesOf({
      'a/top.ts': `import { b } from '../b/b.js';`,
      'b/b.ts': text,
      'c/way.ts': `import { top } from '../a/top.js';`,
    });
    expect(circles).toEqual([text.includes('/c/') ? ['a', 'b', 'c'] : ['a', 'b']]);
  });

  it('counts a file of `src` as a folder of its own', () => {
    expect(
      circlesOf({ 'app.ts': `import './a/top.js';`, 'a/top.ts': `import '../names.js';`, 'names.ts': '' }),
    ).toEqual([]);
    expect(circlesOf({ 'app.ts': `import './a/top.js';`, 'a/top.ts': `import '../app.js';` })).toEqual([
      ['a', 'app.ts'],
    ]);
  });
});
