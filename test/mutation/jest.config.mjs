import { fileURLToPath } from 'node:url';
import config from '../../jest.config.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const { projects, cacheDirectory, testTimeout } = config;
const { displayName, testMatch, ...base } = projects.find((project) => project.displayName === 'unit');

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
    '<rootDir>/test/integration/{payment-events,test-processor,subscription*,entitlement*}.spec.ts',
  ],
};
