import { spansOfQuote, type QuoteSpan } from '../chunking/spans.js';
import type { CitedPassage } from './cited-passages.js';
import type { Quote } from './quote-sentences.js';

/** By chunk id of the passage that is quoted, where its quotes stand: line by line, in the order of the quotes. */
export type QuoteSpans = ReadonlyMap<string, readonly QuoteSpan[]>;

/** Passages of which no lines are known are left out. */
export function placeQuotes(quotes: readonly Quote[], passages: readonly CitedPassage[]): QuoteSpans {
  const spans = new Map<string, QuoteSpan[]>();
  for (const { passage, pieces } of quotes) {
    const { hit } = passages[passage]!;
    const placed = pieces.flatMap(({ start, end }) => spansOfQuote(hit, start, end));
    if (placed.length > 0) spans.set(hit.chunkId, withoutRepeated([...(spans.get(hit.chunkId) ?? []), ...placed]));
  }
  return spans;
}

/** The header of a table stands with each of its rows that are quoted. */
function withoutRepeated(spans: readonly QuoteSpan[]): QuoteSpan[] {
  return [...new Map(spans.map((span) => [`${span.page} ${span.rect.join(' ')}`, span])).values()];
}
