// The PDF library by itself, as a process: reads every page of the given files and says how fast.
//   node pdfium-alone.mjs text|boxes <file ...>
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { init } from '@embedpdf/pdfium';

const require = createRequire(new URL('../../../apps/indexer/package.json', import.meta.url));
const [mode, ...files] = process.argv.slice(2);
const wasm = readFileSync(require.resolve('@embedpdf/pdfium/pdfium.wasm'));
const pdfium = await init({ wasmBinary: new Uint8Array(wasm).buffer });
pdfium.PDFiumExt_Init();
const { wasmExports } = pdfium.pdfium;

/** The text of a page in one call, and with `boxes` the box of every character. */
function readPage(page) {
  const text = pdfium.FPDFText_LoadPage(page);
  const count = pdfium.FPDFText_CountChars(text);
  const memory = wasmExports.malloc(2 * count + 64);
  pdfium.FPDFText_GetText(text, 0, count, memory);
  new TextDecoder('utf-16le').decode(pdfium.pdfium.HEAPU8.slice(memory, memory + 2 * count));
  if (mode === 'boxes')
    for (let at = 0; at < count; at++)
      pdfium.FPDFText_GetCharBox(text, at, memory, memory + 8, memory + 16, memory + 24);
  wasmExports.free(memory);
  pdfium.FPDFText_ClosePage(text);
}

function readFile(path) {
  const bytes = readFileSync(path);
  const memory = wasmExports.malloc(bytes.length);
  pdfium.pdfium.HEAPU8.set(bytes, memory);
  const document = pdfium.FPDF_LoadMemDocument(memory, bytes.length, '');
  const pages = pdfium.FPDF_GetPageCount(document);
  for (let at = 0; at < pages; at++) {
    const page = pdfium.FPDF_LoadPage(document, at);
    readPage(page);
    pdfium.FPDF_ClosePage(page);
  }
  pdfium.FPDF_CloseDocument(document);
  wasmExports.free(memory);
  return pages;
}

readFile(files[0]);
const before = process.cpuUsage();
const started = performance.now();
const pages = files.reduce((sum, file) => sum + readFile(file), 0);
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ pages, seconds, rate: pages / seconds, cpuMs: (user + system) / 1000 / pages }));
