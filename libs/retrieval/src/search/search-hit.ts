import type { Span } from '../chunking/chunk.js';

/** A passage that was found, with all that a citation needs. */
export interface SearchHit {
  uid: string;
  filename: string;
  /** As the viewer sees it: '' for documents shared to them. */
  folder: string;
  /** Media path of the file. */
  path: string;
  /** 1-based. */
  page: number;
  chunkId: string;
  text: string;
  /** 0 to 1: by it hits are ordered. */
  score: number;
  /** Cosine; null when vectors took no part or the chunk was not among the nearest. */
  vectorScore: number | null;
  /** BM25; null when words took no part or none occurs. */
  keywordScore: number | null;
  spans: Span[];
}

/** The scores of a chunk, before its text is read. */
export type RankedChunk = Pick<SearchHit, 'chunkId' | 'score' | 'vectorScore' | 'keywordScore'>;
