import { type QuickJSWASMModule, Scope } from 'quickjs-emscripten-core';
import { SandboxError } from '../sandbox-error.js';
import { dropEngine, hasGrown, loadEngine } from './engine.js';
import { ScriptRun } from './script-run.js';

export interface CodeInput {
  code: string;
  items: unknown[];
  params: Record<string, unknown>;
  limitMs: number;
}

export interface CodeOutput {
  result: unknown;
  /** Lines of console.log, info and debug. */
  logs: string[];
  /** Lines of console.warn and error. */
  warnings: string[];
}

const MAX_MEMORY_MB = 64;
/** Of the engine's own stack; the threads have the larger one that it takes to get there. */
const MAX_STACK_BYTES = 1024 * 1024;
const MAX_INPUT_LENGTH = 8_000_000;

/**
 * Runs JavaScript in an engine of its own (QuickJS in WebAssembly), which has nothing of this process: no I/O, no
 * timers, no modules. The code is the body of an async function of `items`, `params` and `console`.
 * @throws SandboxError `invalid_code`, `code_failed`, `time_limit`, `memory_limit`, `input_too_large`, `output_too_large`.
 */
export async function runCode({ code, items, params, limitMs }: CodeInput): Promise<CodeOutput> {
  const json = JSON.stringify({ items, params });
  if (json.length > MAX_INPUT_LENGTH) {
    throw new SandboxError('input_too_large', `Code takes at most ${MAX_INPUT_LENGTH} characters of input.`);
  }
  const engine = await loadEngine();
  const scope = new Scope();
  let isIntact = false;
  try {
    const output = JSON.parse(start(engine, scope, limitMs).run(code, json)) as CodeOutput;
    isIntact = true;
    return output;
  } catch (error) {
    if (error instanceof SandboxError) {
      isIntact = ['invalid_code', 'code_failed', 'output_too_large'].includes(error.code);
      throw error;
    }
    if (error instanceof RangeError)
      throw new SandboxError('code_failed', 'The code nests too deeply.', { cause: error });
    throw new SandboxError('code_failed', 'The code broke the engine that ran it.', { cause: error });
  } finally {
    // Interrupted in the middle, an engine cannot be cleared up any more; a new one takes a few milliseconds.
    if (!isIntact || !cleared(scope) || hasGrown(engine)) dropEngine();
  }
}

function cleared(scope: Scope): boolean {
  try {
    scope.dispose();
    return true;
  } catch {
    return false;
  }
}

function start(engine: QuickJSWASMModule, scope: Scope, limitMs: number): ScriptRun {
  const runtime = scope.manage(engine.newRuntime());
  runtime.setMemoryLimit(MAX_MEMORY_MB * 1024 * 1024);
  runtime.setMaxStackSize(MAX_STACK_BYTES);
  return new ScriptRun(scope, runtime, scope.manage(runtime.newContext()), limitMs);
}
