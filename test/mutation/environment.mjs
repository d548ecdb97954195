import SharedEnvironment from '../support/jest/environment.mjs';

/** The change that a test has noticed. */
let noticed;

/**
 * What is tested is loaded once for all changes (test/support/jest/runtime.mjs): it is told anew which of them counts. Once
 * a test has noticed it, the others have nothing more to tell, in this file and in those after it.
 */
export default class MutatedEnvironment extends SharedEnvironment {
  #mutant = process.env.__STRYKER_ACTIVE_MUTANT__;

  async setup() {
    await super.setup();
    globalThis.__stryker__.activeMutant = this.#mutant;
  }

  handleTestEvent({ name, test, describeBlock }) {
    if (this.#mutant === undefined) return;
    if (name === 'test_done' && test.errors.length > 0) noticed = this.#mutant;
    if (noticed !== this.#mutant) return;
    if (name === 'test_start') test.mode = 'skip';
    if (name === 'run_describe_start') describeBlock.mode = 'skip';
  }
}
