import { CurrentUser, type Principal } from '@app/auth';
import { BulkReindexing } from '@app/documents';
import { Body, Controller, Post } from '@nestjs/common';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { ReEmbedRequest, ReEmbedResponse, toReindexScope } from './re-embed.dto.js';

/** docs/contract/documents.md#indexing-again. */
@PartOf('core')
@Controller('semantic-search')
export class ReEmbedController {
  constructor(private readonly reindexing: BulkReindexing) {}

  @Post('re-embed/')
  @Route({
    summary: 'Index own documents again',
    description: 'The old index answers until the new one is there.',
    errors: 'fields+error',
    scope: 'documents:write',
    response: ReEmbedResponse,
    status: 202,
    startsSomething: true,
  })
  async start(@CurrentUser() user: Principal, @Body() body: ReEmbedRequest): Promise<ReEmbedResponse> {
    const { count, skipped } = await this.reindexing.start(user.userId, toReindexScope(body));
    return { status: 'queued', count, skipped };
  }
}
