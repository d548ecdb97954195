import { SEARCH_MODES, type SearchHit, type SearchMode } from '@app/retrieval';
import { ChoiceField, IntegerField, ListField, NumberField, StringField, UuidField, kinds } from '../../http/fields.js';

export class SearchRequestBody {
  @StringField({ minLength: 1, maxLength: 1000 })
  query: string;

  @ListField(kinds.uuid(), { optional: true, minItems: 1, maxItems: 500, description: 'Only these documents.' })
  uids?: string[];

  @StringField({
    optional: true,
    allowBlank: true,
    maxLength: 1000,
    description: 'Only this folder of one’s own, and below.',
  })
  folder?: string;

  @StringField({ optional: true, maxLength: 200 })
  doc_class?: string;

  @ChoiceField(SEARCH_MODES, { default: 'hybrid' })
  mode: SearchMode;

  @IntegerField({ min: 1, max: 50, default: 10 })
  limit: number;

  @NumberField({ optional: true, min: 0, max: 1 })
  min_score?: number;
}

export class SpanResponse {
  @IntegerField()
  page: number;

  @ListField(kinds.number(), { description: '[x0, y0, x1, y1] as fractions of the page, from its top-left corner.' })
  rect: number[];
}

export class SearchResultResponse {
  @UuidField()
  uid: string;

  @StringField()
  filename: string;

  @StringField({ description: 'Empty for documents that others share.' })
  folder: string;

  @StringField({ description: 'Media URL of the file.' })
  path: string;

  @IntegerField()
  page: number;

  @StringField()
  chunk_id: string;

  @StringField()
  text: string;

  @NumberField({ description: '0 to 1; results are ordered by it.' })
  score: number;

  @NumberField({ nullable: true, description: 'Cosine; null when vectors took no part.' })
  vector_score: number | null;

  @NumberField({ nullable: true, description: 'BM25; null when words took no part.' })
  keyword_score: number | null;

  @ListField(() => SpanResponse)
  spans: SpanResponse[];
}

export class SearchResponse {
  @StringField()
  query: string;

  @ChoiceField(SEARCH_MODES)
  mode: SearchMode;

  @IntegerField()
  count: number;

  @IntegerField()
  took_ms: number;

  @ListField(() => SearchResultResponse)
  results: SearchResultResponse[];
}

export function toSearchResultResponse(hit: SearchHit): SearchResultResponse {
  const { uid, filename, folder, path, page, text, score, spans } = hit;
  return {
    uid,
    filename,
    folder,
    path,
    page,
    chunk_id: hit.chunkId,
    text,
    score,
    vector_score: hit.vectorScore,
    keyword_score: hit.keywordScore,
    spans: spans.map((span) => ({ page: span.page, rect: [...span.rect] })),
  };
}
