import { analyse } from '../analysis/analyse.js';
import type { TextChunk } from '../chunking/chunk.js';

/**
 * The terms that a passage is found by: those of its text as often as they occur, and of its context once each that the
 * text lacks, so that title and headings, which all passages of a document share, never outweigh what one says.
 */
export function passageTerms({ text, context }: Pick<TextChunk, 'text' | 'context'>): string[] {
  const terms = analyse(text);
  const known = new Set(terms);
  return [...terms, ...new Set(analyse(context).filter((term) => !known.has(term)))];
}
