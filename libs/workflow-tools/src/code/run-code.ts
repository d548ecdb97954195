import { newQuickJSWASMModuleFromVariant, type QuickJSWASMModule, Scope } from 'quickjs-emscripten-core';
import { SandboxError } from '../sandbox/sandbox-error.js';
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

export const MAX_MEMORY_MB = 64;
const MAX_STACK_BYTES = 512 * 1024;
const MAX_INPUT_LENGTH = 8_000_000;
/** WebAssembly memory grows and never shrinks; an engine that has grown is thrown away. */
const MAX_KEPT_BYTES = 96 * 1024 * 1024;

let loading: Promise<QuickJSWASMModule> | null = null;

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
  loading ??= newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-ng-wasmfile-release-sync'));
  const engine = await loading;
  try {
    return JSON.parse(runIn(engine, code, json, limitMs)) as CodeOutput;
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    // Whatever is not the script's own failure may have left the engine in pieces.
    loading = null;
    throw new SandboxError('code_failed', 'The code broke the engine that ran it.', { cause: error });
  } finally {
    if (engine.getWasmMemory().buffer.byteLength > MAX_KEPT_BYTES) loading = null;
  }
}

function runIn(engine: QuickJSWASMModule, code: string, json: string, limitMs: number): string {
  return Scope.withScope((scope) => {
    const runtime = scope.manage(engine.newRuntime());
    runtime.setMemoryLimit(MAX_MEMORY_MB * 1024 * 1024);
    runtime.setMaxStackSize(MAX_STACK_BYTES);
    return new ScriptRun(scope, runtime, scope.manage(runtime.newContext()), limitMs).run(code, json);
  });
}
