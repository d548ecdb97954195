import type { Pdfium } from './pdfium.js';

const FREE_TEXT = 3;
const WIDGET = 20;
const HIDDEN = 0x02;
/** Boxes, lists and text; buttons say nothing, and a signature is none to read. */
const READABLE_FIELDS = [4, 5, 6];
/** More of one page is no form that somebody filled in. */
const MAX_ANNOTATIONS = 5000;
const MAX_BYTES = 20_000;

export interface TypedText {
  text: string;
  /** Of a form field, '' where it has none; null: no field. */
  name: string | null;
  /** In the page's own units. */
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * What was typed upon a page: values of form fields and free text, which PDFium does not count among the page's text.
 * @param form the document's form environment; opened for pages that have fields only
 */
export function readTypedText(pdfium: Pdfium, page: number, form: () => number): TypedText[] {
  const count = Math.min(pdfium.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS);
  if (count === 0) return [];
  const found: TypedText[] = [];
  const memory = pdfium.pdfium.wasmExports.malloc(MAX_BYTES);
  try {
    for (let at = 0; at < count; at += 1) {
      const annotation = pdfium.FPDFPage_GetAnnot(page, at);
      if (annotation === 0) continue;
      try {
        const text = readText(pdfium, annotation, form, memory).trim();
        if (text !== '') {
          const name = readName(pdfium, annotation, form, memory);
          found.push({ text, name, ...readRect(pdfium, annotation, memory) });
        }
      } finally {
        pdfium.FPDFPage_CloseAnnot(annotation);
      }
    }
  } finally {
    pdfium.pdfium.wasmExports.free(memory);
  }
  return found;
}

function readText(pdfium: Pdfium, annotation: number, form: () => number, memory: number): string {
  const subtype = pdfium.FPDFAnnot_GetSubtype(annotation);
  if ((subtype !== FREE_TEXT && subtype !== WIDGET) || pdfium.FPDFAnnot_GetFlags(annotation) & HIDDEN) return '';
  if (subtype === FREE_TEXT)
    return toText(pdfium, memory, pdfium.FPDFAnnot_GetStringValue(annotation, 'Contents', memory, MAX_BYTES));
  const environment = form();
  if (!READABLE_FIELDS.includes(pdfium.FPDFAnnot_GetFormFieldType(environment, annotation))) return '';
  return toText(pdfium, memory, pdfium.FPDFAnnot_GetFormFieldValue(environment, annotation, memory, MAX_BYTES));
}

function readName(pdfium: Pdfium, annotation: number, form: () => number, memory: number): string | null {
  if (pdfium.FPDFAnnot_GetSubtype(annotation) !== WIDGET) return null;
  return toText(pdfium, memory, pdfium.FPDFAnnot_GetFormFieldName(form(), annotation, memory, MAX_BYTES)).trim();
}

/** Nothing is written where it does not fit. @param bytes with the final NUL of two bytes */
function toText(pdfium: Pdfium, memory: number, bytes: number): string {
  if (bytes <= 2 || bytes > MAX_BYTES) return '';
  return Buffer.from(pdfium.pdfium.HEAPU8.slice(memory, memory + bytes - 2)).toString('utf16le');
}

function readRect(pdfium: Pdfium, annotation: number, memory: number): Omit<TypedText, 'text' | 'name'> {
  const isThere = pdfium.FPDFAnnot_GetRect(annotation, memory);
  const view = new DataView(pdfium.pdfium.HEAPU8.buffer, memory, 16);
  const [left = 0, top = 0, right = 0, bottom = 0] = isThere
    ? [0, 4, 8, 12].map((offset) => view.getFloat32(offset, true))
    : [];
  return { left, top, right, bottom };
}
