import { appendFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { processorSeconds, processorTimesFile } from './processor-times.mjs';

/** What Jest hangs on the global object for one test file. */
const OF_JEST = /jest|^EVENT_HANDLERS$|^RETRY_|^WAIT_BEFORE_RETRY$|^LOG_ERRORS_BEFORE_RETRY$|^TEST_TIMEOUT_SYMBOL$/i;

const symbolsOfJest = () =>
  Object.getOwnPropertySymbols(globalThis).filter(
    (symbol) =>
      OF_JEST.test(symbol.description ?? '') && Object.getOwnPropertyDescriptor(globalThis, symbol)?.configurable,
  );

/**
 * Test files run in the global scope of their worker, rather than each in a scope of its own: only so can they share what
 * is loaded (runtime.mjs). What a file changes of the scope is put back when it ends.
 */
export default class SharedEnvironment {
  global = globalThis;
  /** Those of former days. */
  fakeTimers = null;
  #conditions;
  #before;
  #testPath;
  #secondsBefore = processorSeconds();

  constructor({ projectConfig }, { testPath }) {
    this.#testPath = testPath;
    for (const symbol of symbolsOfJest()) delete globalThis[symbol];
    this.#conditions = projectConfig.testEnvironmentOptions.customExportConditions;
    this.#before = {
      env: { ...process.env },
      exit: process.exit,
      globals: new Map(['console', 'fetch', 'Date'].map((name) => [name, globalThis[name]])),
      stackTraceLimit: Error.stackTraceLimit,
    };
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    // Workers are ended without notice (runtime.mjs).
    flushCompileCache();
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    const { env, exit, globals, stackTraceLimit } = this.#before;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.exit = exit;
    for (const [name, value] of globals) globalThis[name] = value;
    Error.stackTraceLimit = stackTraceLimit;
    appendFileSync(processorTimesFile(), `${processorSeconds() - this.#secondsBefore} ${this.#testPath}\n`);
  }

  exportConditions() {
    return this.#conditions;
  }

  /** None: see runtime.mjs. */
  getVmContext() {
    return null;
  }
}
