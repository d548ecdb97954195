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
  /** Offset of `text` (UTF-16 code units) in the text of the page. */
  start: number;
  /** Title and date of the document, headings, header of the table: shown to models, never quoted; '' where unknown. */
  context: string;
  /** 0 to 1: by it hits are ordered. */
  score: number;
  /** Cosine; null when vectors took no part or the chunk was not among the nearest. */
  vectorScore: number | null;
  /** BM25; null when words took no part or none occurs. */
  keywordScore: number | null;
  /** BM25 over what a passage would get that holds every word of the query without end: 0 to 1; null as `keywordScore`. */
  keywordShare: number | null;
  /** How alike the document's name and the query are; null when the name took no part. */
  nameScore: number | null;
  /** What the reranker said, and then also `score`; null without one. */
  rerankScore: number | null;
  /** 0 to 1: what the cosine gave to `score` beside the words, which gave the rest. */
  vectorWeight: number;
  spans: Span[];
}

/** The scores of a chunk, before its text is read. */
export type RankedChunk = Pick<
  SearchHit,
  'chunkId' | 'score' | 'vectorScore' | 'keywordScore' | 'keywordShare' | 'nameScore' | 'rerankScore' | 'vectorWeight'
>;
