import type { Pdfium } from './pdfium.js';

const FREE_TEXT = 3;
const WIDGET = 20;
const HIDDEN = 0x02;
/** Boxes, lists and text; a signature is none to read. */
const READABLE_FIELDS = [4, 5, 6];
/** What is ticked or chosen. */
const CHECK_BOX = 2;
const TICKED_FIELDS = [CHECK_BOX, 3];
const MAX_OPTIONS = 1000;
/** Notes and what they are pinned to: text, lines, shapes, marked text, stamps, drawings. */
const COMMENTED = new Set([1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
/** Names that programs give. */
const MADE_UP =
  /[[\]]|^(?:text|field|textfield|undefined|untitled|check ?box|combo ?box|group|button|fill|form)[\W_]*\d*$/i;
const LONGEST_NAME = 60;
/** More of one page is no form that somebody filled in. */
const MAX_ANNOTATIONS = 5000;
const MAX_BYTES = 20_000;

export interface TypedText {
  text: string;
  /** What it is called for people: the name of a form field, who commented; '' where nothing says it. */
  label: string;
  isField: boolean;
  /** In the page's own units. */
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * What was typed upon a page: values of form fields, what is ticked in them, free text and comments, which PDFium does not
 * count among the page's text.
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
        const said = new Annotation(pdfium, annotation, memory).read(form);
        if (said !== null) found.push({ ...said, ...readRect(pdfium, annotation, memory) });
      } finally {
        pdfium.FPDFPage_CloseAnnot(annotation);
      }
    }
  } finally {
    pdfium.pdfium.wasmExports.free(memory);
  }
  return found;
}

type Said = Pick<TypedText, 'text' | 'label' | 'isField'>;

class Annotation {
  constructor(
    private readonly pdfium: Pdfium,
    private readonly handle: number,
    private readonly memory: number,
  ) {}

  read(form: () => number): Said | null {
    const { pdfium, handle } = this;
    const subtype = pdfium.FPDFAnnot_GetSubtype(handle);
    if (pdfium.FPDFAnnot_GetFlags(handle) & HIDDEN) return null;
    if (subtype === WIDGET) return this.readField(form());
    const text = this.valueOf('Contents');
    if (text === '' || (subtype !== FREE_TEXT && !COMMENTED.has(subtype))) return null;
    if (subtype === FREE_TEXT) return { text, label: '', isField: false };
    // As comments of other files are written.
    const author = this.valueOf('T');
    return { text: author === '' ? text : `${author}: ${text}`, label: 'Comment', isField: false };
  }

  private readField(form: number): Said | null {
    const type = this.pdfium.FPDFAnnot_GetFormFieldType(form, this.handle);
    const label = this.labelIn(form);
    if (READABLE_FIELDS.includes(type)) {
      const text = this.chosen(form) || this.valueIn(form);
      return text === '' ? null : { text, label, isField: true };
    }
    const state = TICKED_FIELDS.includes(type) ? this.valueOf('AS') : '';
    // A mark says nothing of which nobody knows what it marks.
    if (label === '' || /^(?:|off)$/i.test(state)) return null;
    if (/\p{L}/u.test(state)) return { text: state, label, isField: true };
    return type === CHECK_BOX ? { text: 'Yes', label, isField: true } : null;
  }

  private valueIn(form: number): string {
    return this.text((to) => this.pdfium.FPDFAnnot_GetFormFieldValue(form, this.handle, to, MAX_BYTES));
  }

  /** What a list shows of what is chosen: it may be kept as a code. */
  private chosen(form: number): string {
    const { pdfium, handle } = this;
    const count = Math.min(pdfium.FPDFAnnot_GetOptionCount(form, handle), MAX_OPTIONS);
    const labels: string[] = [];
    for (let at = 0; at < count; at += 1)
      if (pdfium.FPDFAnnot_IsOptionSelected(form, handle, at))
        labels.push(this.text((to) => pdfium.FPDFAnnot_GetOptionLabel(form, handle, at, to, MAX_BYTES)));
    return labels.filter(Boolean).join('; ');
  }

  /** The name that is shown for it, else its own unless a program made it up. */
  private labelIn(form: number): string {
    const { pdfium, handle } = this;
    const names = [
      this.text((to) => pdfium.FPDFAnnot_GetFormFieldAlternateName(form, handle, to, MAX_BYTES)),
      this.text((to) => pdfium.FPDFAnnot_GetFormFieldName(form, handle, to, MAX_BYTES)),
    ].map((name) => name.replace(/[\s_]+/g, ' ').replace(/\s*:$/, ''));
    return names.find((name) => /\p{L}{2}/u.test(name) && name.length <= LONGEST_NAME && !MADE_UP.test(name)) ?? '';
  }

  private valueOf(key: string): string {
    return this.text((to) => this.pdfium.FPDFAnnot_GetStringValue(this.handle, key, to, MAX_BYTES));
  }

  /** Nothing is written where it does not fit. @param write gives the bytes, with a final NUL of two of them */
  private text(write: (memory: number) => number): string {
    const bytes = write(this.memory);
    if (bytes <= 2 || bytes > MAX_BYTES) return '';
    const written = this.pdfium.pdfium.HEAPU8.slice(this.memory, this.memory + bytes - 2);
    return Buffer.from(written).toString('utf16le').trim();
  }
}

function readRect(
  pdfium: Pdfium,
  annotation: number,
  memory: number,
): Pick<TypedText, 'left' | 'top' | 'right' | 'bottom'> {
  const isThere = pdfium.FPDFAnnot_GetRect(annotation, memory);
  const view = new DataView(pdfium.pdfium.HEAPU8.buffer, memory, 16);
  const [left = 0, top = 0, right = 0, bottom = 0] = isThere
    ? [0, 4, 8, 12].map((offset) => view.getFloat32(offset, true))
    : [];
  return { left, top, right, bottom };
}
