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

const base = {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@app/source', 'node', 'node-addons'] },
  moduleFileExtensions: ['js', 'mjs', 'cjs', 'ts', 'json', 'node'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'],
    // It exports to "import" alone, and Jest asks as "require".
    '^eld/extrasmall$': '<rootDir>/node_modules/eld/src/entries/static.extrasmall.js',
  },
  transform: { '\\.ts$': swc },
  modulePathIgnorePatterns: ['/dist/', '/\\.data'],
};

export default {
  maxWorkers: 2,
  // Each test file leaves behind what it loaded; beyond this heap the collector takes more time than the tests.
  workerIdleMemoryLimit: '1200MB',
  // Shared machines stall now and then; a test that hangs is found all the same. Jest reads it here alone.
  testTimeout: 60_000,
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs}/*/src/**/*.spec.ts', '<rootDir>/test/architecture/**/*.spec.ts'],
    },
    { ...base, displayName: 'integration', testMatch: ['<rootDir>/test/integration/**/*.spec.ts'] },
    { ...base, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'] },
    { ...base, displayName: 'chaos', testMatch: ['<rootDir>/test/chaos/**/*.spec.ts'] },
  ],
};
