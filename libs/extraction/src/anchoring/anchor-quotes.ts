import type { SourcePage } from '../source/source-page.js';
import type { AnchoredQuote, QuoteToAnchor } from './anchored-quote.js';
export function anchorQuotes(_pages: readonly SourcePage[], _quotes: readonly QuoteToAnchor[]): AnchoredQuote[] {
  return [];
}
