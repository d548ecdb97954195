import { CurrentUser, type Principal } from '@app/auth';
import { BadGatewayError, GatewayTimeoutError, UnavailableError } from '@app/common';
import { normalizeFolder } from '@app/documents';
import { Retriever } from '@app/retrieval';
import { Body, Controller, Post } from '@nestjs/common';
import { Route } from '../../http/route.js';
import { SearchRequestBody, SearchResponse, toSearchResultResponse } from './search.dto.js';

/** Document 3, B5. */
@Controller('semantic-search')
export class SearchController {
  constructor(private readonly retriever: Retriever) {}

  @Post('search/')
  @Route({
    summary: 'Find passages in own and shared documents',
    errors: 'fields+error',
    scope: 'documents:read',
    response: SearchResponse,
  })
  async search(@CurrentUser() user: Principal, @Body() body: SearchRequestBody): Promise<SearchResponse> {
    const { query, uids, mode, limit } = body;
    const folder = body.folder === undefined ? undefined : normalizeFolder(body.folder);
    const scope = { uids, folder, docClass: body.doc_class, minScore: body.min_score };
    const { hits, tookMs } = await this.retriever
      .search({ viewer: { userId: user.userId }, query, mode, limit, ...scope })
      .catch(toIndexUnavailable);
    return { query, mode, count: hits.length, took_ms: tookMs, results: hits.map(toSearchResultResponse) };
  }
}

/** No encoder, an encoder that is down, or a database that gives up: to a client the index is what is missing. */
function toIndexUnavailable(error: unknown): never {
  const away = [UnavailableError, BadGatewayError, GatewayTimeoutError].some((type) => error instanceof type);
  const cancelled = error instanceof Error && 'code' in error && error.code === '57014';
  if (away || cancelled)
    throw new UnavailableError('Search is not available in this mode now.', {
      code: 'index_unavailable',
      cause: error,
    });
  throw error;
}
