import { fileURLToPath } from 'node:url';
import config from '../../jest.config.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const { projects, cacheDirectory, testTimeout } = config;
const base = projects.find((project) => project.displayName === 'unit');

/** Those that take moments: races and campaigns on the same code stand in files of their own. */
const INTEGRATION = [
  '<rootDir>/test/integration/{billing,entitlements}.*.spec.ts',
  '<rootDir>/test/integration/{test-processor,limit-notices}.spec.ts',
];

/** The tests that say what billing and entitlements do; one project, without those that start apps. */
export default {
  ...base,
  rootDir: root,
  testEnvironment: fileURLToPath(new URL('environment.mjs', import.meta.url)),
  cacheDirectory: cacheDirectory.replace('<rootDir>', root),
  testTimeout,
  maxWorkers: 1,
  testMatch: [
    '<rootDir>/libs/{billing,entitlements}/src/**/*.spec.ts',
    // What unit tests alone notice is known in a tenth of the time.
    ...(process.env.ATRIUM_MUTATION_UNIT === '1' ? [] : INTEGRATION),
  ],
};
