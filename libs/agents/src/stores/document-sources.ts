import type { CitationUnit, SearchHit } from '@app/retrieval';
import type { DocumentTurnRequest } from './turn-requests.js';

/** A passage of a source, in wire names (document 3, B5). */
export interface ChatPassage {
  page: number;
  chunk_id: string;
  score: number;
  text: string;
  /** Where it stands on its page. */
  spans: { page: number; rect: number[] }[];
}

export interface ChatSource extends ChatPassage {
  uid: string;
  filename: string;
  path: string;
}

export interface GroupedSource {
  uid: string;
  filename: string;
  path: string;
  chunks: ChatPassage[];
}

/** How an answer begins (document 2, section 6; document 3, B5): its sources, before the text. */
export interface SourceList {
  /** What the numbers in the text count: the items of this list. */
  citations: CitationUnit;
  /** Between list and text in the raw form. */
  separator: '' | '||';
  list(hits: readonly SearchHit[]): unknown[];
}

export const SOURCE_LISTS: Record<DocumentTurnRequest['sources'], SourceList> = {
  /** One item per passage. */
  passages: { citations: 'passage', separator: '', list: (hits) => hits.map(toChatSource) },
  /** One item per document, with its passages. */
  grouped: { citations: 'document', separator: '', list: toGroupedSources },
  /** The media paths of the documents. */
  paths: { citations: 'document', separator: '||', list: (hits) => [...new Set(hits.map(({ path }) => path))] },
};

function toChatSource(hit: SearchHit): ChatSource {
  const { uid, filename, path } = hit;
  return { uid, filename, path, ...toPassage(hit) };
}

/** Documents in the order of the hits. */
function toGroupedSources(hits: readonly SearchHit[]): GroupedSource[] {
  const groups = new Map<string, GroupedSource>();
  for (const hit of hits) {
    const { uid, filename, path } = hit;
    const group = groups.get(uid) ?? { uid, filename, path, chunks: [] };
    group.chunks.push(toPassage(hit));
    groups.set(uid, group);
  }
  return [...groups.values()];
}

function toPassage({ page, chunkId, score, text, spans }: SearchHit): ChatPassage {
  return {
    page,
    chunk_id: chunkId,
    score,
    text,
    spans: spans.map((span) => ({ page: span.page, rect: [...span.rect] })),
  };
}
