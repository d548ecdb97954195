import { detectLanguage, type LanguageCode } from '../analysis/language.js';
import type { PageText, TextChunk } from './chunk.js';
import { DocumentContext, type ReadPage } from './document-context.js';
import { pack, type PassageSize } from './pack.js';
import { spansOf } from './spans.js';
import { unitsOf, type Unit } from './units.js';

/**
 * Characters of a passage: some 250 to 400 tokens of English or Arabic. Long enough for an answer and its context,
 * short enough that a citation points somewhere.
 */
const SIZE: PassageSize = { target: 1400, smallest: 250, overlap: 160 };
/** A page that is little longer than a passage stays whole: its two halves would rank below pages that have it all. */
const WHOLE = 2000;
/** After so many characters somebody else's work comes in between: heartbeats, other documents. */
const BREATH = 500_000;
/** The language of short pages is that of the document, told by so much of so many pages. */
const SAMPLE = { pages: 20, characters: 400 };

export interface ChunkOptions {
  /** Its words belong to the context of every passage. */
  filename?: string;
}

/**
 * Cuts a document into passages. Each lies on one page, is a slice of the page's text (`text.slice(start, end)`), ends
 * where a sentence or row does (one longer than a passage: where a word does), knows where on the page it stands when
 * the page knows its lines, and of what it is a part. Pages without text give none. Linear in the length of the document.
 */
export async function chunkPages(
  pages: readonly PageText[],
  { filename = '' }: ChunkOptions = {},
): Promise<TextChunk[]> {
  const read = await readPages(pages);
  const context = new DocumentContext(read, filename);
  const chunks: TextChunk[] = [];
  for (const { page, units } of read) {
    context.turnPage(page);
    for (const { start, end, first, next } of pack(units, sizeFor(units))) {
      context.read(units[first]!);
      const chunk = { ordinal: chunks.length, page: page.number, start, end, context: context.now() };
      for (let at = first + 1; at < next; at++) context.read(units[at]!);
      chunks.push({ ...chunk, text: page.text.slice(start, end), spans: spansOf(page, start, end) });
    }
  }
  return chunks;
}

async function readPages(pages: readonly PageText[]): Promise<ReadPage[]> {
  const sample = pages.slice(0, SAMPLE.pages).map(({ text }) => text.slice(0, SAMPLE.characters));
  const language = detectLanguage(sample.join('\n')) ?? 'en';
  const read: ReadPage[] = [];
  let unbreathed = 0;
  for (const page of pages) {
    const units = unitsOf(page.text, languageOf(page) ?? language, SIZE.target);
    if (units.length > 0) read.push({ page, units });
    unbreathed += page.text.length;
    if (unbreathed < BREATH) continue;
    unbreathed = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return read;
}

function languageOf({ text }: PageText): LanguageCode | null {
  return text.length > WHOLE ? detectLanguage(text) : null;
}

function sizeFor(units: readonly Unit[]): PassageSize {
  const isShort = units.at(-1)!.end - units[0]!.start <= WHOLE;
  return isShort ? { ...SIZE, target: WHOLE } : SIZE;
}
