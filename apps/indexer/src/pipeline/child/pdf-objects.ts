import type { Pdfium } from './pdfium.js';

const PICTURE = 3;
const FORM = 5;
/** "OC" in UTF-16, its bytes as a number. */
const LAYER = 0x0043_004f;
/** More of one page are not looked at one by one: whether its words are seen is in doubt. */
const MAX_OBJECTS = 20_000;
const MAX_DEPTH = 20;
const MAX_SEGMENTS = 20;
const MAX_MARKS = 20;

export interface Box {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

/** As PDF has it: `x' = a x + c y + e`, `y' = b x + d y + f`. */
type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** What an object of a page is drawn within: the page itself, or a form upon it. */
interface Surroundings {
  /** Into the page's units; null: they are the page's. */
  matrix: Matrix | null;
  /** What lies around all that is shown of it; null: it is not cut. */
  clip: Box | null;
  /** A layer, or paint that is not opaque, may hide what is within. */
  isInDoubt: boolean;
}

const PAGE: Surroundings = { matrix: null, clip: null, isInDoubt: false };

/** Where the objects of a page stand, also those within its forms, which have units and clips of their own. */
export class PdfObjects {
  /** Pictures, as far as it is not in doubt that they are shown. */
  readonly pictures: Box[] = [];
  private readonly surroundings = new Map<number, Surroundings>();

  /**
   * @param memory 32 bytes
   * @param hasFormLayers whether forms of the file may belong to layers, which PDFium does not tell
   */
  constructor(
    private readonly pdfium: Pdfium,
    page: number,
    private readonly memory: number,
    private readonly hasFormLayers: () => boolean,
  ) {
    const count = pdfium.FPDFPage_CountObjects(page);
    this.add(count, (at) => pdfium.FPDFPage_GetObject(page, at), PAGE, 0);
  }

  /** What lies around all that is shown of a piece of text; null: it is not cut. */
  clipOf(piece: number): Box | null {
    return this.clipWithin(piece, this.surroundings.get(piece) ?? PAGE);
  }

  /** Whether a layer, or what it is drawn with or within, may hide a piece of text, or nobody knows. */
  isInDoubt(piece: number): boolean {
    const around = this.surroundings.get(piece);
    if (around === undefined || around.isInDoubt || this.isLayered(piece)) return true;
    return around !== PAGE && this.pdfium.FPDFPageObj_HasTransparency(piece);
  }

  private add(count: number, objectAt: (at: number) => number, around: Surroundings, depth: number): void {
    const { pdfium, surroundings } = this;
    if (surroundings.size + count > MAX_OBJECTS) return;
    for (let at = 0; at < count; at += 1) {
      const object = objectAt(at);
      surroundings.set(object, around);
      const type = pdfium.FPDFPageObj_GetType(object);
      if (type === PICTURE) this.addPicture(object, around);
      else if (type === FORM && depth < MAX_DEPTH)
        this.add(
          pdfium.FPDFFormObj_CountObjects(object),
          (n) => pdfium.FPDFFormObj_GetObject(object, n),
          this.withinForm(object, around),
          depth + 1,
        );
    }
  }

  private withinForm(form: number, around: Surroundings): Surroundings {
    const { pdfium, memory } = this;
    const isInDoubt =
      around.isInDoubt ||
      this.isLayered(form) ||
      pdfium.FPDFPageObj_HasTransparency(form) ||
      this.hasFormLayers() ||
      !pdfium.FPDFPageObj_GetMatrix(form, memory);
    if (isInDoubt) return { ...around, isInDoubt };
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = new Float32Array(pdfium.pdfium.HEAPU8.buffer, memory, 6);
    const own: Matrix = [a, b, c, d, e, f];
    return {
      matrix: around.matrix === null ? own : product(own, around.matrix),
      clip: this.clipWithin(form, around),
      isInDoubt,
    };
  }

