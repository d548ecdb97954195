import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { ExtractionError } from '../extraction-error.js';
import { PdfPage } from './pdf-page.js';
import type { Pdfium } from './pdfium.js';

const ERROR_PASSWORD = 4;
const ERROR_SECURITY = 5;
/** `/OC` as it can be written, and what may follow it. */
const LAYER_KEYS = ['/OC', '/#4FC', '/#4fC', '/O#43', '/#4F#43', '/#4f#43'];
const NAME_ENDS = Buffer.from('\0\t\n\f\r ()<>[]{}/%');

/** A PDF opened in PDFium's memory; `close` gives the memory back. */
export class PdfDocument {
  /** What the document's fields are asked through, and what PDFium wants to know for that; 0 until it is needed. */
  private form = 0;
  private formInfo = 0;
  private formLayers: boolean | undefined;

  private constructor(
    private readonly pdfium: Pdfium,
    private readonly bytes: number,
    private readonly size: number,
    private readonly handle: number,
  ) {}

  /** @throws ExtractionError `encrypted`, `damaged` or `empty` (no pages) */
  static open(pdfium: Pdfium, path: string): PdfDocument {
    const { pointer, size } = copyIntoWasm(pdfium, path);
    const handle = pdfium.FPDF_LoadMemDocument(pointer, size, '');
    if (handle === 0) {
      const error = pdfium.FPDF_GetLastError();
      pdfium.pdfium.wasmExports.free(pointer);
      throw openFailure(error);
    }
    const document = new PdfDocument(pdfium, pointer, size, handle);
    if (document.pageCount > 0) return document;
    document.close();
    throw new ExtractionError('empty', 'This PDF has no pages.');
  }

  get pageCount(): number {
    return this.pdfium.FPDF_GetPageCount(this.handle);
  }

  /** Runs `use` with page `index` (from 0) and closes it; null when PDFium cannot load that page. */
  async withPage<T>(index: number, use: (page: PdfPage) => Promise<T>): Promise<T | null> {
    const handle = this.pdfium.FPDF_LoadPage(this.handle, index);
    if (handle === 0) return null;
    const page = new PdfPage(
      this.pdfium,
      handle,
      () => this.openForm(),
      () => (this.formLayers ??= this.namesLayers()),
    );
    try {
      return await use(page);
    } finally {
      page.close();
    }
  }

  close(): void {
    if (this.formInfo !== 0) {
      this.pdfium.PDFiumExt_ExitFormFillEnvironment(this.form);
      this.pdfium.PDFiumExt_CloseFormFillInfo(this.formInfo);
    }
    this.pdfium.FPDF_CloseDocument(this.handle);
    this.pdfium.pdfium.wasmExports.free(this.bytes);
  }

  /** Whether a stream may belong to a layer. The dictionary of a stream is never within another: the file says it in plain. */
  private namesLayers(): boolean {
    const file = Buffer.from(this.pdfium.pdfium.HEAPU8.buffer, this.bytes, this.size);
    return LAYER_KEYS.some((key) => {
      let at = file.indexOf(key);
      while (at >= 0 && !NAME_ENDS.includes(file[at + key.length] ?? 0)) at = file.indexOf(key, at + 1);
      return at >= 0;
    });
  }

  private openForm(): number {
    if (this.formInfo === 0) {
      this.formInfo = this.pdfium.PDFiumExt_OpenFormFillInfo();
      this.form = this.pdfium.PDFiumExt_InitFormFillEnvironment(this.handle, this.formInfo);
    }
    return this.form;
  }
}

/** In steps, so that a large file is never in memory twice. */
function copyIntoWasm(pdfium: Pdfium, path: string): { pointer: number; size: number } {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const pointer = pdfium.pdfium.wasmExports.malloc(size);
    if (pointer === 0) throw new ExtractionError('too_large', 'The PDF is too large to be opened. Split it.');
    let at = 0;
    while (at < size) {
      const read = readSync(file, pdfium.pdfium.HEAPU8, pointer + at, size - at, at);
      if (read === 0) break;
      at += read;
    }
    return { pointer, size };
  } finally {
    closeSync(file);
  }
}

function openFailure(error: number): ExtractionError {
  if (error === ERROR_PASSWORD || error === ERROR_SECURITY) {
    return new ExtractionError(
      'encrypted',
      'This PDF is protected by a password. Remove the protection and upload it again.',
    );
  }
  return new ExtractionError('damaged', 'This PDF is damaged and cannot be opened.', {
    cause: `PDFium error ${error}`,
  });
}
