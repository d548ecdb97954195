import type { SourcePage } from '../source/source-page.js';
import type { AnchoredQuote, QuoteToAnchor } from './anchored-quote.js';
import { chooseByRows, type Option } from './choose.js';
import { findQuote, type Found, type Hit } from './find-quote.js';
import { placeQuote } from './placed-quote.js';
import { SearchedDocument } from './searched-document.js';

const NOWHERE: AnchoredQuote = {
  anchor: 'none',
  quote: '',
  page: null,
  start: null,
  end: null,
  spans: [],
  pageWidth: null,
  pageHeight: null,
  place: null,
  ambiguous: false,
};

/**
 * Finds quotes in a document: word for word first, then but for the way in which the same words are written, then but for
 * misread letters; digits and what makes numbers of them never but exactly. What is not there is `none`. Time grows with
 * the length of the document and the number of quotes, whatever they hold.
 * @returns one for each quote, in their order
 */
export function anchorQuotes(pages: readonly SourcePage[], quotes: readonly QuoteToAnchor[]): AnchoredQuote[] {
  const document = new SearchedDocument(pages);
  const known = new Map<string, { found: Found; options: Option[] }>();
  const searched = quotes.map(({ quote }) => {
    let result = known.get(quote);
    if (result === undefined) {
      const found = findQuote(document, quote);
      result = { found, options: found.hits.map((hit) => optionOf(document, hit)) };
      known.set(quote, result);
    }
    return result;
  });
  const left = chooseByRows(
    quotes.map(({ quote, row, column }, at) => ({
      row: row ?? null,
      column: column ?? `"${quote}`,
      options: searched[at]?.options ?? [],
    })),
  );
  return quotes.map((quote, at) => {
    const result = searched[at];
    const options = left[at] ?? [];
    const chosen = preferred(document, options, quote.page);
    if (result === undefined || chosen === undefined) return NOWHERE;
    const hit = result.found.hits[result.options.indexOf(chosen)];
    return hit ? anchored(document, quote, result.found, hit, options.length > 1) : NOWHERE;
  });
}

/** The page that was said decides nothing: whoever made up the words may have made up the page. */
function preferred(document: SearchedDocument, options: readonly Option[], page?: number): Option | undefined {
  const said = page === undefined ? undefined : options.find(({ band }) => document.pages[band.page]?.number === page);
  return said ?? options[0];
}

function anchored(
  document: SearchedDocument,
  asked: QuoteToAnchor,
  found: Found,
  hit: Hit,
  ambiguous: boolean,
): AnchoredQuote {
  const place = placeQuote(document, hit.folded, hit, asked);
  const said = asked.quote.normalize('NFC').replace(/\s+/gu, ' ').trim();
  const isExact = found.anchor === 'normalised' && standsAsSaid(document, place, said);
  return {
    ...place,
    anchor: isExact ? 'exact' : found.anchor,
    quote: isExact && said.length > place.quote.length ? said : place.quote,
    ambiguous,
  };
}

/** Character by character but for blanks, what stands around the first and last word included. */
function standsAsSaid(document: SearchedDocument, place: ReturnType<typeof placeQuote>, said: string): boolean {
  const { page, start, end } = place;
  const index = document.pages.findIndex(({ number }) => number === page);
  if (index === -1 || start === null || end === null) return false;
  if (said === place.quote) return true;
  const base = document.startOf(index);
  const inner = document.text.slice(base + start, base + end).replace(/\s+/gu, ' ');
  const at = said.indexOf(inner);
  if (at === -1) return false;
  const [head, tail] = [said.slice(0, at), said.slice(at + inner.length)];
  const around = (from: number, to: number) => document.text.slice(Math.max(0, from), to).replace(/\s+/gu, ' ');
  return (
    around(base + start - head.length * 2, base + start).endsWith(head) &&
    around(base + end, base + end + tail.length * 2).startsWith(tail)
  );
}

function optionOf(document: SearchedDocument, { folded, start }: Hit): Option {
  const at = folded.from[start] ?? 0;
  const placed = document.wordOf(at);
  if (placed) {
    const [left, top, right, bottom] = placed.word.rect;
    return { at, band: { page: placed.page, top, bottom, left, right } };
  }
  // Without geometry a line is a band of its own.
  const line = document.lineAt(at);
  return { at, band: { page: document.pageAt(at), top: line, bottom: line + 1, left: 0, right: 0 } };
}