  private addPicture(picture: number, { matrix, isInDoubt }: Surroundings): void {
    const { pdfium, memory } = this;
    if (isInDoubt) return;
    const sides = [4, 8, 12].map((offset) => memory + offset) as [number, number, number];
    if (!pdfium.FPDFPageObj_GetBounds(picture, memory, ...sides)) return;
    const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(pdfium.pdfium.HEAPU8.buffer, memory, 4);
    this.pictures.push(placed({ left, bottom, right, top }, matrix));
  }

  private isLayered(object: number): boolean {
    const { pdfium, memory } = this;
    const count = Math.min(pdfium.FPDFPageObj_CountMarks(object), MAX_MARKS);
    for (let at = 0; at < count; at += 1) {
      const mark = pdfium.FPDFPageObj_GetMark(object, at);
      if (!pdfium.FPDFPageObjMark_GetName(mark, memory, 16, memory + 16)) continue;
      if (new DataView(pdfium.pdfium.HEAPU8.buffer, memory, 16).getUint32(0, true) === LAYER) return true;
    }
    return false;
  }

  /** Of an object's own clip and that of what it stands in. */
  private clipWithin(object: number, { matrix, clip: outer }: Surroundings): Box | null {
    const own = this.ownClip(object);
    if (own === null) return outer;
    const clip = placed(own, matrix);
    return outer === null ? clip : intersection(clip, outer);
  }

  private ownClip(object: number): Box | null {
    const { pdfium } = this;
    const clip = pdfium.FPDFPageObj_GetClipPath(object);
    const paths = clip === 0 ? 0 : Math.min(pdfium.FPDFClipPath_CountPaths(clip), MAX_MARKS);
    if (paths <= 0) return null;
    let around: Box = { left: -Infinity, bottom: -Infinity, right: Infinity, top: Infinity };
    for (let path = 0; path < paths; path += 1) {
      const box = this.boxOfPath(clip, path);
      if (box !== null) around = intersection(around, box);
    }
    return around.left === -Infinity ? null : around;
  }

  private boxOfPath(clip: number, path: number): Box | null {
    const { pdfium, memory } = this;
    const segments = pdfium.FPDFClipPath_CountPathSegments(clip, path);
    // What is cut out in curves is hardly there to hide words.
    if (segments > MAX_SEGMENTS) return null;
    const box: Box = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
    for (let at = 0; at < segments; at += 1) {
      const segment = pdfium.FPDFClipPath_GetPathSegment(clip, path, at);
      if (!pdfium.FPDFPathSegment_GetPoint(segment, memory, memory + 4)) return null;
      const [x = 0, y = 0] = new Float32Array(pdfium.pdfium.HEAPU8.buffer, memory, 2);
      extend(box, x, y);
    }
    return box;
  }
}

export function isOutside(box: Box, area: Box): boolean {
  return box.right <= area.left || box.left >= area.right || box.top <= area.bottom || box.bottom >= area.top;
}

function intersection(one: Box, other: Box): Box {
  return {
    left: Math.max(one.left, other.left),
    bottom: Math.max(one.bottom, other.bottom),
    right: Math.min(one.right, other.right),
    top: Math.min(one.top, other.top),
  };
}

/** First the one, then the other. */
function product([a, b, c, d, e, f]: Matrix, [a2, b2, c2, d2, e2, f2]: Matrix): Matrix {
  return [
    a * a2 + b * c2,
    a * b2 + b * d2,
    c * a2 + d * c2,
    c * b2 + d * d2,
    e * a2 + f * c2 + e2,
    e * b2 + f * d2 + f2,
  ];
}

/** What lies around a box that is turned and moved. */
function placed(box: Box, matrix: Matrix | null): Box {
  if (matrix === null) return box;
  const [a, b, c, d, e, f] = matrix;
  const around: Box = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
  for (const x of [box.left, box.right])
    for (const y of [box.bottom, box.top]) extend(around, a * x + c * y + e, b * x + d * y + f);
  return around;
}

function extend(box: Box, x: number, y: number): void {
  box.left = Math.min(box.left, x);
  box.right = Math.max(box.right, x);
  box.bottom = Math.min(box.bottom, y);
  box.top = Math.max(box.top, y);
}
