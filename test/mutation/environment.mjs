import SharedEnvironment from '../support/jest/environment.mjs';

/** What is tested is loaded once for all changes (test/support/jest/runtime.mjs): it is told anew which of them counts. */
export default class MutatedEnvironment extends SharedEnvironment {
  async setup() {
    await super.setup();
    globalThis.__stryker__.activeMutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  }
}
