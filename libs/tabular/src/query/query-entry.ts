import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/**
 * The compiled program of the process that runs statements. Found by its package name from the program that runs, since
 * tests, compiled to CommonJS, have no `import.meta`.
 */
export function queryEntry(): string {
  return createRequire(resolve(process.argv[1] ?? 'index.js')).resolve('@app/tabular/query-process');
}
