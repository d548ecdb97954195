import type { CitationUnit, QuoteSpan, QuoteSpans, SearchHit } from '@app/retrieval';
import type { DocumentTurnRequest } from './turn-requests.js';

/** A passage of a source, in wire names (docs/contract/search.md#chats-with-documents). */
export interface ChatPassage {
  page: number;
  chunk_id: string;
  score: number;
  text: string;
  /** Where it stands on its page. */
  spans: { page: number; rect: number[] }[];
  /** Where what the answer quotes of it stands; absent where nothing is quoted, as in the words of a model. */
  quote_spans?: QuotedSpan[];
}

interface QuotedSpan {
  page: number;
  rect: number[];
  /** The quote begins or ends within the line, where is reckoned; absent otherwise. */
  approximate?: true;
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

/**
 * How an answer begins (docs/contract/conventions.md#streams, docs/contract/search.md#chats-with-documents): its
 * sources, before the text.
 */
export interface SourceList {
  /** What the numbers in the text count: the items of this list. */
  citations: CitationUnit;
  /** Between list and text in the raw form. */
  separator: '' | '||';
  list(hits: readonly SearchHit[], quoted: QuoteSpans): unknown[];
}

export const SOURCE_LISTS: Record<DocumentTurnRequest['sources'], SourceList> = {
  /** One item per passage. */
  passages: {
    citations: 'passage',
    separator: '',
    list: (hits, quoted) => hits.map((hit) => toChatSource(hit, quoted)),
  },
  /** One item per document, with its passages. */
  grouped: { citations: 'document', separator: '', list: toGroupedSources },
  /** The media paths of the documents. */
  paths: { citations: 'document', separator: '||', list: (hits) => [...new Set(hits.map(({ path }) => path))] },
};

function toChatSource(hit: SearchHit, quoted: QuoteSpans): ChatSource {
  const { uid, filename, path } = hit;
  return { uid, filename, path, ...toPassage(hit, quoted) };
}

/** Documents in the order of the hits. */
function toGroupedSources(hits: readonly SearchHit[], quoted: QuoteSpans): GroupedSource[] {
  const groups = new Map<string, GroupedSource>();
  for (const hit of hits) {
    const { uid, filename, path } = hit;
    const group = groups.get(uid) ?? { uid, filename, path, chunks: [] };
    group.chunks.push(toPassage(hit, quoted));
    groups.set(uid, group);
  }
  return [...groups.values()];
}

function toPassage({ page, chunkId, score, text, spans }: SearchHit, quoted: QuoteSpans): ChatPassage {
  const quotes = quoted.get(chunkId);
  return {
    page,
    chunk_id: chunkId,
    score,
    text,
    spans: spans.map((span) => ({ page: span.page, rect: [...span.rect] })),
    ...(quotes ? { quote_spans: quotes.map(toQuotedSpan) } : {}),
  };
}

function toQuotedSpan({ page, rect, approximate }: QuoteSpan): QuotedSpan {
  return { page, rect: [...rect], ...(approximate ? { approximate } : {}) };
}
