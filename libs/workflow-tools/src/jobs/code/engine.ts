import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSWASMModule } from 'quickjs-emscripten-core';

const PAGE_BYTES = 64 * 1024;
const INITIAL_BYTES = 16 * 1024 * 1024;
/** What the engine can ever have, its own needs included. Its memory limit alone does not count every text. */
const MAX_BYTES = 96 * 1024 * 1024;
/** Memory grows and never shrinks: an engine that has grown beyond this is thrown away after use. */
const MAX_KEPT_BYTES = 48 * 1024 * 1024;

/** The compiler knows WebAssembly in browsers only. */
interface WebAssemblyGlobal {
  WebAssembly: { Memory: new (pages: { initial: number; maximum: number }) => { buffer: ArrayBuffer } };
}

let loading: Promise<QuickJSWASMModule> | null = null;

/** QuickJS in WebAssembly; one per thread, kept until it is dropped. */
export function loadEngine(): Promise<QuickJSWASMModule> {
  loading ??= create();
  return loading;
}

/** The next script gets a new one. */
export function dropEngine(): void {
  loading = null;
}

export function hasGrown(engine: QuickJSWASMModule): boolean {
  return engine.getWasmMemory().buffer.byteLength > MAX_KEPT_BYTES;
}

async function create(): Promise<QuickJSWASMModule> {
  const { default: variant } = await import('@jitl/quickjs-wasmfile-release-sync');
  const { WebAssembly } = globalThis as unknown as WebAssemblyGlobal;
  const wasmMemory = new WebAssembly.Memory({ initial: INITIAL_BYTES / PAGE_BYTES, maximum: MAX_BYTES / PAGE_BYTES });
  return newQuickJSWASMModuleFromVariant(newVariant('default' in variant ? variant.default : variant, { wasmMemory }));
}
