import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { init } from '@embedpdf/pdfium';
import type { WrappedPdfiumModule } from '@embedpdf/pdfium';

const require = createRequire(import.meta.url);

/** The package's types leave the memory to those of emscripten, which it does not bring along. */
export type Pdfium = WrappedPdfiumModule & { pdfium: { readonly HEAPU8: Uint8Array<ArrayBuffer> } };

let loaded: Promise<Pdfium> | null = null;

/** PDFium, started on first use (40 ms) and kept. Every pointer it hands out must be freed by whoever got it. */
export function loadPdfium(): Promise<Pdfium> {
  loaded ??= start();
  return loaded;
}

async function start(): Promise<Pdfium> {
  const bytes = readFileSync(require.resolve('@embedpdf/pdfium/pdfium.wasm'));
  const overrides: object = { wasmBinary: new Uint8Array(bytes).buffer };
  const pdfium = (await init(overrides)) as Pdfium;
  pdfium.PDFiumExt_Init();
  return pdfium;
}
