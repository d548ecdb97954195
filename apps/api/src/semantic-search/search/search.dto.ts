import { SEARCH_MODES, type SearchHit, type SearchMode } from '@app/retrieval';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ListField,
  NumberField,
  ObjectField,
  StringField,
  UuidField,
  kinds,
} from '../../http/fields.js';

export class SearchRequestBody {
  @StringField({ minLength: 1, maxLength: 1000 })
  query: string;

  @ListField(kinds.uuid(), {
    optional: true,
    nullable: true,
    minItems: 1,
    maxItems: 500,
    description: 'Only these documents.',
  })
  uids?: string[] | null;

  @StringField({
    optional: true,
    nullable: true,
    allowBlank: true,
    maxLength: 1000,
    description: 'Only this folder of one’s own, and below.',
  })
  folder?: string | null;

  @StringField({ optional: true, nullable: true, maxLength: 200 })
  doc_class?: string | null;

  @ChoiceField(SEARCH_MODES, { default: 'hybrid' })
  mode: SearchMode;

  @IntegerField({ min: 1, max: 50, default: 10 })
  limit: number;

  @NumberField({ optional: true, nullable: true, min: 0, max: 1 })
  min_score?: number | null;

  @DateTimeField({ optional: true, nullable: true, description: 'Only documents that were uploaded then or later.' })
  created_from?: Date | null;

  @DateTimeField({ optional: true, nullable: true, description: 'Only documents that were uploaded before.' })
  created_before?: Date | null;

  @ListField(kinds.string(), {
    optional: true,
    nullable: true,
    maxItems: 50,
    description: 'Only one’s own documents that have all of these tags, whatever their case.',
  })
  tags?: string[] | null;

  @BooleanField({ default: false, description: 'Whether each result tells how its score came about.' })
  explain: boolean;
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

  @ObjectField({
    optional: true,
    description:
      'When asked for: `keyword {bm25, share, weight}`, `vector {cosine, weight}`, `name {similarity}`, `rerank {score}`; null where a ranking took no part.',
  })
  explanation?: Record<string, unknown>;
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

export function toSpanResponse({ page, rect }: SearchHit['spans'][number]): SpanResponse {
  return { page, rect: [...rect] };
}

export function toSearchResultResponse(hit: SearchHit, explain: boolean): SearchResultResponse {
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
    spans: spans.map(toSpanResponse),
    ...(explain ? { explanation: toExplanation(hit) } : {}),
  };
}

function toExplanation(hit: SearchHit): Record<string, unknown> {
  const { keywordScore, keywordShare, vectorScore, vectorWeight, nameScore, rerankScore } = hit;
  return {
    keyword: keywordScore === null ? null : { bm25: keywordScore, share: keywordShare, weight: 1 - vectorWeight },
    vector: vectorScore === null ? null : { cosine: vectorScore, weight: vectorWeight },
    name: nameScore === null ? null : { similarity: nameScore },
    rerank: rerankScore === null ? null : { score: rerankScore },
  };
}
