import { existsSync } from 'node:fs';
import { THOROUGH } from './test/support/jest/thorough.mjs';

// Tests are compiled to CommonJS by swc; Nest's ESM packages load natively through
// `node --experimental-vm-modules` on Node 24, so nothing in node_modules is transformed.
const swc = [
  '@swc/jest',
  {
    swcrc: false,
    sourceMaps: 'inline',
    module: { type: 'commonjs' },
    jsc: {
      target: 'es2023',
      keepClassNames: true,
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    },
  },
];

const patterns = (files) => files.map((file) => `/${file.replaceAll('.', '\\.')}$`);
const leftOut = ['/node_modules/', ...(process.env.ATRIUM_TESTS === 'everyday' ? patterns(THOROUGH) : [])];

const base = {
  testEnvironment: '<rootDir>/test/support/jest/environment.mjs',
  runtime: '<rootDir>/test/support/jest/runtime.mjs',
  testEnvironmentOptions: { customExportConditions: ['@app/source', 'node', 'node-addons'] },
  moduleFileExtensions: ['js', 'mjs', 'cjs', 'ts', 'json', 'node'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'],
    // It exports to "import" alone, and Jest asks as "require".
    '^eld/extrasmall$': '<rootDir>/node_modules/eld/src/entries/static.extrasmall.js',
  },
  transform: { '\\.ts$': swc },
  modulePathIgnorePatterns: ['/dist/', '/\\.data'],
  testPathIgnorePatterns: leftOut,
};

/**
 * Tests beside their file that start processes, or take seconds: `npm test` runs them, `npm run test:unit` does not, which
 * is asked for after each change. A new one of that kind is added here.
 */
const COMPONENT_TESTS = [
  'apps/api/src/prompt-2-workflow/authoring-tasks.spec.ts',
  'apps/indexer/src/pipeline/child/parsers/kinds.spec.ts',
  'apps/indexer/src/pipeline/child/parsers/parsers.spec.ts',
  'apps/indexer/src/pipeline/document-extractor.spec.ts',
  'apps/indexer/src/pipeline/passages-of-files.spec.ts',
  'apps/indexer/src/pipeline/recognition.spec.ts',
  'apps/indexer/src/pipeline/rules-on-files.spec.ts',
  'apps/indexer/src/tabular/child/import-corpus.spec.ts',
  'apps/indexer/src/tabular/child/import-csv.spec.ts',
  'apps/indexer/src/tabular/child/import-workbook.spec.ts',
  'apps/indexer/src/tabular/child/number-locales.spec.ts',
  'apps/workflow-runner/src/agent/outside-effects.spec.ts',
  'apps/workflow-runner/src/artifact-chat/headless/open-page.spec.ts',
  'apps/workflow-runner/src/engine/apart-nodes.spec.ts',
  'apps/workflow-runner/src/engine/crash-simulation.spec.ts',
  'apps/workflow-runner/src/engine/hostile-runs.spec.ts',
  'apps/workflow-runner/src/engine/nested-work.spec.ts',
  'apps/workflow-runner/src/engine/run-executor.spec.ts',
  'apps/workflow-runner/src/ports/spreadsheets/spreadsheet-files.spec.ts',
  'apps/workflow-runner/src/sandbox/sandbox-pool.spec.ts',
  'libs/agents/src/agent/crash-simulation.spec.ts',
  'libs/documents/src/files/inspect-upload.spec.ts',
  'libs/integrations/src/antivirus/clamd-antivirus.spec.ts',
  'libs/integrations/src/file-storage/file-storage.spec.ts',
  'libs/integrations/src/file-storage/s3.storage.spec.ts',
  'libs/isolation/src/isolated-process.spec.ts',
  'libs/observability/src/watchdog.spec.ts',
  'libs/retrieval/src/answering/fitted-prompt.spec.ts',
  'libs/tabular/src/answering/table-profiles.spec.ts',
  'libs/tabular/src/query/query-parameters.spec.ts',
  'libs/tabular/src/query/query-runner.spec.ts',
  'libs/workflow-tools/src/code/code.spec.ts',
  'libs/workflow-tools/src/data/data.spec.ts',
  'libs/workflow-tools/src/definition-schema.spec.ts',
  'libs/workflow-tools/src/http/http-request.spec.ts',
  'libs/workflow-tools/src/platform/platform.spec.ts',
  'libs/workflow-tools/src/tools.spec.ts',
  'libs/workflows/src/engine/run-engine.model.spec.ts',
  'libs/workflows/src/schedules/cron-times.spec.ts',
];
for (const file of [...COMPONENT_TESTS, ...THOROUGH])
  if (!existsSync(new URL(file, import.meta.url)))
    throw new Error(`A list of Jest's names a test that is gone: ${file}`);

export default {
  // Not where temporary files lie: they are gone after each run.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  reporters: ['default', '<rootDir>/test/support/jest/slowest-files.mjs'],
  testSequencer: '<rootDir>/test/support/jest/longest-first.mjs',
  // More than half of what they do is waiting for apps and servers.
  maxWorkers: 4,
  // Each test file leaves behind what it loaded; beyond this heap the collector takes more time than the tests.
  workerIdleMemoryLimit: '1200MB',
  // Shared machines stall, some for a minute; a test that hangs is found all the same. Jest reads it here alone, and no test asks for less.
  testTimeout: 480_000,
  projects: [
    {
      ...base,
      displayName: 'unit',
      testPathIgnorePatterns: [...leftOut, ...patterns(COMPONENT_TESTS)],
      testMatch: ['<rootDir>/{apps,libs}/*/src/**/*.spec.ts', '<rootDir>/test/architecture/**/*.spec.ts'],
    },
    { ...base, displayName: 'component', testMatch: COMPONENT_TESTS.map((file) => `<rootDir>/${file}`) },
    { ...base, displayName: 'integration', testMatch: ['<rootDir>/test/integration/**/*.spec.ts'] },
    { ...base, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'] },
    { ...base, displayName: 'evals', testMatch: ['<rootDir>/test/evals/**/*.spec.ts'] },
    { ...base, displayName: 'chaos', testMatch: ['<rootDir>/test/chaos/**/*.spec.ts'] },
  ],
};
