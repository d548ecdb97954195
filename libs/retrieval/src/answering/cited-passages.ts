import type { SearchHit } from '../search/search-hit.js';

/** What the numbers of an answer's citations count: passages, or the documents that they are of. */
export type CitationUnit = 'passage' | 'document';

/** A passage with the number under which answers cite it, from 1. */
export interface CitedPassage {
  number: number;
  hit: SearchHit;
  /** The passage with what stands around it, for a model to read; its own text where that is all. */
  shown?: string | undefined;
}

/**
 * Numbers the passages for citation. By document, those of one document stand together under one number, documents
 * in the order of their best passages: a client that is shown documents finds what `[2]` means.
 */
export function citePassages(hits: readonly SearchHit[], unit: CitationUnit): CitedPassage[] {
  if (unit === 'passage') return hits.map((hit, at) => ({ number: at + 1, hit }));
  const uids = [...new Set(hits.map(({ uid }) => uid))];
  return uids.flatMap((uid, at) => hits.filter((hit) => hit.uid === uid).map((hit) => ({ number: at + 1, hit })));
}
