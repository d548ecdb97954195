import type { CitationUnit, SearchHit } from '@app/retrieval';
import { toChatSource, toGroupedSources } from './chat.dto.js';

/** How an answer begins (document 2, section 6; document 3, B5): its sources, before the text. */
export interface SourceList {
  /** What the numbers in the text count: the items of this list. */
  citations: CitationUnit;
  /** Between list and text in the raw form. */
  separator: '' | '||';
  list(hits: readonly SearchHit[]): unknown[];
}

/** One item per passage. */
export const PASSAGES: SourceList = {
  citations: 'passage',
  separator: '',
  list: (hits) => hits.map(toChatSource),
};

/** One item per document, with its passages. */
export const GROUPED: SourceList = { citations: 'document', separator: '', list: toGroupedSources };

/** The media paths of the documents. */
export const PATHS: SourceList = {
  citations: 'document',
  separator: '||',
  list: (hits) => [...new Set(hits.map(({ path }) => path))],
};
