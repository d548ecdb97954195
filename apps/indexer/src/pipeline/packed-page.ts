import type { SourcePage, SourceWord } from '@app/extraction/kit';
import type { ExtractedPage, PageGeometry } from './extracted-page.js';

/** Words in two arrays: as objects they would take ten times the room between processes. */
export interface PackedWords {
  /** Start and end of each. */
  offsets: Uint32Array;
  /** Four fractions for each. */
  rects: Float32Array;
}

type Packed<P extends PageGeometry> = Omit<P, 'words'> & { words?: PackedWords };
export type PackedPage = Packed<SourcePage>;
export type PackedGeometry = Packed<PageGeometry>;

export function packPage<P extends PageGeometry>(page: P): Packed<P> {
  const { words, ...rest } = page;
  if (words === undefined) return rest;
  const offsets = new Uint32Array(words.length * 2);
  const rects = new Float32Array(words.length * 4);
  for (const [at, { start, end, rect }] of words.entries()) {
    offsets.set([start, end], at * 2);
    rects.set(rect, at * 4);
  }
  return { ...rest, words: { offsets, rects } };
}

export function unpackPage<P extends PageGeometry>({ words, ...rest }: Packed<P>): P {
  if (words === undefined) return rest as unknown as P;
  const { offsets, rects } = words;
  const unpacked = Array.from({ length: offsets.length / 2 }, (_, at): SourceWord => {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = rects.subarray(at * 4, at * 4 + 4);
    return { start: offsets[at * 2] ?? 0, end: offsets[at * 2 + 1] ?? 0, rect: [x0, y0, x1, y1] };
  });
  return { ...rest, words: unpacked } as unknown as P;
}

/** A page as its reader sends it. */
export type SentPage = Omit<ExtractedPage, 'geometry'> & { geometry?: PackedGeometry };

export function unpackSent({ geometry, ...page }: SentPage): ExtractedPage {
  return geometry ? { ...page, geometry: unpackPage(geometry) } : page;
}

/** A page as it was read, as evidence wants it. */
export function toSourcePage({ number, text, label, ocr, geometry = {} }: ExtractedPage): SourcePage {
  return { number, text, ocr, ...(label === undefined ? {} : { label }), ...geometry };
}
