import type { EvidenceSpan } from '../cells/cell-evidence.js';
import type { SourcePage } from '../source/source-page.js';
import type { AnchoredQuote, QuoteToAnchor } from './anchored-quote.js';
import { type FoldedText, foldText } from './folded-text.js';
import type { Occurrence } from './occurrences.js';
import type { SearchedDocument } from './searched-document.js';
import { spansOf } from './spans.js';
import { takenWords, withMarksAround } from './taken-words.js';

/** A quote on more lines is shown by its first ones. */
const MOST_SPANS = 300;
/** Characters between two codes of one stretch. */
const APART = 64;

type Place = Pick<AnchoredQuote, 'quote' | 'page' | 'start' | 'end' | 'spans' | 'pageWidth' | 'pageHeight' | 'place'>;

/** Where the codes of a place stand in the document. */
export function placeQuote(
  document: SearchedDocument,
  folded: FoldedText,
  occurrence: Occurrence,
  { quote, value }: QuoteToAnchor,
): Place {
  const offsets = folded.from.subarray(occurrence.start, occurrence.end);
  const at = document.pageAt(offsets[0] ?? 0);
  const page = document.pages[at];
  const base = document.startOf(at);
  const own = offsets.filter((offset) => offset >= base && offset < base + (page?.text.length ?? 0));
  const start = own.reduce((least, offset) => Math.min(least, offset), Infinity);
  const end = endOfCharacter(
    document.text,
    own.reduce((most, offset) => Math.max(most, offset), 0),
  );
  const spans = spansAt(document, folded, occurrence, quote);
  const first = spans[0] ? document.pages.find(({ number }) => number === spans[0]?.page) : page;
  const shown = first?.isUnshown === true ? undefined : first;
  return {
    quote: quoteOf(document.text, offsets),
    page: page?.number ?? null,
    start: start - base,
    end: end - base,
    spans,
    pageWidth: shown?.width ?? null,
    pageHeight: shown?.height ?? null,
    place: page ? cellOf(page, start - base, end - base, value) : null,
  };
}

function spansAt(document: SearchedDocument, folded: FoldedText, occurrence: Occurrence, said: string): EvidenceSpan[] {
  const spans: EvidenceSpan[] = [];
  for (const { page, words } of withMarksAround(document, takenWords(document, folded, occurrence), said)) {
    const source = document.pages[page];
    if (source === undefined || spans.length >= MOST_SPANS) break;
    if (source.isUnshown === true) continue;
    for (const rect of spansOf(source, words, MOST_SPANS - spans.length)) spans.push({ page: source.number, rect });
  }
  return spans;
}

/** Marks belong to the letter that they stand upon. */
function endOfCharacter(text: string, at: number): number {
  const size = (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  const marks = /^\p{M}{0,8}/u.exec(text.slice(at + size, at + size + 8))?.[0] ?? '';
  return at + size + marks.length;
}

/** In one line. Stretches that stand apart in the document are parted by a blank. */
function quoteOf(text: string, offsets: Uint32Array): string {
  const parts: string[] = [];
  let start = offsets[0] ?? 0;
  let last = start;
  const close = () => parts.push(withBrackets(text, start, endOfCharacter(text, last)));
  for (const offset of offsets) {
    // Words in between that are not the quote's: it is read in another order than the text's.
    if (
      offset < last ||
      (offset > last + 1 && (offset > last + APART || /[\p{L}\p{N}]/u.test(text.slice(last + 1, offset))))
    ) {
      close();
      start = offset;
    }
    last = offset;
  }
  close();
  return parts.join(' ').replace(/\s+/gu, ' ').trim();
}

/** Brackets around a number are its sign, a percent sign is its unit: who reads the quote has to see them. */
function withBrackets(text: string, start: number, end: number): string {
  const inner = text.slice(start, end);
  const unit = /\d$/u.test(inner) ? (/^ ?[%‰٪]/u.exec(text.slice(end, end + 2))?.[0] ?? '') : '';
  const bracketed = text[start - 1] === '(' && text[end + unit.length] === ')' && /^[^()]*\d[^()]*$/u.test(inner);
  return bracketed ? `(${inner}${unit})` : inner + unit;
}

/** Of several cells the one that holds the value, or else the first. */
function cellOf(page: SourcePage, start: number, end: number, value: string | undefined): AnchoredQuote['place'] {
  const within = (page.cells ?? []).filter((cell) => cell.start < end && cell.end > start);
  const wanted = value === undefined ? '' : comparable(value);
  const holds = within.find((cell) => wanted !== '' && comparable(page.text.slice(cell.start, cell.end)) === wanted);
  const cell = holds ?? within[0];
  return cell ? { sheet: page.label ?? '', cell: cell.address } : null;
}

const comparable = (text: string) => foldText(text.slice(0, 2_000)).codes.join();
