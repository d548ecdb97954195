export { analyse } from './analysis/analyse.js';
export type { PageText, Span, TextChunk } from './chunking/chunk.js';
export { ChunkIndex, type ChunkVectors, type IndexTarget } from './chunk-index/chunk-index.js';
export { KeywordSearch } from './search/keyword-search.js';
export { Retriever, SEARCH_MODES, type SearchMode, type SearchRequest } from './search/retriever.js';
export type { SearchScope, Viewer } from './search/scope.js';
export type { SearchHit } from './search/search-hit.js';
export { VectorSearch } from './search/vector-search.js';
