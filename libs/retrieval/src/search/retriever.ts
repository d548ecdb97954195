import { Embeddings, Reranker } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { fuse } from './fuse.js';
import { KeywordSearch } from './keyword-search.js';
import { NameSearch } from './name-search.js';
import { OptionalStep } from './optional-step.js';
import { ScopeCounter, type ScopeTotals } from './scope-totals.js';
import { joinReadable, scopeParameters, type SearchScope, type Viewer } from './scope.js';
import type { RankedChunk, SearchHit } from './search-hit.js';
import { undecided } from './undecided.js';
import { VectorSearch } from './vector-search.js';

export const SEARCH_MODES = ['hybrid', 'vector', 'keyword'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** What each ranking gives to the fusion. */
const DEPTH = 100;
/** Passages that a reranker reads. */
const RERANKED = 50;
/** Somebody waits: what can be done without has so long, and rests so long when it fails. */
const WITHIN = { timeoutMs: 5000, restMs: 30_000 };
/** Documents that may be found by their name alone. */
const NAMED = 5;

export interface SearchRequest extends SearchScope {
  viewer: Viewer;
  query: string;
  /** `hybrid` is `keyword` where no encoder is configured. */
  mode: SearchMode;
  /** 1 to 50. */
  limit: number;
  /** Hits below this score are left out; 0 to 1. */
  minScore?: number | undefined;
  /** Whether documents are also found by their file names; for people who look for a document, not for an answer. */
  names?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Finds passages in the documents that the viewer may read. */
@Injectable()
export class Retriever {
  private readonly counter: ScopeCounter;
  private readonly encoding = new OptionalStep('vectors', WITHIN);
  private readonly reranking = new OptionalStep('the reranker', WITHIN);

  constructor(
    private readonly dataSource: DataSource,
    private readonly embeddings: Embeddings,
    private readonly reranker: Reranker,
    private readonly keywords: KeywordSearch,
    private readonly vectors: VectorSearch,
    private readonly names: NameSearch,
  ) {
    this.counter = new ScopeCounter(dataSource);
  }

  /** Whether this deployment can search that way at all. */
  can(mode: SearchMode): boolean {
    return mode !== 'vector' || this.embeddings.enabled;
  }

  /** @throws UnavailableError (`embeddings_not_configured`) for mode `vector` without an encoder, and what the encoder throws */
  async search(request: SearchRequest): Promise<{ hits: SearchHit[]; tookMs: number }> {
    const started = performance.now();
    const { limit, minScore = 0 } = request;
    const ranked = (await this.rank(request)).filter(({ score }) => this.reranker.enabled || score >= minScore);
    const read = await this.read(request, ranked.slice(0, this.wanted(limit)));
    const hits = this.reranker.enabled ? await this.rerank(request, read) : read;
    return {
      hits: hits.filter(({ score }) => score >= minScore).slice(0, limit),
      tookMs: Math.round(performance.now() - started),
    };
  }

  private async rank(request: SearchRequest): Promise<RankedChunk[]> {
    const { viewer, query, mode, limit } = request;
    const depth = Math.max(DEPTH, limit);
    const withVectors = mode === 'vector' || (mode === 'hybrid' && this.embeddings.enabled);
    const counted = this.counter.count(viewer, request);
    const [keyword, near, named] = await Promise.all([
      mode === 'vector' ? [] : counted.then((totals) => this.keywords.search(viewer, request, query, depth, totals)),
      withVectors ? this.nearest(request, depth, counted) : null,
      request.names && mode !== 'vector' ? this.names.search(viewer, request, query, NAMED) : [],
    ]);
    if (!near) return fuse({ keyword, vector: [], named, vectorWeight: 0 });
    // A passage that has the words and is not among the nearest still has a direction; without it, it would lose to
    // passages that only happen to point the same way (on Cranfield that makes hybrid worse than words alone).
    const wanted = this.wanted(limit);
    const others = undecided({ keyword, near: near.hits, vectorWeight: this.embeddings.hybridWeight, wanted });
    const vector = [...near.hits, ...(await this.vectors.cosines(viewer, request, near.question, others))];
    // Documents that were indexed before there was an encoder are found by their words.
    const vectorWeight = mode === 'vector' ? 1 : vector.length > 0 ? this.embeddings.hybridWeight : 0;
    return fuse({ keyword, vector, named, vectorWeight });
  }

  private async nearest(request: SearchRequest, limit: number, counted: Promise<ScopeTotals>) {
    const [vector, totals] = await Promise.all([this.encode(request), counted]);
    if (!vector) return null;
    const question = { modelId: this.embeddings.modelId, vector };
    return { question, hits: await this.vectors.nearest(request.viewer, request, question, limit, totals) };
  }

  /** How many of the ranking are read. */
  private wanted(limit: number): number {
    return this.reranker.enabled ? Math.max(RERANKED, limit) : limit;
  }

  /** Null when the encoder is down and words are enough: hybrid search is then a search by words. */
  private async encode({ query, mode, signal }: SearchRequest): Promise<Float32Array | null> {
    const embed = (within: AbortSignal | undefined) => this.embeddings.embed([query], within);
    const vectors = mode === 'vector' ? await embed(signal) : await this.encoding.run(embed, signal);
    return vectors?.[0] ?? null;
  }

  /** In the reranker's order, its relevance being the score. A reranker that is down changes nothing. */
  private async rerank({ query, signal }: SearchRequest, hits: readonly SearchHit[]): Promise<SearchHit[]> {
    if (hits.length === 0) return [];
    const texts = hits.map(({ text }) => text);
    const scores = await this.reranking.run((within) => this.reranker.rerank(query, texts, within), signal);
    if (scores === null) return [...hits];
    return hits
      .map((hit, at) => ({ ...hit, score: scores[at]!, rerankScore: scores[at]! }))
      .sort((left, right) => right.score - left.score);
  }

  /** Reads texts under the same conditions again: between the two statements a share may have been taken back. */
  private async read(request: SearchRequest, ranked: readonly RankedChunk[]): Promise<SearchHit[]> {
    if (ranked.length === 0) return [];
    const rows = await this.dataSource.query<(Omit<SearchHit, keyof RankedChunk> & { chunkId: string })[]>(
      `SELECT c.id AS "chunkId", d.uid, d.filename, d.path, t.page, t.text, t.spans, t.context,
         t.start_offset AS start,
         CASE WHEN d.owner_id = $1 THEN d.folder ELSE '' END AS folder
       FROM chunks c ${joinReadable('c.index_id')} JOIN chunk_contents t ON t.chunk_id = c.id
       WHERE c.id = ANY ($7::bigint[])`,
      [...scopeParameters(request.viewer, request), ranked.map(({ chunkId }) => chunkId)],
    );
    const texts = new Map(rows.map((row) => [row.chunkId, row]));
    return ranked.flatMap((chunk) => {
      const text = texts.get(chunk.chunkId);
      return text ? [{ ...text, ...chunk }] : [];
    });
  }
}
