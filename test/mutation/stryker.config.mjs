import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

/**
 * What is delivered is what is tested (test/support/jest/runtime.mjs): the build is changed, in place, and put back at the
 * end. Nothing that needs a new process is changed (`ignoreStatic`).
 */
export default {
  plugins: [
    path.join(here, 'node_modules/@stryker-mutator/jest-runner/dist/src/index.js'),
    path.join(here, 'compiler-helpers.mjs'),
  ],
  ignorers: ['compiler-helpers'],
  testRunner: 'jest',
  jest: { projectType: 'custom', configFile: path.join(here, 'jest.config.mjs'), enableFindRelatedTests: false },
  testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings'],
  mutate: process.env.ATRIUM_MUTATE?.split(',') ?? [
    'libs/{billing,entitlements}/dist/**/*.js',
    '!**/*.{spec,spec-support,module}.js',
    '!**/index.js',
  ],
  inPlace: true,
  disableTypeChecks: false,
  ignoreStatic: true,
  coverageAnalysis: 'perTest',
  incremental: true,
  incrementalFile: path.join(here, 'reports/incremental.json'),
  reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: path.join(here, 'reports/mutation.json') },
  htmlReporter: { fileName: path.join(here, 'reports/mutation.html') },
  thresholds: { high: 95, low: 85, break: 85 },
  concurrency: Number(process.env.ATRIUM_MUTATION_WORKERS ?? 2),
  timeoutMS: 30_000,
  tempDirName: path.join(here, 'reports/tmp'),
  allowEmpty: true,
};
