import { Embeddings } from '@app/integrations';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { fuse } from './fuse.js';
import { KeywordSearch } from './keyword-search.js';
import { READABLE, scopeParameters, type SearchScope, type Viewer } from './scope.js';
import type { RankedChunk, SearchHit } from './search-hit.js';
import { VectorSearch } from './vector-search.js';

export const SEARCH_MODES = ['hybrid', 'vector', 'keyword'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** What each ranking gives to the fusion. */
const DEPTH = 200;

export interface SearchRequest extends SearchScope {
  viewer: Viewer;
  query: string;
  /** `hybrid` is `keyword` where no encoder is configured. */
  mode: SearchMode;
  /** 1 to 50. */
  limit: number;
  /** Hits below this score are left out; 0 to 1. */
  minScore?: number | undefined;
  signal?: AbortSignal | undefined;
}

const logger = new Logger('Retriever');

/** An encoder that is down makes hybrid search a search by words. */
function withoutVectors({ mode, signal }: SearchRequest, error: unknown): [] {
  if (mode === 'vector' || signal?.aborted) throw error;
  logger.warn(`Searching without vectors: ${error instanceof Error ? error.message : String(error)}`);
  return [];
}

/** Finds passages in the documents that the viewer may read. */
@Injectable()
export class Retriever {
  constructor(
    private readonly dataSource: DataSource,
    private readonly embeddings: Embeddings,
    private readonly keywords: KeywordSearch,
    private readonly vectors: VectorSearch,
  ) {}

  /** @throws UnavailableError (`embeddings_not_configured`) for mode `vector` without an encoder, and what the encoder throws */
  async search(request: SearchRequest): Promise<{ hits: SearchHit[]; tookMs: number }> {
    const started = performance.now();
    const ranked = (await this.rank(request))
      .filter(({ score }) => score >= (request.minScore ?? 0))
      .slice(0, request.limit);
    const hits = await this.read(request, ranked);
    return { hits, tookMs: Math.round(performance.now() - started) };
  }

  private async rank(request: SearchRequest): Promise<RankedChunk[]> {
    const { viewer, query, mode, limit } = request;
    const depth = Math.max(DEPTH, limit);
    const withVectors = mode === 'vector' || (mode === 'hybrid' && this.embeddings.enabled);
    const [keyword, vector] = await Promise.all([
      mode === 'vector' ? [] : this.keywords.search(viewer, request, query, depth),
      withVectors ? this.nearest(request, depth).catch((error: unknown) => withoutVectors(request, error)) : [],
    ]);
    const weight = mode === 'vector' ? 1 : withVectors && vector.length > 0 ? this.embeddings.hybridWeight : 0;
    return fuse(keyword, vector, weight);
  }

  private async nearest(request: SearchRequest, depth: number) {
    const [vector] = await this.embeddings.embed([request.query], request.signal);
    return this.vectors.search(request.viewer, request, this.embeddings.modelId, vector!, depth);
  }

  /** Reads texts under the same conditions again: between the two statements a share may have been taken back. */
  private async read(request: SearchRequest, ranked: readonly RankedChunk[]): Promise<SearchHit[]> {
    if (ranked.length === 0) return [];
    const rows = await this.dataSource.query<(Omit<SearchHit, keyof RankedChunk> & { chunkId: string })[]>(
      `WITH ${READABLE}
       SELECT c.id AS "chunkId", d.uid, d.filename, d.path, t.page, t.text, t.spans,
         CASE WHEN d.owner_id = $1 THEN d.folder ELSE '' END AS folder
       FROM chunks c JOIN readable r ON r.index_id = c.index_id JOIN document_indexes i ON i.id = c.index_id
         JOIN documents d ON d.uid = i.document_uid JOIN chunk_contents t ON t.chunk_id = c.id
       WHERE c.id = ANY ($5::bigint[])`,
      [...scopeParameters(request.viewer, request), ranked.map(({ chunkId }) => chunkId)],
    );
    const texts = new Map(rows.map((row) => [row.chunkId, row]));
    return ranked.flatMap((chunk) => {
      const text = texts.get(chunk.chunkId);
      return text ? [{ ...text, ...chunk }] : [];
    });
  }
}
