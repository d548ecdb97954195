import { CurrentUser, type Principal } from '@app/auth';
import { findableFolder, normalizeTags } from '@app/documents';
import { Retriever, toIndexUnavailable } from '@app/retrieval';
import { Body, Controller, Post } from '@nestjs/common';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { SearchRequestBody, SearchResponse, toSearchResultResponse } from './search.dto.js';

/** docs/contract/search.md#search. */
@PartOf('core')
@Controller('semantic-search')
export class SearchController {
  constructor(private readonly retriever: Retriever) {}

  @Post('search/')
  @Route({
    forViewers: true,
    summary: 'Find passages in own and shared documents',
    description: 'By meaning, by words, or by both, with filters. No language model is asked.',
    errors: 'fields+error',
    scope: 'documents:read',
    response: SearchResponse,
    open: true,
  })
  async search(@CurrentUser() user: Principal, @Body() body: SearchRequestBody): Promise<SearchResponse> {
    const { query, mode, limit, explain } = body;
    const scope = {
      uids: body.uids ?? undefined,
      folder: findableFolder(body.folder ?? ''),
      docClass: body.doc_class ?? undefined,
      createdFrom: body.created_from ?? undefined,
      createdBefore: body.created_before ?? undefined,
      tags: normalizeTags(body.tags ?? []),
      minScore: body.min_score ?? undefined,
    };
    const { hits, tookMs } = await this.retriever
      .search({ viewer: { userId: user.userId }, query, mode, limit, names: true, ...scope })
      .catch(toIndexUnavailable);
    return {
      query,
      mode,
      count: hits.length,
      took_ms: tookMs,
      results: hits.map((hit) => toSearchResultResponse(hit, explain)),
    };
  }
}
