import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, Scope } from 'quickjs-emscripten-core';
import { SandboxError } from '../sandbox-error.js';
import { describeFailure, FILE_NAME } from './code-failure.js';
import { PRELUDE } from './prelude.js';

const MAX_OUTPUT_LENGTH = 4_000_000;

type Outcome = { error: QuickJSHandle } | { value: QuickJSHandle; error?: undefined };

/** Milliseconds of a processor that this thread has had. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** One script in an engine that is made for it; every handle belongs to the scope, or the engine would not let go. */
export class ScriptRun {
  private isLate = false;

  constructor(
    private readonly scope: Scope,
    private readonly runtime: QuickJSRuntime,
    private readonly vm: QuickJSContext,
    private readonly limitMs: number,
  ) {
    // Of the processor: the script waits for nothing, and what others keep the machine busy with is not its time.
    const deadline = processorMs() + limitMs;
    // Once it is late it stays late, whatever the script catches.
    runtime.setInterruptHandler(() => (this.isLate ||= processorMs() > deadline));
  }

  /** @returns JSON of what the prelude's `finish` writes. @throws SandboxError */
  run(code: string, json: string): string {
    const { vm } = this;
    const input = this.scope.manage(vm.newString(json));
    const prelude = this.require(vm.evalCode(PRELUDE, 'prelude.js'), 'code_failed');
    const world = this.require(vm.callFunction(prelude, vm.undefined, input), 'code_failed');
    // On the first line, so that the lines of messages are those that the author sees.
    const main = this.require(
      vm.evalCode(`(async (items, params, console) => {${code}\n})`, FILE_NAME),
      'invalid_code',
    );
    const given = ['items', 'params', 'console'].map((name) => this.property(world, name));
    const result = this.settle(this.require(vm.callFunction(main, vm.undefined, ...given), 'code_failed'));
    const finish = this.property(world, 'finish');
    const written = this.require(vm.callFunction(finish, vm.undefined, result), 'code_failed');
    if (vm.getNumber(this.property(written, 'length')) > MAX_OUTPUT_LENGTH) {
      throw new SandboxError('output_too_large', `Code returns at most ${MAX_OUTPUT_LENGTH} characters of JSON.`);
    }
    return vm.getString(written);
  }

  private settle(promise: QuickJSHandle): QuickJSHandle {
    const jobs = this.runtime.executePendingJobs();
    if (jobs.error) throw this.failure(this.scope.manage(jobs.error), 'code_failed');
    const state = this.vm.getPromiseState(promise);
    if (state.type === 'fulfilled') return this.scope.manage(state.value);
    if (state.type === 'rejected') throw this.failure(this.scope.manage(state.error), 'code_failed');
    if (this.isLate) throw this.timeout();
    throw new SandboxError(
      'code_failed',
      'The code awaits something that never comes: it has no timers and reaches nothing outside.',
    );
  }

  private property(object: QuickJSHandle, name: string): QuickJSHandle {
    return this.scope.manage(this.vm.getProp(object, name));
  }

  private require(outcome: Outcome, code: string): QuickJSHandle {
    if (outcome.error) throw this.failure(this.scope.manage(outcome.error), code);
    return this.scope.manage(outcome.value);
  }

  private failure(error: QuickJSHandle, code: string): SandboxError {
    if (this.isLate) return this.timeout();
    const { message, isMemory } = describeFailure(this.vm.dump(error));
    return isMemory
      ? new SandboxError('memory_limit', 'The code needs more than 64 MB of memory, or threw null.')
      : new SandboxError(code, message);
  }

  private timeout(): SandboxError {
    return new SandboxError('time_limit', `The code took longer than ${this.limitMs / 1_000} seconds.`);
  }
}
